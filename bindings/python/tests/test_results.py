"""What results offer: predictions that are right, summaries, words, other packages."""

import builtins
import sys
import types

import numpy as np
import pytest

import talweg
from conftest import SETTING, counts, two_classes

pytestmark = pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")


def test_predictions_from_draws_agree_with_eps(model, problem):
    """EP's predictions are good to a percent here; the draws' Monte Carlo errors are about as large."""
    draws = talweg.sample(model, method="hmc", draws=2000, chains=4, seed=11)
    Xnew, ynew = two_classes(200, seed=5)
    sampled, fitted = talweg.predict(draws, Xnew, ynew), talweg.predict(talweg.approx(model), Xnew, ynew)
    assert (sampled.mcse < 0.01).all()
    assert np.abs(sampled.probability - fitted.probability).max() < 0.03
    assert abs(sampled.scores["log_score"] - fitted.scores["log_score"]) < 0.02
    assert fitted.mcse is None and sampled.log_score_mcse.shape == (200,)


def test_predictions_at_training_inputs_average_the_draws(draws, problem):
    """There the latent function is x itself: the probability is the mean of Phi(x) over the draws."""
    from math import erf, sqrt

    phi = np.vectorize(lambda x: 0.5 * (1 + erf(x / sqrt(2))))
    prediction = talweg.predict(draws, problem[0])
    assert np.allclose(prediction.mean, draws.x.mean(axis=(0, 1)), atol=1e-6)
    assert np.allclose(prediction.probability, phi(draws.x).mean(axis=(0, 1)), atol=1e-6)


def test_predictions_with_a_matrix(problem):
    X, y = problem
    Xnew = two_classes(30, seed=8)[0]

    def kernel(a, b):
        return np.exp(2 * 1.5 - 0.5 * ((a[:, np.newaxis] - b) ** 2).sum(2) * np.exp(-2 * 0.3))

    given, made = talweg.Model(y=y, kernel_matrix=kernel(X, X)), talweg.Model(X, y, **SETTING)
    cross, diagonal = kernel(X, Xnew), np.full(30, np.exp(3.0))
    a = talweg.predict(talweg.approx(given), cross=cross, diagonal=diagonal)
    b = talweg.predict(talweg.approx(made), Xnew)
    assert np.allclose(a.probability, b.probability, atol=1e-8)
    options = dict(method="hmc", draws=50, warmup=50, chains=2)
    a = talweg.predict(talweg.sample(given, **options), cross=cross, diagonal=diagonal)
    assert np.isfinite(a.probability).all()
    assert np.array_equal(cross, kernel(X, Xnew))  # nothing was overwritten


def test_standardised_models_scale_new_inputs(problem):
    X, y = problem
    plain = talweg.approx((X - X.mean(0)) / X.std(0), y)
    Xnew = two_classes(20, seed=6)[0]
    prediction = talweg.predict(talweg.approx(X, y, standardise=True), Xnew)
    assert np.allclose(prediction.probability, talweg.predict(plain, (Xnew - X.mean(0)) / X.std(0)).probability)


def test_counts_have_means_and_deviations():
    X, y = counts(40)
    fit = talweg.approx(X, y, likelihood="poisson", exposure=2.5)
    prediction = talweg.predict(fit, X, y)
    assert np.allclose(prediction.y_mean, 2.5 * np.exp(prediction.mean + prediction.variance / 2))
    assert prediction.scores["rmse"] < 2.5 and not hasattr(prediction, "probability")
    doubled = talweg.predict(fit, X, exposure=5.0)
    assert np.allclose(doubled.y_mean, 2 * prediction.y_mean)
    varying = talweg.approx(X, y, likelihood="poisson", exposure=np.linspace(1, 2, 40))
    with pytest.raises(talweg.InputError, match="give one for the new cases"):
        talweg.predict(varying, X)


def test_binomial_counts_have_trials():
    X = np.linspace(0, 3, 30)
    trials = 3.0 + np.arange(30) % 4
    y = np.round(trials / (1 + np.exp(-np.sin(2 * X))))
    fit = talweg.approx(X, y, likelihood="binomial", trials=trials)
    assert fit.ep.converged and np.array_equal(fit.model.columns["trials"], trials)
    prediction = talweg.predict(fit, X, y, trials=trials)
    # E[1/(1 + exp(-x))], x ~ N(m, v), by Gauss-Hermite quadrature
    z, w = np.polynomial.hermite_e.hermegauss(60)
    x = prediction.mean[:, None] + np.sqrt(prediction.variance)[:, None] * z
    assert np.allclose(prediction.y_mean, trials * (1 / (1 + np.exp(-x)) @ w) / w.sum(), rtol=1e-8)
    assert np.allclose(talweg.predict(fit, X, trials=1.0).y_mean * trials, prediction.y_mean, rtol=1e-12)
    with pytest.raises(talweg.InputError, match="needs the column trials"):
        talweg.approx(X, y, likelihood="binomial")
    with pytest.raises(talweg.InputError, match=r"observation 3 is 9 \(trials 5\), but binomial needs"):
        talweg.approx(X, np.where(np.arange(30) == 2, 9, y), likelihood="binomial", trials=trials)


