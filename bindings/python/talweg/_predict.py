"""Predictions at new inputs, from a Gaussian approximation or averaged over draws."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._approx import Approximation, Fit
from ._arrays import Floats, Table, check_finite, labels, matrix, table, vector, without
from ._draws import Draws
from ._model import Model, count_threads, terms_of
from ._plot import Shown
from ._talweg import InputError
from ._warnings import warned


class Prediction(Shown):
    """Predictions at new inputs.

    Attributes
    ----------
    mean, variance : ndarray, shape (m,)
        Of the latent function.
    probability : ndarray, shape (m,)
        Two classes: the probability of +1.
    y_mean, y_sd : ndarray, shape (m,)
        Counts and real observations: mean and standard deviation of y. NaN, with a warning, where they do not exist
        or the draws do not determine them, because a tail that these seldom reach makes most of the mean.
    q05, q50, q95 : ndarray, shape (m,)
        Posterior quantiles of `probability` or `y_mean`.
    probabilities : ndarray, shape (m, levels)
        Ordered levels: the probability of each, from the lowest to the highest.
    mcse : ndarray, shape (m,), or None
        From draws: Monte Carlo standard error of `probability` or `y_mean`.
    y_sd_mcse : ndarray, shape (m,), or None
        From draws of counts and real observations: Monte Carlo standard error of `y_sd`.
    log_score : ndarray, shape (m,), or None
        With labels: log p(y) of each case, in nats. NaN, with a warning, where the draws do not determine it.
    log_score_mcse : ndarray, shape (m,), or None
        From draws: its Monte Carlo standard error.
    scores : dict or None
        With labels: cases, log_score (the mean), error_rate (two classes) or rmse (over the uncensored cases;
        `censored` is the number of the others), and, from draws, their Monte Carlo standard errors. None where a
        prediction that a score needs is NaN.
    """

    def __init__(self, is_binary: bool, arrays: dict[str, Floats], scores: Optional[dict[str, float]]) -> None:
        self.mean, self.variance = arrays["mean"], arrays["variance"]
        self.mcse: Optional[Floats] = arrays.get("mcse")
        self.log_score: Optional[Floats] = arrays.get("log_score")
        self.log_score_mcse: Optional[Floats] = arrays.get("log_score_mcse")
        self.q05, self.q50, self.q95 = arrays["q05"], arrays["q50"], arrays["q95"]
        self.scores = scores
        if is_binary:
            self.probability = arrays["expected"]
        else:
            self.y_mean, self.y_sd = arrays["expected"], arrays["sd"]
            self.y_sd_mcse: Optional[Floats] = arrays.get("sd_mcse")
        if "levels" in arrays:
            self.probabilities = arrays["levels"]

    def __len__(self) -> int:
        return len(self.mean)

    def __repr__(self) -> str:
        what = "probability" if hasattr(self, "probability") else "y_mean"
        lines = [f"Prediction of {len(self)} cases: mean, variance, {what}" + (", mcse" if self.mcse is not None else "")]
        if self.scores:
            error = "error_rate" if what == "probability" else "rmse"
            lines.append(f"  {error} {self.scores[error]:.4f}, mean log score {self.scores['log_score']:.4f} nats")
        return "\n".join(lines)


def _new_cases(model: Model, Xnew: Any, cross: Any, diagonal: Any) -> tuple[int, Optional[Table], tuple[Any, Any]]:
    """The number of new cases and their arrays: inputs, or covariances and prior variances."""
    if model.kernel is None:
        if cross is None or diagonal is None or Xnew is not None:
            raise InputError("the model was made with kernel_matrix: give cross and diagonal, not Xnew")
        columns, variances = matrix(cross, "cross"), vector(diagonal, "diagonal")
        if columns.shape != (model.n, len(variances)):
            raise InputError(f"cross must have shape ({model.n}, {len(variances)}), not {columns.shape}")
        check_finite(columns, "cross")
        check_finite(variances, "diagonal")
        return len(variances), None, (np.asfortranarray(columns), variances)
    if Xnew is None or cross is not None or diagonal is not None:
        raise InputError("the model was made with a kernel: give Xnew, not cross and diagonal")
    inputs = table(without(Xnew, model._ignored), "Xnew")
    check_finite(inputs.x, "Xnew", inputs.names)
    return len(inputs.x), inputs, (None, None)


def predict(
    source: Union[Fit, Approximation, Draws],
    Xnew: Optional[ArrayLike] = None,
    y: Optional[ArrayLike] = None,
    *,
    cross: Optional[ArrayLike] = None,
    diagonal: Optional[ArrayLike] = None,
    new_categories: bool = False,
    threads: int = 0,
    **columns: Optional[ArrayLike],
) -> Prediction:
    """Predict new cases.

    Parameters
    ----------
    source : Fit, Approximation or Draws
        A `Fit` predicts from its EP. Predictions from draws are averages over the posterior, with Monte Carlo errors.
    Xnew : array_like, shape (m, d)
        New inputs, on the scale of the training inputs. Column-major float64 is not copied. If both these and the
        training inputs are data frames, columns are matched by name, otherwise by order. Columns ignored in training
        (``--ignore-column``) are ignored here, too.
    y : array_like, shape (m,), optional
        Their labels, coded as in training, to score the predictions.
    cross, diagonal : array_like, shapes (n, m) and (m,)
        For a model made with ``kernel_matrix``: covariances of the training cases with the new ones, and prior
        variances of the new ones.
    new_categories : bool
        Accept categories that the training cases do not have, and predict their effect from the prior. Otherwise they
        raise `InputError`.
    threads : int
        0: as many as this process may use. The number does not change results.
    **columns : float or array_like, shape (m,)
        Known constants of the new observations, such as ``noise`` and ``exposure``, as in `Model`; default: the value
        of the training data, if it is constant.

    Returns
    -------
    Prediction

    Examples
    --------
    >>> p = talweg.predict(draws, Xtest, ytest)
    >>> p.probability[:3], p.mcse[:3]
    >>> p.scores["error_rate"]
    """
    if isinstance(source, Fit):
        source = source.ep
    if not isinstance(source, (Approximation, Draws)):
        raise InputError(f"source must be a Fit, an Approximation or Draws, not {type(source).__name__}")
    from_draws = isinstance(source, Draws)
    model = source.model
    m, inputs, covariances = _new_cases(model, Xnew, cross, diagonal)
    numbers, arrays_known = terms_of(model.likelihood, columns, m, "predict")
    known = {**{name: np.full(m, value) for name, value in numbers.items()}, **arrays_known}
    observed = None if y is None else labels(y, "y")
    if observed is not None and observed.y.shape != (m,):
        raise InputError(f"there are {m} new cases, but y has {observed.y.size} values")
    names = ["mean", "variance", "expected", "sd", "q05", "q50", "q95"] + ["mcse", "sd_mcse"] * from_draws
    if observed is not None:
        names += ["log_score"] + ["log_score_mcse"] * from_draws
    outputs = {name: np.empty(m) for name in names}
    if model._problem.count_levels():
        outputs["levels"] = np.empty((m, model._problem.count_levels()))
    plain = isinstance(source, Draws) and source.facts["beta"] != 1
    if isinstance(source, Draws) and plain:
        where = source.facts["data"] or "draws"
        model._notes.append(warned("not_posterior", source.facts["beta"], file=where))
    try:
        given, texts = observed or (None, None)
        x, names_of_x, levels = inputs or (None, None, None)
        cases = (x, *covariances, known, given, (texts, None, None), names_of_x, levels, new_categories)
        scores = model._problem.predict(source._handle, cases, outputs, count_threads(threads), plain)
        return Prediction(model.is_binary, outputs, scores)
    finally:
        model._speak()
