// Poisson counts whose log rate is a Gaussian process with a squared exponential covariance, for TMB.
#include <TMB.hpp>

template <class Type>
Type objective_function<Type>::operator()() {
    DATA_VECTOR(y);
    DATA_VECTOR(t);
    PARAMETER(log_ell);
    PARAMETER(log_sigma);
    PARAMETER_VECTOR(x);
    int n = y.size();
    matrix<Type> K(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Type d = (t(i) - t(j)) / exp(log_ell);
            K(i, j) = exp(2 * log_sigma - d * d / 2) + (i == j ? Type(1e-8) : Type(0));
        }
    Type minus_log = density::MVNORM_t<Type>(K)(x); // with all constants
    minus_log -= dpois(y, exp(x), true).sum();
    return minus_log;
}
