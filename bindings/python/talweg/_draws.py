"""Draws: chains of the latent values, with the statistics of the sampler and diagnostics."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Optional, Sequence

import numpy as np

from . import _hyper, _run, _talweg
from ._arrays import Floats, view
from ._methods import SAMPLERS
from ._model import Model
from ._pickle import reduce_draws
from ._plot import Plots, Shown
from ._run import Path
from ._talweg import InputError

SUMMARY = np.dtype(
    [
        (name, float)
        for name in "mean mcse_mean sd q5 median q95 ess_bulk ess_tail ess_fold ess rhat rhat_chance".split()
    ]
)
COUNTERS = ("energy_divergence", "implicit_failure", "irreversible", "factorisation")
GROUPS = ("posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data")


class Draws(Plots, Shown):
    """Draws from a posterior, as `sample` makes them.

    Attributes
    ----------
    x : ndarray, shape (chains, draws, n)
        The latent values: dimensions chain, draw, obs. A read-only view of the library's memory, without a copy; the
        memory lives as long as any view of it.
    sample_stats : dict of ndarray, shape (chains, draws)
        lp, acceptance_rate, step_size, n_steps, energy, energy_error, accepted, log_likelihood; energy_divergence,
        implicit_failure, irreversible and factorisation, the kinds of failure of a trajectory, and diverging: any of
        them. All but the last are views.
    theta : dict of ndarray, shape (chains, draws)
        Unknown parameters: the draws of each, by the names in their priors. Empty if none is unknown.
    parameters : list of Posterior
        Unknown parameters: mean, sd, quantiles and Monte Carlo error of each, from the weighted points.
    log_z, se, weight_ess, pareto_k : float
        Unknown parameters: log p(y) of the whole model with its error; the effective number of weights, and the shape of their tail
        (reliable below 0.7). NaN if none is unknown.
    method, metric : str
        The sampler; "is2" if parameters are unknown.
    eps, steps : float, int
        Its step size and mean number of leapfrog steps.
    acceptance : float
        Mean acceptance probability.
    counters : dict of int
        Trajectories that failed and were rejected, by reason.
    choice : list of dict
        The pilot runs of ``method="auto"``; a file does not keep them.
    interrupted : bool
        Did a progress function end the run?
    seconds : float
        Of the chains, warm-up included.
    facts : dict
        Further contents of a run file: data, command (of the program), from (the q of the path), beta, warmup, thin,
        seed, warmup_seconds, sampling_seconds; created_at and version if the draws come from a file.
    model : Model
    """

    def __init__(
        self,
        model: Model,
        handle: Any,
        run: dict[str, Any],
        threads: int,
        choice: Sequence[dict[str, Any]] = (),
        whole: Optional[dict[str, float]] = None,
    ) -> None:
        facts, self.warmup_totals, self.sampling_totals = handle.describe()
        seconds = dict(zip(("warmup_seconds", "sampling_seconds"), handle.seconds()))
        self.facts: dict[str, Any] = {"data": "", "command": "", **run, **seconds}
        self.model = model
        self.method: str = run["method"]
        self.metric: str = run["metric"]
        self.choice = list(choice)
        self.seed: int = run["seed"]
        self.seconds: float = sum(seconds.values())
        self.chains: int = facts["chains"]
        self.draws: int = facts["draws"]
        self.eps: float = facts["eps"]
        self.steps: int = facts["steps"]
        self.interrupted: bool = facts["interrupted"]
        self.counters = {name: self.sampling_totals[name] for name in COUNTERS}
        self.x: Floats = view(handle.positions())
        self.sample_stats = {name: view(array) for name, array in handle.statistics().items()}
        self.sample_stats["step_size"] = np.broadcast_to(self.eps, (self.chains, self.draws))
        self.sample_stats["diverging"] = np.any([self.sample_stats[name] for name in COUNTERS], axis=0)
        unknown: tuple[Any, Any, Any] = handle.unknown() or ([], {}, {})
        rows, theta, points = unknown
        self.parameters = [_hyper.Posterior(*row) for row in rows]
        self.theta: dict[str, Floats] = {name: np.array([values]) for name, values in theta.items()}
        self.log_z, self.se, self.weight_ess, self.pareto_k = (
            float(points.get(name, np.nan)) for name in ("log_z", "se", "weight_ess", "pareto_k")
        )
        self._handle = handle
        self._threads = threads
        self._whole = whole

    @cached_property
    def _summary(self) -> tuple[np.ndarray, dict[str, float]]:
        rows, whole = self._handle.summarise(self._threads)
        return np.frombuffer(rows, dtype=SUMMARY), whole

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_draws(self)

    def summary(self) -> np.ndarray:
        """A row for each latent: mean, mcse_mean, sd, q5, median, q95, ess_bulk, ess_tail, ess_fold, ess (the
        smallest of the three), rhat, rhat_chance.

        Returns
        -------
        ndarray, shape (n,), structured
            ``draws.summary()["rhat"]`` is a column; ``pandas.DataFrame(draws.summary())`` a data frame.
        """
        return self._summary[0]

    @property
    def diagnostics(self) -> dict[str, float]:
        """The worst of the summary: ess_min, ess_median, ess_bulk_min, ess_bulk_median, ess_tail_min, ess_fold_min,
        worst (the latent with the smallest ESS), rhat_max, rhat_chance (the probability of that by chance alone),
        acceptance, ebfmi_min."""
        return self._whole or self._summary[1]

    @property
    def acceptance(self) -> float:
        """Mean acceptance probability."""
        return self.diagnostics["acceptance"]

    @cached_property
    def log_likelihood(self) -> Floats:
        """log p(y_n | x_n) of each draw: shape (chains, draws, n)."""
        if any(_hyper._name(name) in self.model.likelihood_parameters for name in self.theta):
            raise InputError("log_likelihood needs known parameters of the likelihood, and some are unknown")
        columns = self.x.transpose(2, 0, 1).reshape(self.model.n, -1, order="F")
        values = np.empty_like(columns, order="F")
        self.model._problem.log_likelihood(columns, values)
        return values.reshape((self.model.n, self.chains, self.draws), order="F").transpose(1, 2, 0)

    # ---- files, and other packages ----

    def save(self, path: Path, *, compress: bool = False, pointwise: bool = False, force: bool = False) -> None:
        """Write the draws and their model to a run file, as ``talweg sample -o RUN.nc`` does.

        ``talweg summary``, ``report`` and ``predict``, `load`, xarray and ArviZ read it.

        Parameters
        ----------
        path : str or path-like
            Usually ``RUN.nc``.
        compress : bool
            Shuffle and deflate the draws, which is slower and saves a little space.
        pointwise : bool
            Store the log likelihood of each observation (for cross-validation; as large as the draws), not only the sum.
        force : bool
            Overwrite an existing file. Otherwise an existing file raises `InputError`.

        Notes
        -----
        Other Python threads run during the call. The file is written under a temporary name and then renamed: after
        Ctrl-C, or on a full disk, an existing file is unchanged and no other file is left.
        """
        _run.write(self._handle, path, self.facts, compress, dict(pointwise=pointwise, overwrite=force))

    def _variables(self, group: str) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        if group not in GROUPS:
            raise InputError(f'unknown group "{group}"; choose from: {", ".join(GROUPS)}')
        each, case = ("chain", "draw"), ("obs",)
        if group == "posterior":
            return {"x": (each + case, self.x), **{name: (each, values) for name, values in self.theta.items()}}
        if group == "sample_stats":
            steps = self.sample_stats["n_steps"].view(np.int64)  # signed, as in a file: numpy turns mixtures with uint64 into floats
            return {name: (each, values) for name, values in {**self.sample_stats, "n_steps": steps}.items()}
        if group == "log_likelihood":
            return {"y": (each + case, self.log_likelihood)}
        if group == "observed_data":
            return {"y": (case, self.model.y)}
        return self._constants()[0]

    def _constants(self) -> tuple[dict[str, tuple[tuple[str, ...], np.ndarray]], dict[str, Any], dict[str, list[str]]]:
        """The group constant_data: variables, attributes, and the names of inputs and parameters."""
        parts = self.model._problem.parts()
        inputs, names = view(parts["X"]).shape[1], parts.pop("names")
        attributes = dict(likelihood=parts.pop("likelihood"), kernel=parts.pop("kernel_given"))
        attributes.update(named_inputs=int(names is not None), scaling_inputs=parts.pop("scaling_inputs", 0))
        parameters, before = parts.pop("parameter"), parts.pop("input_names")
        levels, meaning, ignored = parts.pop("levels") or [], parts.pop("labels"), parts.pop("ignored")
        del parts["shape"], parts["kernel"], parts["kernel_by_name"], parts["phi_given"]
        dimensions = {"X": ("obs", "input"), "K": ("obs", "other_obs"), "jitter": (), "theta": ("parameter",)}
        dimensions["phi"] = ("likelihood_parameter",)
        variables = {name: (dimensions.get(name, ("input",)), np.asarray(part)) for name, part in parts.items()}
        variables.update({name: (("obs",), values) for name, values in self.model.columns.items()})
        coordinates = {"input": names or [f"input.{k + 1}" for k in range(inputs)]}
        if before and attributes["scaling_inputs"]:
            coordinates["scaling_input"] = before
        if parameters:
            coordinates["parameter"] = parameters
        coordinates.update({f"category_{k + 1}": texts for k, texts in enumerate(levels) if texts})
        if meaning:
            coordinates["label"] = meaning
        if ignored:
            coordinates["ignored_column"] = ignored
        if self.model.likelihood_parameters:
            coordinates["likelihood_parameter"] = list(self.model.likelihood_parameters)
        return variables, attributes, coordinates

    def to_xarray(self, group: str = "posterior") -> Any:
        """One group of the InferenceData layout as an xarray.Dataset, without copying.

        It equals ``xarray.open_dataset("run.nc", group=group)`` of a saved file, except for the log likelihood, which
        is per observation here and in a file with ``pointwise=True``.

        Parameters
        ----------
        group : {"posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"}
        """
        xarray = _import("xarray", "to_xarray")
        variables = self._variables(group)
        dimensions = {name: size for dims, array in variables.values() for name, size in zip(dims, array.shape)}
        coordinates: dict[str, Any] = {name: np.arange(size) for name, size in dimensions.items()}
        attributes = {"inference_library": "talweg", "inference_library_version": _talweg.version}
        if group == "constant_data":
            _, others, names = self._constants()
            coordinates.update(names)
            attributes.update(others)
        return xarray.Dataset(variables, coords=coordinates, attrs=attributes)

    def to_datasets(self) -> dict[str, Any]:
        """All groups of the InferenceData layout by name, each an xarray.Dataset, as `to_xarray` makes it."""
        return {group: self.to_xarray(group) for group in GROUPS if self._variables(group)}

    def to_inference_data(self) -> Any:
        """An arviz.InferenceData; with ArviZ 1.0 and later, which does not have it, an xarray.DataTree."""
        arviz = _import("arviz", "to_inference_data")
        if hasattr(arviz, "InferenceData"):
            return arviz.InferenceData(**self.to_datasets())
        return self.to_datatree()

    def to_datatree(self) -> Any:
        """An xarray.DataTree with a node for each group."""
        xarray = _import("xarray", "to_datatree")
        if not hasattr(xarray, "DataTree"):
            raise ImportError(f"to_datatree needs xarray 2024.10 or later; this is {xarray.__version__}")
        return xarray.DataTree.from_dict(self.to_datasets())

    def __repr__(self) -> str:
        lines = [f"Draws: {self.chains} chains of {self.draws} draws, {self.model.n} latents"]
        lines[0] += " (interrupted)" if self.interrupted else ""
        if self.theta:
            lines[0] = f"Draws: {self.draws} of {len(self.theta)} unknown parameters and {self.model.n} latents"
            lines[0] += " (interrupted)" if self.interrupted else ""
            lines += ["  " + line for line in _hyper.table(self.parameters)]
            if self.method == "chain":
                rhat = max(p.rhat for p in self.parameters)
                return "\n".join(lines + [f"  ESS {self.weight_ess:.0f} of the worst parameter, R-hat at most {rhat:.3f}"])
            lines.append(f"  log p(y) {self.log_z:.4f} +- {self.se:.4f} of the whole model; ESS {self.weight_ess:.0f}, ")
            lines[-1] += f"that of the weights, Pareto k {self.pareto_k:.2f}"
            return "\n".join(lines)
        about = SAMPLERS[self.method]
        tuning = f": step size {self.eps:.4g}" if about["has_eps"] else ""
        tuning += f", {self.steps} leapfrog steps" if about["has_steps"] else ""
        lines.append(f"  {self.method}, metric {self.metric}{tuning}")
        d = self.diagnostics
        lines.append(f"  acceptance {d['acceptance']:.2f}, R-hat at most {d['rhat_max']:.3f}, worst ESS ")
        lines[-1] += f"{d['ess_min']:.0f} (x[{d['worst']}]; bulk {d['ess_bulk_min']:.0f}, tail "
        lines[-1] += f"{d['ess_tail_min']:.0f}, fold {d['ess_fold_min']:.0f})"
        failed = [f"{count} {name}" for name, count in self.counters.items() if count]
        return "\n".join(lines + (["  rejected because of failures: " + ", ".join(failed)] if failed else []))


def _import(name: str, what: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        message = f"Draws.{what} needs the package {name}, which is not installed: pip install {name}"
        raise ImportError(message, name=name) from error
