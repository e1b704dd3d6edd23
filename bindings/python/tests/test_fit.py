"""Fits: the same as the program's, and a model that is used on."""

import numpy as np
import pytest

import talweg
from conftest import two_classes

X, Y = two_classes(60)


def test_a_fit_is_the_program_s(program):
    priors = ["ell ~ gamma(2, 2)", "log_sigma ~ normal(1, 1)"]
    theirs = program(X, Y, "fit", "--seed", "7", *(flag for prior in priors for flag in ("--prior", prior)))
    fitted = talweg.fit(X, Y, prior=priors, seed=7)
    assert fitted.converged and theirs["converged"]
    assert fitted.log_z == theirs["log_z"] and fitted.log_posterior == theirs["log_posterior"]
    assert fitted.evaluations == theirs["evaluations"] and fitted.starts == 8 and fitted.starts_at_best == theirs["starts_at_best"]
    for ours, other in zip(fitted.parameters, theirs["parameters"]):
        assert (ours.name, ours.prior, ours.fixed) == (other["name"], other["prior"], other["fixed"])
        assert np.allclose([ours.value, ours.sd, ours.natural], [other["value"], other["sd"], other["natural"]], rtol=1e-14)
    assert "a maximum" in repr(fitted) and "ell ~ gamma(2, 2)" in repr(fitted)


def test_the_model_is_at_the_maximum(recwarn):
    fitted = talweg.fit(X, Y, prior="default", fix="sigma=2", starts=1)
    assert np.allclose(fitted.model.theta, fitted.optima[0].theta) and np.isclose(fitted.model.theta[1], np.log(2))
    assert np.isclose(talweg.approx(fitted.model).ep.log_z, fitted.log_z, atol=1e-6)
    assert fitted.parameters[1].fixed and np.isnan(fitted.parameters[1].sd)
    assert not recwarn.list  # nobody warns of values that were fitted


def test_the_likelihood_s_parameters_are_fitted():
    y = X[:, 0] + 0.1 * np.sin(37 * np.arange(60))
    fitted = talweg.fit(X, y, likelihood="gaussian", prior="default", starts=2)
    assert [p.name for p in fitted.parameters] == ["log_ell", "log_sigma", "log_noise"]
    assert 0.03 < fitted.model.likelihood_parameters["noise"] < 0.3


def test_what_is_wrong_is_said():
    with pytest.raises(talweg.InputError, match="unknown parameter .el. .did you mean ell"):
        talweg.fit(X, Y, prior="el ~ gamma(1, 1)")
    with pytest.raises(talweg.InputError, match="nothing to fit"):
        talweg.fit(X, Y, fix=["ell=1", "sigma=1"])
    with pytest.raises(talweg.InputError, match="method"):
        talweg.fit(X, Y, method="vb")
    with pytest.raises(talweg.InputError, match="prior must be a string"):
        talweg.fit(X, Y, prior=[1])
    with pytest.raises(talweg.InputError, match="at least one start"):
        talweg.fit(X, Y, starts=0)


def test_separable_labels_are_warned_of():
    x = np.arange(30.0)
    with pytest.warns(talweg.TalwegWarning, match="edge of the searched range|hardly determine"):
        fitted = talweg.fit(x, np.sign(x - 14.5), starts=1)
    assert not fitted.converged
