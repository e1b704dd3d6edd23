"""Unknown parameters: the same as the program's, draws that predict, files, and what is refused."""

import pickle

import warnings

import numpy as np
import pytest

import talweg
from conftest import two_classes

X, Y = two_classes(40)
PRIORS = ["ell ~ gamma(2, 2)", "log_sigma ~ normal(1, 1)"]


@pytest.fixture(scope="module")
def draws():
    return talweg.sample(X, Y, prior=PRIORS, points=64, seed=3)


def test_draws_are_the_program_s(program, draws):
    flags = [flag for prior in PRIORS for flag in ("--prior", prior)]
    theirs = program(X, Y, "sample", "--seed", "3", "--points", "64", *flags)
    assert draws.method == "is2" and draws.x.shape == (1, 64, 40)
    assert list(draws.theta) == ["ell", "log_sigma"] and draws.theta["ell"].shape == (1, 64)
    assert draws.log_z == theirs["estimates"][0]["log_z"] and draws.weight_ess == theirs["ess_bulk"]["min"]
    for ours, other in zip(draws.parameters, theirs["theta"]):
        assert (ours.name, ours.prior, ours.mean, ours.mcse) == (other["name"], other["prior"], other["mean"], other["mcse"])
    assert np.isnan(draws.diagnostics["rhat_max"]) and (draws.summary()["ess_bulk"] == draws.weight_ess).all()
    assert "log p(y)" in repr(draws) and "log_sigma" in repr(draws)


def test_predictions_and_files(draws, tmp_path):
    p = talweg.predict(draws, X[:5], Y[:5])
    assert ((p.probability > 0) & (p.probability < 1) & (p.mcse > 0) & (p.mcse < 0.2)).all()
    draws.save(tmp_path / "run.nc")
    for again in (talweg.load(tmp_path / "run.nc"), pickle.loads(pickle.dumps(draws))):
        assert (again.theta["ell"] == draws.theta["ell"]).all() and again.log_z == draws.log_z
        assert (talweg.predict(again, X[:5]).probability == p.probability).all()
    assert draws.log_likelihood.shape == (1, 64, 40)


def test_chains_are_the_program_s(program, tmp_path):
    flags = [flag for prior in PRIORS for flag in ("--prior", prior)]
    theirs = program(X, Y, "sample", "--seed", "3", "--points", "128", "--hyper-method", "chain", *flags)
    stages = []
    chains = talweg.sample(X, Y, prior=PRIORS, points=128, seed=3, hyper_method="chain", progress=lambda *p: stages.append(p[0]))
    assert chains.method == theirs["method"] == "chain" and np.isnan(chains.log_z) and stages
    for ours, other in zip(chains.parameters, theirs["theta"]):
        assert (ours.mean, ours.ess_bulk, ours.rhat) == (other["mean"], other["ess_bulk"], other["rhat"])
    assert "R-hat" in repr(chains) and "log p(y)" not in repr(chains)
    chains.save(tmp_path / "chains.nc")
    again = talweg.load(tmp_path / "chains.nc")
    assert again.method == "chain" and [p.rhat for p in again.parameters] == [p.rhat for p in chains.parameters]
    assert ((talweg.predict(again, X[:5]).probability > 0)).all()
    with pytest.raises(talweg.InputError, match="hyper_method"):
        talweg.sample(X, Y, prior=PRIORS, hyper_method="nuts")


def test_a_callable_ends_a_run():
    ended = talweg.sample(X, Y, prior=PRIORS, points=32768, progress=lambda stage, done, *rest: stage == "run" and done > 64)
    assert ended.interrupted and 32 <= ended.draws < 32768
    with pytest.raises(talweg.TalwegError):
        talweg.evidence(X, Y, prior=PRIORS, progress=lambda *p: True)


def test_the_evidence_is_that_of_the_whole_model():
    model = talweg.Model(X, Y)
    model.priors = PRIORS
    e = talweg.evidence(model, points=64)
    assert [i.method for i in e.estimates] == ["is2", "ais-joint"] and e.agree and np.isfinite(e.log_z)
    assert [p.name for p in e.parameters] == ["ell", "log_sigma"] and "ais-joint" in repr(e)
    assert model.theta.tolist() == [0, 0] and not np.allclose(e.model.theta, 0)  # it ran over a copy


def test_models_side_by_side():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        c = talweg.compare({"se": talweg.Model(X, Y), "linear": talweg.Model(X, Y, kernel="linear")}, points=64)
    assert c.best.log_factor == 0 and c["linear"].log_z == c.models[1].log_z and "largest evidence" in c.verdict
    assert all(len(m.loo_k) == 40 for m in c.models) and "best" in repr(c)
    for m in c.models:  # a doubtful sum is withheld, with a warning
        assert (np.isnan(m.loo) and np.isnan(m.loo_se)) or m.loo < 0 < m.loo_se
        assert np.isnan(m.loo) or not (m.loo_k > 0.7).any()
    withheld = sum(np.isnan(m.loo) for m in c.models)
    assert withheld == sum("the sum is withheld" in str(w.message) for w in said)
    assert ("withheld" in repr(c)) == any(np.isnan(m.loo) for m in c.models)
    with pytest.raises(talweg.InputError, match="at least two"):
        talweg.compare([talweg.Model(X, Y)])
    with pytest.raises(talweg.InputError, match="different observations"):
        talweg.compare([talweg.Model(X, Y), talweg.Model(X, -Y)])


def test_what_is_held_and_what_is_refused():
    with pytest.warns(talweg.TalwegWarning, match="sigma"):
        talweg.sample(X, Y, prior=PRIORS[0], points=64)
    model = talweg.Model(X, Y, log_ell=0, log_sigma=0)
    model.priors = PRIORS
    assert talweg.sample(model, fix="all", chains=1, draws=10, warmup=20, method="ess").theta == {}
    with pytest.raises(talweg.InputError, match="chains, draws cannot be used"):
        talweg.sample(model, chains=2, draws=10)
    with pytest.raises(talweg.InputError, match="method cannot be used"):
        talweg.evidence(model, method="pt")
    with pytest.raises(talweg.InputError, match="flat and improper"):
        talweg.sample(X, Y, prior="log_ell ~ uniform")
