"""Threads: of talweg, which change nothing; of Python, which run meanwhile; and Ctrl-C."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import talweg
from conftest import SETTING, two_classes

pytestmark = pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")


def test_threads_change_nothing(model):
    options = dict(method="hmc", chains=9, draws=30, warmup=40, seed=3)
    runs = [talweg.sample(model, **options, threads=threads) for threads in (1, 2, 5)]
    assert all(np.array_equal(runs[0].x, run.x) for run in runs)
    assert all(np.array_equal(runs[0].summary(), run.summary()) for run in runs)
    estimates = [talweg.evidence(model, particles=40, temperatures=8, method="ais,rm", threads=t) for t in (1, 3)]
    assert [e.log_z for e in estimates[0]] == [e.log_z for e in estimates[1]]
    predictions = [talweg.predict(runs[0], np.zeros((5, 2)), threads=t).probability for t in (1, 2)]
    assert np.array_equal(*predictions)


def test_the_interpreter_is_free_meanwhile(model):
    """A Python thread looks at the clock in the middle of a computation; it would stand still if the lock were held. A busy
    machine may need several computations for that."""
    looks = []
    done = threading.Event()

    def look():
        while not done.wait(0.001):
            looks.append(time.perf_counter())

    thread = threading.Thread(target=look)
    thread.start()
    inside = tries = 0
    while inside < 3 and tries < 100:
        begun = time.perf_counter()
        talweg.sample(model, method="rmhmc", draws=100, warmup=50, threads=1)
        quarter = (time.perf_counter() - begun) / 4
        inside = sum(begun + quarter < moment < begun + 3 * quarter for moment in looks)
        tries += 1
    done.set()
    thread.join()
    assert inside >= 3


def test_a_thread_may_compute_while_another_does(model):
    """On one model they take turns; on two they run side by side. Results are the same."""
    expected = talweg.sample(model, method="ess", draws=50, warmup=10)
    results = {}

    def work(key, about):
        results[key] = talweg.sample(about, method="ess", draws=50, warmup=10)

    models = [model, model, talweg.Model(*two_classes(60), **SETTING)]
    threads = [threading.Thread(target=work, args=item) for item in enumerate(models)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(result.x, expected.x) for result in results.values()) and len(results) == 3


def test_progress_may_end_a_run(model):
    seen = []

    def stop(stage, done, total, acceptance):
        seen.append((stage, done, total))
        return stage == "sampling"

    draws = talweg.sample(model, method="hmc", chains=4, draws=100000, warmup=300, progress=stop)
    assert draws.interrupted and 0 < draws.draws < 100000 and draws.x.shape[1] == draws.draws
    assert seen[0][0] == "warm-up" and seen[-1][0] == "sampling" and all(done <= total for _, done, total in seen)
    with pytest.raises(talweg.TalwegError, match="before it had a result"):
        talweg.sample(model, chains=64, progress=lambda stage, *_: stage.startswith("pilot run of"))
    stopped = talweg.evidence(model, method=("ais", "pt"), progress=lambda *_: True, particles=2000)
    assert stopped.estimates == [] and np.isnan(stopped.log_z) and stopped.agree is None


def test_progress_may_raise(model):
    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        talweg.sample(model, method="hmc", progress=fail, chains=4, draws=100000)
    with pytest.raises(RuntimeError, match="must not compute with the same model"):
        talweg.sample(model, method="hmc", progress=lambda *_: talweg.approx(model, tol=1e-7), chains=4, draws=100000)
    assert talweg.approx(model).ep.converged  # and the model is none the worse


def test_progress_on_standard_error(model, capsys):
    talweg.sample(model, method="hmc", draws=200, warmup=100, progress=True)
    shown = capsys.readouterr().err
    assert "sampling 100 %" in shown and shown.endswith("\n")


JOBS = {
    "sample": "talweg.sample(X, y, method='hmc', thin=10**6, progress=tell)",
    "pilots": "tell(); talweg.sample(X, y, chains=256)",
    "ais": "tell(); talweg.evidence(X, y, method='ais-reverse', particles=4000, temperatures=10**4)",
    "tempering": "tell(); talweg.evidence(X, y, method='pt', rounds=10**5)",
    "ep": "tell(); talweg.approx(X, y, site_tol=1e-300, max_sweeps=10**7)",
    "prediction": "d = talweg.sample(X, y, method='ess', draws=100, warmup=10); tell(); talweg.predict(d, np.zeros((10**6, 2), order='F'), threads=1)",
}

# What a shell starts in the background ignores SIGINT, and so do its children: the script asks for it.
SCRIPT = """
import signal, sys, threading, time, warnings
import numpy as np, talweg
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
def tell(*_):
    global told
    if not told: print("computing", flush=True)
    told = True
told = False
rng = np.random.default_rng(1)
X = rng.uniform(-2, 2, size=(100, 2))
y = np.sign(np.sin(2 * X[:, 0]) - X[:, 1] + 0.3 * rng.normal(size=100))
try:
    JOB
    print("done")
except KeyboardInterrupt:
    print("interrupted", time.process_time())
    assert talweg.approx(X[:50], y[:50]).ep.converged
    sys.exit(42)
"""


def processor_seconds(pid):
    """The time that a process has computed, which does not depend on what others do; without /proc, unknown and large."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c(job):
    """KeyboardInterrupt within two seconds of computing, wherever it is, and the process goes on."""
    child = subprocess.Popen([sys.executable, "-c", SCRIPT.replace("JOB", JOBS[job])], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "computing\n"
    time.sleep(0.1)
    used = processor_seconds(child.pid)
    child.send_signal(signal.SIGINT)
    said, _, at_end = child.stdout.readline().partition(" ")
    child.stdout.read()
    assert (said, child.wait()) == ("interrupted", 42)
    assert float(at_end) - used < 2.0 * os.cpu_count()


def test_other_threads_hear_nothing_of_ctrl_c():
    """Python runs signal handlers in the main thread alone; there KeyboardInterrupt comes, and the thread ends by
    its progress function."""
    script = SCRIPT.replace(
        "JOB",
        "end = threading.Event()\n"
        "    work = lambda: talweg.sample(X, y, method='hmc', thin=10**6, progress=lambda *a: tell() or end.is_set())\n"
        "    thread = threading.Thread(target=work)\n"
        "    try:\n"
        "        thread.start()\n"
        "        for _ in range(600): time.sleep(0.1)  # one long sleep does not see a signal just before it\n"
        "    finally: end.set(); thread.join()",
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "computing\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline().startswith("interrupted ") and child.wait() == 42


def test_the_threads_of_blas_are_put_back(model):
    """numpy may share its BLAS with talweg, which wants it single-threaded."""
    try:
        blas = ctypes.CDLL("libopenblas.so.0", mode=os.RTLD_NOLOAD)
    except OSError:
        pytest.skip("no libopenblas.so.0 in this process")
    before = blas.openblas_get_num_threads()
    blas.openblas_set_num_threads(2)
    try:
        during = []
        talweg.sample(model, method="hmc", draws=100, progress=lambda *_: during.append(blas.openblas_get_num_threads()))
        talweg.Model(*two_classes(10))
        with pytest.raises(talweg.InputError):
            talweg.Model(*two_classes(10), likelihood="none")
        assert set(during) == {1} and blas.openblas_get_num_threads() == 2
    finally:
        blas.openblas_set_num_threads(before)
