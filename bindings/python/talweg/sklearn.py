"""Estimators for scikit-learn: Gaussian processes with approximate or exact posteriors.

>>> from talweg.sklearn import GaussianProcessClassifier
>>> GaussianProcessClassifier(inference="draws").fit(X, y).predict_proba(Xnew)

They can be cloned, pickled and used in pipelines and searches. They store copies of the data and of the options of `fit`: an
unpickled estimator recomputes its approximation or draws, bitwise identical, at its first prediction, and `set_params` has no
effect before the next `fit`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._approx import approx
from ._arrays import Table, names_of, table
from ._draws import Draws
from ._evidence import Evidence, evidence
from ._fit import fit as maximise
from ._model import Model
from ._predict import Prediction, predict
from ._sample import sample
from ._talweg import InputError

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor"]


def _own(values: Any) -> np.ndarray:
    """A copy that nobody changes."""
    copy: np.ndarray = np.array(values, order="F")
    copy.flags.writeable = False
    return copy


class _Fitted(NamedTuple):
    """What `fit` was given, for predictions after pickling."""

    inputs: Any  # a Table, which is an array to mypy only by its methods
    y: np.ndarray
    options: dict[str, Any]  # of the model
    inference: str
    run: dict[str, Any]  # options of `sample`


class _GaussianProcess(BaseEstimator):
    """Base class of both estimators."""

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return 1 if self.random_state is None else int(self.random_state)
        raise InputError(f"random_state must be a whole number or None, not {type(self.random_state).__name__}")

    def _frame(self, X: Any, reset: bool) -> Optional[Table]:
        """The inputs of a data frame with text, which scikit-learn does not accept; otherwise None."""
        if names_of(X) is None or not any(kind == object or str(kind) in ("category", "string") for kind in X.dtypes):
            return None
        self._check_feature_names(X, reset=reset)
        self._check_n_features(X, reset=reset)
        return table(X, "X")

    def _training(self, X: Any, y: Any, **checks: Any) -> tuple[Table, np.ndarray]:
        """Inputs, with the names of a data frame, and observations."""
        inputs = self._frame(X, reset=True)
        if inputs is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length(inputs.x, y)
            return inputs, y
        numbers, y = self._validate_data(X, y, dtype=np.float64, ensure_min_samples=2, **checks)
        return Table(np.asfortranarray(numbers), names_of(X), None), y

    def _new(self, X: Any) -> Any:
        """Inputs of new cases: scikit-learn compares their names with those of `fit`."""
        inputs = self._frame(X, reset=False)
        if inputs is not None:
            return inputs
        return Table(np.asfortranarray(self._validate_data(X, reset=False, dtype=np.float64)), names_of(X), None)

    def _learn(self, X: Any, y: np.ndarray, columns: dict[str, Any]) -> None:
        """Find the parameters, store the parts of the model, and approximate or draw."""
        if self.inference not in ("ep", "laplace", "draws"):
            raise InputError(f'inference must be "ep", "laplace" or "draws", not {self.inference!r}')
        # The fitted state is of copies: neither the caller's arrays nor set_params change predictions.
        X = Table(_own(X.x), X.names, X.levels)
        y = _own(y)
        columns = {name: _own(value) if np.ndim(value) else value for name, value in columns.items()}
        options = dict(likelihood=self.likelihood, standardise=self.standardise, **columns)
        run = dict(chains=self.chains, warmup=self.warmup, draws=self.draws, seed=self._seed())
        if self.optimise:
            prior = () if self.prior is None else self.prior
            found = maximise(X, y, kernel=self.kernel, prior=prior, starts=self.starts, seed=self._seed(), **options)
            model, self.log_z_ = found.model, found.log_z
        else:
            model = Model(X, y, kernel=self.kernel, **options)
            model._forget_defaults()  # optimise=False asks for them
            self.log_z_ = approx(model).ep.log_z
        self.X_train_, self.y_train_ = X.x, y
        self._fitted = _Fitted(X, y, options, self.inference, run)
        self.kernel_: str = model.kernel or ""
        self.likelihood_parameters_ = dict(model.likelihood_parameters)
        self._made = self._infer(model)

    def _infer(self, model: Model) -> Any:
        if self._fitted.inference == "draws":
            return sample(model, fix="all", **self._fitted.run)
        return getattr(approx(model), self._fitted.inference)

    def _source(self) -> Any:
        """The source of predictions; recomputed after unpickling."""
        check_is_fitted(self)
        if getattr(self, "_made", None) is None:
            given = {**self._fitted.options, **self.likelihood_parameters_}
            self._made = self._infer(Model(self._fitted.inputs, self._fitted.y, kernel=self.kernel_, **given))
        return self._made

    def _predict(self, X: Any, columns: dict[str, Any]) -> Prediction:
        check_is_fitted(self)
        return predict(self._source(), self._new(X), **columns)

    @property
    def model_(self) -> Model:
        """The model with its parameters, for `talweg.evidence`, `talweg.check` and others."""
        return self._source().model

    @property
    def draws_(self) -> Draws:
        """The exact draws; only with ``inference="draws"``."""
        check_is_fitted(self)
        if self._fitted.inference != "draws":
            raise AttributeError('draws_ needs inference="draws"')
        return self._source()

    def evidence(self, **options: Any) -> Evidence:
        """log Z of the model by Monte Carlo, with standard errors; the options are those of `talweg.evidence`."""
        given: dict[str, Any] = {"fix": "all", **options}
        return evidence(self.model_, **given)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_made"}

    def _repr_html_(self) -> str:
        return super()._repr_html_() if hasattr(super(), "_repr_html_") else f"<pre>{self!r}</pre>"


class GaussianProcessClassifier(ClassifierMixin, _GaussianProcess):
    """Two classes, by a Gaussian process with a probit or logit likelihood.

    Parameters
    ----------
    kernel : str
        A name or an expression, as for `talweg.Model`.
    likelihood : {"probit", "logit"}
    optimise : bool
        Find the parameters by maximising log Z plus log prior; otherwise use those of `kernel`, ``"se(ell=2, sigma=3)"``.
    prior : str, sequence of str or None
        Of the parameters, as for `talweg.fit`; None: none.
    starts : int
        Number of searches for the maximum.
    inference : {"ep", "laplace", "draws"}
        Predict from an approximation, or from exact draws.
    standardise : bool
        Shift and scale the inputs.
    chains, warmup, draws : int
        Of ``inference="draws"``.
    random_state : int or None
        Seed; None is 1. Results are always reproducible.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
    kernel_ : str
        The kernel with its parameters, on the standardised scale.
    log_z_ : float
        EP's log Z; `evidence` estimates the exact value.
    model_, draws_
    """

    def __init__(
        self,
        kernel: str = "se",
        *,
        likelihood: str = "probit",
        optimise: bool = True,
        prior: Union[str, Sequence[str], None] = "default",
        starts: int = 8,
        inference: str = "ep",
        standardise: bool = True,
        chains: int = 4,
        warmup: int = 500,
        draws: int = 1000,
        random_state: Optional[int] = None,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.optimise = optimise
        self.prior = prior
        self.starts = starts
        self.inference = inference
        self.standardise = standardise
        self.chains = chains
        self.warmup = warmup
        self.draws = draws
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussianProcessClassifier:
        """Fit to inputs of shape (n, d) and labels of two classes; returns the estimator."""
        inputs, labels = self._training(X, y)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(labels)}.")
        if len(self.classes_) < 2:
            raise ValueError("The classifier needs labels of two classes, but there is only one class")
        self._learn(inputs, 2.0 * codes - 1.0, {})
        return self

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of `classes_`: shape (m, 2)."""
        p = self._predict(X, {}).probability
        return np.column_stack([1.0 - p, p])

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The more probable class of each case."""
        p = self._predict(X, {}).probability
        return self.classes_[(p > 0.5).astype(int)]

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": True}


class GaussianProcessRegressor(RegressorMixin, _GaussianProcess):
    """Counts and real numbers, by a Gaussian process with any likelihood that predicts a mean.

    Parameters
    ----------
    kernel : str
        A name or an expression, as for `talweg.Model`.
    likelihood : str
        "poisson", "negative_binomial", "gaussian", "student_t", ...
    optimise, prior, starts, inference, standardise, chains, warmup, draws, random_state
        As for `GaussianProcessClassifier`.

    Attributes
    ----------
    kernel_, log_z_, model_, draws_
        As there.
    likelihood_parameters_ : dict
    """

    def __init__(
        self,
        kernel: str = "se",
        *,
        likelihood: str = "poisson",
        optimise: bool = True,
        prior: Union[str, Sequence[str], None] = "default",
        starts: int = 8,
        inference: str = "ep",
        standardise: bool = True,
        chains: int = 4,
        warmup: int = 500,
        draws: int = 1000,
        random_state: Optional[int] = None,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.optimise = optimise
        self.prior = prior
        self.starts = starts
        self.inference = inference
        self.standardise = standardise
        self.chains = chains
        self.warmup = warmup
        self.draws = draws
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, **columns: Any) -> GaussianProcessRegressor:
        """Fit to inputs of shape (n, d), which may be a data frame with text, and observations; returns the estimator.

        `columns` are known constants of the observations: ``exposure``, ``offset``, ``trials``, ``censored``.
        """
        inputs, targets = self._training(X, y, y_numeric=True)
        targets = np.asarray(targets, dtype=np.float64)
        counts = self.likelihood in ("poisson", "negative_binomial", "binomial")
        if counts and np.any((targets < 0) | (targets != np.round(targets))):
            raise InputError(
                f"likelihood={self.likelihood!r} needs counts; for real numbers use "
                'likelihood="gaussian", or "student_t" where some are outliers'
            )
        self._learn(inputs, targets, columns)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False, **columns: Any) -> Any:
        """The mean of a new observation, and with `return_std` its standard deviation; `columns` as for `fit`."""
        p = self._predict(X, columns)
        return (p.y_mean, p.y_sd) if return_std else p.y_mean

    def _more_tags(self) -> dict[str, Any]:
        return {"poor_score": True}  # at the parameters of scikit-learn's interface tests
