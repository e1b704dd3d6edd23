/* predict_joint.c: --joint: writes joint draws of the latent function at all new inputs to a CSV file, one
 * row for each draw of the run: chain, draw, f.1, f.2, ... */
#include <stdio.h>

#include "cli/predict.h"
#include "talweg/base.h"
#include "talweg/files.h"

enum { ROWS = 256 };

static void write_header(size_t m, FILE *to)
{
    fprintf(to, "chain,draw");
    for (size_t j = 0; j < m; j++) fprintf(to, ",f.%zu", j + 1);
    fputc('\n', to);
}

/* Write draws first .. first + rows - 1 of a chain; f has room for m x ROWS numbers. */
static tw_status write_rows(const tw_prediction *p, tw_joint *joint, size_t chain, size_t first, size_t rows,
                            double *f, FILE *to)
{
    TW_TRY(tw_joint_draws(joint, chain, first, rows, f));
    for (size_t i = 0; i < rows; i++) {
        fprintf(to, "%zu,%zu,", chain + 1, first + i + 1);
        TW_TRY(tw_csv_numbers(p->ctx, p->at.m, f + i * p->at.m, to));
        fputc('\n', to);
    }
    return TW_OK;
}

static tw_status write_all(const tw_prediction *p, tw_joint *joint, double *f, FILE *to)
{
    write_header(p->at.m, to);
    for (size_t chain = 0; chain < p->chains; chain++)
        for (size_t first = 0; first < p->length; first += ROWS) {
            size_t left = p->length - first;
            TW_TRY(write_rows(p, joint, chain, first, left < ROWS ? left : ROWS, f, to));
        }
    return TW_OK;
}

tw_status tw_predict_joint_check(const tw_predict_options *options, const tw_prediction *p)
{
    if (!options->joint) return TW_OK;
    TW_TRY(tw_writer_hold(p->ctx, options->joint, options->output.force));
    if (!p->draws || p->at.cross)
        return tw_fail(p->ctx, TW_BAD_ARGUMENT, "--joint needs a run with draws, made with a kernel: %s",
                       p->draws ? "this run was made with --kernel-matrix" : "FROM is an approximation");
    if (p->places)
        return tw_fail(p->ctx, TW_BAD_ARGUMENT,
                       "--joint needs a run at known parameters: sample with --fix all");
    return TW_OK;
}

tw_status tw_predict_joint_write(const tw_predict_options *options, const tw_prediction *p)
{
    tw_joint *joint = NULL;
    tw_writer *writer = NULL;
    double *f = NULL;
    if (!options->joint) return TW_OK;
    tw_status status =
        tw_joint_new(p->draws, p->problem->kernel, p->problem->data, p->at.data, options->seed, &joint);
    if (status == TW_OK) status = tw_allocate_doubles(p->ctx, p->at.m, ROWS, "joint draws", &f);
    if (status == TW_OK) status = tw_writer_open(p->ctx, options->joint, options->output.force, &writer);
    if (status == TW_OK) status = write_all(p, joint, f, tw_writer_stream(writer));
    if (writer) status = tw_writer_close(writer, status);
    tw_release(p->ctx, f);
    tw_joint_free(joint);
    return status;
}
