"""Errors are exceptions with talweg's own words, of the class that fits."""

import warnings

import numpy as np
import pytest

import talweg
from conftest import SETTING, two_classes


def test_classes():
    for kind, builtin in (
        (talweg.InputError, ValueError),
        (talweg.NumericalError, RuntimeError),
        (talweg.OutOfMemoryError, MemoryError),
        (talweg.FileError, OSError),
    ):
        assert issubclass(kind, talweg.TalwegError) and issubclass(kind, builtin)
        assert kind.__module__ == "talweg" and kind.__doc__


CASES = [
    (dict(likelihood="cauchy"), "unknown likelihood .cauchy.; choose from: probit"),
    (dict(kernel="sse"), "sse"),
    (dict(log_ell=[0.0, 0.0, 0.0]), "3"),
    (dict(log_ell=np.nan), "nan"),
    (dict(ell=2.0), "ell and log_ell set the same parameter: use one of them"),
    (dict(sigma=2.0), "sigma and log_sigma set the same parameter: use one of them"),
    (dict(log_ell=None, ell=[1.0, -1.0]), "ell must be above 0, not -1"),
    (dict(log_ell=None, ell=np.nan), "ell must be above 0, not nan"),
    (dict(log_ell=None, ell="long"), "ell must be numbers"),
    (dict(log_sigma=None, sigma=0), "sigma must be above 0, not 0"),
    (dict(log_sigma=None, sigma=[1.0, 2.0]), "sigma must be a number, not an array"),
    (dict(log_ell=None, log_sigma=None, ell=2.0, kernel="se + linear"), "kernel given by name only"),
    (dict(likelihood="poisson"), "observation 1 is -1"),
    (dict(noise=1.0), "noise cannot be used with the probit likelihood"),
    (dict(method="gibbs"), "unknown method .gibbs."),
    (dict(method="hmc", metric="hessian"), "hessian cannot be used with hmc"),
    (dict(metric="ep"), "needs a method"),
    (dict(method="ess", eps=0.1), "eps is an option of hmc or rmhmc or mgrad, not of ess"),
    (dict(method="hmc", warmup=0), "nothing is tuned"),
    (dict(target_accept=1.5), "between 0 and 1"),
    (dict(draws=0), "draws must be at least 1"),
    (dict(threads=-1), "threads"),
    (dict(init="zero"), "unknown init"),
    (dict(init=np.zeros((7, 1))), "7"),
    (dict(start="posterior"), "prior, ep or a given Gaussian, not .posterior."),
    (dict(start=(np.zeros(60), np.eye(59)), beta=0.5), "for every case"),
]


@pytest.mark.parametrize("options, words", CASES)
@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")
def test_bad_arguments(problem, options, words):
    y = np.where(problem[1] > 0, problem[1], -1) if options.get("likelihood") == "poisson" else problem[1]
    if options.get("likelihood") == "poisson":
        y = y.copy()
        y[0] = -1
    with pytest.raises(talweg.InputError, match=words):
        talweg.sample(problem[0], y, **{**SETTING, "draws": 20, "warmup": 20, **options})


def test_bad_data(problem):
    X, y = problem
    holes = X.copy()
    holes[3, 1] = np.nan
    for arguments, words in (
        ((X, y[:-1]), "X has 60 rows, but y has 59 values"),
        ((holes, y), "finite|nan"),
        ((X, np.where(np.arange(len(y)) == 7, 3.0, y)), "3"),  # a third label
        ((X,), "observations"),
        ((X[:, :, np.newaxis], y), "two dimensions"),
        (([[1.0, "a"], [2.0, None]] * 30, y), "numbers, or text"),
    ):
        with pytest.raises(talweg.InputError, match=words):
            talweg.approx(*arguments)
    with pytest.raises(talweg.InputError, match="square"):
        talweg.approx(y=y, kernel_matrix=X)
    with pytest.raises(talweg.InputError, match="without X"):
        talweg.approx(X, y, kernel_matrix=np.eye(60))
    with pytest.raises(talweg.InputError, match="kernel_matrix, which is the whole covariance"):
        talweg.approx(y=y, kernel_matrix=np.eye(60), sigma=2.0)
    indefinite = np.eye(60)
    indefinite[0, 1] = indefinite[1, 0] = 2.0
    with pytest.raises(talweg.InputError, match="positive"):
        talweg.approx(y=y, kernel_matrix=indefinite)
    lopsided = np.eye(60)
    lopsided[2, 5] = 0.1
    with pytest.raises(talweg.InputError, match="symmetric"):
        talweg.approx(y=y, kernel_matrix=lopsided)


