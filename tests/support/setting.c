/* setting.c: settings of all likelihoods; see setting.h. */
#include "support/setting.h"

#include <string.h>

#include "support/support.h"

const double setting_y[SETTING_Y] = {-1.0, 1.0, 0.0, 2.0, 3.0, 17.0, 0.4, -2.3, 5.0, 7.0};

const tw_observations *setting_aim(setting *s)
{
    s->o = (tw_observations){.likelihood = s->likelihood, .phi = s->phi, .n = 1, .y = &s->y};
    for (size_t k = 0; k < s->likelihood->columns; k++) s->o.column[k] = s->given[k] ? &s->column[k] : NULL;
    return &s->o;
}

static double column_value(tw_range range, int variant)
{
    static const double any[] = {0.0, -0.7, 0.0, 1.2}, positive[] = {1.0, 0.3, 1.0, 4.0},
                        count[] = {17.0, 25.0, 30.0, 40.0};
    return range == TW_RANGE_POSITIVE ? positive[variant]
           : range == TW_RANGE_COUNT  ? count[variant]
                                      : any[variant];
}

setting setting_of(const tw_likelihood *likelihood, int variant)
{
    static const double away[] = {0.0, -0.8, 0.6, -0.3};
    setting s = {.likelihood = likelihood};
    for (size_t k = 0; k < likelihood->columns; k++) {
        const tw_column *column = &likelihood->column[k];
        s.given[k] = column->required || (variant % 2 && column->range != TW_RANGE_FLAG);
        s.column[k] = column_value(column->range, variant);
    }
    for (size_t k = 0; k < likelihood->parameters; k++)
        s.phi[k] =
            tw_parameter_theta(&likelihood->parameter[k], likelihood->parameter[k].initial) + away[variant];
    return s;
}

bool setting_supports(setting *s, double y)
{
    s->y = y;
    return s->likelihood->supports(setting_aim(s), 0);
}

tw_observations setting_observations(const tw_likelihood *likelihood, int variant, size_t n,
                                     setting_room *room)
{
    setting s = setting_of(likelihood, variant);
    tw_observations out = {.likelihood = likelihood, .phi = room->phi, .n = n, .y = room->y};
    assert_true(n <= SETTING_SITES && likelihood->parameters <= SETTING_PARAMETERS);
    memcpy(room->phi, s.phi, sizeof s.phi);
    for (size_t i = 0, next = 0; i < n; i++) {
        while (!setting_supports(&s, setting_y[next % SETTING_Y])) next++;
        room->y[i] = setting_y[next++ % SETTING_Y];
    }
    for (size_t k = 0; k < likelihood->columns; k++) {
        bool flag = likelihood->column[k].range == TW_RANGE_FLAG;
        for (size_t i = 0; i < n; i++) room->column[k][i] = flag ? (double)(i % 2) : s.column[k];
        out.column[k] = s.given[k] || (flag && variant % 2) ? room->column[k] : NULL;
    }
    return out;
}
