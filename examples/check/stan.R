# stan.R: write Stan's draws to a file for talweg check, for the model of tmb.R. Stan's sampler is exact, so the verdict should be
# "right", or that longer runs are needed. With rstan::vb instead of rstan::sampling, this tests variational inference.
#
#   Rscript stan.R DATA.csv LOG_ELL LOG_SIGMA CLAIM.json     # in this folder; DATA.csv has columns t and y
source("claim.R")

arguments <- commandArgs(TRUE)
data <- utils::read.csv(arguments[1])
fit <- rstan::stan("gp_poisson.stan", chains = 4, iter = 3000, warmup = 1000, seed = 1, refresh = 0, pars = "x",
                   data = list(N = nrow(data), t = data$t, y = data$y, ell = exp(as.numeric(arguments[2])), sigma = exp(as.numeric(arguments[3]))))
write_claim(claim_from_stan(as.matrix(fit, pars = "x")), arguments[4])
