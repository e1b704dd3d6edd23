"""The model: a Gaussian process, a likelihood, and the data."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any, Optional, Sequence, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _model_file, _talweg
from ._arrays import Floats, floats, labels, logarithm, ordered, symmetric, table, vector, view, word
from ._pickle import reduce_model
from ._plot import Shown
from ._talweg import InputError
from ._team import Team
from ._warnings import Warned, spoken, warned

Path = _model_file.Path
Note = Union[str, Warned]  # a message of the library

logger = logging.getLogger("talweg")
MOST_THREADS = 64


class ModelOptions(TypedDict, total=False):
    """The options of `Model`, which `approx`, `sample` and `evidence` pass on."""

    likelihood: str
    kernel: str
    log_ell: ArrayLike
    log_sigma: float
    ell: ArrayLike
    sigma: float
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
    "distribute": ": to distribute K over many machines use the program (mpirun -n 16 talweg sample DATA --distribute "
    "-o RUN.nc, then predict with --distribute, too) or C (tw_model_distributed)"
}


def terms_of(likelihood: str, given: dict[str, Any], n: int, caller: str) -> tuple[dict[str, float], dict[str, Floats]]:
    """The given parameters of a likelihood (numbers) and columns (arrays), by name.

    A single number sets the parameter of that name, or otherwise a column with the same value for all observations.
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
        raise InputError("kernel cannot be used with precision_matrix, which is the whole covariance")
    paths = {name: path for name, path in (("matrix", matrix), ("design", design)) if path is not None}
    for name, path in paths.items():
        if not isinstance(path, (str, os.PathLike)):
            raise InputError("precision_matrix and design_matrix must be files: write a matrix with scipy.io.mmwrite")
        if '"' in os.fspath(path):
            raise InputError(f'the name of a matrix file must not contain ": {path}')
    return "precision(" + ", ".join(f'{name}="{os.fspath(path)}"' for name, path in paths.items()) + ")"


