/* setting.h: observations for any built-in likelihood: every value that it supports, with columns and
 * parameters over their ranges. A new likelihood is tested with them as soon as it is in the list. */
#ifndef TALWEG_TESTS_SETTING_H
#define TALWEG_TESTS_SETTING_H

#include "talweg/likelihood.h"

enum { SETTING_VARIANTS = 4, SETTING_PARAMETERS = 8, SETTING_Y = 10, SETTING_SITES = 16 };

/* Candidates for observations. */
extern const double setting_y[SETTING_Y];

/* One observation with its constants and parameters. Call setting_aim after copying one. */
typedef struct setting {
    const tw_likelihood *likelihood;
    double y, column[TW_COLUMNS], phi[SETTING_PARAMETERS];
    bool given[TW_COLUMNS]; /* which columns are given */
    tw_observations o;
} setting;

/* Flags keep their defaults, since a censored observation is not a density of y. Every other variant gives
 * only the required columns. */
setting setting_of(const tw_likelihood *likelihood, int variant);

/* The observation in the form that the likelihood's functions take. */
const tw_observations *setting_aim(setting *s);

/* Set y; returns whether the likelihood supports it. */
bool setting_supports(setting *s, double y);

/* n <= SETTING_SITES different observations, also in their flags; `room` holds their arrays. */
typedef struct setting_room {
    double y[SETTING_SITES], column[TW_COLUMNS][SETTING_SITES], phi[SETTING_PARAMETERS];
} setting_room;
tw_observations setting_observations(const tw_likelihood *likelihood, int variant, size_t n,
                                     setting_room *room);

#endif
