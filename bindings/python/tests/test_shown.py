"""Plots, notebooks, pickles and copies."""

import copy
import pickle

import numpy as np
import pytest

import talweg

from conftest import SETTING, counts


def test_a_model_survives_a_pickle(model):
    again = pickle.loads(pickle.dumps(model))
    assert again.kernel == model.kernel and np.array_equal(again.y, model.y)
    # the file has every digit of the data, so that only the order of a sum may differ
    assert talweg.approx(again).ep.log_z == pytest.approx(talweg.approx(model).ep.log_z, abs=1e-9)
    X, y = counts(20)
    other = talweg.Model(X, y, likelihood="poisson", exposure=np.arange(1.0, 21.0), standardise=True, log_ell=0.0, log_sigma=0.0)
    again = copy.deepcopy(other)
    assert np.array_equal(again.columns["exposure"], other.columns["exposure"])
    assert talweg.approx(again).ep.log_z == pytest.approx(talweg.approx(other).ep.log_z, abs=1e-9)


def test_draws_survive_a_pickle(draws):
    again = pickle.loads(pickle.dumps(draws))
    assert np.array_equal(again.x, draws.x) and again.eps == draws.eps and again.method == draws.method
    assert np.array_equal(again.summary(), draws.summary()) and again.choice == draws.choice


def test_approximations_survive_a_pickle(model):
    fit = talweg.approx(model, orders=5, max_sweeps=150)
    again = pickle.loads(pickle.dumps(fit))
    assert again.ep.log_z == pytest.approx(fit.ep.log_z, abs=1e-9) and len(again.ep_corrected.terms) == 3
    assert np.allclose(again.laplace.mean, fit.laplace.mean, atol=1e-9)
    one = copy.deepcopy(fit.laplace)
    assert one.name == "Laplace" and one.log_z == pytest.approx(fit.laplace.log_z, abs=1e-9)


def test_progress_in_a_file_has_whole_lines(model, capfd):
    talweg.sample(model, method="hmc", chains=2, draws=30, warmup=20, progress=True)
    said = capfd.readouterr().err
    assert "\r" not in said and said.endswith("\n")
    assert any(line.startswith("sampling 100 %") for line in said.splitlines())


def test_notebooks_show_text(draws, model):
    for result in (draws, model, talweg.approx(model), talweg.predict(draws, [[0.0, 1.0]])):
        assert result._repr_html_().startswith("<pre>") and "<" not in result._repr_html_()[5:-6]


def test_plots(draws):
    pytest.importorskip("matplotlib").use("Agg")
    worst = int(np.argmin(draws.summary()["ess_bulk"]))
    assert draws.plot_trace()[0].get_ylabel() == f"x[{worst}]"
    axes = draws.plot_trace([4, -1])
    assert [axis.get_ylabel() for axis in axes] == ["x[4]", "x[59]"]
    assert np.array_equal(axes[0].lines[0].get_ydata(), draws.x[0, :, 4])
    ranks = draws.plot_rank(count=2)
    assert len(ranks) == 2 and sum(patch.get_xy()[:, 1].max() > 0 for patch in ranks[0].patches) == draws.chains
    marginal = draws.plot_marginal([7], ax=axes[0])
    assert len(marginal[0].lines) >= 2
    with pytest.raises(talweg.InputError, match="60 is outside 0 to"):
        draws.plot_trace([60])
    with pytest.raises(talweg.InputError, match="ax has 1 axes"):
        draws.plot_rank([1, 2], ax=axes[0])