def test_no_memory(model):
    with pytest.raises(MemoryError, match="not enough memory for .*: it needs .* GB"):
        talweg.sample(model, method="hmc", draws=10**11)


def test_numerical_failures(model):
    with pytest.raises(talweg.NumericalError, match="temperatures reached only b = "):
        talweg.evidence(model, start="prior", schedule="adaptive", temperatures=2)


def test_verdicts_are_warnings(problem):
    with pytest.warns(talweg.TalwegWarning, match="EP did not converge"):
        fit = talweg.approx(*problem, **SETTING, max_sweeps=1)
    assert not fit.ep.converged and np.isnan(fit.ep_corrected.log_z)
    with pytest.warns(talweg.TalwegWarning, match="only one class"):
        talweg.approx(problem[0], np.ones(60))
    with pytest.warns(talweg.TalwegWarning, match="which needs about") as seen:
        talweg.evidence(*problem, **SETTING, particles=8, max_particles=8, until_se=1e-4, method="ais")
    assert seen[0].filename == __file__  # it points to the caller's line


def test_bad_draws_are_warned_of(model):
    with pytest.warns(talweg.TalwegWarning) as seen:
        draws = talweg.sample(model, method="rmhmc", metric="hessian", eps=2.0, steps=3, draws=20, warmup=5)
    words = " ".join(str(warning.message) for warning in seen)
    for part in ("R-hat is", " ESS of", "which were rejected: use"):
        assert part in words
    assert "--" not in words and "x." not in words  # neither the program's options nor its latents
    worst = np.argmin(draws.summary()["ess"])
    assert f"the worst latent (x[{worst}], case {worst + 1})" in words
    with pytest.warns(talweg.TalwegWarning, match="interrupted after [0-9]+ draws"):
        talweg.sample(model, method="ess", thin=10**5, progress=lambda stage, *_: stage == "sampling")
    with pytest.warns(talweg.TalwegWarning, match="the energy diverged .* a smaller eps or a higher target_accept"):
        talweg.sample(model, method="hmc", metric="identity", eps=50.0, steps=3, draws=20, warmup=5)
    with pytest.warns(talweg.TalwegWarning) as seen:  # advice does not name what is in use
        talweg.sample(model, method="rmhmc", metric="smoothed", eps=30.0, draws=20, warmup=5)
    words = " ".join(str(warning.message) for warning in seen)
    assert "implicit solve failed" in words and "smoothed" not in words
    with pytest.warns(talweg.TalwegWarning, match="each chain has only 3 draws, too few to assess convergence: raise draws"):
        talweg.sample(model, method="ess", draws=3, warmup=5)


def test_predictions(model):
    fit = talweg.approx(model)
    for arguments, options, words in (
        ((fit,), {}, "give Xnew"),
        ((fit, np.zeros((2, 3))), {}, "there are 3 inputs, but the model has 2"),
        ((fit, [[np.inf, 0.0]]), {}, "column 1: row 1 is inf, not a finite number"),
        ((fit, [[0.0, 0.0]], [0.0, 1.0]), {}, "1 new cases, but y has 2"),
        ((fit, [[0.0, 0.0]]), dict(exposure=2.0), "exposure cannot be used"),
        ((3, [[0.0, 0.0]]), {}, "not int"),
        ((fit, [[0.0, 0.0]]), dict(cross=np.zeros((60, 1))), "not cross and diagonal"),
    ):
        with pytest.raises(talweg.InputError, match=words):
            talweg.predict(*arguments, **options)
    with pytest.raises(talweg.InputError, match="labels|label"):
        talweg.predict(fit, np.zeros((3, 2)), [0.0, 1.0, 2.0])


def test_a_model_has_its_options_already(model, problem):
    with pytest.raises(talweg.InputError, match="remove log_ell"):
        talweg.approx(model, log_ell=1.0)
    with pytest.raises(TypeError, match="log_el"):
        talweg.approx(*problem, log_el=1.0)
    with pytest.raises(talweg.InputError, match="another model"):
        talweg.evidence(model, start=talweg.approx(*problem))


