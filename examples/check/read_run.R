# read_run.R: draws of talweg in R, for posterior, bayesplot and loo.
#
#   talweg sample data.csv ... --stan-csv chain      # chain_1.csv, chain_2.csv, ...
#   source("read_run.R")
#   posterior::summarise_draws(read_draws(sprintf("chain_%d.csv", 1:4)))

# The latents of all chains as a draws_array: names x[1], x[2], ... and lp__.
read_draws <- function(files) {
    chains <- lapply(files, utils::read.csv, comment.char = "#", check.names = FALSE)
    names <- c("lp__", grep("^x\\.", colnames(chains[[1]]), value = TRUE))
    draws <- vapply(chains, function(chain) as.matrix(chain[, names]), matrix(0, nrow(chains[[1]]), length(names)))
    draws <- aperm(draws, c(1, 3, 2))
    dimnames(draws) <- list(iteration = NULL, chain = NULL, variable = sub("^x\\.(.*)$", "x[\\1]", names))
    posterior::as_draws_array(draws)
}
