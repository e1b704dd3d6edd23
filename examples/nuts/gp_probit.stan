// gp_probit.stan: a Gaussian process classifier with unknown length scale and amplitude, for nuts.R. The latents are whitened: f = L z.
functions {
  real log_phi(real x) {
    real q = inv(x * x); // below -8 by the asymptotic series, whose first four terms leave 4e-6
    return x > -8 ? normal_lcdf(x | 0, 1)
                  : -0.5 * x * x - 0.5 * log(2 * pi()) - log(-x) + log1m(q * (1 - 3 * q * (1 - 5 * q)));
  }
}
data {
  int N;
  int D;
  vector[D] x[N];
  vector[N] y; // -1 or +1
}
parameters {
  real log_ell;
  real log_sigma;
  vector[N] z;
}
model {
  matrix[N, N] K = cov_exp_quad(x, exp(log_sigma), exp(log_ell));
  vector[N] f;
  for (n in 1:N) K[n, n] = K[n, n] * (1 + 1e-8);
  f = cholesky_decompose(K) * z;
  log_ell ~ normal(0.5, 1);
  log_sigma ~ normal(1, 1);
  z ~ normal(0, 1);
  for (n in 1:N) target += log_phi(y[n] * f[n]);
}
