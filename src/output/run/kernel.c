/* kernel.c: a kernel in the group constant_data of a run file.
 *
 *   kernel             attribute: its expression, without parameters that were not given; "matrix" for a given matrix
 *   theta(parameter)   its parameters; parameter: their names
 *   K(obs, other_obs)  a given matrix
 *
 * Files of format 1, which are still read, have the name of the shape as kernel ("" for a given matrix), and
 * log_ell or log_ell(input), log_sigma, constant and white instead of theta.
 */
#include "covariance/kernel.h"
#include "output/run/file.h"

/* ---- writing ---- */

static void put_theta(tw_nc_writer *w, int group, const tw_kernel *kernel)
{
    void *memory = NULL;
    size_t count = tw_kernel_count(kernel);
    if (count == 0) return;
    if (tw_allocate(w->ctx, count, sizeof(char *), "names of parameters", &memory) != TW_OK) {
        tw_nc_ok(w, NC_ENOMEM);
        return;
    }
    const char **names = memory;
    for (size_t j = 0; j < count; j++) names[j] = tw_kernel_parameter(kernel, j)->name;
    int parameter = tw_nc_names(w, group, "parameter", count, names);
    tw_nc_doubles(w, group, "theta", 1, &parameter, tw_kernel_theta(kernel));
    tw_release(w->ctx, memory);
}

void tw_kernel_put(tw_nc_writer *w, int group, int obs, const tw_kernel *kernel)
{
    char *expression = NULL;
    size_t n = 0;
    const double *matrix = tw_kernel_matrix(kernel, &n);
    if (tw_kernel_print_given(kernel, &expression) != TW_OK) {
        tw_nc_ok(w, NC_ENOMEM);
        return;
    }
    tw_nc_put_text(w, group, "kernel", expression);
    tw_release(w->ctx, expression);
    put_theta(w, group, kernel);
    if (!matrix) return;
    const int square[2] = {obs, tw_nc_index(w, group, "other_obs", n)};
    tw_nc_doubles(w, group, "K", 2, square, matrix);
}

/* ---- reading ---- */

static tw_status get_matrix(const tw_nc_reader *r, int group, size_t n, tw_kernel **out)
{
    const size_t square[2] = {n, n};
    int variable = -1;
    double *matrix = NULL;
    TW_TRY(tw_nc_find_variable(r, group, "K", 2, square, &variable));
    TW_TRY(tw_allocate_doubles(r->ctx, n, n, "the kernel matrix", &matrix));
    tw_status status = tw_nc_read_doubles(r, group, "K", 2, square, matrix);
    if (status == TW_OK) return tw_kernel_given(r->ctx, n, matrix, out);
    tw_release(r->ctx, matrix);
    return status;
}

static tw_status get_theta(const tw_nc_reader *r, int group, const char *expression, const tw_data *data,
                           tw_kernel **out)
{
    size_t count = 0;
    double *theta = NULL;
    if (tw_nc_has_variable(group, "theta")) {
        TW_TRY(tw_nc_dimension(r, group, "parameter", &count));
        TW_TRY(tw_nc_read_vector(r, group, "theta", count, &theta));
    }
    tw_status status = tw_kernel_restore(r->ctx, expression, data, count, theta, out);
    tw_release(r->ctx, theta);
    return status == TW_OK ? TW_OK : tw_fail_within(r->ctx, status, "constant_data: ");
}

/* For files of format 1. */
static tw_status get_simple(const tw_nc_reader *r, int group, const char *shape, size_t d, tw_kernel **out)
{
    double log_sigma = 0.0, constant = 0.0, white = 0.0, *log_ell = NULL;
    int rank = 0, variable = -1;
    TW_TRY(tw_nc_read_doubles(r, group, "log_sigma", 0, NULL, &log_sigma));
    TW_TRY(tw_nc_read_doubles(r, group, "constant", 0, NULL, &constant));
    TW_TRY(tw_nc_read_doubles(r, group, "white", 0, NULL, &white));
    if (nc_inq_varid(group, "log_ell", &variable) == NC_NOERR) nc_inq_varndims(group, variable, &rank);
    size_t scales = rank == 1 ? d : 1;
    TW_TRY(tw_allocate_doubles(r->ctx, scales, 1, "the length scales", &log_ell));
    tw_status status = tw_nc_read_doubles(r, group, "log_ell", rank == 1 ? 1 : 0, &d, log_ell);
    if (status == TW_OK)
        status = tw_kernel_simple(r->ctx, shape, scales, log_ell, log_sigma, constant, white, out);
    tw_release(r->ctx, log_ell);
    return status == TW_BAD_ARGUMENT ? TW_BAD_DATA : status;
}

tw_status tw_kernel_get(const tw_nc_reader *r, int group, const tw_data *data, tw_kernel **out)
{
    uint64_t format = 0;
    char *text = NULL;
    TW_TRY(tw_nc_count(r, r->file, "talweg_run_format", &format));
    TW_TRY(tw_nc_text(r, group, "kernel", &text));
    tw_status status = tw_nc_has_variable(group, "K") ? get_matrix(r, group, data->n, out)
                       : format == 1                  ? get_simple(r, group, text, data->d, out)
                                                      : get_theta(r, group, text, data, out);
    tw_release(r->ctx, text);
    return status;
}
