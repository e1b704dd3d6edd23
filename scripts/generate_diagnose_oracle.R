# Makes tests/diagnose/draws.csv and tests/diagnose/reference.csv: draws of scalars, and their statistics by R's package
# posterior (1.4.0 for the files in the repository). Run from the top: Rscript scripts/generate_diagnose_oracle.R
#
# draws.csv       one line per chain: case,value,value,...
# reference.csv   one line per case: case,draws,chains and the statistics named in its first line
#
# Draws are rounded to few digits before anything is computed, so the files are small and contain exactly the numbers used.
# The last columns are wrong values of R-hat and ESS, without splitting, ranks or folding: a test asserts that the draws
# distinguish them from the right ones.
suppressPackageStartupMessages(library(posterior))
set.seed(20210601)

ar <- function(draws, chains, phi, noise = rnorm) {
  sapply(seq_len(chains), function(c) {
    start <- noise(1) / sqrt(1 - phi^2)
    as.numeric(stats::filter(noise(draws), phi, method = "recursive", init = start))
  })
}
shift <- function(x, by) sweep(x, 2, by, "+")
scale_chains <- function(x, by) sweep(x, 2, by, "*")
put <- function(x, where, value) { x[where] <- value; x }
columns <- function(values, draws) matrix(rep(values, each = draws), draws)

cases <- list(
  independent = ar(100, 4, 0), ar_03 = ar(250, 4, 0.3), ar_07_long = ar(600, 4, 0.7), ar_09 = ar(250, 4, 0.9),
  ar_099 = ar(320, 4, 0.99), ar_098_one_long_chain = ar(1500, 1, 0.98), random_walk = apply(ar(300, 3, 0), 2, cumsum),
  antithetic_05 = ar(200, 4, -0.5), antithetic_09 = ar(200, 4, -0.9), antithetic_0995 = ar(50, 2, -0.995),
  alternating = matrix(c(1, -1.5, 1.25, -1) + rep(1e-3 * (1:30), each = 4), 60, 2),
  shifted = shift(ar(100, 4, 0.2), c(0, 0, 0, 1.5)), apart = shift(ar(50, 2, 0.5), c(-30, 30)),
  scales = scale_chains(ar(150, 4, 0.1), c(1, 1, 1, 4)), trend = ar(120, 4, 0) + (1:120) / 60,
  cauchy = matrix(rcauchy(800), 200), cauchy_two = matrix(rcauchy(300), 150), lognormal = exp(2 * ar(150, 3, 0.6)),
  poisson = matrix(rpois(400, 2), 100), binary = matrix(rbinom(300, 1, 0.3), 100), rare = matrix(rbinom(300, 1, 0.02), 100),
  rounded = round(2 * ar(101, 3, 0.8)) / 2, odd = ar(101, 4, 0.5), odd_one_chain = ar(99, 1, 0.4), odd_seven = ar(81, 7, 0.6),
  one_chain = ar(200, 1, 0.5), two_chains = ar(150, 2, 0.5), seven_chains = ar(64, 7, 0.3), hundred_chains = ar(8, 100, 0.2),
  offset = 1e6 + 1e-2 * round(100 * ar(100, 4, 0.5)), tiny = 1e-12 * ar(60, 4, 0.5), below_tolerance = 1e-18 * ar(60, 4, 0.5),
  huge = 1e60 * ar(60, 4, 0.5), one_draw = ar(1, 3, 0), two_draws = ar(2, 1, 0), three_draws = ar(3, 1, 0),
  four_draws = ar(4, 4, 0), four_one = ar(4, 1, 0), five_draws = ar(5, 4, 0), six_draws = ar(6, 4, 0), seven_draws = ar(7, 3, 0),
  ten_draws = ar(10, 4, 0), eleven_draws = ar(11, 2, 0.5), twelve_draws = ar(12, 1, 0.5), sixteen_draws = ar(16, 4, 0.9),
  constant = columns(c(0.1, 0.1, 0.1), 20), stuck_apart = columns(c(0.1, 0.3, 0.7, -2), 20),
  one_stuck = put(ar(40, 3, 0.3), 1:40, 0.1), nan = put(ar(30, 4, 0), 17, NaN), inf = put(ar(30, 4, 0), 17, Inf),
  both_inf = put(ar(30, 4, 0), c(17, 60), c(Inf, -Inf)), many_inf = put(ar(30, 2, 0), 5:45, Inf),
  middle_lowest = put(ar(7, 1, 0), 4, -9), middle_highest = put(ar(7, 1, 0), 4, 9) # the extreme draw is in neither half: no 5% or 95% ESS
)
digits <- c(offset = 17, default = 6)

statistics <- function(x) {
  quantiles <- c(0.05, 0.5, 0.95)
  named <- function(prefix, values) setNames(as.numeric(values), paste0(prefix, c("q5", "median", "q95")))
  folded <- abs(x - median(x))
  c(mean = mean(x), sd = sd(x), named("", quantile2(x, quantiles)),
    rhat = rhat(x), ess_bulk = ess_bulk(x), ess_tail = ess_tail(x), ess_mean = ess_mean(x), ess_sd = ess_sd(x),
    named("ess_", ess_quantile(x, quantiles)),
    mcse_mean = mcse_mean(x), mcse_sd = mcse_sd(x), named("mcse_", mcse_quantile(x, quantiles)),
    ess_q0 = unname(ess_quantile(x, 0)), ess_q100 = unname(ess_quantile(x, 1)),
    wrong_rhat_no_split = max(rhat_basic(posterior:::z_scale(x), split = FALSE),
                              rhat_basic(posterior:::z_scale(folded), split = FALSE)),
    wrong_rhat_no_ranks = max(rhat_basic(x), rhat_basic(folded)),
    wrong_rhat_no_folding = rhat_basic(posterior:::z_scale(posterior:::.split_chains(x)), split = FALSE),
    wrong_ess_no_split = ess_basic(posterior:::z_scale(x), split = FALSE), wrong_ess_no_ranks = ess_basic(x))
}

number <- function(x, digits) {
  text <- formatC(x, digits = digits, format = "g", width = -1)
  ifelse(is.na(x), "NaN", ifelse(is.infinite(x), ifelse(x > 0, "inf", "-inf"), trimws(text)))
}

draws <- character()
reference <- NULL
for (name in names(cases)) {
  x <- as.matrix(cases[[name]])
  if (is.null(dim(cases[[name]]))) x <- matrix(cases[[name]], ncol = length(cases[[name]])) # one draw of each chain
  precision <- if (name %in% names(digits)) digits[[name]] else digits[["default"]]
  written <- matrix(number(x, precision), nrow(x))
  x <- matrix(suppressWarnings(as.numeric(written)), nrow(x))
  draws <- c(draws, apply(written, 2, function(column) paste(c(name, column), collapse = ",")))
  values <- suppressWarnings(statistics(x))
  if (is.null(reference)) reference <- paste(c("case", "draws", "chains", names(values)), collapse = ",")
  reference <- c(reference, paste(c(name, nrow(x), ncol(x), number(values, 17)), collapse = ","))
}
writeLines(draws, "tests/diagnose/draws.csv")
writeLines(reference, "tests/diagnose/reference.csv")
