"""The numbers are the program's, to the bit: the same data, options and seed."""

import csv
import math
import subprocess

import numpy as np
import pytest

import talweg
from conftest import SETTING, counts, two_classes

FLAGS = ("--log-ell", "0.3", "--log-sigma", "1.5")

pytestmark = pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")


def same(a, b):
    return a == b or (b is None and math.isnan(a))


def test_approx(problem, program):
    expected = program(*problem, "approx", *FLAGS)
    fit = talweg.approx(*problem, **SETTING)
    assert fit.laplace.log_z == expected["laplace"]["log_z"]
    assert fit.laplace.iterations == expected["laplace"]["steps"]
    assert fit.ep.log_z == expected["ep"]["log_z"]
    assert fit.ep.iterations == expected["ep"]["sweeps"]
    assert fit.ep_corrected.log_z == expected["ep_corrected"]["log_z"]
    assert fit.ep_corrected.terms == expected["ep_corrected"]["terms"]


def test_natural_parameters(problem, program):
    """ell and sigma are the program's --ell and --sigma, one or one for each input, to the bit."""
    for ell, typed in ((1.7, "1.7"), ([1.7, 0.3], "1.7,0.3")):
        expected = program(*problem, "approx", "--ell", typed, "--sigma", "4.1")
        fit = talweg.approx(*problem, ell=ell, sigma=4.1)
        assert fit.ep.log_z == expected["ep"]["log_z"] and fit.laplace.log_z == expected["laplace"]["log_z"]
    model = talweg.Model(*problem, ell=2, log_sigma=0)
    assert list(model.theta) == [math.log(2), 0.0]
    draws = [talweg.sample(*problem, method="hmc", chains=2, draws=5, warmup=20, **given) for given in
             (dict(ell=2, sigma=3), dict(log_ell=math.log(2), log_sigma=math.log(3)))]
    assert np.array_equal(draws[0].x, draws[1].x)


def test_an_approximation_that_failed_says_so():
    """Pivots of 1e16 beside a noise of 1e-3 are beyond double precision."""
    x = np.linspace(-5, 5, 40)
    model = talweg.Model(x[:, np.newaxis], np.sin(x), likelihood="gaussian", kernel="polynomial(degree=12, sigma=1, offset=1)", noise=1e-3)
    with pytest.warns(talweg.TalwegWarning) as warned:
        fit = talweg.approx(model)
    said = [str(w.message) for w in warned]
    assert [text for text in said if "Laplace" in text] and [text for text in said if text.startswith("EP: log Z has a rounding error")]
    assert not fit.laplace.converged and math.isnan(fit.laplace.log_z) and math.isnan(fit.ep.log_z)


def test_approx_with_a_matrix(problem, program):
    X, y = problem
    distance = ((X[:, np.newaxis] - X) ** 2).sum(2)
    K = np.exp(-0.5 * distance)
    np.save(program.folder / "K.npy", K)
    expected = program(X, y, "approx", "--kernel-matrix", "K.npy")
    for order in "CF":
        fit = talweg.approx(y=y, kernel_matrix=np.array(K, order=order))
        assert fit.ep.log_z == expected["ep"]["log_z"]


def test_approx_with_a_sparse_precision(program):
    """Q = tridiagonal(-1, 2.2, -1), and a design that sees variables twice, against dense covariances."""
    n, y = 12, np.arange(20) % 4
    Q = 2.2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    A = np.eye(n)[np.arange(20) % n] * 0.5
    for name, matrix in (("Q", Q), ("A", A)):
        entries = [f"{i + 1} {j + 1} {matrix[i, j]!r}" for i, j in zip(*np.nonzero(matrix))]
        head = ["%%MatrixMarket matrix coordinate real general", f"{len(matrix)} {n} {len(entries)}"]
        (program.folder / f"{name}.mtx").write_text("\n".join(head + entries) + "\n")
    files = dict(precision_matrix=program.folder / "Q.mtx", design_matrix=str(program.folder / "A.mtx"))
    if b"AMD" not in subprocess.run([program.path, "--version"], stdout=subprocess.PIPE).stdout:
        pytest.skip("this build orders no sparse matrices")
    fit = talweg.approx(y=y, likelihood="poisson", **files)
    dense = talweg.approx(y=y, likelihood="poisson", kernel_matrix=A @ np.linalg.inv(Q) @ A.T)
    assert fit.ep.log_z == pytest.approx(dense.ep.log_z, abs=1e-6)
    assert fit.laplace.log_z == pytest.approx(dense.laplace.log_z, abs=1e-9)
    with pytest.raises(talweg.InputError, match="20 rows, but there are 19 cases"):
        talweg.approx(y=y[1:], likelihood="poisson", **files)
    with pytest.raises(talweg.InputError, match="design_matrix needs precision_matrix"):
        talweg.Model(np.zeros((20, 1)), y, likelihood="poisson", design_matrix="A.mtx")