def test_nothing_is_said_where_all_is_well(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        talweg.approx(*problem, **SETTING)
        talweg.sample(*problem, **SETTING, method="hmc", draws=2000, chains=4)


def test_what_a_likelihood_takes(problem):
    """A column of the wrong length or out of range, a parameter out of range, and a name that nothing knows."""
    X, _ = problem
    counts = np.arange(len(X)) % 3
    for options, words in (
        (dict(likelihood="poisson", exposure=[1.0, 2.0]), "exposure has 2 numbers for 60 observations"),
        (dict(likelihood="poisson", exposure=np.where(np.arange(60) == 6, 0.0, 1.0)), "exposure of case 7 is 0, but must be > 0"),
        (dict(likelihood="gaussian", noise=0.0), "noise is 0, but must be > 0"),
        (dict(likelihood="gaussian", noise=np.full(60, -1.0)), "noise of case 1 is -1, but must be > 0"),
        (dict(likelihood="gaussian", exposure=1.0), "exposure cannot be used with the gaussian likelihood"),
    ):
        with pytest.raises(talweg.InputError, match=words):
            talweg.Model(X, counts, **options)
    with pytest.raises(TypeError, match="unexpected keyword argument 'log_el'"):
        talweg.Model(X, counts, log_el=0.3)


def test_what_is_wrong_with_arrays_is_named():
    pd = pytest.importorskip("pandas")
    X, y = two_classes(20)
    model = talweg.Model(X, y, log_ell=0.0, log_sigma=0.0)
    fit = talweg.approx(model)
    new = X[:5].copy()
    new[3, 1] = np.nan
    with pytest.raises(talweg.InputError, match="Xnew, column 2: row 4 is nan, not a finite number; remove or impute it"):
        talweg.predict(fit, new)
    with pytest.raises(talweg.InputError, match="X has 0 rows and 2 columns: there are no cases"):
        talweg.Model(X[:0], y[:0])
    dates = pd.DataFrame({"when": pd.to_datetime(["2026-01-01"] * 20), "z": X[:, 0]})
    for frame in (dates, dates[["when"]]):
        with pytest.raises(talweg.InputError, match="when, holds dates or times: give numbers"):
            talweg.Model(frame, y)


def test_predictions_have_quantiles():
    X, y = two_classes(30)
    model = talweg.Model(X, y, log_ell=0.0, log_sigma=0.5)
    p = talweg.predict(talweg.approx(model), X[:4])
    from math import erf, sqrt

    for i in range(4):
        at = [p.mean[i] + z * sqrt(p.variance[i]) for z in (-1.6448536269514722, 0.0, 1.6448536269514722)]
        exact = [0.5 * (1 + erf(t / sqrt(2))) for t in at]
        assert np.allclose([p.q05[i], p.q50[i], p.q95[i]], exact, rtol=1e-12)
    drawn = talweg.predict(talweg.sample(model, method="ess", warmup=100, draws=400, chains=2), X[:4])
    assert np.all(drawn.q05 < drawn.q50) and np.all(drawn.q50 < drawn.q95)
    assert np.all((drawn.q05 < drawn.probability) & (drawn.probability < drawn.q95))


@pytest.mark.parametrize(
    "error, call, words",
    [
        (talweg.InputError, dict(draws=-1), "draws must be a whole number, 0 or more, not -1"),
        (talweg.InputError, dict(draws=5, seed=-1), "seed must be a whole number, 0 or more, not -1"),
        (TypeError, dict(draws=1.5), "draws must be a whole number, 0 or more, not 1.5"),
        (TypeError, dict(draws="many"), "draws must be a whole number, 0 or more, not 'many'"),
        (TypeError, dict(draws=5, target_accept="high"), "target_accept must be a number, not 'high'"),
        (talweg.InputError, dict(draws=5, progress=3), "progress must be True, False or a function, not 3"),
    ],
)
def test_errors_name_the_argument(model, error, call, words):
    with pytest.raises(error, match=words):
        talweg.sample(model, **call)


def test_errors_of_a_model_name_the_argument(problem):
    with pytest.raises(TypeError, match="log_sigma must be a number"):
        talweg.Model(*problem, log_sigma=[1, 2])
    with pytest.raises(talweg.InputError, match="particles must be a whole number, 0 or more, not -3"):
        talweg.evidence(*problem, log_ell=0.0, log_sigma=0.0, particles=-3)
