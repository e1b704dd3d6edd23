/* setting.h: observations of any likelihood of the list: whatever it supports, with columns and parameters that go through
 * their ranges. A new likelihood is tested with them as soon as it is listed. */
#ifndef TALWEG_TESTS_SETTING_H
#define TALWEG_TESTS_SETTING_H

#include "talweg/likelihood.h"

enum { SETTING_VARIANTS = 4, SETTING_PARAMETERS = 8, SETTING_Y = 10, SETTING_SITES = 16 };

/* What may be an observation. */
extern const double setting_y[SETTING_Y];

/* One observation with its constants and parameters. Copies need `aim`. */
typedef struct setting {
    const tw_likelihood *likelihood;
    double y, column[TW_COLUMNS], phi[SETTING_PARAMETERS];
    bool given[TW_COLUMNS]; /* which columns are */
    tw_observations o;
} setting;

/* Flags stay as they are by default: a censored observation is no density of y. Every other variant gives only the
 * columns that it must. */
setting setting_of(const tw_likelihood *likelihood, int variant);

/* The observation as the likelihood's functions take it. */
const tw_observations *setting_aim(setting *s);

/* Set y: may it be observed? */
bool setting_supports(setting *s, double y);

/* n <= SETTING_SITES observations that differ, flags too; what they point to is in room. */
typedef struct setting_room {
    double y[SETTING_SITES], column[TW_COLUMNS][SETTING_SITES], phi[SETTING_PARAMETERS];
} setting_room;
tw_observations setting_observations(const tw_likelihood *likelihood, int variant, size_t n,
                                     setting_room *room);

#endif