def test_predictions_at_new_places(program):
    """A random walk between its times, at one of them, and beyond the last, against dense conditioning."""
    t, y, new = np.arange(2.0, 7.0), np.array([1.0, 3.0, 2.0, 5.0, 4.0]), np.array([2.5, 4.0, 8.0])
    if b"AMD" not in subprocess.run([program.path, "--version"], stdout=subprocess.PIPE).stdout:
        pytest.skip("this build orders no sparse matrices")
    kernel = "rw1(1, sigma=0.7) + constant(variance=4)"
    fit = talweg.approx(t[:, None], y, likelihood="gaussian", noise=0.5, kernel=kernel)
    found = talweg.predict(fit, new[:, None])
    D = np.diff(np.eye(5), axis=0)
    K = np.linalg.pinv(D.T @ D / 0.49) + 4.0
    weights = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]])
    rest = 0.49 * np.array([0.25, 0.0, 2.0])  # a bridge in the middle of a step, and two steps beyond the end
    gain = K @ np.linalg.inv(K + 0.25 * np.eye(5))
    assert found.mean == pytest.approx(weights @ gain @ y, abs=1e-9)
    posterior = K - gain @ K
    assert found.variance == pytest.approx(np.einsum("ij,jk,ik->i", weights, posterior, weights) + rest, abs=1e-9)


def test_counts_with_exposure(program):
    X, y = counts(40)
    expected = program(X, y, "approx", "--likelihood", "poisson", "--exposure", 2.5, "--kernel", "matern52")
    fit = talweg.approx(X, y, likelihood="poisson", exposure=2.5, kernel="matern52")
    assert fit.ep.log_z == expected["ep"]["log_z"]
    assert talweg.approx(X, y, likelihood="poisson", exposure=np.full(40, 2.5), kernel="matern52").ep.log_z == fit.ep.log_z


def test_standardised_inputs_and_labels_from_zero(program):
    X, y = two_classes(50, seed=3)
    X = 100 + 7 * X
    expected = program(X, (y + 1) / 2, "approx", "--standardise")
    fit = talweg.approx(X, (y + 1) / 2, standardise=True)
    assert fit.ep.log_z == expected["ep"]["log_z"]
    assert set(fit.model.y) == {-1.0, 1.0}


@pytest.mark.parametrize(
    "flags, options",
    [
        ((), {}),
        (("--method", "hmc"), dict(method="hmc")),
        (("--method", "hmc", "--metric", "prior", "--eps", "0.1", "--steps", "7"), dict(method="hmc", metric="prior", eps=0.1, steps=7)),
        (("--method", "rmhmc", "--init", "prior"), dict(method="rmhmc", init="prior")),
        (("--method", "ess", "--thin", "2"), dict(method="ess", thin=2)),
        (("--method", "hmc", "--from", "ep", "--beta", "0.5"), dict(method="hmc", start="ep", beta=0.5)),
    ],
)
def test_sample(small, program, flags, options):
    few = ("--chains", "2", "--draws", "40", "--warmup", "60", "--seed", "5", "-o", "draws.csv", "--force")
    expected = program(*small, "sample", *FLAGS, *few, *flags)
    draws = talweg.sample(*small, **SETTING, chains=2, draws=40, warmup=60, seed=5, **options)
    with open(program.folder / "draws.csv") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        c, d = int(row["chain"]) - 1, int(row["draw"]) - 1
        assert [float(row[f"x.{i + 1}"]) for i in range(15)] == list(draws.x[c, d])
        for name in ("lp", "acceptance_rate", "n_steps", "diverging", "energy"):
            assert float(row[name]) == draws.sample_stats[name][c, d]
    assert len(rows) == 80
    assert (draws.method, draws.metric) == (expected["method"], expected["metric"])
    assert draws.acceptance == expected["acceptance"]
    assert same(draws.diagnostics["ess_bulk_min"], expected["ess_bulk"]["min"])
    assert same(draws.diagnostics["rhat_max"], expected["rhat_max"])
    assert draws.counters == expected["counters"]
    steps = expected["evaluations" if draws.method == "ess" else "leapfrog_steps"]
    assert draws.sampling_totals["leapfrog_steps"] == steps
    for mine, its in zip(draws.choice, expected.get("candidates") or [], strict=True):
        assert same(mine["efficiency"], its["efficiency"])


