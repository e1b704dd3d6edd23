"""Exact Bayesian inference in Gaussian process models whose observations are not Gaussian.

>>> import numpy as np, talweg
>>> rng = np.random.default_rng(1)
>>> X = rng.uniform(-2, 2, size=(100, 2))
>>> y = np.sign(3 * (np.sin(2 * X[:, 0]) - X[:, 1]) + rng.normal(size=100))
>>> fit = talweg.approx(X, y, log_sigma=1)            # Laplace, EP, corrected EP
>>> draws = talweg.sample(X, y, log_sigma=1)          # Markov chains, exact
>>> evidence = talweg.evidence(X, y, log_sigma=1)     # log p(y), with errors
>>> talweg.check(X, y, log_sigma=1, against="ep")     # is EP right?
>>> talweg.predict(draws, [[0.0, 1.0]]).probability   # averaged over the draws
>>> unknown = talweg.sample(X, y, prior="default")    # draws of the kernel's parameters too
>>> draws.save("run.nc")                              # for talweg.load, and for the program

`approx`, `sample` and `evidence` take the data and the options of the model (see `Model`), or a `Model`, which factors
the kernel matrix once for all of them. Random numbers depend only on `seed`: results are bitwise identical for any
number of threads, and identical to those of the program ``talweg`` for the same data.
"""

from ._approx import Approximation, Fit, approx
from ._check import Check, Difference, LatentCheck, check
from ._compare import Compared, Comparison, compare
from ._draws import Draws
from ._evidence import Estimate, Evidence, evidence
from ._fit import Fitted, Optimum, Parameter, fit
from ._grid import Grid, GridPoint, grid
from ._hyper import Posterior
from ._load import load
from ._model import Model
from ._predict import Prediction, predict
from ._sample import sample
from ._talweg import FileError, InputError, NumericalError, OutOfMemoryError, TalwegError
from ._talweg import version as __version__
from ._warnings import TalwegWarning

__all__ = [
    "Approximation",
    "Check",
    "Compared",
    "Comparison",
    "Difference",
    "Draws",
    "Estimate",
    "Evidence",
    "FileError",
    "Fit",
    "Fitted",
    "Grid",
    "GridPoint",
    "InputError",
    "LatentCheck",
    "Model",
    "NumericalError",
    "Optimum",
    "OutOfMemoryError",
    "Parameter",
    "Posterior",
    "Prediction",
    "TalwegError",
    "TalwegWarning",
    "approx",
    "check",
    "compare",
    "evidence",
    "fit",
    "grid",
    "load",
    "predict",
    "sample",
    "__version__",
]