@pytest.mark.parametrize(
    "likelihood, y, terms",
    [
        ("negative_binomial", lambda t, f: np.round(np.exp(1 + f)), dict(dispersion=2.5, exposure=1.5, offset=0.1)),
        ("exponential", lambda t, f: np.exp(-f) * (0.2 + t), dict(censored=1.0)),
        ("weibull", lambda t, f: np.exp(-f) * (0.2 + t), dict(shape=1.5)),
        ("student_t", lambda t, f: f + 3 * (np.arange(30) % 10 == 4), dict(scale=0.3, df=3.0)),
        ("ordinal5", lambda t, f: np.round(3 + 1.9 * f), dict(cut=-1.5, gap2=0.7, gap3=1.3)),
    ],
)
def test_likelihoods_with_parameters(likelihood, y, terms, tmp_path):
    t = np.linspace(0, 4, 30)
    y = y(t, np.sin(2 * t))
    model = talweg.Model(t, y, likelihood=likelihood, **terms)
    parameters = {name: value for name, value in terms.items() if name in model.likelihood_parameters}
    assert all(np.isclose(model.likelihood_parameters[name], value) for name, value in parameters.items())
    fit = talweg.approx(model)
    draws = talweg.sample(model, chains=2, warmup=100, draws=100)
    draws.save(tmp_path / "run.nc")
    again = talweg.load(tmp_path / "run.nc").model
    assert again.likelihood_parameters == model.likelihood_parameters and set(again.columns) == set(model.columns)
    one, other = talweg.predict(fit, t, y), talweg.predict(draws, t, y)
    assert fit.ep.converged and np.all(np.abs(one.y_mean - other.y_mean) < 0.5 * one.y_sd)


def test_log_likelihood_of_every_observation(draws):
    assert draws.log_likelihood.shape == draws.x.shape
    assert np.allclose(draws.log_likelihood.sum(2), draws.sample_stats["log_likelihood"], rtol=1e-12)


def test_summary_is_of_the_draws(draws):
    rows = draws.summary()
    flat = draws.x.reshape(-1, draws.x.shape[2])
    assert np.allclose(rows["mean"], flat.mean(0)) and np.allclose(rows["sd"], flat.std(0, ddof=1))
    assert np.allclose(rows["median"], np.median(flat, axis=0))
    assert rows["rhat"].max() == draws.diagnostics["rhat_max"]
    assert rows["ess"].argmin() == draws.diagnostics["worst"]


def test_a_goal_instead_of_a_number(model):
    some = talweg.sample(model, method="hmc", warmup=100, chains=4, until_ess=200)
    assert some.diagnostics["ess_min"] >= 200 and some.draws in (64, 96, 144, 216, 324, 486, 729)
    assert np.array_equal(some.x, talweg.sample(model, method="hmc", warmup=100, chains=4, draws=some.draws).x)
    with pytest.raises(talweg.InputError, match="cannot be used together"):
        talweg.sample(model, draws=10, until_ess=200)


def test_words(model, draws):
    fit = talweg.approx(model)
    evidence = talweg.evidence(model, particles=16, temperatures=5)
    assert "60 observations" in repr(model) and "probit" in repr(model)
    assert f"{fit.ep.log_z:.4f}" in repr(fit) and "converged" in repr(fit)
    assert "3 chains of 100 draws, 60 latents" in repr(draws) and "R-hat" in repr(draws)
    assert "ais-reverse" in repr(evidence) and evidence.verdict in repr(evidence)
    assert "10 cases" in repr(talweg.predict(fit, np.zeros((10, 2))))
    assert evidence["ais"].log_z == evidence.estimates[0].log_z
    assert evidence.log_z == min(evidence, key=lambda e: e.se).log_z
    with pytest.raises(KeyError):
        evidence["pt"]


