"""The examples run, and find what their data were made with."""

import re
import runpy
from pathlib import Path

import pytest

import talweg

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name, capsys):
    """What an example leaves behind, and what it prints."""
    left = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    return left, capsys.readouterr().out


def test_disease(capsys):
    left, printed = run("disease", capsys)
    poisson, negative = map(float, re.search(r"EP: (-\S+) with Poisson counts, (-\S+) with", printed).groups())
    assert negative > poisson + 10  # nats: the counts were made with dispersion 3
    found = left["above"] >= 0.95
    assert found.any() and (left["risk"][found] > 1.3).all()  # the hot spot, and nothing in the west


def test_survival(capsys):
    left, printed = run("survival", capsys)
    log_z = {float(shape): float(value) for shape, value in re.findall(r"shape (\d): log Z by EP (-\S+)", printed)}
    assert max(log_z, key=log_z.get) == 2
    whole = left["median_time"](left["fit"](left["everything"], 2.0), 2.0)
    assert (abs(whole / left["truth"] - 1) < 0.5).all()  # two dozen parts near each load: some 20 % of error
    part = left["median_time"](left["fit"](~left["censored"], 2.0), 2.0)
    assert part[0] < whole[0]  # parts of a small load, of which the best are left out


@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")
def test_ordinal(capsys):
    left, printed = run("ordinal", capsys)
    found, level = left["found"], left["np"].arange(5)
    assert found.shape == (3, 5) and abs(found.sum(axis=1) - 1).max() < 1e-12
    mean = found @ level
    assert mean[0] > mean[1] > mean[2]  # pain falls with the dose
    assert isinstance(left["fitted"], talweg._fit.Fitted) and "unbearable" in printed
