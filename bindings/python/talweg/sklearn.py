"""Estimators for scikit-learn: Gaussian processes with exact posteriors where they are asked for.

>>> from talweg.sklearn import GaussianProcessClassifier
>>> GaussianProcessClassifier(inference="draws").fit(X, y).predict_proba(Xnew)

They clone, pickle and go into pipelines and searches. What they keep is data and parameters: an estimator that comes from a
pickle makes its approximation or its draws again, the same to the bit, when it predicts first.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from ._approx import approx
from ._draws import Draws
from ._evidence import Evidence, evidence
from ._fit import fit as maximise
from ._model import Model
from ._predict import Prediction, predict
from ._sample import sample
from ._talweg import InputError

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor"]


class _GaussianProcess(BaseEstimator):
    """What both have in common."""

    def _options(self) -> dict[str, Any]:
        return dict(likelihood=self.likelihood, standardise=self.standardise)

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return 1 if self.random_state is None else int(self.random_state)
        raise InputError(f"random_state is a whole number or None, not {type(self.random_state).__name__}")

    def _learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Find the parameters, keep what the model is made of, and approximate or draw."""
        if self.inference not in ("ep", "laplace", "draws"):
            raise InputError(f'inference is "ep", "laplace" or "draws", not {self.inference!r}')
        options = self._options()
        if self.optimise:
            found = maximise(X, y, kernel=self.kernel, prior=self.prior, starts=self.starts, seed=self._seed(), **options)
            model, self.log_z_ = found.model, found.log_z
        else:
            model = Model(X, y, kernel=self.kernel, **options)
            model._forget_defaults()  # they were asked for
            self.log_z_ = approx(model).ep.log_z
        self.X_train_, self.y_train_ = X, y
        self.kernel_: str = model.kernel or ""
        self.likelihood_parameters_ = dict(model.likelihood_parameters)
        self._made = self._infer(model)

    def _infer(self, model: Model) -> Any:
        if self.inference == "draws":
            return sample(model, fix="all", chains=self.chains, warmup=self.warmup, draws=self.draws, seed=self._seed())
        return getattr(approx(model), self.inference)

    def _source(self) -> Any:
        """What predictions are made from; made again after a pickle."""
        check_is_fitted(self)
        if getattr(self, "_made", None) is None:
            given = {**self._options(), **self.likelihood_parameters_}
            self._made = self._infer(Model(self.X_train_, self.y_train_, kernel=self.kernel_, **given))
        return self._made

    def _predict(self, X: ArrayLike) -> Prediction:
        check_is_fitted(self)
        inputs = self._validate_data(X, reset=False, dtype=np.float64)
        return predict(self._source(), np.asfortranarray(inputs))

    @property
    def model_(self) -> Model:
        """The model at its parameters, for `talweg.evidence`, `talweg.check` and the rest."""
        return self._source().model

    @property
    def draws_(self) -> Draws:
        """The exact draws; only with ``inference="draws"``."""
        if self.inference != "draws":
            raise AttributeError('there are draws with inference="draws" only')
        return self._source()

    def evidence(self, **options: Any) -> Evidence:
        """log Z of the model by Monte Carlo, with standard errors: options are those of `talweg.evidence`."""
        return evidence(self.model_, **{"fix": "all", **options})

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
        Find the parameters by the maximum of log Z plus log prior; else they are those of `kernel`, ``"se(ell=2, sigma=3)"``.
    prior : str or sequence of str
        Of the parameters, as for `talweg.fit`.
    starts : int
        Searches for the maximum.
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
        EP's log Z; `evidence` has the exact one.
    model_, draws_
    """

    def __init__(
        self,
        kernel: str = "se",
        *,
        likelihood: str = "probit",
        optimise: bool = True,
        prior: Union[str, Sequence[str]] = "default",
        starts: int = 1,
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
        """Learn from inputs of shape (n, d) and labels of two kinds; returns itself."""
        inputs, labels = self._validate_data(X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(labels)}.")
        if len(self.classes_) < 2:
            raise ValueError("The classifier needs labels of two classes, and there is one class only")
        self._learn(np.asfortranarray(inputs), 2.0 * codes - 1.0)
        return self

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of `classes_`: shape (m, 2)."""
        p = self._predict(X).probability
        return np.column_stack([1.0 - p, p])

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The more probable class of each case."""
        p = self._predict(X).probability
        return self.classes_[(p > 0.5).astype(int)]

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": True}


class GaussianProcessRegressor(RegressorMixin, _GaussianProcess):
    """Counts and real numbers, by a Gaussian process with any likelihood that has a mean.

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
        prior: Union[str, Sequence[str]] = "default",
        starts: int = 1,
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

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussianProcessRegressor:
        """Learn from inputs of shape (n, d) and observations; returns itself."""
        inputs, targets = self._validate_data(X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self._learn(np.asfortranarray(inputs), np.asarray(targets, dtype=np.float64))
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of a new observation, and with `return_std` its standard deviation."""
        p = self._predict(X)
        return (p.y_mean, p.y_sd) if return_std else p.y_mean

    def _more_tags(self) -> dict[str, Any]:
        return {"poor_score": True}  # at the parameters that a test of the interface uses
