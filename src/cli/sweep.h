/* sweep.h: what a killed process left of a file that it was writing. */
#ifndef TALWEG_CLI_SWEEP_H
#define TALWEG_CLI_SWEEP_H

/* Remove the unfinished files beside `path`, PATH.PID.N.part as tw_writer names them, of processes that are no more. */
void tw_sweep(const char *path);

#endif
