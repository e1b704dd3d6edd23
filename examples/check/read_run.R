# read_run.R: read talweg's draws in R, for posterior, bayesplot and loo.
#
#   source("read_run.R")
#   draws <- read_run("run.nc")                                # from talweg sample -o run.nc; needs ncdf4
#   draws <- read_draws(sprintf("chain_%d.csv", 1:4))          # from talweg sample --stan-csv chain
#   posterior::summarise_draws(draws)

# Read a run file: every variable of the group posterior, as a draws_array. The latents are x[1], x[2], ...; unknown parameters
# (log_ell, ...) have their own names. R reverses netCDF's dimensions: obs, draw, chain.
read_run <- function(file) {
    run <- ncdf4::nc_open(file)
    on.exit(ncdf4::nc_close(run))
    names <- grep("^posterior/", names(run$var), value = TRUE)
    parts <- lapply(names, function(name) {
        values <- ncdf4::ncvar_get(run, name, collapse_degen = FALSE)
        short <- sub("^posterior/", "", name)
        if (length(dim(values)) == 2) values <- array(values, c(1, dim(values)), list(short, NULL, NULL))
        else dimnames(values) <- list(sprintf("%s[%d]", short, seq_len(dim(values)[1])), NULL, NULL)
        aperm(values, c(2, 3, 1))
    })
    variables <- unlist(lapply(parts, function(part) dimnames(part)[[3]]))
    draws <- array(unlist(parts), c(dim(parts[[1]])[1:2], length(variables)), list(iteration = NULL, chain = NULL, variable = variables))
    posterior::as_draws_array(draws)
}

# The log likelihood of every case (talweg sample --pointwise): draws x chains x cases, as loo::loo takes it.
read_log_likelihood <- function(file) {
    run <- ncdf4::nc_open(file)
    on.exit(ncdf4::nc_close(run))
    aperm(ncdf4::ncvar_get(run, "log_likelihood/y", collapse_degen = FALSE), c(2, 3, 1))
}

# Read CSV files in CmdStan's format, one for each chain, as a draws_array with lp__.
read_draws <- function(files) {
    chains <- lapply(files, utils::read.csv, comment.char = "#", check.names = FALSE)
    names <- c("lp__", grep("^x\\.", colnames(chains[[1]]), value = TRUE))
    draws <- vapply(chains, function(chain) as.matrix(chain[, names]), matrix(0, nrow(chains[[1]]), length(names)))
    draws <- aperm(draws, c(1, 3, 2))
    dimnames(draws) <- list(iteration = NULL, chain = NULL, variable = sub("^x\\.(.*)$", "x[\\1]", names))
    posterior::as_draws_array(draws)
}
