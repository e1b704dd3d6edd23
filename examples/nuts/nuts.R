# nuts.R: effective draws of the parameters per second of one processor: Stan's NUTS on (theta, whitened latents) compared with
# talweg sample --prior, on the same data with the same model and priors, one after the other on the same machine.
#
#   Rscript nuts.R TALWEG crabs.csv [WARMUP DRAWS]     # in this folder; TALWEG is the program; by default 300 and 300
#
# Needs the R package rstan. The last column of the data is the label, -1 or +1.
arguments <- commandArgs(TRUE)
program <- arguments[1]
file <- arguments[2]
warmup <- if (length(arguments) > 2) as.integer(arguments[3]) else 300
draws <- if (length(arguments) > 3) as.integer(arguments[4]) else 300
Sys.setenv(OPENBLAS_NUM_THREADS = 1)

children <- function() sum(proc.time()[c("user.child", "sys.child")])
before <- children()
text <- system2(program, c("sample", shQuote(file), "--standardise", "--threads", "1", "--json", "--quiet", "-o", shQuote(tempfile(fileext = ".nc")),
                           "--prior", shQuote("log_ell ~ normal(0.5, 1)"), "--prior", shQuote("log_sigma ~ normal(1, 1)")), stdout = TRUE)
seconds <- children() - before
number <- function(pattern) as.numeric(sub(paste0(".*", pattern, "([-0-9.e+]+).*"), "\\1", paste(text, collapse = " ")))
points <- number('"ess_bulk": *\\{"min": *')

data <- utils::read.csv(file)
x <- as.matrix(data[, -ncol(data)])
x <- apply(x, 2, function(column) (column - mean(column)) / sqrt(mean((column - mean(column))^2)))
headers <- if (nzchar(system.file("include", package = "BH"))) NULL else "/usr/include" # Debian has Boost there
model <- rstan::stan_model("gp_probit.stan", boost_lib = headers)
start <- proc.time()
fit <- rstan::sampling(model, chains = 1, cores = 1, warmup = warmup, iter = warmup + draws, seed = 1, refresh = 50, pars = c("log_ell", "log_sigma"),
                       data = list(N = nrow(x), D = ncol(x), x = x, y = data[[ncol(data)]]))
used <- sum((proc.time() - start)[c("user.self", "sys.self")])
elapsed <- rstan::get_elapsed_time(fit)
sampling <- used * elapsed[1, "sample"] / sum(elapsed[1, ])
theta <- as.array(fit)[, 1, c("log_ell", "log_sigma")]

effective <- apply(theta, 2, rstan::ess_bulk)
cat(sprintf("NUTS    %-10s mean %.3f, sd %.3f, bulk ESS %.1f of %d draws\n", colnames(theta), colMeans(theta), apply(theta, 2, sd), effective, draws), sep = "")
cat(sprintf("NUTS    %.1f s of processor time with its warm-up of %d, %.1f s without; %d divergent transitions, %d at the largest tree\n", used, warmup, sampling,
            rstan::get_num_divergent(fit), rstan::get_num_max_treedepth(fit)))
for (name in colnames(theta))
    cat(sprintf("talweg  %-10s mean %.3f, sd %.3f\n", name, number(sprintf('"name": *"%s", *"mean": *', name)), number(sprintf('"name": *"%s"[^}]*"sd": *', name))))
cat(sprintf("talweg  %.2f s of processor time in all, %.1f effective points\n", seconds, points))
rate <- points / seconds
nuts <- min(effective)
cat(sprintf("effective draws a second: talweg %.1f, NUTS %.3f (%.3f without its warm-up): %.0f times (%.0f)\n", rate, nuts / used, nuts / sampling,
            rate / (nuts / used), rate / (nuts / sampling)))
