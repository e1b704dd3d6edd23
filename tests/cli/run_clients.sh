#!/bin/sh
# Run files and Stan's CSV as their readers see them: xarray in Python, posterior in R, whichever is installed.
# Usage: run_clients.sh BUILD
set -eu
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place

# A Python with xarray: Debian's modules belong to its own python3, which need not be the first on the PATH.
python=
for candidate in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$candidate" -c 'import netCDF4, xarray' 2>/dev/null; then python=$candidate; fi
done
r=
if Rscript -e 'library(posterior)' >/dev/null 2>&1; then r=Rscript; fi
[ -n "$python$r" ] || { echo "neither Python with xarray and netCDF4 nor R with posterior is here"; exit 77; }

# 250 cases of three inputs, and two classes
awk 'BEGIN { srand(1); print "length,width,depth,class"
             for (i = 0; i < 250; i++) { a = rand(); b = rand(); c = rand(); print a "," b "," c "," (a + b * c > 0.7) } }' \
    >"$d/large.csv"
set -- "$d/large.csv" --kernel matern52 --log-ell 0 --log-sigma 1 --standardise --method hmc --metric prior --init prior --warmup 30 \
    --draws 200 --chains 4 --quiet
works sample "$@" -o "$d/run.nc" --stan-csv "$d/stan" --json
cp "$d/out" "$d/run.json"
works sample "$@" -o "$d/draws.csv"
works sample "$@" -o "$d/packed.nc" --compress --pointwise
works sample "$@" -o "$d/summary.nc" --summary-only --json
gives "all(r[k] == other('run.json')[k] for k in ('ess_bulk', 'ess_tail', 'rhat_max', 'ebfmi_min', 'counters', 'eps'))"

# counts with exposures and a length scale for each input, a matrix of one's own, and estimates
awk 'BEGIN { for (i = 0; i < 30; i++) print i / 10 "," 1 - i * i / 900 "," i % 4 }' >"$d/counts.csv"
works sample "$d/counts.csv" --likelihood poisson --exposure 2.5 --log-ell 0,1 --draws 20 --chains 4 --warmup 50 --method hmc --quiet \
    --thin 3 -o "$d/counts.nc"
awk 'BEGIN { for (i = 0; i < 30; i++) for (j = 0; j < 30; j++) printf "%.17g%s", exp(-(i - j) ^ 2 / 50) + (i == j) / 8, j < 29 ? "," : "\n" }' \
    >"$d/matrix.csv"
awk 'BEGIN { for (i = 0; i < 30; i++) print i % 2 }' >"$d/labels.csv"
works evidence "$d/labels.csv" --kernel-matrix "$d/matrix.csv" --method ais,pt --rounds 30 --particles 64 -o "$d/evidence.nc" \
    --json --quiet
cp "$d/out" "$d/evidence.json"
works evidence "$d/labels.csv" --kernel-matrix "$d/matrix.csv" --method ais,pt --rounds 30 --particles 64 --quiet \
    -o "$d/again.json"

# ---- Python
cat >"$d/check.py" <<'END'
import json, math, os, sys
import numpy as np
import xarray as xr

d = sys.argv[1]

def group(file, name):
    found = xr.open_dataset(os.path.join(d, file), group=name)
    assert found.attrs["inference_library"] == "talweg", (file, name)
    assert found.attrs["created_at"].endswith("Z") and found.attrs["inference_library_version"]
    for dimension, size in found.sizes.items():
        assert dimension in found.coords, (file, name, dimension, "has no coordinate")
        if found[dimension].dtype.kind == "i":
            assert np.array_equal(found[dimension], np.arange(size))
    return found.load()

# the draws, and the CSV of the same run: equal to the last digit
csv = np.loadtxt(os.path.join(d, "draws.csv"), delimiter=",", skiprows=1).reshape(200, 4, -1).transpose(1, 0, 2)
posterior, stats = group("run.nc", "posterior"), group("run.nc", "sample_stats")
assert posterior.x.dims == ("chain", "draw", "obs") and posterior.x.shape == (4, 200, 250)
assert posterior.x.dtype == np.float64 and np.array_equal(posterior.x, csv[:, :, 8:])
for k, name in enumerate(["lp", "acceptance_rate", "step_size", "n_steps", "diverging", "energy"]):
    assert stats[name].dims == ("chain", "draw") and np.array_equal(stats[name], csv[:, :, 2 + k]), name
for name in ["diverging", "accepted", "energy_divergence", "implicit_failure", "irreversible", "factorisation"]:
    assert stats[name].dtype == bool, name
assert np.array_equal(stats.diverging, stats.energy_divergence | stats.implicit_failure | stats.irreversible | stats.factorisation)
assert np.array_equal(stats.acceptance_rate == 0, stats.energy_error.isnull() | (stats.energy_error > 700))

# the log likelihood, all together and each by itself: Phi(y x)
observed, total = group("run.nc", "observed_data"), group("run.nc", "log_likelihood")
each = group("packed.nc", "log_likelihood")
assert set(np.unique(observed.y)) == {-1.0, 1.0} and observed.y.dims == ("obs",)
assert total.y.dims == ("chain", "draw") and each.y.dims == ("chain", "draw", "obs")
assert np.allclose(total.y, each.y.sum("obs"), rtol=1e-12) and np.array_equal(total.y, stats.log_likelihood)
one = float(observed.y[5] * posterior.x[2, 7, 5])
assert abs(float(each.y[2, 7, 5]) - math.log(0.5 * math.erfc(-one / math.sqrt(2)))) < 1e-10

