"""Grids of log Z: the same as the program's, the maximum, and the edge."""

import numpy as np
import pytest

import talweg
from conftest import two_classes

X, Y = two_classes(40)
ELL, SIGMA = np.linspace(-1, 2, 4), np.linspace(0, 2, 3)


def test_a_grid_is_the_program_s(program):
    theirs = program(X, Y, "grid", "--log-ell", "-1:2:4", "--log-sigma", "0:2:3")
    found = talweg.grid(X, Y, log_ell=ELL, log_sigma=SIGMA)
    assert found.ep.shape == (4, 3) == tuple(theirs["shape"]) and found.converged.all()
    for point in theirs["points"]:
        i, j = np.searchsorted(ELL, point["log_ell"] - 1e-9), np.searchsorted(SIGMA, point["log_sigma"] - 1e-9)
        # the program's EP starts from its neighbours' sites, so that the two agree up to EP's tolerance
        assert found.ep[i, j] == pytest.approx(point["ep"], abs=1e-5)
        assert found.ep_corrected[i, j] == pytest.approx(point["ep_corrected"], abs=1e-5)
    best = theirs["best"]
    assert (found.best.log_ell, found.best.log_sigma, found.at_edge) == (best["log_ell"], best["log_sigma"], theirs["best_at_edge"])


def test_the_edge_is_said():
    inside = talweg.grid(X, Y, log_ell=np.linspace(-3, 4, 8), log_sigma=np.linspace(-3, 6, 10))
    assert inside.at_edge is False and "inside the grid" in repr(inside)
    near = talweg.grid(X, Y, log_ell=[3.0, 4.0], log_sigma=[-3.0, -2.0])
    assert near.at_edge is True and "at the edge of the grid" in repr(near)
    assert near.best.ep_corrected == near.ep_corrected.max()
    # one value is no axis: that it is the first says nothing
    line = talweg.grid(X, Y, log_ell=np.linspace(-3, 4, 8), log_sigma=1.0)
    assert line.ep.shape == (8, 1) and line.at_edge is False


def test_plot_and_errors():
    with pytest.raises(talweg.InputError, match="log_ell must be finite numbers that rise"):
        talweg.grid(X, Y, log_ell=[1.0, 1.0])
    with pytest.raises(talweg.InputError, match="log_sigma must be finite numbers that rise"):
        talweg.grid(X, Y, log_sigma=[])
    pytest.importorskip("matplotlib").use("Agg")
    assert talweg.grid(X, Y, log_ell=ELL, log_sigma=SIGMA).plot().get_xlabel() == "log ell"
