"""Several processes that do one job together: the same numbers to the bit as one, for any number of them."""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings

import numpy as np
import pytest

import talweg
from conftest import SETTING

OPTIONS = dict(method="hmc", chains=70, draws=5, warmup=10, threads=1)


class Meeting:
    """What the communicators of a team of threads share."""

    def __init__(self, size):
        self.size, self.parts, self.barrier = size, [None] * size, threading.Barrier(size)
        self.post = {(a, b): queue.Queue() for a in range(size) for b in range(size)}
        self.trades = 0


class Comm:
    """A communicator as mpi4py's, of threads."""

    def __init__(self, meeting, rank):
        self.meeting, self.rank = meeting, rank

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return self.meeting.size

    def allgather(self, part):
        self.meeting.parts[self.rank] = part
        self.meeting.barrier.wait(20)
        parts = list(self.meeting.parts)
        self.meeting.barrier.wait(20)
        return parts

    def sendrecv(self, sendobj, dest, source):
        self.meeting.trades += 1
        self.meeting.post[self.rank, dest].put(sendobj)
        return self.meeting.post[source, self.rank].get(timeout=300)


class CommWithoutTrade(Comm):
    """One with allgather alone."""

    sendrecv = None


def work(problem, comm=None):
    model = talweg.Model(*problem, **SETTING)
    if comm is not None:
        model.share(comm)
    draws = talweg.sample(model, **OPTIONS)
    evidence = talweg.evidence(model, method="ais", particles=70, temperatures=5, threads=1)
    return np.array(draws.x), evidence.estimates[0].log_z


def by_threads(size, work, kind=Comm):
    meeting, found = Meeting(size), [None] * size

    def member(rank):
        found[rank] = work(kind(meeting, rank))

    threads = [threading.Thread(target=member, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", talweg.TalwegWarning)  # few draws, and no less exact
        yield


def test_any_number_of_members_gives_the_same(problem):
    alone = work(problem)
    for size in (1, 3):
        for x, log_z in by_threads(size, lambda comm: work(problem, comm)):
            assert np.array_equal(x, alone[0]) and log_z == alone[1]


def test_a_ladder_is_cut_between_members(problem):
    """Eight copies are one tile: levels go to different members, and states that swap across a cut go from one to the other."""

    def tempering(comm=None):
        model = talweg.Model(*problem, **SETTING)
        if comm is not None:
            model.share(comm)
        found = talweg.evidence(model, method="pt", copies=8, rounds=30, temperatures=4, threads=1)
        return found.estimates[0].log_z, comm.meeting.trades if comm is not None else 0

    alone = tempering()[0]
    for kind in (Comm, CommWithoutTrade):
        for log_z, trades in by_threads(3, tempering, kind):
            assert log_z == alone and (trades > 0) == (kind is Comm)


def test_a_progress_function_that_raises_ends_all(problem):
    """The first member raises; the others have the draws so far."""

    def stop(comm):
        model = talweg.Model(*problem, **SETTING)
        model.share(comm)
        try:
            return talweg.sample(model, progress=lambda *_: 1 / 0, **{**OPTIONS, "draws": 5_000})
        except ZeroDivisionError:
            return comm.rank

    found = by_threads(2, stop)
    assert found[0] == 0 and found[1].x.shape[1] < 5_000


def test_a_member_that_gives_up_ends_the_others(problem):
    """In the words of the one that gave up."""

    def fail(comm):
        model = talweg.Model(*problem, **SETTING)
        model.share(comm)
        if comm.rank == 1:
            comm.allgather(("there is no paper", b""))
            return ""
        with pytest.raises(talweg.TalwegError) as error:
            talweg.sample(model, **OPTIONS)
        return str(error.value)

    assert "rank 1 of 2: there is no paper" in by_threads(2, fail)[0]


def test_something_else_than_a_communicator_is_refused(problem):
    with pytest.raises(talweg.InputError, match="communicator of mpi4py; a int has no Get_rank"):
        talweg.Model(*problem, **SETTING).share(3)


def test_one_matrix_over_many_machines_is_refused_with_the_way_to_go(problem):
    with pytest.raises(TypeError, match="distribute.*mpirun -n 16 talweg sample DATA --distribute"):
        talweg.Model(*problem, **SETTING, distribute=True)


def test_share_takes_none(problem):
    model = talweg.Model(*problem, **SETTING)
    model.share(Comm(Meeting(1), 0))
    model.share(None)
    assert model.n == 60


SCRIPT = """
import sys, warnings
import numpy as np
from mpi4py import MPI
import talweg
warnings.simplefilter("ignore")
model = talweg.Model(np.load("X.npy"), np.load("y.npy"), log_ell=0.3, log_sigma=1.5)
model.share(MPI.COMM_WORLD)
draws = talweg.sample(model, method="hmc", chains=70, draws=5, warmup=10, threads=1)
ladder = talweg.evidence(model, method="pt", copies=8, rounds=30, temperatures=4, threads=1)  # cut between the two
if MPI.COMM_WORLD.rank == 0:
    np.save("x.npy", np.array(draws.x))
    np.save("log_z.npy", ladder.estimates[0].log_z)
"""


def test_mpi4py(problem, tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun")
    np.save(tmp_path / "X.npy", problem[0])
    np.save(tmp_path / "y.npy", problem[1])
    (tmp_path / "job.py").write_text(SCRIPT)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_plm_rsh_agent="/bin/false",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none")
    job = ["mpirun", "-n", "2", sys.executable, "job.py"]
    with tempfile.TemporaryDirectory(prefix="tw") as session:  # of this mpirun alone: another one would remove it at its end
        subprocess.run(job, check=True, cwd=tmp_path, env=dict(environment, TMPDIR=session), timeout=600)
    model = talweg.Model(*problem, **SETTING)
    assert np.array_equal(np.load(tmp_path / "x.npy"), np.array(talweg.sample(model, **OPTIONS).x))
    ladder = talweg.evidence(model, method="pt", copies=8, rounds=30, temperatures=4, threads=1)
    assert np.load(tmp_path / "log_z.npy") == ladder.estimates[0].log_z
