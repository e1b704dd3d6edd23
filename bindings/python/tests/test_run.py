"""Run files: what is saved is what the program writes, and what the program writes is loaded."""

import functools
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import talweg
from conftest import counts, two_classes

pytestmark = pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")

FEW = dict(chains=2, draws=40, warmup=60, seed=5)
FEW_FLAGS = ("--chains", "2", "--draws", "40", "--warmup", "60", "--seed", "5")
X, Y = two_classes(60)
XC, YC = counts(40)
K = np.exp(-0.5 * ((X[:, np.newaxis] - X) ** 2).sum(2))
WIDE = np.column_stack([np.full(60, 4.0), 100 + 7 * X])  # a constant column is dropped where inputs are standardised
UNNAMED = {"created_at", "command", "data", "warmup_seconds", "sampling_seconds"}  # of this run, not of its draws

# data, the program's options, and Python's
CASES = {
    "plain": ((X, Y), (), dict(method="hmc")),
    "auto": ((X, Y), (), {}),
    "path": (
        (X, Y),
        ("--log-ell", "0", "--log-sigma", "0", "--from", "ep", "--beta", "0.5", "--thin", "2"),
        dict(log_ell=0, log_sigma=0, method="hmc", start="ep", beta=0.5, thin=2),
    ),
    "scaled": (
        (WIDE, (Y + 1) / 2),
        ("--standardise", "--jitter", "1e-6"),
        dict(method="ess", standardise=True, jitter=1e-6),
    ),
    "counts": (
        (XC, YC),
        ("--likelihood", "poisson", "--exposure", "2.5", "--kernel", "matern52", "--constant", "0.5", "--white", "0.1")
        + ("--compress", "--pointwise"),
        dict(method="hmc", likelihood="poisson", exposure=2.5, kernel="matern52", constant=0.5, white=0.1),
    ),
    "scales": (
        (X, Y),
        ("--log-ell", "0.1,0.7", "--likelihood", "logit"),
        dict(method="hmc", log_ell=[0.1, 0.7], likelihood="logit"),
    ),
    "noise": ((XC, YC), ("--likelihood", "gaussian", "--noise", "0.7"), dict(method="hmc", likelihood="gaussian", noise=0.7)),
    "matrix": ((None, Y), ("--kernel-matrix", "K.npy"), dict(method="hmc", kernel_matrix=K)),
}


@functools.cache
def sampled(case):
    (inputs, labels), _, options = CASES[case]
    return talweg.sample(inputs, labels, **{**FEW, **options})


@functools.cache
def both(program, case):
    """The draws of a case, the program's file of them, and ours. The counts are compressed, and pointwise."""
    (inputs, labels), flags, options = CASES[case]
    theirs, ours = program.folder / f"{case}.nc", program.folder / f"our {case}.nc"
    np.save(program.folder / "K.npy", K)
    np.save(program.folder / "data.npy", labels if inputs is None else np.column_stack([inputs, labels]))
    method = ("--method", options["method"]) if "method" in options else ()
    program.call("sample", "data.npy", "--quiet", "--json", *FEW_FLAGS, *method, *flags, "-o", theirs)
    packed = case == "counts"
    sampled(case).save(ours, compress=packed, pointwise=packed)
    return sampled(case), theirs, ours


def assert_same_group(a, b):
    """Of netCDF4: attributes, dimensions, variables with theirs and their values, and groups, in their order."""
    assert a.ncattrs() == b.ncattrs()
    for name in set(a.ncattrs()) - UNNAMED:
        assert np.array_equal(a.getncattr(name), b.getncattr(name)), name
    assert [(d, len(a.dimensions[d])) for d in a.dimensions] == [(d, len(b.dimensions[d])) for d in b.dimensions]
    assert list(a.variables) == list(b.variables) and list(a.groups) == list(b.groups)
    for name, mine in a.variables.items():
        theirs = b.variables[name]
        assert (mine.dtype, mine.dimensions, mine.filters()) == (theirs.dtype, theirs.dimensions, theirs.filters())
        assert mine.__dict__ == theirs.__dict__
        equal_nan = mine.dtype != str and mine.dtype.kind == "f"
        assert np.array_equal(np.ma.getdata(mine[...]), np.ma.getdata(theirs[...]), equal_nan=equal_nan), name
    for name in a.groups:
        assert_same_group(a.groups[name], b.groups[name])


@pytest.mark.parametrize("case", CASES)
def test_a_saved_file_is_the_programs(program, case):
    netCDF4 = pytest.importorskip("netCDF4")
    _, theirs, ours = both(program, case)
    with netCDF4.Dataset(theirs) as a, netCDF4.Dataset(ours) as b:
        assert set(a.groups) == {"posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"}
        assert_same_group(a, b)


