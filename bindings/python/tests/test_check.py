"""talweg.check: the library's check through Python, the same as the program's."""

import math

import numpy as np
import pytest

import talweg

from conftest import SETTING

QUICK = dict(warmup=100, draws=500)


def test_agrees_with_the_program(small, program):
    found = talweg.check(*small, **SETTING, against="laplace", **QUICK)
    said = program(*small, "check", "--against", "laplace", "--log-ell=0.3", "--log-sigma=1.5", "--warmup=100", "--draws=500",
                   "--no-warnings", codes=(0, 4, 5))
    assert said["verdict"] == found.verdict and said["right"] == found.right
    assert said["log_z"]["exact"] == found.log_z.exact and said["log_z"]["se"] == found.log_z.error
    worst = said["latents"]["worst"][0]
    assert worst["name"] == f"x.{found.latents[0].index + 1}"
    assert worst["mean"]["difference"] == found.latents[0].mean.difference
    assert said["latents"]["rms_mean"] == found.rms_mean


def test_an_exact_approximation_is_right():
    X = np.linspace(0, 3, 10)[:, np.newaxis]
    model = talweg.Model(X, np.sin(X[:, 0]), likelihood="gaussian", log_ell=0.0, log_sigma=0.0, noise=0.3)
    found = talweg.check(model, against="ep")
    assert found.right is True and found.wrong == 0 and abs(found.log_z.difference) < 1e-6
    fit = talweg.approx(model).laplace
    shifted = {"mean": fit.mean + 0.5 * fit.sd, "log_z": fit.log_z + 1}
    found = talweg.check(model, against=shifted, name="shifted")
    assert found.right is False and found.verdict.startswith("shifted is wrong: log Z is 1 nats too high")
    assert all(abs(row.mean.difference - 0.5) < 6 * row.mean.error for row in found.latents)
    assert math.isnan(found.latents[0].sd.difference)
    assert talweg.check(model, against=fit).right is True


def test_log_z_alone_and_files(small, tmp_path):
    found = talweg.check(*small, **SETTING, against={"log_z": 0.0})
    assert found.right is False and found.latents == [] and found.latent_verdict == "not claimed"
    (tmp_path / "claim.csv").write_text("name,mean\nx.7,100\n")
    found = talweg.check(*small, **SETTING, against=tmp_path / "claim.csv", page=tmp_path / "check.html", **QUICK)
    assert found.right is False and [row.index for row in found.latents] == [6] and found.against == "claim.csv"
    assert "claim.csv is wrong" in (tmp_path / "check.html").read_text()
    assert "x.7" in repr(found)


def test_errors_name_the_argument(problem):
    for against, words in (({"means": [1]}, "against has no 'means'"), ({"mean": [1.0]}, r'against\["mean"\] has 1 numbers'),
                           ({"sd": np.zeros(60)}, "the claimed sd of x.1 is 0"), (3, "against must be 'ep'"),
                           ({"mean": "high"}, "against"), ({}, "nothing to check")):
        with pytest.raises(talweg.InputError, match=words):
            talweg.check(*problem, **SETTING, against=against)
    with pytest.raises(talweg.InputError, match="a tolerance must be above 0"):
        talweg.check(*problem, **SETTING, against="ep", tolerance=0)
