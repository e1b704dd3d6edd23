/* thread_team.h: a team whose members are threads of one program. */
#ifndef TALWEG_TESTS_THREAD_TEAM_H
#define TALWEG_TESTS_THREAD_TEAM_H

#include "talweg/team.h"

enum { MOST_MEMBERS = 8 };

/* Run work(user, team) on `size` threads, each with its own team. */
void run_team(size_t size, void (*work)(void *user, const tw_team *team), void *user);

#endif