@pytest.mark.parametrize("case", ["auto", "scaled", "counts", "matrix"])
def test_load(program, case):
    """The program's file and ours are the draws that were sampled; so is what is saved again."""
    draws, theirs, ours = both(program, case)
    again = talweg.load(ours)
    again.save(program.folder / "again.nc", force=True)
    for path in (theirs, str(ours), program.folder / "again.nc"):
        loaded = talweg.load(path)
        assert np.array_equal(loaded.x, draws.x)
        for name, values in draws.sample_stats.items():
            assert np.array_equal(loaded.sample_stats[name], values, equal_nan=values.dtype.kind == "f"), name
        for name in draws.summary().dtype.names:  # a tail ESS of few draws may be NaN
            assert np.array_equal(loaded.summary()[name], draws.summary()[name], equal_nan=True), name
        assert str(loaded.diagnostics) == str(draws.diagnostics)  # one of them may be NaN
        assert repr(loaded) == repr(draws) and repr(loaded.model) == repr(draws.model)
        for name in ("method", "metric", "beta", "warmup", "thin", "seed", "from"):
            assert loaded.facts[name] == draws.facts[name]
        for name in ("standardise", "inputs", "rank"):
            assert getattr(loaded.model, name) == getattr(draws.model, name)
        assert (loaded.sampling_totals, loaded.warmup_totals) == (draws.sampling_totals, draws.warmup_totals)
    assert "talweg sample data.npy" in talweg.load(theirs).facts["command"]
    assert again.facts["warmup_seconds"] > 0 and again.facts["sampling_seconds"] > 0
    assert again.seconds == draws.seconds and again.facts["version"] == talweg.__version__


def test_predictions_from_a_file(program):
    """In Python from the program's file, by the program from ours: the numbers of Python's own draws."""
    draws, theirs, ours = both(program, "scaled")
    Xnew = np.column_stack([np.zeros(30), 100 + 7 * two_classes(30, seed=9)[0]])
    np.save(program.folder / "new.npy", Xnew)
    expected = talweg.predict(draws, Xnew)
    printed = program.call("predict", ours, "new.npy", "--json", "--quiet")["predictions"]
    for found in (talweg.predict(talweg.load(theirs), Xnew), talweg.predict(talweg.load(ours), Xnew)):
        assert np.array_equal(found.probability, expected.probability) and np.array_equal(found.mcse, expected.mcse)
    assert list(expected.probability) == printed["probability"] and list(expected.mcse) == printed["mcse"]
    draws, theirs, _ = both(program, "counts")
    expected, found = talweg.predict(draws, XC), talweg.predict(talweg.load(theirs), XC)  # with the training's exposure
    assert np.array_equal(found.y_mean, expected.y_mean) and found.y_mean.min() > 0
    draws, theirs, _ = both(program, "matrix")
    new = dict(cross=K[:, :3], diagonal=np.ones(3))
    assert np.array_equal(talweg.predict(talweg.load(theirs), **new).mean, talweg.predict(draws, **new).mean)
    with pytest.raises(talweg.InputError, match="give cross and diagonal"):
        talweg.predict(talweg.load(theirs), X)


@pytest.mark.filterwarnings("default::talweg.TalwegWarning")
def test_parameters_that_nobody_gave_are_warned_of(tmp_path):
    with pytest.warns(talweg.TalwegWarning, match="not given.*: ell = 1, sigma = 1") as seen:
        talweg.sample(X, Y, method="ess", **FEW).save(tmp_path / "run.nc")
    assert [warning.message.code for warning in seen].count("default_parameters") == 1
    with warnings.catch_warnings():  # the file has their values, and whoever made it was told
        warnings.simplefilter("error")
        talweg.predict(talweg.load(tmp_path / "run.nc"), X)
    with pytest.warns(talweg.TalwegWarning, match="not given.*: ell = 1[.]"):
        talweg.approx(X, Y, log_sigma=0)


@pytest.mark.filterwarnings("default::talweg.TalwegWarning")
def test_predictions_from_a_path_are_warned_of(tmp_path):
    sampled("path").save(tmp_path / "run.nc")
    with pytest.warns(talweg.TalwegWarning, match="the path to the posterior at beta = 0.5, not from the posterior") as seen:
        talweg.predict(talweg.load(tmp_path / "run.nc"), X)
    assert len(seen) == 1 and seen[0].filename == __file__


