# claim.R: write the results of R-INLA, TMB (RTMB) or Stan to a file for talweg check.
#
#   source("claim.R")
#   write_claim(claim_from_inla(result), "inla.json")
#   talweg check data.csv --likelihood poisson --kernel ... --against inla.json
#
# There must be one latent for each row of the data, in the same order, and the models must be the same: talweg's latent x is the
# whole linear predictor without the offset or exposure, with its parameters fixed at the values that you give to talweg.

# R-INLA: result of inla(..., control.predictor = list(compute = TRUE), quantiles = c(0.05, 0.5, 0.95)), with the
# hyperparameters fixed (hyper = list(...fixed = TRUE)). `which` selects the rows of the predictor that are cases. log Z is R-INLA's
# "log marginal-likelihood (integration)"; it omits constants of some latent models, whose sum is `omits`.
claim_from_inla <- function(result, which = NULL, omits = 0) {
    table <- result$summary.linear.predictor
    if (!is.null(which)) table <- table[which, , drop = FALSE]
    claim <- list(log_z = as.numeric(result$mlik[1, 1]), log_z_omits = omits, mean = table$mean, sd = table$sd)
    for (p in c("0.05", "0.5", "0.95")) {
        column <- table[[paste0(p, "quant")]]
        if (!is.null(column)) claim[[sprintf("q%02.0f", 100 * as.numeric(p))]] <- column
    }
    claim
}

# TMB and RTMB: report of sdreport(obj), whose random effects are the latents (called `name`), and obj itself for log Z: -obj$fn,
# the Laplace approximation of the integral over them. If a density is written without its constants, log Z omits them.
claim_from_tmb <- function(report, obj = NULL, name = NULL, omits = 0) {
    keep <- if (is.null(name)) seq_along(report$par.random) else which(names(report$par.random) == name)
    claim <- list(mean = as.numeric(report$par.random[keep]), sd = sqrt(as.numeric(report$diag.cov.random[keep])))
    if (!is.null(obj)) claim <- c(list(log_z = -as.numeric(obj$fn(obj$env$last.par.best[-obj$env$random])), log_z_omits = omits), claim)
    claim
}

# Stan: draws of its Laplace approximation, variational inference, Pathfinder or sampler, as a matrix or data frame with a column for
# each latent, x[1], x[2], ... (cmdstanr: fit$draws("x", format = "matrix"); rstan: as.matrix(fit, pars = "x")).
claim_from_stan <- function(draws, name = "x") {
    draws <- as.matrix(draws)
    columns <- grep(paste0("^", name, "\\[[0-9]+\\]$"), colnames(draws), value = TRUE)
    if (length(columns) == 0) stop("there is no column ", name, "[1] among the draws")
    draws <- draws[, columns, drop = FALSE]
    quantiles <- apply(draws, 2, stats::quantile, probs = c(0.05, 0.5, 0.95), names = FALSE)
    list(name = sub("\\]$", "", sub(paste0("^", name, "\\["), "x.", columns)), mean = unname(colMeans(draws)),
         sd = unname(apply(draws, 2, stats::sd)), q05 = quantiles[1, ], q50 = quantiles[2, ], q95 = quantiles[3, ])
}

# As JSON, with 17 digits.
write_claim <- function(claim, file) {
    encode <- function(value) if (is.character(value)) paste0('"', value, '"') else formatC(value, digits = 17, format = "g", width = 1)
    fields <- vapply(names(claim), function(key) {
        value <- encode(claim[[key]])
        if (key %in% c("log_z", "log_z_omits")) sprintf('"%s": %s', key, value)
        else sprintf('"%s": [%s]', key, paste(value, collapse = ", "))
    }, "")
    writeLines(paste0("{", paste(fields, collapse = ",\n "), "}"), file)
}