class Model(Shown):
    """x ~ N(0, K) with independent observations p(y_n | x_n).

    Parameters
    ----------
    X : array_like, shape (n, d), or (n,) for one input
        Inputs. Column-major float64 (``order="F"``) is passed without conversion; other arrays are converted. The model
        keeps a copy, so `X` may change afterwards. A data frame (pandas, polars) gives names to the inputs, by which
        `predict` finds the columns of another frame. A column of text holds categories, for ``categorical`` kernels.
    y : array_like, shape (n,)
        Observations: two different numbers or texts (probit, logit), counts (poisson, binomial, ...), real numbers (gaussian,
        student_t), times (weibull, ...), levels 1, 2, ... or what `levels` lists (ordinal3, ...).
    likelihood : str
        "probit", "logit", "poisson", "gaussian", ...: docs/likelihoods.md lists all of them and their arguments.
    kernel : {"se", "matern12", "matern32", "matern52", "rq"}, or an expression
        Shape of the covariance function, whose parameters are the next six; or sums and products with their inputs, by name
        or number, and parameters: ``"se(age, ell=2) + matern32(1, 2) * periodic(t, period=1) + linear(dose)"``:
        see docs/kernels.md.
    log_ell : float or array_like, shape (d,)
        Natural logarithm of the length scale: one, or one for each input, in units of the inputs. Default: 0, with a
        warning when the model is used.
    log_sigma : float
        Natural logarithm of the latent function's standard deviation. Default: 0, with the same warning.
    ell, sigma : float or array_like, float
        The length scale and the standard deviation themselves, instead of `log_ell` and `log_sigma`.
    constant, white : float
        Variance of a constant offset, and of independent noise on the latent function.
    jitter : float
        Added to the diagonal of K. Rarely needed: a singular K gets a factor of lower rank.
    kernel_matrix : array_like, shape (n, n)
        K, instead of `X` and a kernel.
    precision_matrix, design_matrix : str or path
        Files in Matrix Market's format (``scipy.io.mmwrite`` writes them), instead of `X` and a kernel: a sparse precision Q of
        variables u ~ N(0, Q^-1), and a sparse A with a row for each observation, x = A u; without A, x = u. Run files
        refer to these files, so keep them.
    standardise : bool
        Shift and scale each input to mean 0 and standard deviation 1; `predict` does the same to new inputs.
    positive : str or number
        The label that means +1. Default: the larger number, or the text that is later in the alphabet.
    levels : sequence of str or number
        Labels of an ordinal likelihood, from the lowest to the highest. Default for an ordered pandas categorical: its
        categories.
    **terms : float or array_like, shape (n,)
        Further arguments of the likelihood, by name. ``noise`` (gaussian): the standard deviation of the noise.
        ``exposure`` (poisson): the rate of a count is ``exposure * exp(x)``. The default of both is 1. ``trials``
        (binomial): the number of trials, of which `y` succeeded. docs/likelihoods.md lists the others.

    Attributes
    ----------
    n : int
        Observations.
    names : list of str or None
        Names of the inputs, if `X` was a data frame or the data file of the run had a header.
    rank : int
        Of K; less than `n` if K is numerically singular.
    y : ndarray, shape (n,)
        Observations as the model sees them (labels are -1 and +1).
    labels : list of str or None
        The original labels of -1 and +1, or of levels 1, 2, ...; None if y was given as these numbers.
    categories : dict
        The categories of text inputs, by name or, without names, by number from 1: ``{"sex": ["female", "male"]}``.
    kernel : str or None
        The kernel as an expression, with all its parameters; None with `kernel_matrix`.
    likelihood_parameters : dict
        The parameters of the likelihood: ``{"noise": 0.5}``.
    columns : dict
        The known constants of the observations: ``{"exposure": array}``.
    parameters : list of str
        Names of the kernel's parameters: "ell", "sigma"; with several leaves "se.ell", "constant.variance".
    theta : ndarray
        Their logarithms, in the same order.
    priors, fixed : list of str
        Of a model file or a fit: "ell ~ gamma(25, 4)"; the fixed parameters. `save` writes them.

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
        ell: Optional[ArrayLike] = None,
        sigma: Optional[float] = None,
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
            raise InputError("give either X, with a kernel, or kernel_matrix or precision_matrix, without X")
        if X is None and standardise:
            raise InputError("standardise cannot be used with a given matrix: there are no inputs")
        if sigma is not None and np.ndim(sigma) > 0:
            raise InputError("sigma must be a number, not an array")
        log_ell, log_scale = logarithm(ell, log_ell, "ell"), logarithm(sigma, log_sigma, "sigma")
        if kernel_matrix is not None and not (log_ell is None and log_scale is None):
            raise InputError("length scales and sigma cannot be used with kernel_matrix, which is the whole covariance")
        observed = labels(y, "y")
        inputs = None if X is None else table(X, "X")
        if precision_matrix is not None or design_matrix is not None:
            kernel = _precision(precision_matrix, design_matrix, kernel)
            inputs = table(observed.y, "y")  # there are no inputs, so the labels take their place
        gram = None if kernel_matrix is None else symmetric(kernel_matrix, "kernel_matrix")
        n = 0 if gram is None else len(gram)
        if inputs is not None:
            n = len(inputs.x)
        if observed.y.shape != (n,):
            what = "kernel_matrix" if inputs is None else "X"
            raise InputError(f"{what} has {n} rows, but y has {observed.y.size} values")
        self.likelihood = likelihood
        self.standardise = standardise
        numbers, arrays = terms_of(likelihood, terms, n, "Model")
        notes: list[Note] = []
        self._notes = notes
        self._fits: dict[str, Any] = {}
        options = dict(likelihood=likelihood, kernel=kernel, constant=constant, white=white)
        options.update(jitter=jitter, standardise=standardise, ell_given=log_ell is not None)
        options.update(log_sigma=0.0 if log_scale is None else log_scale, sigma_given=log_scale is not None)
        scales = np.atleast_1d(floats(0.0 if log_ell is None else log_ell, "log_ell"))
        order = levels if levels is not None else ordered(y)
        meaning = (observed.texts, order and list(map(word, order)), None if positive is None else word(positive))
        x, names, categories = inputs or (None, None, None)
        # The problem's log must not refer to the model: that cycle of references would never be freed.
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
        self._forget_defaults()  # the file has their values
        self.standardise = "scaling_inputs" in parts
        self.n, self.rank = facts["n"], facts["rank"]
        columns = parts.get("scaling_inputs", view(parts["X"]).shape[1])
        self.inputs = columns if self.kernel else 0
        self.y = view(problem.labels())
        self._read_constants()
        return self

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write a model file, for the option ``--model`` of the program and for `load`.

        Parameters
        ----------
        path : str or path-like
            Usually ``MODEL.json``. The data are written to the same directory, to ``MODEL.data.csv`` in the units of
            `X`, and a `kernel_matrix` to ``MODEL.K.npy``.
        force : bool
            Overwrite existing files. Otherwise existing files raise `InputError`.
        """
        _model_file.write(self, path, force)

    @classmethod
    def load(cls, path: Path, data: Optional[Path] = None) -> Model:
        """Read a model file written by `save`, ``talweg model`` or ``talweg fit``.

        Parameters
        ----------
        path : str or path-like
        data : str or path-like, optional
            Other data than those of the file: CSV, libsvm or NumPy, as for the program.

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
        """Share the computations with this model among the processes of a communicator.

        Chains, particles, and copies and levels of a ladder are divided among the processes. Every process makes the
        same calls and gets all results, which are bitwise identical for any number of processes. The first process
        writes the files. Every process holds K; if K does not fit into the memory of a machine, use the program
        (``mpirun -n 16 talweg sample ... --distribute``).

        Parameters
        ----------
        comm : mpi4py communicator, or None
            Such as ``mpi4py.MPI.COMM_WORLD``: every process must make the same model and call this. None: stop sharing.

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
        """Do not warn about parameters that were not given: a fit will find them, or a file has their values."""
        self._notes[:] = [note for note in self._notes if isinstance(note, str) or note[0] != "default_parameters"]

    def _moved(self, found: list[Warned]) -> None:
        """A fit has changed the problem: read its attributes again."""
        self._take_parts(self._problem.parts())
        self._forget_defaults()
        self.rank = self._problem.describe()["rank"]
        self._read_constants()
        self._notes.extend(found)

    def _read_constants(self) -> None:
        """The likelihood's parameters and columns, from the library."""
        parameters, columns = self._problem.constants()
        self.likelihood_parameters: dict[str, float] = parameters
        self.columns: dict[str, Floats] = {name: view(values) for name, values in columns.items()}

    @property
    def is_binary(self) -> bool:
        """Are the observations -1 and +1?"""
        return self._problem.is_binary()

    def _fit(self, kind: str) -> Any:
        """Laplace's or EP's approximation with the default options, computed once."""
        if kind not in self._fits:
            self._fits[kind] = getattr(self._problem, kind)({})
        return self._fits[kind]

    def _speak(self, metric: str = "") -> None:
        """Pass the messages of the library to the caller of the public function."""
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
    """The model given to a public function, or made from its arguments."""
    if not isinstance(X, Model):
        return Model(X, y, **options)
    if y is not None or options:
        raise InputError("a Model already has its data and options: remove " + ", ".join(options or ["y"]))
    return X
