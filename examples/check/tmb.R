# tmb.R: is TMB's Laplace approximation right? Poisson counts whose log rate is a Gaussian process, with TMB and with talweg.
#
#   Rscript tmb.R DATA.csv LOG_ELL LOG_SIGMA CLAIM.json      # in this folder; DATA.csv has columns t and y
#   talweg check DATA.csv --likelihood poisson --log-ell LOG_ELL --log-sigma LOG_SIGMA --against CLAIM.json
#
# The parameters are fixed through `map`, so that both programs have the same model.
library(TMB)
source("claim.R")

arguments <- commandArgs(TRUE)
data <- utils::read.csv(arguments[1])
built <- file.path(tempdir(), "gp_poisson.cpp")
file.copy("gp_poisson.cpp", built)
compile(built)
dyn.load(dynlib(sub("\\.cpp$", "", built)))
obj <- MakeADFun(data = list(y = data$y, t = data$t),
                 parameters = list(log_ell = as.numeric(arguments[2]), log_sigma = as.numeric(arguments[3]), x = 0 * data$y),
                 map = list(log_ell = factor(NA), log_sigma = factor(NA)), random = "x", DLL = "gp_poisson", silent = TRUE)
obj$fn(obj$par)
write_claim(claim_from_tmb(sdreport(obj), obj, name = "x"), arguments[4])
