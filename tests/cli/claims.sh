#!/bin/sh
# examples/check/claim.R: files for talweg check from objects of R-INLA, TMB and Stan. The packages are not needed: the objects are
# made by hand, with the fields that theirs have (long_claims.sh takes TMB's and Stan's own). Skipped without R. Usage: claims.sh BUILD
set -eu
command -v Rscript >/dev/null 2>&1 || { echo "skipped: there is no R"; exit 77; }
# shellcheck source=tests/cli/support.sh
. tests/cli/support.sh
d=$place
works demo --data-only --directory "$d/demo" --cases 5 --test-cases 5
data=$d/demo/two_classes.csv

Rscript --vanilla - "$d" <<'R' || complain "claim.R"
place <- commandArgs(TRUE)[1]
source("examples/check/claim.R")
m <- c(0.5, -1, 2, 1 / 3, 40)
s <- c(1, 0.5, 2, 1e-3, 7)
# inla(): a predictor with two rows more than there are cases, quantiles as columns, mlik a matrix
table <- data.frame(mean = c(m, 9, 9), sd = c(s, 1, 1), check.names = FALSE,
                    "0.05quant" = c(m - s, 0, 0), "0.5quant" = c(m, 0, 0), "0.95quant" = c(m + s, 0, 0), mode = 0, kld = 0)
mlik <- matrix(c(-12.5, -12.6), 2, 1, dimnames = list(c("log marginal-likelihood (integration)", "log marginal-likelihood (Gaussian)"), NULL))
write_claim(claim_from_inla(list(summary.linear.predictor = table, mlik = mlik), which = 1:5, omits = -0.75), file.path(place, "inla.json"))
# sdreport() and MakeADFun(): random effects x beside others, fn of the fixed parameters alone
random <- stats::setNames(c(3, m, 4), c("u", rep("x", 5), "u"))
report <- list(par.random = random, diag.cov.random = c(1, s^2, 1))
obj <- list(fn = function(theta) { stopifnot(identical(unname(theta), c(0.1, 0.2))); 12.5 },
            env = list(last.par.best = c(0.1, unname(random), 0.2), random = 2:8))
write_claim(claim_from_tmb(report, obj, name = "x"), file.path(place, "tmb.json"))
# draws of Stan: columns in another order, and others beside them
draws <- sapply(5:1, function(i) m[i] + s[i] * stats::qnorm(stats::ppoints(2001)))
colnames(draws) <- sprintf("x[%d]", 5:1)
write_claim(claim_from_stan(cbind(lp__ = 0, draws, "xx[1]" = 9)), file.path(place, "stan.json"))
R

# claimed FILE EXPRESSION: of what talweg check was given, in the order of the latents as m and s, it is true.
claimed() {
    run check "$data" --log-ell 0 --log-sigma 0 --against "$d/$1" --draws 100 --warmup 50 --json
    gives "(lambda rows, m, s: $2)({w['name']: w for w in r['latents']['worst']}, [.5, -1, 2, 1/3, 40], [1, .5, 2, 1e-3, 7])"
}
claimed inla.json 'r["log_z"]["given"] == -13.25 and all(rows["x.%d" % (i + 1)]["mean"]["given"] == m[i] and rows["x.%d" % (i + 1)]["sd"]["given"] == s[i] for i in range(5))'
claimed inla.json 'all(abs(rows["x.%d" % (i + 1)]["q95"]["given"] - m[i] - s[i]) < 1e-14 * 50 for i in range(5))'
claimed tmb.json 'r["log_z"]["given"] == -12.5 and all(rows["x.%d" % (i + 1)]["mean"]["given"] == m[i] and abs(rows["x.%d" % (i + 1)]["sd"]["given"] - s[i]) < 1e-14 for i in range(5))'
claimed stan.json 'r["log_z"]["given"] is None and all(abs(rows["x.%d" % (i + 1)]["mean"]["given"] - m[i]) < 1e-12 * 50 and abs(rows["x.%d" % (i + 1)]["q05"]["given"] - m[i] + 1.6449 * s[i]) < 0.01 * s[i] for i in range(5))'

# examples/check/read_run.R, with R's posterior and ncdf4, where they are installed
works sample "$data" --log-ell 0 --log-sigma 0 --chains 2 --warmup 50 --draws 60 --stan-csv "$d/chain" -o "$d/run.nc" --pointwise
works sample "$data" --prior default --points 64 -o "$d/unknown.nc"
Rscript --vanilla - "$d" <<'R' || complain "read_run.R"
if (!requireNamespace("posterior", quietly = TRUE)) quit("no", 0)
place <- commandArgs(TRUE)[1]
source("examples/check/read_run.R")
draws <- read_draws(file.path(place, sprintf("chain_%d.csv", 1:2)))
stopifnot(identical(unname(dim(draws)), c(60L, 2L, 6L)), identical(posterior::variables(draws), c("lp__", sprintf("x[%d]", 1:5))))
first <- utils::read.csv(file.path(place, "chain_2.csv"), comment.char = "#")
stopifnot(identical(as.numeric(draws[, 2, "x[3]"]), first$x.3), all(is.finite(posterior::summarise_draws(draws)$rhat)))
if (!requireNamespace("ncdf4", quietly = TRUE)) quit("no", 0)
run <- read_run(file.path(place, "run.nc"))
stopifnot(identical(posterior::variables(run), sprintf("x[%d]", 1:5)), max(abs(run - draws[, , -1])) < 1e-12)
log_likelihood <- read_log_likelihood(file.path(place, "run.nc"))
labels <- utils::read.csv(file.path(place, "demo", "two_classes.csv"))$class
expected <- pnorm(labels[4] * as.numeric(run[, 2, "x[4]"]), log.p = TRUE)
stopifnot(length(expected) == 60, max(abs(log_likelihood[, 2, 4] - expected)) < 1e-12)
unknown <- read_run(file.path(place, "unknown.nc"))
stopifnot(identical(posterior::variables(unknown), c(sprintf("x[%d]", 1:5), "log_ell", "log_sigma")), all(is.finite(unknown)))
R
finish
