"""Nothing is copied that need not be, and memory lives as long as it is looked at."""

import gc
import resource

import numpy as np
import pytest

import talweg
from conftest import SETTING, two_classes
from talweg._arrays import matrix, symmetric, vector

pytestmark = pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")  # few draws


def test_column_major_inputs_pass_straight_through():
    X = np.asfortranarray(np.arange(12.0).reshape(6, 2))
    assert matrix(X, "X") is X
    assert np.shares_memory(matrix(X[:4], "X"), X)  # a leading dimension
    assert np.shares_memory(matrix(X[:, :1], "X"), X)
    K = np.ascontiguousarray(X[:2])
    assert np.shares_memory(symmetric(K, "K"), K) and np.shares_memory(symmetric(np.asfortranarray(K), "K"), K) is False
    y = np.arange(6.0)
    assert vector(y, "y") is y


def test_other_inputs_are_converted():
    X = np.arange(12).reshape(6, 2)
    for other in (X, X.tolist(), X.astype(">f8"), X.astype("f4"), np.ascontiguousarray(X[::-1])[::-1].astype(float)):
        converted = matrix(other, "X")
        assert np.array_equal(converted, X) and converted.dtype == np.float64 and converted.strides[0] == 8


def test_every_layout_gives_the_same(problem):
    X, y = problem
    wide = np.zeros((100, 2), order="F")
    wide[:60] = X
    expected = talweg.approx(X, y, **SETTING).ep.log_z
    for layout in (np.ascontiguousarray(X), wide[:60], X.tolist(), X[::-1].copy()[::-1]):
        assert talweg.approx(layout, y, **SETTING).ep.log_z == expected


def test_results_are_views_without_a_copy(draws, model):
    fit = talweg.approx(model)
    for array in (draws.x, draws.sample_stats["energy"], draws.sample_stats["accepted"], fit.ep.mean, model.y):
        assert not array.flags.owndata and not array.flags.writeable
    assert draws.x.strides == (60 * 8, 3 * 60 * 8, 8)  # where the library put them
    assert draws.sample_stats["n_steps"].dtype == np.uint64 and draws.sample_stats["accepted"].dtype == bool
    with pytest.raises(ValueError, match="read-only"):
        draws.x[0, 0, 0] = 1.0


def test_views_outlive_results():
    X, y = two_classes(40)
    kept, values = [], []
    for seed in range(5):
        draws = talweg.sample(X, y, method="ess", chains=1, draws=200, warmup=10, seed=seed, **SETTING)
        kept.append(draws.x[0, ::7, 3])
        values.append(kept[-1].copy())
        del draws
        gc.collect()
    assert all(np.array_equal(a, b) for a, b in zip(kept, values))


def test_inputs_may_change_afterwards(problem):
    X, y = (array.copy(order="F") for array in problem)
    fit = talweg.approx(X, y, **SETTING)
    before = talweg.predict(fit, [[0.5, 0.5]]).probability[0]
    X[:] = 0
    y[:] = 1
    assert talweg.predict(fit, [[0.5, 0.5]]).probability[0] == before
    assert set(fit.model.y) == {-1.0, 1.0}


def test_memory_is_given_back():
    """A dozen models and their draws leave nothing: the process does not grow by more than a few of them."""
    X, y = two_classes(200)
    grown = []
    for _ in range(13):
        talweg.sample(X, y, method="ess", chains=2, draws=500, warmup=5, **SETTING)
        grown.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert grown[-1] - grown[0] < 20_000  # kB; each run has about 4,000


def test_frames_are_matched_by_name(problem, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = problem
    frame = pandas.DataFrame(X, columns=["width", "length"])
    for standardise in (False, True):
        model = talweg.Model(frame, y, log_ell=[0.3, 1.2], log_sigma=1.5, standardise=standardise)
        assert model.names == ["width", "length"]
        fit = talweg.approx(model)
        expected = talweg.predict(fit, X).probability  # an array goes by its order
        turned = talweg.predict(fit, frame[["length", "width"]]).probability
        np.testing.assert_array_equal(turned, expected)
        assert np.abs(talweg.predict(fit, X[:, ::-1]).probability - expected).max() > 0.1
        with pytest.raises(talweg.InputError, match='the input "length" of the model is missing'):
            talweg.predict(fit, frame.rename(columns={"length": "height"}))
        with pytest.raises(talweg.InputError, match='the model has no input "age"'):
            talweg.predict(fit, frame.assign(age=1.0))
        with pytest.raises(talweg.InputError, match="there are 3 inputs, but the model has 2"):
            talweg.predict(fit, np.ones((4, 3)))


def test_names_go_with_a_run(problem, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = problem
    frame = pandas.DataFrame(X, columns=["width", "length"])
    frame["same"] = 1.0  # dropped by standardise, and known by name all the same
    draws = talweg.sample(frame, y, standardise=True, method="ess", chains=2, draws=20, warmup=20)
    draws.save(tmp_path / "run.nc")
    again = talweg.load(tmp_path / "run.nc")
    assert again.model.names == ["width", "length", "same"]
    expected = talweg.predict(draws, frame.to_numpy()).probability
    turned = talweg.predict(again, frame[["same", "length", "width"]]).probability
    np.testing.assert_array_equal(turned, expected)