# what the model was made of
constant = group("run.nc", "constant_data")
assert list(constant.input.values) == ["length", "width", "depth"] and constant.X.dims == ("obs", "input")
raw = np.loadtxt(os.path.join(d, "large.csv"), delimiter=",", skiprows=1)
assert np.allclose(constant.X * constant.scaling_scale + constant.scaling_centre, raw[:, :3], rtol=1e-12)
assert constant.attrs["kernel"] == "matern52(log_ell=0, log_sigma=1)" and constant.attrs["likelihood"] == "probit"
assert list(constant.parameter.values) == ["ell", "sigma"] and list(constant.theta) == [0, 1]
counts = group("counts.nc", "constant_data")
assert np.all(counts.exposure == 2.5) and list(counts.theta) == [0, 1, 0]
assert group("counts.nc", "posterior").x.shape == (4, 20, 30)

# the facts
facts = group("run.nc", None).attrs
assert facts["method"] == "hmc" and facts["metric"] == "prior" and facts["draws"] == 200 and facts["seed"] == 1
assert facts["sampling_transitions"] == 800 and facts["interrupted"] == 0 and "--stan-csv" in facts["command"]
assert group("counts.nc", None).attrs["sampling_transitions"] == 240 and group("counts.nc", None).attrs["thin"] == 3

# sizes: at most 1.2 times 8 bytes per number, less when packed (pointwise: twice as many numbers)
numbers = 4 * 200 * 250
size, packed = (os.path.getsize(os.path.join(d, name)) for name in ("run.nc", "packed.nc"))
assert size <= 1.2 * 8 * numbers and packed < 0.99 * 8 * 2 * numbers, (size / numbers, packed / numbers)
assert np.array_equal(group("packed.nc", "posterior").x, posterior.x)
print("bytes per number: %.2f, packed %.2f" % (size / numbers, packed / (2 * numbers)))

# the summary in the place of draws
summary = group("summary.nc", "summary")
assert np.allclose(summary["mean"], posterior.x.mean(("chain", "draw")), rtol=1e-12, atol=1e-13)
assert np.allclose(summary["sd"], posterior.x.stack(s=("chain", "draw")).std("s", ddof=1), rtol=1e-10)
assert np.array_equal(group("summary.nc", "sample_stats").lp, stats.lp)
try:
    group("summary.nc", "posterior")
    raise SystemExit("summary.nc has a posterior")
except OSError:
    pass

# estimates
evidence, expected = group("evidence.nc", "evidence"), json.load(open(os.path.join(d, "evidence.json")))
assert list(evidence.estimate.values) == ["ais", "stepping-stone", "thermodynamic"]
for k, e in enumerate(expected["estimates"]):
    assert float(evidence.log_z[k]) == e["log_z"] and float(evidence.se[k]) == e["se"]
    assert bool(evidence.unbiased[k]) == e["unbiased"] and int(evidence.particles[k]) == e["particles"]
assert float(evidence.ep) == expected["ep"]["log_z"] and float(evidence.laplace) == expected["laplace"]["log_z"]
again = json.load(open(os.path.join(d, "again.json")))
assert [e["log_z"] for e in again["estimates"]] == [e["log_z"] for e in expected["estimates"]]
matrix = group("evidence.nc", "constant_data").K
assert matrix.dims == ("obs", "other_obs") and np.array_equal(matrix, np.loadtxt(os.path.join(d, "matrix.csv"), delimiter=","))
END
if [ -n "$python" ]; then
    checks=$((checks + 1))
    "$python" "$d/check.py" "$d" || complain "what xarray sees is not what it should be"
fi

# ---- R: the same diagnostics from Stan's CSV
cat >"$d/check.R" <<'END'
suppressMessages(library(posterior))
d <- commandArgs(TRUE)[1]
chain <- function(c) {
  draws <- read.csv(file.path(d, paste0("stan_", c, ".csv")), comment.char = "#")
  cbind(draws, .chain = c, .iteration = seq_len(nrow(draws)))
}
draws <- do.call(rbind, lapply(1:4, chain))
stopifnot(identical(names(draws)[1:8],
  c("lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__", "x.1")))
stopifnot(nrow(draws) == 800, all(draws$treedepth__ == ceiling(log2(draws$n_leapfrog__ + 1))))
draws$.draw <- seq_len(nrow(draws))
x <- subset_draws(as_draws_df(draws), variable = paste0("x.", 1:250))
s <- summarise_draws(x, rhat = rhat, bulk = ess_bulk, tail = ess_tail)
bulk <- as.numeric(s$bulk)
cat(sprintf("%.17g", c(max(s$rhat), min(bulk), median(bulk), min(s$tail))), "\n")
END
if [ -n "$r" ]; then
    checks=$((checks + 1))
    "$r" "$d/check.R" "$d" >"$d/r.txt" || complain "R does not take the CSV"
    cp "$d/run.json" "$d/out"
    [ "$(wc -w <"$d/r.txt")" = 4 ] || complain "R printed: $(cat "$d/r.txt")"
    gives 'all(math.isclose(a, float(b), rel_tol=1e-6) for a, b in zip((r["rhat_max"], r["ess_bulk"]["min"],
        r["ess_bulk"]["median"], r["ess_tail"]["min"]), open("'"$d"'/r.txt").read().split()))'
fi

# ---- CSV of CmdStan's: settings, step size and times in comments
for words in '# method = sample' '#     num_samples = 200' '#     num_warmup = 30' '#   seed = 1' '# Step size = ' \
    '#  Elapsed Time: '; do
    says stan_4.csv "$words"
done
refuses 1 'stan_1.csv already exists' sample "$@" --stan-csv "$d/stan"
finish