def test_a_gaussian_likelihood_has_exact_evidence():
    """log N(y; 0, K + noise^2 I), which EP and AIS must both give."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20, 1))
    K = np.exp(-0.5 * (X - X.T) ** 2)
    y = rng.multivariate_normal(np.zeros(20), K + 0.25 * np.eye(20))
    sign, log_det = np.linalg.slogdet(2 * np.pi * (K + 0.25 * np.eye(20)))
    exact = -0.5 * (log_det + y @ np.linalg.solve(K + 0.25 * np.eye(20), y))
    model = talweg.Model(X, y, likelihood="gaussian", noise=0.5)
    assert talweg.approx(model).ep.log_z == pytest.approx(exact, abs=1e-8)
    estimate = talweg.evidence(model, method="ais", start="prior", particles=200)
    assert abs(estimate.log_z - exact) < 4 * estimate.se + 1e-9


def test_noise_of_each_observation():
    """An array is the noise of each case, a number the parameter: log N(y; 0, K + diag(noise^2))."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, 1))
    noise = np.linspace(0.3, 0.9, 12)
    C = np.exp(-0.5 * (X - X.T) ** 2) + np.diag(noise**2)
    y = rng.multivariate_normal(np.zeros(12), C)
    exact = -0.5 * (np.linalg.slogdet(2 * np.pi * C)[1] + y @ np.linalg.solve(C, y))
    model = talweg.Model(X, y, likelihood="gaussian", noise=noise)
    assert talweg.approx(model).ep.log_z == pytest.approx(exact, abs=1e-8)
    assert model.likelihood_parameters == {"noise": 1.0} and np.array_equal(model.columns["noise"], noise)
    one = talweg.Model(X, y, likelihood="gaussian", noise=0.4)
    assert one.likelihood_parameters["noise"] == pytest.approx(0.4, rel=1e-15) and one.columns == {}
    fit = talweg.approx(one)
    assert np.allclose(talweg.predict(fit, X).y_sd ** 2, fit.ep.variance + 0.16)
    assert np.allclose(talweg.predict(fit, X, noise=noise).y_sd ** 2, fit.ep.variance + noise**2)


def test_a_start_of_ones_own(problem):
    """EP's Gaussian given as a mean and a covariance, against Laplace's: two paths to the same log Z."""
    X, y = problem
    K = np.exp(-np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(2)))
    model = talweg.Model(X, y, kernel="matern12")
    fit = talweg.approx(model)
    covariance = K - K @ np.linalg.solve(K + np.diag(1 / fit.ep.tau), K)
    assert np.allclose(np.diag(covariance), fit.ep.variance)
    given = talweg.evidence(model, start=(fit.ep.mean, (covariance + covariance.T) / 2), method="ais", particles=64)
    same = talweg.evidence(model, start=fit.laplace, method="ais", particles=64)
    assert abs(given.log_z - same.log_z) < 4 * np.hypot(given.se, same.se)
    assert (given.start, same.start) == ("gaussian", "laplace")


# ---- other packages ----


def test_to_xarray(draws):
    xarray = pytest.importorskip("xarray")
    posterior = draws.to_xarray()
    assert posterior["x"].dims == ("chain", "draw", "obs") and posterior["x"].shape == (3, 100, 60)
    assert np.shares_memory(posterior["x"].values, draws.x)
    assert list(posterior.coords) == ["chain", "draw", "obs"]
    assert posterior.attrs["inference_library"] == "talweg"
    assert set(draws.to_xarray("sample_stats")) >= {"lp", "diverging", "energy", "step_size", "n_steps"}
    assert draws.to_xarray("log_likelihood")["y"].shape == (3, 100, 60)
    groups = draws.to_datasets()
    assert list(groups) == ["posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"]
    assert all(dataset.equals(draws.to_xarray(group)) for group, dataset in groups.items())
    assert draws.to_xarray("observed_data")["y"].dims == ("obs",)
    with pytest.raises(talweg.InputError, match="unknown group"):
        draws.to_xarray("prior")


def test_to_inference_data_and_datatree(draws, monkeypatch):
    xarray = pytest.importorskip("xarray")

    class Tree:
        from_dict = staticmethod(lambda groups: ("tree", groups))

    monkeypatch.setattr(xarray, "DataTree", Tree, raising=False)
    kind, groups = draws.to_datatree()
    assert list(groups) == ["posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"]
    old = types.ModuleType("arviz")
    old.InferenceData = lambda **groups: ("data", groups)
    monkeypatch.setitem(sys.modules, "arviz", old)
    assert draws.to_inference_data()[0] == "data"
    monkeypatch.setitem(sys.modules, "arviz", types.ModuleType("arviz"))
    assert draws.to_inference_data()[0] == "tree"


def test_missing_packages_are_named(draws, monkeypatch):
    def refuse(name, *rest, original=builtins.__import__):
        if name in ("xarray", "arviz"):
            raise ImportError(f"no {name}")
        return original(name, *rest)

    monkeypatch.delitem(sys.modules, "arviz", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="Draws.to_xarray needs the package xarray"):
        draws.to_xarray()
    with pytest.raises(ImportError, match="pip install arviz"):
        draws.to_inference_data()
