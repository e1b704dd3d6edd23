/* Saved approximations are restored to the bit; manipulated files are refused with the field's name, without
 * harm; every allocation may fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/output.h"

enum { N = 12, D = 3 };

typedef struct fitted {
    tw_problem *problem;
    tw_approximation *approximation;
} fitted;

static void free_fitted(fitted *f)
{
    tw_approximation_free(f->approximation);
    tw_problem_free(f->problem);
    *f = (fitted){0};
}

/* A small problem with every feature of a kernel: standardised, a constant column dropped, exposures. */
static tw_status make_problem(tw_context *ctx, bool matrix, tw_problem **out)
{
    double x[N * D], y[N], w[N];
    const double log_ell[2] = {0.1, -1.0 / 3.0};
    for (size_t i = 0; i < N; i++) {
        x[i] = sin(1.7 * (double)i);
        x[i + N] = 4.0;
        x[i + 2 * N] = 100.0 + cos(0.9 * (double)i);
        y[i] = (double)(i % 4);
        w[i] = 0.5 + 0.1 * (double)i;
    }
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson"), .jitter = 1e-7};
    tw_status status = tw_data_new(ctx, N, D, x, N, y, &parts.data);
    if (status == TW_OK) status = tw_data_set_column(parts.data, "exposure", w);
    if (status == TW_OK && !matrix)
        status = tw_kernel_simple(ctx, "matern32", 2, log_ell, 0.3, 0.1, 0.01, &parts.kernel);
    if (status == TW_OK && !matrix) status = tw_scaling_fit(parts.data, &parts.scaling);
    if (status == TW_OK && !matrix) status = tw_scaling_apply(parts.scaling, parts.data);
    if (status == TW_OK && matrix) {
        scratch_file file = scratch_write_text(".csv", "");
        FILE *to = fopen(file.path, "w");
        assert_non_null(to);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                fprintf(to, "%.17g%s", exp(-fabs((double)i - (double)j) / 3.0), j + 1 < N ? "," : "\n");
        fclose(to);
        size_t n = 0;
        double *k = NULL;
        status = tw_covariance_read_matrix(ctx, file.path, &n, &k);
        if (status == TW_OK) status = tw_kernel_given(ctx, n, k, &parts.kernel);
        scratch_remove(&file);
    }
    if (status == TW_OK) return tw_problem_new(ctx, &parts, out);
    tw_problem_parts_free(&parts);
    return status;
}

static fitted fit(tw_context *ctx, bool matrix)
{
    fitted f = {0};
    assert_int_equal(make_problem(ctx, matrix, &f.problem), TW_OK);
    assert_int_equal(tw_ep_fit(f.problem->model, NULL, &f.approximation), TW_OK);
    assert_true(f.approximation->converged);
    return f;
}

static void assert_same(size_t n, const double *a, const double *b)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static void assert_same_fit(const tw_approximation *a, const tw_approximation *b)
{
    assert_same(N, a->tau, b->tau);
    assert_same(N, a->nu, b->nu);
    assert_true(a->log_z == b->log_z && a->residual == b->residual);
    assert_int_equal(a->iterations, b->iterations);
    assert_true(b->converged && b->kind == TW_EP);
    for (size_t i = 0; i < N; i++) { /* q is rebuilt from its sites */
        assert_close(b->mean[i], a->mean[i], 1e-12, "mean");
        assert_close(b->variance[i], a->variance[i], 1e-12, "variance");
    }
}

static void assert_same_inputs(const tw_problem *a, const tw_problem *b)
{
    const tw_scaling *s = a->scaling, *t = b->scaling;
    assert_same(N * 2, a->data->x, b->data->x);
    assert_true(s->d_in == t->d_in && t->d_out == 2 && t->column[0] == 0 && t->column[1] == 2);
    assert_same(2, s->centre, t->centre);
    assert_same(2, s->scale, t->scale);
    assert_string_equal(tw_kernel_shape(b->kernel), "matern32");
    assert_true(tw_kernel_theta(b->kernel)[1] == -1.0 / 3.0 && tw_kernel_theta(b->kernel)[2] == 0.3);
}

/* To the bit, also where a parameter was given in natural units. */
static void assert_same_kernels(const tw_problem *a, const tw_problem *b)
{
    double k[2][N * N];
    assert_true(tw_kernel_same(a->kernel, b->kernel));
    assert_int_equal(tw_kernel_gram(a->kernel, N, a->data->d, a->data->x, N, k[0], N), TW_OK);
    assert_int_equal(tw_kernel_gram(b->kernel, N, b->data->d, b->data->x, N, k[1], N), TW_OK);
    assert_same((size_t)N * N, k[0], k[1]);
}

