/* list.h: the built-in likelihoods, in the order in which they are named. NAME is tw_likelihood_NAME of src/likelihood/,
 * in the file of its name or of its first word. */
#define TW_LIKELIHOOD_LIST(X) \
    X(probit)                 \
    X(logit)                  \
    X(poisson)                \
    X(gaussian)               \
    X(binomial)               \
    X(binomial_probit)
