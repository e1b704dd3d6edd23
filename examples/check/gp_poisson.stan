// Poisson counts whose log rate is a Gaussian process with a squared exponential covariance, for Stan.
data {
    int<lower=1> N;
    real t[N];
    int<lower=0> y[N];
    real<lower=0> ell;
    real<lower=0> sigma;
}
transformed data {
    matrix[N, N] L = cholesky_decompose(add_diag(cov_exp_quad(t, sigma, ell), 1e-8));
}
parameters {
    vector[N] z;
}
transformed parameters {
    vector[N] x = L * z;
}
model {
    z ~ std_normal();
    y ~ poisson_log(x);
}