static void files_restore_to_the_bit(void **state)
{
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++) {
        tw_context *ctx = new_context();
        fitted a = fit(ctx, matrix), b = {0};
        scratch_file file = scratch_write_text(".json", "");
        assert_int_equal(tw_approximation_save(a.problem, a.approximation, file.path, false), TW_FILE_EXISTS);
        assert_int_equal(tw_approximation_save(a.problem, a.approximation, file.path, true), TW_OK);
        assert_int_equal(tw_approximation_load(ctx, file.path, &b.problem, &b.approximation), TW_OK);
        assert_int_equal(b.problem->data->n, N);
        assert_same(N, a.problem->data->y, b.problem->data->y);
        assert_same(N, tw_data_column(a.problem->data, "exposure"),
                    tw_data_column(b.problem->data, "exposure"));
        assert_ptr_equal(a.problem->likelihood, b.problem->likelihood);
        assert_true(a.problem->jitter == b.problem->jitter);
        assert_same_fit(a.approximation, b.approximation);
        assert_same_kernels(a.problem, b.problem);
        if (!matrix) assert_same_inputs(a.problem, b.problem);
        free_fitted(&a);
        free_fitted(&b);
        scratch_remove(&file);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

/* The whole text of a file, with room to spare. */
static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = malloc(1 << 16);
    assert_non_null(text);
    *length = fread(text, 1, (1 << 16) - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static char *saved_text(tw_context *ctx, bool matrix, scratch_file *file, size_t *length)
{
    fitted f = fit(ctx, matrix);
    *file = scratch_write_text(".json", "");
    assert_int_equal(tw_approximation_save(f.problem, f.approximation, file->path, true), TW_OK);
    free_fitted(&f);
    return read_text(file->path, length);
}

/* The text with the first `what` replaced. */
static char *replaced(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    if (!at) fail_msg("the file has no %s", what);
    size_t size = strlen(text) + strlen(by) + 1;
    char *changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    return changed;
}

/* What is changed in a file, and what is said of it. */
static const struct {
    const char *what, *by, *says;
} tampering[] = {
    {"talweg approximation", "another thing", "field \"format\" is not \"talweg approximation\""},
    {"\"version\": 2", "\"version\": 3", "field \"version\" is 3, but this talweg"},
    {"\"version\": 2", "\"version\": 1.5", "field \"version\" must be a whole number"},
    {"\"n\": 12", "\"n\": 13", "field \"y\" must have 13 numbers, not 12"},
    {"\"n\": 12", "\"n\": 0", "fields \"n\" and \"inputs\" are 0"},
    {"\"n\": 12", "\"n\": -4", "field \"n\" must be a whole number of at least 0"},
    {"\"n\": 12", "\"n\": \"12\"", "field \"n\" must be a whole number of at least 0"},
    {"\"inputs\": 2", "\"inputs\": 3", "field \"x\" must have 36 numbers, not 24"},
    {"\"inputs\": 2", "\"inputs\": 9007199254740993", "field \"inputs\" must be a whole number"},
    {"\"names\": null", "\"names\": [\"a\"]", "field \"names\" is not a name for each of the 2 inputs"},
    {"\"names\": null", "\"names\": [\"a\", 2]", "field \"names\": element 2 is not text"},
    {"poisson", "poissson", "field \"likelihood.name\" is \"poissson\", not one of"},
    {"\"poisson\"", "3", "field \"likelihood.name\" must be text, not a number"},
    {"\"columns\":{", "\"column\":{", "field \"likelihood.columns\" is missing"},
    {"\"exposure\":[", "\"exposures\":[",
     "field \"likelihood.columns\" has a column that the poisson likelihood does not"},
    {"\"exposure\":[", "\"exposure\":[1.0,", "field \"likelihood.columns.exposure\" must have 12 numbers"},
    {"matern32", "cubic", "field \"kernel\": unknown kernel \"cubic\""},
    {"variance=0.1", "variance=-0.1", "field \"kernel\": variance must be above 0"},
    {"variance=0.1", "variance=0.2", "field \"kernel\": theta has -2.3"},
    {"log_ell=(0.1, ", "log_ell=(0.1, 1, ", "field \"kernel\": 3 length scales were given for 2 inputs"},
    {"\"theta\": [", "\"theta\": [0.5,", "field \"kernel\": the kernel has 5 parameters, but theta has 6"},
    {"\"theta\": [", "\"theta\": null, \"z\": [", "field \"theta\""},
    {"\"columns\":[1,3]", "\"columns\":[3,1]", "field \"scaling.columns\": element 2 is 1"},
    {"\"columns\":[1,3]", "\"columns\":[1,4]", "field \"scaling.columns\": element 2 is 4"},
    {"\"columns\":[1,3]", "\"columns\":[1]", "field \"scaling.columns\" must have 2 numbers, not 1"},
    {"\"scale\":[0", "\"scale\":[-0", "field \"scaling.scale\": element 1"},
    {"\"y\": [", "\"y\": [true,", "field \"y\" must have 12 numbers, not 13"},
    {"\"y\": [0.0", "\"y\": [true", "field \"y\": element 1 must be a number, not true or false"},
    {"\"y\": [0.0", "\"y\": [-1.0", "observation 1 is -1"},
    {"\"kind\":\"ep\"", "\"kind\":\"map\"", "field \"approximation.kind\" is \"map\""},
    {"\"converged\":true", "\"converged\":1",
     "\"approximation.converged\" must be true or false, not a number"},
    {"\"tau\":[", "\"tau\":[-", "field \"approximation.tau\": element 1 is -"},
    {"\"tau\":[", "\"tau\":[1e999,", "real number overflow"},
    {"\"jitter\": ", "\"jitter\": NaN, \"z\": ", "not a saved approximation"},
    {"\"jitter\"", "\"n\"", "duplicate object key"},
};

static void tampering_is_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    scratch_file file;
    size_t length;
    char *text = saved_text(ctx, false, &file, &length);
    for (size_t i = 0; i < sizeof tampering / sizeof *tampering; i++) {
        fitted f = {0};
        char *changed = replaced(text, tampering[i].what, tampering[i].by);
        scratch_overwrite(&file, changed, strlen(changed));
        tw_status status = tw_approximation_load(ctx, file.path, &f.problem, &f.approximation);
        if (status != TW_BAD_DATA || !strstr(tw_context_message(ctx), tampering[i].says) ||
            strncmp(tw_context_message(ctx), file.path, strlen(file.path)) != 0)
            fail_msg("%s -> %s: %d, \"%s\" does not say \"%s\"", tampering[i].what, tampering[i].by,
                     (int)status, tw_context_message(ctx), tampering[i].says);
        assert_null(f.problem);
        free(changed);
    }
    free(text);
    scratch_remove(&file);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Cut anywhere, or with random bytes changed: refused or read, never a crash or a leak. */
static void damage_does_no_harm(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    uint64_t bits = 5;
    for (int matrix = 0; matrix < 2; matrix++) {
        scratch_file file;
        size_t length, refused = 0;
        char *text = saved_text(ctx, matrix, &file, &length);
        for (size_t trial = 0; trial < 600; trial++) {
            fitted f = {0};
            char *damaged = malloc(length);
            assert_non_null(damaged);
            memcpy(damaged, text, length);
            size_t kept = trial < 200 ? scratch_bits(&bits) % (length - 2) : length;
            for (size_t k = 0; trial >= 200 && k < 1 + trial % 3; k++)
                damaged[scratch_bits(&bits) % length] = (char)(32 + scratch_bits(&bits) % 95);
            scratch_overwrite(&file, damaged, kept);
            tw_status status = tw_approximation_load(ctx, file.path, &f.problem, &f.approximation);
            if (trial < 200) assert_int_equal(status, TW_BAD_DATA);
            refused += status != TW_OK;
            free_fitted(&f);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            free(damaged);
        }
        assert_true(refused > 300);
        free(text);
        scratch_remove(&file);
    }
    tw_context_free(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++) {
        tw_context *plain = new_context();
        scratch_file file;
        size_t length;
        free(saved_text(plain, matrix, &file, &length));
        tw_context_free(plain);
        size_t failures = 0;
        for (size_t n = 1;; n++) {
            failing_allocator allocator = {.fail_at = n};
            tw_context *ctx = failing_context(&allocator);
            fitted f = {0};
            tw_status status = tw_approximation_load(ctx, file.path, &f.problem, &f.approximation);
            bool reached = allocator.calls >= n;
            assert_int_equal(status, reached ? TW_NO_MEMORY : TW_OK);
            free_fitted(&f);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            tw_context_free(ctx);
            failures += reached;
            if (!reached) break;
        }
        assert_true(failures > 15);
        scratch_remove(&file);
    }
}

static void a_likelihood_of_one_s_own_is_not_saved(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    fitted f = fit(ctx, false);
    tw_likelihood own = *f.problem->likelihood;
    f.problem->likelihood = &own;
    scratch_file file = scratch_write_text(".json", "kept");
    assert_int_equal(tw_approximation_save(f.problem, f.approximation, file.path, true), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "is not built in"));
    scratch_remove(&file);
    free_fitted(&f);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_restore_to_the_bit),
        cmocka_unit_test(tampering_is_named),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_likelihood_of_one_s_own_is_not_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
