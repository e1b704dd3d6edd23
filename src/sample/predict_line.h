/* predict_line.h: what the files about lines share (predict_line.c, predict_reach.c). */
#ifndef TALWEG_SAMPLE_PREDICT_LINE_H
#define TALWEG_SAMPLE_PREDICT_LINE_H

#include "sample/predict.h"

enum { TW_LINE_NODES = 2049 };

/* What the averages of a case are of, besides p(label), which is bounded. */
typedef enum tw_line_kind { TW_LINE_MEAN, TW_LINE_SQUARE, TW_LINE_KINDS } tw_line_kind;

struct tw_line {
    tw_new_case *c;
    size_t chains, draws, stride; /* draws of a chain that could be used; every stride-th of them is */
    size_t count;                 /* lines through each chain */
    bool two_classes, labelled, failed;
    double norm, step, low;
    size_t nodes;
    double *mean, *square, *log_p;        /* at the nodes: E[y], var[y] + (E[y] - origin)^2, log p(label) */
    double *weight;                       /* at the nodes: h(t) */
    double *means, *squares, *log_scores; /* of each line */
    double
        beyond[TW_LINE_KINDS]; /* predict_reach.c: E[M^2] / E[M]^2 of the integrals M of lines; 0: unknown */
};

/* The sites that change along a line: their observations, their slopes, w, x, and log p(y | x). */
typedef struct tw_active {
    tw_observations sites;
    double *slope, *w, *x, *value;
} tw_active;

/* Take them for the line through x, whose t is given; `work` holds tw_line_work(n) numbers. */
tw_active tw_line_take_active(const tw_line_place *place, const double *x, double t, double *work);

/* log h(t), without constants. */
double tw_line_log_density(const tw_active *a, double t);

/* Set line->beyond for the averages that are heavy, for a case with the whitened covariances u. */
tw_status tw_line_reach(tw_draws_predictor *p, tw_line *line, const tw_line_place *place, const double *u);

#endif
