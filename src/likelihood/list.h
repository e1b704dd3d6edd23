/* list.h: the built-in likelihoods, in the order of messages and help. NAME is the table tw_likelihood_NAME
 * in src/likelihood/. */
#define TW_LIKELIHOOD_LIST(X) \
    X(probit)                 \
    X(logit)                  \
    X(poisson)                \
    X(gaussian)               \
    X(student_t)              \
    X(stochastic_volatility)  \
    X(binomial)               \
    X(binomial_probit)        \
    X(negative_binomial)      \
    X(gamma)                  \
    X(exponential)            \
    X(weibull)                \
    X(ordinal3)               \
    X(ordinal4)               \
    X(ordinal5)               \
    X(ordinal6)               \
    X(ordinal7)
