"""The model: a Gaussian process, a likelihood, and the data."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any, Optional, Sequence, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _model_file, _talweg
from ._arrays import Floats, floats, labels, ordered, symmetric, table, vector, view, word
from ._pickle import reduce_model
from ._plot import Shown
from ._talweg import InputError
from ._team import Team
from ._warnings import Warned, spoken, warned

Path = _model_file.Path
Note = Union[str, Warned]  # what the library has to say

logger = logging.getLogger("talweg")
MOST_THREADS = 64


class ModelOptions(TypedDict, total=False):
    """The options of `Model`, which `approx`, `sample` and `evidence` hand on."""

    likelihood: str
    kernel: str
    log_ell: ArrayLike
    log_sigma: float
    constant: float
    white: float
    jitter: float
    noise: ArrayLike
    exposure: ArrayLike
    offset: ArrayLike
    trials: ArrayLike
    censored: ArrayLike
    dispersion: float
    shape: float
    scale: float
    df: float
    cut: float
    gap2: float
    gap3: float
    gap4: float
    gap5: float
    gap6: float
    kernel_matrix: ArrayLike
    precision_matrix: Union[str, os.PathLike[str]]
    design_matrix: Union[str, os.PathLike[str]]
    standardise: bool
    positive: Union[str, float]
    levels: Sequence[Union[str, float]]


def count_threads(threads: int) -> int:
    """Threads to use: those asked for, or 0 for as many as this process may use."""
    if threads < 0:
        raise InputError(f"threads must be 0 (all) or more, not {threads}")
    return min(threads or len(os.sched_getaffinity(0)), MOST_THREADS)


TERMS: dict[str, tuple[list[str], list[str]]] = _talweg.likelihood_terms()  # parameters and columns of each


def _column(name: str, value: Any, n: int) -> Floats:
    """One number for each of n observations."""
    values = floats(value, name)
    values = np.full(n, float(values)) if values.ndim == 0 else vector(values, name)
    if values.shape != (n,):
        raise InputError(f"{name} has {values.size} numbers for {n} observations")
    return values


# Options of the program that Python lacks, and what to do.
_INSTEAD = {
    "distribute": ": one K over many machines is for the program (mpirun -n 16 talweg sample DATA --distribute -o RUN.nc, then "
    "predict with --distribute, too) and for C (tw_model_distributed)"
}


def terms_of(likelihood: str, given: dict[str, Any], n: int, caller: str) -> tuple[dict[str, float], dict[str, Floats]]:
    """What was given of a likelihood's parameters, each a number, and columns, each an array, by name.

    A single number is the parameter where there is one of that name, else it is the same for all observations.
    """
    known = {name for both in TERMS.values() for names in both for name in names}
    parameters, columns = TERMS.get(likelihood, ([], []))
    numbers: dict[str, float] = {}
    arrays: dict[str, Floats] = {}
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"{caller}() got an unexpected keyword argument '{name}'" + _INSTEAD.get(name, ""))
        if value is None:
            continue
        if name in parameters and floats(value, name).ndim == 0:
            numbers[name] = float(floats(value, name))
        elif name in columns:
            arrays[name] = _column(name, value, n)
        else:
            raise InputError(f"{name} cannot be used with the {likelihood} likelihood")
    return numbers, arrays


def _precision(matrix: Union[str, os.PathLike[str], None], design: Union[str, os.PathLike[str], None], kernel: str) -> str:
    """The expression that reads these files."""
    if matrix is None:
        raise InputError("design_matrix needs precision_matrix")
    if kernel != "se":
        raise InputError("kernel cannot be used with precision_matrix, which is the whole covariance: leave one out")
    paths = {name: path for name, path in (("matrix", matrix), ("design", design)) if path is not None}
    for name, path in paths.items():
        if not isinstance(path, (str, os.PathLike)):
            raise InputError("precision_matrix and design_matrix are files: write a matrix with scipy.io.mmwrite")
        if '"' in os.fspath(path):
            raise InputError(f'the name of a matrix\'s file can hold no ": {path}')
    return "precision(" + ", ".join(f'{name}="{os.fspath(path)}"' for name, path in paths.items()) + ")"


class Model(Shown):
    """x ~ N(0, K) and independent observations p(y_n | x_n): the posterior that everything else is about.

    Parameters
    ----------
    X : array_like, shape (n, d), or (n,) for one input
        Inputs. Column-major float64 (``order="F"``) goes to the library as it is; anything else is converted.
        The model keeps what it needs: `X` may change afterwards. A data frame (pandas, polars) gives the inputs names,
        and `predict` finds those of another frame by them. A column that is text from top to bottom holds categories, for
        ``categorical`` kernels.
    y : array_like, shape (n,)
        Observations: two different numbers or texts (probit, logit), counts (poisson, binomial, ...), real numbers (gaussian,
        student_t), times (weibull, ...), levels 1, 2, ... or what `levels` lists (ordinal3, ...).
    likelihood : str
        "probit", "logit", "poisson", "gaussian", ...: docs/likelihoods.md has them all, with what they take.
    kernel : {"se", "matern12", "matern32", "matern52", "rq"}, or an expression
        Shape of the covariance function, whose parameters are the next four; or sums and products with their inputs, by name
        or number, and parameters: ``"se(age, ell=2) + matern32(1, 2) * periodic(t, period=1) + linear(dose)"``:
        docs/kernels.md has all of them.
    log_ell : float or array_like, shape (d,)
        Natural logarithm of the length scale: one, or one for each input, in units of the inputs. 0 where it is not
        given, with a warning from what uses the model.
    log_sigma : float
        Natural logarithm of the latent function's standard deviation. The same holds where it is not given.
    constant, white : float
        Variance of a constant offset, and of independent noise on the latent function.
    jitter : float
        Added to the diagonal of K. Rarely needed: a singular K gets a factor of lower rank.
    kernel_matrix : array_like, shape (n, n)
        K itself, instead of `X` and a kernel.
    precision_matrix, design_matrix : str or path
        Files in Matrix Market's format (``scipy.io.mmwrite`` writes them), instead of `X` and a kernel: a sparse precision Q of
        variables u ~ N(0, Q^-1), and a sparse A with a row for each observation, x = A u; without A x = u. Files of runs name
        these files, so keep them.
    standardise : bool
        Shift and scale each input to mean 0 and standard deviation 1; `predict` does the same to new inputs.
    positive : str or number
        Which of two labels is +1. If not given, the larger number or the text later in the alphabet.
    levels : sequence of str or number
        Labels of an ordinal likelihood, from the lowest to the highest. An ordered categorical of pandas has its own.
    **terms : float or array_like, shape (n,)
        What the likelihood takes beside `y`, by name. ``noise`` (gaussian): the standard deviation of the noise.
        ``exposure`` (poisson): the rate of a count is ``exposure * exp(x)``. The default of both is 1.
        ``trials`` (binomial): of how many trials `y` succeeded. docs/likelihoods.md has the others.

    Attributes
    ----------
    n : int
        Observations.
    names : list of str or None
        What the inputs are called, where `X` was a data frame or the run's data file had a header.
    rank : int
        Of K; less than `n` where K is numerically singular.
    y : ndarray, shape (n,)
        Observations as the model sees them (labels are -1 and +1).
    labels : list of str or None
        What -1 and +1, or levels 1, 2, ..., stand for; None where y is numbers that say so.
    categories : dict
        The categories of inputs that are text, by name or, without names, by number from 1 on: ``{"sex": ["female", "male"]}``.
    kernel : str or None
        The kernel as an expression, with all its parameters; None with `kernel_matrix`.
    likelihood_parameters : dict
        The likelihood's own parameters: ``{"noise": 0.5}``.
    columns : dict
        What is known of each observation: ``{"exposure": array}``.
    parameters : list of str
        What the kernel's parameters are called: "ell", "sigma"; with several leaves "se.ell", "constant.variance".
    theta : ndarray
        Their logarithms, in the same order.
    priors, fixed : list of str
        Of a model file or of a fit: "ell ~ gamma(25, 4)"; which parameters are held. `save` writes them.

    Examples
    --------
    >>> model = talweg.Model(X, y, likelihood="logit", kernel="matern52", log_ell=[0.2, 1.0])
    >>> talweg.approx(model).ep.log_z
    >>> talweg.sample(model, chains=8)
    """

    def __init__(
        self,
        X: Optional[ArrayLike] = None,
        y: Optional[ArrayLike] = None,
        *,
        likelihood: str = "probit",
        kernel: str = "se",
        log_ell: Optional[ArrayLike] = None,
        log_sigma: Optional[float] = None,
        constant: float = 0.0,
        white: float = 0.0,
        jitter: float = 0.0,
        kernel_matrix: Optional[ArrayLike] = None,
        precision_matrix: Union[str, os.PathLike[str], None] = None,
        design_matrix: Union[str, os.PathLike[str], None] = None,
        standardise: bool = False,
        positive: Union[str, float, None] = None,
        levels: Optional[Sequence[Union[str, float]]] = None,
        **terms: Optional[ArrayLike],
    ) -> None:
        self.priors: list[str] = []
        self.fixed: list[str] = []
        if y is None:
            raise InputError("a model needs observations y")
        if (X is not None) + (kernel_matrix is not None) + (precision_matrix is not None) != 1:
            raise InputError("give one of X, with a kernel, and kernel_matrix or precision_matrix, without X")
        if X is None and standardise:
            raise InputError("standardise changes inputs, and with a given matrix there are none")
        observed = labels(y, "y")
        inputs = None if X is None else table(X, "X")
        if precision_matrix is not None or design_matrix is not None:
            kernel = _precision(precision_matrix, design_matrix, kernel)
            inputs = table(observed.y, "y")  # a file of nothing but labels has these as inputs, too
        gram = None if kernel_matrix is None else symmetric(kernel_matrix, "kernel_matrix")
        n = 0 if gram is None else len(gram)
        if inputs is not None:
            n = len(inputs.x)
        if observed.y.shape != (n,):
            what = "kernel_matrix" if inputs is None else "X"
            raise InputError(f"{what} has {n} rows and y has {observed.y.size} values")
        self.likelihood = likelihood
        self.standardise = standardise
        numbers, arrays = terms_of(likelihood, terms, n, "Model")
        notes: list[Note] = []
        self._notes = notes
        self._fits: dict[str, Any] = {}
        options = dict(likelihood=likelihood, kernel=kernel, constant=constant, white=white)
        options.update(jitter=jitter, standardise=standardise, ell_given=log_ell is not None)
        options.update(log_sigma=0.0 if log_sigma is None else log_sigma, sigma_given=log_sigma is not None)
        scales = np.atleast_1d(floats(0.0 if log_ell is None else log_ell, "log_ell"))
        order = levels if levels is not None else ordered(y)
        meaning = (observed.texts, order and list(map(word, order)), None if positive is None else word(positive))
        x, names, categories = inputs or (None, None, None)
        # What the problem logs with must not know the model, which knows the problem: neither would ever be freed.
        self._problem = _talweg.Problem(
            observed.y, meaning, x, names, categories, gram, arrays, numbers, scales, options, notes.append
        )
        facts = self._problem.describe()
        self._take_parts(self._problem.parts())
        self.n: int = facts["n"]
        self.rank: int = facts["rank"]
        self.inputs: int = 0 if x is None else x.shape[1]
        self.y: Floats = view(self._problem.labels())
        self._read_constants()

    def _take_parts(self, parts: dict[str, Any]) -> None:
        """Names of inputs, categories and labels, and the kernel."""
        self.names: Optional[list[str]] = parts["input_names"]
        self.kernel: Optional[str] = None if "K" in parts else parts["kernel"]
        self.parameters: list[str] = parts["parameter"]
        self.theta: Floats = view(parts["theta"]) if "theta" in parts else np.empty(0)
        self._shape: Optional[str] = parts["shape"]
        self.labels: Optional[list[str]] = parts["labels"]
        self._ignored: list[str] = parts["ignored"] or []  # columns that were left out of the training data
        called = parts["names"] or [str(k + 1) for k in range(len(parts["levels"] or []))]
        self.categories: dict[str, list[str]] = {
            name: texts for name, texts in zip(called, parts["levels"] or []) if texts is not None
        }
        defaults: str = self._problem.defaults()
        if defaults:
            self._notes.append(warned("default_parameters", name=defaults))

    @classmethod
    def _of(cls, problem: Any, notes: list[Note]) -> Model:
        """The model of an existing problem, read from a file."""
        parts, facts, self = problem.parts(), problem.describe(), cls.__new__(cls)
        self.likelihood = parts["likelihood"]
        self.priors, self.fixed = [], []
        self._notes, self._fits, self._problem = notes, {}, problem
        self._take_parts(parts)
        self.standardise = "scaling_inputs" in parts
        self.n, self.rank = facts["n"], facts["rank"]
        columns = parts.get("scaling_inputs", view(parts["X"]).shape[1])
        self.inputs = columns if self.kernel else 0
        self.y = view(problem.labels())
        self._read_constants()
        return self

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write a model file, which ``talweg approx --model FILE`` and all other commands take, and `load`.

        Parameters
        ----------
        path : str or path-like
            Usually ``MODEL.json``. The file names its data, which go beside it: to ``MODEL.data.csv``, in the units of `X`, and
            ``MODEL.K.npy`` for a `kernel_matrix`.
        force : bool
            Overwrite files that are there. Without it that raises `InputError`.
        """
        _model_file.write(self, path, force)

    @classmethod
    def load(cls, path: Path, data: Optional[Path] = None) -> Model:
        """The model of a file that `save`, ``talweg model`` or ``talweg fit`` wrote.

        Parameters
        ----------
        path : str or path-like
        data : str or path-like, optional
            Other data than those that the file names: CSV, libsvm text or NumPy's, as the program reads them.

        Examples
        --------
        >>> talweg.Model(X, y, kernel="se(ell=2) + linear").save("model.json")
        >>> draws = talweg.sample(talweg.Model.load("model.json"))
        """
        contents = _model_file.Contents(path, data, TERMS)
        notes: list[Note] = []
        model = cls(**contents.arguments(notes.append))
        model.priors, model.fixed = contents.texts("priors"), contents.texts("fixed")
        model._ignored = contents.ignored
        model._notes[:0] = notes
        return model

    def share(self, comm: Any) -> None:
        """Share the computations with this model out among the processes of a communicator.

        Chains, particles, and copies and levels of a ladder are shared out; every process makes the same calls, has all results,
        and they are the same to the bit for any number of processes. Files are written by the first. Every process holds K: where
        that does not fit into a machine, use the program (``mpirun -n 16 talweg sample ... --distribute``).

        Parameters
        ----------
        comm : mpi4py communicator, or None
            Such as ``mpi4py.MPI.COMM_WORLD``: every process of it has made the same model and calls this. None: alone again.

        Examples
        --------
        ``mpirun -n 4 python3 job.py``, with

        >>> from mpi4py import MPI
        >>> model = talweg.Model(X, y)
        >>> model.share(MPI.COMM_WORLD)
        >>> draws = talweg.sample(model, chains=64, threads=1)
        """
        self._problem.share(None if comm is None else Team(comm))

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_model(self)

    def _forget_defaults(self) -> None:
        """A fit is about to find what was not given: nothing is to be said of it."""
        self._notes[:] = [note for note in self._notes if isinstance(note, str) or note[0] != "default_parameters"]

    def _moved(self, found: list[Warned]) -> None:
        """A fit has moved the problem: what is known of it is read again."""
        self._take_parts(self._problem.parts())
        self._forget_defaults()
        self.rank = self._problem.describe()["rank"]
        self._read_constants()
        self._notes.extend(found)

    def _read_constants(self) -> None:
        """The likelihood's parameters and columns, as the library has them."""
        parameters, columns = self._problem.constants()
        self.likelihood_parameters: dict[str, float] = parameters
        self.columns: dict[str, Floats] = {name: view(values) for name, values in columns.items()}

    @property
    def is_binary(self) -> bool:
        """Are the observations -1 and +1?"""
        return self._problem.is_binary()

    def _fit(self, kind: str) -> Any:
        """Laplace's or EP's approximation with the usual options, made once."""
        if kind not in self._fits:
            self._fits[kind] = getattr(self._problem, kind)({})
        return self._fits[kind]

    def _speak(self, metric: str = "") -> None:
        """Pass on what the library had to say to who called the public function."""
        notes, self._notes[:] = list(self._notes), []
        for note in notes:
            if isinstance(note, str):
                logger.info(note)
            else:
                warnings.warn(spoken(note, metric), stacklevel=3)

    def __repr__(self) -> str:
        kernel = f"{self._shape or self.kernel} kernel of {self.inputs} inputs" if self.kernel else "a given kernel matrix"
        rank = "" if self.rank == self.n else f", K of rank {self.rank}"
        return f"Model({self.n} observations, {self.likelihood} likelihood, {kernel}{rank})"


def as_model(X: Union[ArrayLike, Model, None], y: Optional[ArrayLike], options: ModelOptions) -> Model:
    """The model that a public function was given, or was given the parts of."""
    if not isinstance(X, Model):
        return Model(X, y, **options)
    if y is not None or options:
        raise InputError("a Model has its data and options already: leave " + ", ".join(options or ["y"]) + " out")
    return X
