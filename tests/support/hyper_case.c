/* hyper_case.c: small runs over unknown parameters; see hyper_case.h. */
#include "support/hyper_case.h"

#include "support/orthants.h"
#include "support/support.h"

tw_problem *hyper_pose_gaussian(tw_context *ctx, const char *kernel, size_t n, const double *x,
                                const double *y)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian"),
                              .kernel = new_kernel(ctx, kernel)};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, n, 1, x, n, y, &parts.data), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

tw_priors *hyper_priors(tw_problem *problem, const char *first, const char *second)
{
    tw_priors *priors = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    if (first) assert_int_equal(tw_priors_read(priors, problem, first), TW_OK);
    if (second) assert_int_equal(tw_priors_read(priors, problem, second), TW_OK);
    return priors;
}

tw_hyper_options hyper_small(uint64_t seed)
{
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.points = 128;
    o.starts = 1;
    o.joint_particles = 64;
    o.joint_temperatures = 6;
    o.seed = seed;
    o.threads = 1;
    return o;
}

void hyper_with_run(const char *ell, const tw_hyper_options *o,
                    void (*look)(const tw_problem *problem, const tw_hyper_result *r, void *user), void *user)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, ell, HYPER_SIGMA);
    tw_hyper_result *r = NULL;
    assert_int_equal(tw_hyper_run(problem, priors, o, &r), TW_OK);
    look(problem, r, user);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}
