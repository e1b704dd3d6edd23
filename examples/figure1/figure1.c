/* figure1.c: the trajectories of HMC and RMHMC from one start, on a mixture of three correlated Gaussians.
 *
 *   figure1 DIRECTORY
 *
 * Both use the same number of steps and the same random numbers; each has a step size at which nearly every
 * trajectory from that start is accepted. Writes into DIRECTORY, for plot.gp:
 *   density.dat               x y p(x, y), on a grid
 *   hmc.dat, rmhmc.dat        step x y H-H0, along one trajectory
 *   hmc_ends.dat, ...         x y, the ends of accepted trajectories with other momenta
 * and prints a table with the averages over all momenta.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <talweg/talweg.h>

#include "mixture.h"

enum { STEPS = 12, MOMENTA = 1000, ENDS_SHOWN = 200, GRID = 161 };

static const double START[2] = {-2.35, -1.7};
static const uint64_t SEED = 2016, SHOWN = 0; /* SHOWN: the momentum whose trajectory is drawn */

typedef struct sampler {
    const char *name;
    tw_general_metric metric;
    double eps;
} sampler;

static const sampler SAMPLERS[] = {{"hmc", TW_GENERAL_CONSTANT, 0.12}, {"rmhmc", TW_GENERAL_SOFTABS, 0.3}};

/* DIRECTORY/NAME SUFFIX, open for writing; the program ends if that fails. */
static FILE *open_file(const char *directory, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void close_file(FILE *file)
{
    if (ferror(file) || fclose(file) != 0) {
        perror("figure1");
        exit(1);
    }
}

/* End the program with the message of a call that failed. */
static void check(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "figure1: %s: %s\n", tw_status_text(status), ctx ? tw_context_message(ctx) : "");
    exit(tw_status_exit_code(status));
}

static void write_density(const char *directory, const tw_general_target *target)
{
    FILE *file = open_file(directory, "density", ".dat");
    for (int j = 0; j < GRID; j++) {
        for (int i = 0; i < GRID; i++) {
            double x[2] = {-5.0 + 10.0 * i / (GRID - 1), -5.0 + 10.0 * j / (GRID - 1)};
            fprintf(file, "%.4f %.4f %.6g\n", x[0], x[1], exp(target->value(target->user, x)));
        }
        fprintf(file, "\n");
    }
    close_file(file);
}

/* Write one trajectory; returns the largest |H - H0|. */
static double write_trajectory(const char *directory, tw_context *ctx, tw_general *g, const char *name)
{
    FILE *file = open_file(directory, name, ".dat");
    check(ctx, tw_general_set_position(g, START));
    tw_general_draw_momentum(g, SEED, 0, SHOWN);
    const double *x = tw_general_position(g);
    double start = tw_general_energy(g), worst = 0.0;
    for (int i = 0; i <= STEPS; i++) {
        double error = tw_general_energy(g) - start;
        fprintf(file, "%d %.6f %.6f %.3e\n", i, x[0], x[1], error);
        worst = fmax(worst, fabs(error));
        if (i < STEPS && tw_general_step(g) != TW_GENERAL_FINE) {
            fprintf(stderr, "figure1: %s: step %d failed\n", name, i + 1);
            exit(2);
        }
    }
    close_file(file);
    return worst;
}

/* Transitions with many momenta: the ends of the first ones, the acceptance rate, and the mean distance moved,
 * where a rejection counts as no move. */
static void write_ends(const char *directory, tw_context *ctx, tw_general *g, const char *name,
                       double *acceptance, double *moved)
{
    FILE *file = open_file(directory, name, "_ends.dat");
    *acceptance = *moved = 0.0;
    for (uint64_t k = 0; k < MOMENTA; k++) {
        check(ctx, tw_general_set_position(g, START));
        tw_general_record record = tw_general_transition(g, STEPS, SEED, 0, k);
        const double *x = tw_general_position(g);
        *acceptance += record.accepted ? 1.0 / MOMENTA : 0.0;
        *moved += hypot(x[0] - START[0], x[1] - START[1]) / MOMENTA;
        if (k < ENDS_SHOWN && record.accepted) fprintf(file, "%.4f %.4f\n", x[0], x[1]);
    }
    close_file(file);
}

static void run(const char *directory, tw_context *ctx, const tw_general_target *target, const sampler *s)
{
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = s->metric;
    options.eps = s->eps;
    options.alpha = 2.0;
    tw_general *g = NULL;
    check(ctx, tw_general_new(ctx, target, &options, &g));
    double acceptance, moved, worst = write_trajectory(directory, ctx, g, s->name);
    write_ends(directory, ctx, g, s->name, &acceptance, &moved);
    printf("%-8s %6.2f %8d %14.3f %12.3f %12.2f\n", s->name, s->eps, STEPS, worst, acceptance, moved);
    tw_general_free(g);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: figure1 DIRECTORY\n");
        return 1;
    }
    tw_context *ctx = NULL;
    check(NULL, tw_context_new(NULL, &ctx));
    mixture m = mixture_of_figure1();
    tw_general_target target = mixture_target(&m);
    write_density(argv[1], &target);
    printf("sampler     eps    steps  max |H - H0|   acceptance   mean move\n");
    for (size_t i = 0; i < sizeof SAMPLERS / sizeof SAMPLERS[0]; i++)
        run(argv[1], ctx, &target, &SAMPLERS[i]);
    tw_context_free(ctx);
    return 0;
}
