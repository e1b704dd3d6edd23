/* fits.h: the Gaussian approximations that runs lean on, made together: EP's, Laplace's where it is wanted or EP did not
 * converge, and EP's corrected log Z. */
#ifndef TALWEG_FITS_H
#define TALWEG_FITS_H

#include <talweg/approximate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fits, and the one to start from and to precondition with. Release it before the model. */
typedef struct tw_fits {
    const tw_approximation *laplace, *ep; /* NULL: not fitted */
    double laplace_seconds, ep_seconds;   /* of wall time; 0 for one that was given */
    tw_correction correction;         /* log_z is NaN where EP did not converge, or it was not asked for */
    const tw_approximation *gaussian; /* EP's where it converged, else Laplace's where that did, else NULL */
    tw_approximation *own_laplace, *own_ep; /* those that are to be freed */
} tw_fits;

/* What to fit. */
typedef struct tw_fits_options {
    tw_ep_options ep;
    bool laplace;  /* Laplace's approximation also where EP converges */
    size_t orders; /* of the correction, 3 to 8; 0: none */
    tw_ep_sequence
        *sequence; /* the model is one of a sequence: EP starts from what it predicts; NULL: alone */
    const tw_approximation *given_laplace; /* fits that are there already, used as they are; NULL: none */
    const tw_approximation *given_ep;      /* the same */
    void *user;
    tw_progress_function *on_progress; /* called before each fit and many times in EP's; may be NULL */
} tw_fits_options;
#define TW_FITS_DEFAULTS ((tw_fits_options){.ep = TW_EP_DEFAULTS, .laplace = true, .orders = 4})

/* options NULL: the defaults. TW_OK also where nothing converged: see `gaussian`. Release *out also after a failure. */
TW_API tw_status tw_fits_make(const tw_model *model, const tw_fits_options *options, tw_fits *out);
TW_API void tw_fits_release(tw_fits *fits);

#ifdef __cplusplus
}
#endif

#endif
