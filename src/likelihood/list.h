/* list.h: the built-in likelihoods, in the order in which they are named. NAME is tw_likelihood_NAME of src/likelihood/NAME.c. */
#define TW_LIKELIHOOD_LIST(X) \
    X(probit)                 \
    X(logit)                  \
    X(poisson)                \
    X(gaussian)
