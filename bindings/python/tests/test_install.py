"""The package installs with the standard tools, without a network: as a wheel, and editable.

TALWEG_BUILD names the build of the library; without it building one for every test would take minutes. TALWEG_WHEEL names
a wheel that is made already; without it the test makes one."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import talweg

PROJECT = Path(__file__).resolve().parents[1]
USE = """
import numpy as np, talweg
fit = talweg.approx(np.arange(6.0), [-1, -1, 1, 1, 1, -1], log_ell=0, log_sigma=0)
assert fit.ep.converged
print(talweg.__version__)
print(talweg.__file__)
"""

pytestmark = pytest.mark.skipif("TALWEG_BUILD" not in os.environ, reason="TALWEG_BUILD does not name a build")


def run(*words):
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=clean, cwd="/")
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    """A separate Python that sees the system's numpy."""
    folder = tmp_path_factory.mktemp("install") / "venv"
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder)
    return folder / "bin" / "python"


@pytest.fixture
def wheel(tmp_path):
    if "TALWEG_WHEEL" in os.environ:
        return Path(os.environ["TALWEG_WHEEL"])
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", tmp_path, PROJECT)
    (made,) = tmp_path.glob("*.whl")
    return made


def test_wheel(venv, wheel):
    assert wheel.name.startswith(f"talweg-{talweg.__version__}-cp311-abi3-")  # one for every later Python
    names = zipfile.ZipFile(wheel).namelist()
    assert {"talweg/_talweg.abi3.so", "talweg/py.typed", "talweg/__init__.py"} <= set(names)
    run(venv, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel)
    version, place = run(venv, "-c", USE).splitlines()
    assert version == talweg.__version__ and str(venv.parents[1]) in place


def test_editable(venv):
    run(venv, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-deps", "-e", PROJECT)
    version, place = run(venv, "-c", USE).splitlines()
    assert version == talweg.__version__ and Path(place).parent == PROJECT / "talweg"
