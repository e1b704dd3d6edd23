/* Tests of the reference probit terms against values with at least 50 digits, and across their two branches. */
#include <math.h>
#include <stdio.h>

#include "reference/reference.h"
#include "support/support.h"

static const char *const term_name[] = {"log cdf", "hazard", "curvature", "curvature slope"};

static void as_array(ref_probit terms, double out[4])
{
    out[0] = terms.log_cdf;
    out[1] = terms.hazard;
    out[2] = terms.lambda;
    out[3] = terms.dlambda;
}

/* Relative error below 1e-12 for every term at every z of the file, -1e8 to 37. */
static void terms_agree_with_many_digits(void **state)
{
    (void)state;
    char path[4096], line[512];
    shared_path("oracles/probit_derivatives.csv", path, sizeof path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    double z, expected[4], found[4], worst = 0;
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", &z, &expected[0], &expected[1], &expected[2], &expected[3]) !=
            5)
            continue; /* the header */
        as_array(ref_probit_terms(z), found);
        for (int i = 0; i < 4; i++) {
            double error = relative_error(found[i], expected[i]);
            if (!(error < 1e-12)) fail_msg("%s at z = %g: relative error %g", term_name[i], z, error);
            worst = fmax(worst, error);
        }
        rows++;
    }
    fclose(file);
    print_message("%d rows, largest relative error %.2g\n", rows, worst);
    assert_true(rows >= 50);
}

/* The two formulas meet at z = -1: over one rounding of z the terms change by rounding errors only. There
 * w - u = -0.07 amplifies the rounding of u by about 3 / 0.07, so 1e-13 is about ten roundings; half the
 * terms of the continued fraction would have an error of 3e-13. */
static void there_is_no_jump_between_branches(void **state)
{
    (void)state;
    double left[4], right[4];
    as_array(ref_probit_terms(nextafter(-1, -2)), left);
    as_array(ref_probit_terms(-1), right);
    for (int i = 0; i < 4; i++)
        if (!(relative_error(left[i], right[i]) < 1e-13))
            fail_msg("%s jumps by %g at z = -1", term_name[i], relative_error(left[i], right[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_agree_with_many_digits),
        cmocka_unit_test(there_is_no_jump_between_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
