/* fits.h: the Gaussian approximations that runs use, fitted together: EP's, Laplace's if requested or if EP did
 * not converge, and EP's corrected log Z. */
#ifndef TALWEG_FITS_H
#define TALWEG_FITS_H

#include <talweg/approximate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fits, and the one to start from and to precondition with. Release it before the model. */
typedef struct tw_fits {
    const tw_approximation *laplace, *ep;   /* NULL: not fitted */
    double laplace_seconds, ep_seconds;     /* of wall time; 0 for a given fit */
    tw_correction correction;               /* log_z is NaN if EP did not converge, or if not requested */
    const tw_approximation *gaussian;       /* EP's if it converged, otherwise Laplace's if that converged,
                                               otherwise NULL */
    tw_approximation *own_laplace, *own_ep; /* the fits to free */
} tw_fits;

/* What to fit. */
typedef struct tw_fits_options {
    tw_ep_options ep;
    bool laplace;  /* fit Laplace's approximation even if EP converges */
    size_t orders; /* of the correction, 3 to 8; 0: none */
    /* If the model belongs to a sequence: EP starts from its prediction. NULL: none. */
    tw_ep_sequence *sequence;
    const tw_approximation *given_laplace; /* existing fits, used unchanged; NULL: none */
    const tw_approximation *given_ep;      /* the same */
    void *user;
    tw_progress_function *on_progress; /* called before each fit and many times in EP's; may be NULL */
} tw_fits_options;
#define TW_FITS_DEFAULTS ((tw_fits_options){.ep = TW_EP_DEFAULTS, .laplace = true, .orders = 4})

/* options NULL: the defaults. Returns TW_OK even if nothing converged: check `gaussian`. Release *out also after
 * a failure. */
TW_API tw_status tw_fits_make(const tw_model *model, const tw_fits_options *options, tw_fits *out);
TW_API void tw_fits_release(tw_fits *fits);

#ifdef __cplusplus
}
#endif

#endif