def test_the_program_takes_a_saved_file(program, draws):
    draws.save(program.folder / "mine.nc", force=True)
    summary = program.call("summary", "mine.nc", "--json", "--quiet", "--all")
    assert summary["rhat_max"] == draws.diagnostics["rhat_max"]
    assert summary["ess_bulk"]["min"] == draws.diagnostics["ess_bulk_min"]
    words = [program.path, "report", "mine.nc", "-o", "mine.html", "--force", "--quiet"]
    subprocess.run(words, check=True, cwd=program.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    page = (program.folder / "mine.html").read_text()
    assert "hmc, metric ep" in page and "3 of 100 draws" in page


def test_more_from_a_loaded_model(program):
    """A model that came from a file is a model: new draws of it are those of the one that was saved."""
    draws, theirs, _ = both(program, "counts")
    again = talweg.sample(talweg.load(theirs).model, method="hmc", **FEW)
    assert np.array_equal(again.x, draws.x)
    assert np.array_equal(talweg.load(theirs).log_likelihood, draws.log_likelihood)


# ---- xarray ----


@pytest.mark.parametrize("case", ["plain", "scaled", "counts", "scales", "matrix"])
def test_xarray_sees_the_same(tmp_path, case):
    """Group by group: what to_xarray makes of the draws, of the loaded ones, and what it reads from the file."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    draws, path = sampled(case), tmp_path / "run.nc"
    draws.save(path, pointwise=True)
    loaded = talweg.load(path)
    for group in talweg._draws.GROUPS:
        with xarray.open_dataset(path, group=group) as stored:
            for made in (draws.to_xarray(group), loaded.to_xarray(group)):
                assert made.equals(stored), group
                assert {name: array.dtype for name, array in made.data_vars.items()} == {
                    name: array.dtype for name, array in stored.data_vars.items()
                }
                assert dict(made.attrs, created_at="") == dict(stored.attrs, created_at="")


# ---- refusals and interruptions ----


def test_what_is_there_is_not_overwritten(tmp_path, draws):
    path = tmp_path / "run.nc"
    path.write_text("mine")
    with pytest.raises(talweg.InputError, match=r"run.nc already exists; use force=True"):
        draws.save(path)
    assert path.read_text() == "mine" and os.listdir(tmp_path) == ["run.nc"]
    draws.save(path, force=True)
    assert np.array_equal(talweg.load(path).x, draws.x) and os.listdir(tmp_path) == ["run.nc"]


def test_errors(tmp_path, draws, program):
    with pytest.raises(talweg.FileError, match="No such file"):
        talweg.load(tmp_path / "none.nc")
    with pytest.raises(talweg.FileError, match="No such file"):
        draws.save(tmp_path / "folder" / "run.nc")
    (tmp_path / "text.nc").write_text("chain,draw\n")
    with pytest.raises(talweg.InputError, match="not a NetCDF-4 file"):
        talweg.load(tmp_path / "text.nc")
    odd = os.fsdecode(b"r\xfcn.nc")  # no UTF-8
    with pytest.raises(talweg.FileError, match="r.n.nc"):
        talweg.load(tmp_path / odd)
    draws.save(tmp_path / odd)
    assert talweg.load(tmp_path / odd).draws == 100
    with pytest.raises(TypeError):
        draws.save(3)
    np.save(program.folder / "data.npy", np.column_stack([X, Y]))
    flags = ("--method", "ess", "--summary-only", "-o", "s.nc")
    program.call("sample", "data.npy", "--quiet", "--json", *FEW_FLAGS, *flags)
    with pytest.raises(talweg.InputError, match="only a summary of the draws"):
        talweg.load(program.folder / "s.nc")


def test_an_interrupted_run_is_saved(tmp_path, model):
    run = talweg.sample(model, method="hmc", chains=4, draws=100000, progress=lambda stage, *_: stage == "sampling")
    run.save(tmp_path / "run.nc")
    assert talweg.load(tmp_path / "run.nc").interrupted and talweg.load(tmp_path / "run.nc").draws == run.draws


LONG = """
import os, signal, sys, threading, warnings
import numpy as np, talweg
warnings.simplefilter("ignore")
y = np.resize([-1.0, 1.0, 1.0], 200)
draws = talweg.sample(np.arange(200.0), y, method="ess", metric="prior", init="prior", chains=8, draws=2000, warmup=1)
saved = threading.Event()

def watch():
    while not saved.is_set():
        if any(name.endswith(".part") for name in os.listdir()):
            return os.kill(os.getpid(), signal.SIGINT)

for attempt in range(20):
    saved.clear()
    thread = threading.Thread(target=watch)
    try:
        thread.start()
        draws.save("run.nc", compress=True)
        saved.set()
        thread.join()
    except KeyboardInterrupt:
        saved.set()
        thread.join()
        if not os.listdir():
            sys.exit(42)
    assert os.listdir() == ["run.nc"] and np.array_equal(talweg.load("run.nc").x, draws.x)
    os.remove("run.nc")
"""


def test_ctrl_c(tmp_path):
    """Another thread sees the file on its way, so the interpreter is free meanwhile, and interrupts: the file is whole
    or not there. Where the signal came too late for that, it is tried again."""
    assert subprocess.run([sys.executable, "-c", LONG], cwd=tmp_path).returncode == 42


def test_threads_take_turns(tmp_path, draws):
    """netCDF-C serves one thread at a time; each of these has files of its own."""
    failed = []

    def work(name):
        try:
            for k in range(3):
                draws.save(tmp_path / name, force=True, pointwise=k % 2 == 0)
                assert np.array_equal(talweg.load(tmp_path / name).x, draws.x)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(f"{k}.nc",)) for k in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failed == []
