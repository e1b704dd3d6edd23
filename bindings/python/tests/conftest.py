"""The data of the tests, and the program to compare with (TALWEG_PROGRAM)."""

import json
import os
import subprocess
import warnings

import numpy as np
import pytest

import talweg

SETTING = dict(log_ell=0.3, log_sigma=1.5)


def two_classes(n, seed=1):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.uniform(-2, 2, size=(n, 2)))
    y = np.sign(3 * (np.sin(2 * X[:, 0]) - X[:, 1]) + rng.normal(size=n))
    return X, y


def counts(n, seed=2):
    rng = np.random.default_rng(seed)
    X = np.linspace(0, 10, n)[:, np.newaxis]
    return X, rng.poisson(2.5 * np.exp(np.sin(X[:, 0]))).astype(float)


@pytest.fixture(scope="session")
def problem():
    return two_classes(60)


@pytest.fixture(scope="session")
def small():
    """For what costs the same sums of every case."""
    return two_classes(15)


@pytest.fixture(scope="session")
def model(problem):
    return talweg.Model(*problem, **SETTING)


@pytest.fixture(scope="session")
def draws(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", talweg.TalwegWarning)  # few draws, and no less exact
        return talweg.sample(model, method="hmc", chains=3, draws=100, warmup=100, seed=7)


class Program:
    """The program talweg in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def call(self, *words, codes=(0,)):
        """Run it; returns its JSON. codes: exit codes that are no failure."""
        done = subprocess.run([self.path, *map(str, words)], stdout=subprocess.PIPE, cwd=self.folder)
        assert done.returncode in codes
        return json.loads(done.stdout)

    def __call__(self, X, y, command, *options, codes=(0,)):
        """Run a command on a file with these numbers, to the bit."""
        np.save(self.folder / "data.npy", np.column_stack([X, y]))
        return self.call(command, "data.npy", "--quiet", "--json", *options, codes=codes)


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    path = os.environ.get("TALWEG_PROGRAM")
    if not path:
        pytest.skip("TALWEG_PROGRAM does not name the program")
    return Program(path, tmp_path_factory.mktemp("program"))