FEW_ROUNDS, few_rounds = ("--copies", "8", "--rounds", "30"), dict(copies=8, rounds=30)


@pytest.mark.parametrize(
    "flags, options",
    [
        (("--method", "ais,ais-reverse,pt,rm", *FEW_ROUNDS), dict(method=("ais", "ais-reverse", "pt", "rm"), **few_rounds)),
        (("--from", "prior", "--method", "ais", "--temperatures", "100"), dict(start="prior", method="ais", temperatures=100)),
        (("--from", "prior", "--method", "pt", "--copies", "4", "--rounds", "40"), dict(start="prior", method="pt", copies=4, rounds=40)),
        (
            ("--from", "laplace", "--kernel-method", "rmhmc", "--temperatures", "2", "--method", "ais", "--eps", "0.3"),
            dict(start="laplace", kernel_method="rmhmc", temperatures=2, method="ais", eps=0.3),
        ),
        (("--schedule", "adaptive", "--kernel-method", "ess"), dict(schedule="adaptive", kernel_method="ess")),
        (("--until-se", "0.05", "--method", "ais,rm,pt", "--rounds", "30"), dict(until_se=0.05, method="ais,rm,pt", rounds=30)),
    ],
)
def test_evidence(small, program, flags, options):
    expected = program(*small, "evidence", *FLAGS, "--particles", "48", "--seed", "3", *flags, codes=(0, 2))  # 2: not as close as --until-se asks
    evidence = talweg.evidence(*small, **SETTING, particles=48, seed=3, **options)
    assert [e.method for e in evidence] == [e["method"] for e in expected["estimates"]]
    for found, wanted in zip(evidence, expected["estimates"]):
        for name in ("log_z", "se", "se_bootstrap", "weight_ess", "pareto_k", "missed", "acceptance", "particles", "temperatures", "unbiased"):
            assert same(getattr(found, name), wanted[name]), (found.method, name)
    findings = [doubt.split(". Use")[0] for doubt in evidence.doubts()]  # advice names arguments here, options there
    assert findings == [e["doubt"].split(". Use")[0] for e in expected["estimates"] if e["doubt"]]
    assert all(words in repr(evidence) for words in evidence.doubts())
    assert evidence.agree == expected["agree"]
    assert evidence.ep_corrected == expected["ep_corrected"]["log_z"]


def test_defaults_of_evidence(small, program):
    """Without options the program and the package do the same; so they do on a schedule of the user's own."""
    schedule = np.linspace(0, 1, 9) ** 2
    np.savetxt(program.folder / "schedule.csv", schedule, fmt="%.17g")
    given = ("--schedule", "schedule.csv", "--method", "ais,pt,rm", "--particles", "64", *FEW_ROUNDS)
    for flags, options in (((), {}), (given, dict(schedule=schedule, method="ais,pt,rm", particles=64, **few_rounds))):
        expected = program(*small, "evidence", *FLAGS, *flags)
        evidence = talweg.evidence(*small, **SETTING, **options)
        assert [(e.method, e.log_z, e.se) for e in evidence] == [(e["method"], e["log_z"], e["se"]) for e in expected["estimates"]]
        assert evidence.kernel == expected["estimates"][0]["kernel"] and evidence.start == expected["estimates"][0]["from"]


def test_predict_from_ep(problem, program):
    Xnew, ynew = two_classes(700, seed=9)  # more than a batch
    np.save(program.folder / "new.npy", np.column_stack([Xnew, ynew]))
    program(*problem, "approx", *FLAGS, "--save-approx", "fit.json", "--force")
    fit = talweg.approx(*problem, **SETTING)
    prediction = talweg.predict(fit, Xnew, ynew)
    expected = program.call("predict", "fit.json", "new.npy", "--json", "--quiet")
    assert list(prediction.mean) == expected["predictions"]["mean"]
    assert list(prediction.variance) == expected["predictions"]["variance"]
    assert list(prediction.probability) == expected["predictions"]["probability"]
    assert prediction.scores["error_rate"] == expected["scores"]["error_rate"]
    assert prediction.scores["log_score"] == expected["scores"]["log_score_nats"]


def test_version(program):
    printed = subprocess.run([program.path, "--version"], stdout=subprocess.PIPE, text=True).stdout
    assert printed.splitlines()[0].split() == ["talweg", talweg.__version__]
