/* stale_files.h: removal of the unfinished files of killed processes. */
#ifndef TALWEG_CLI_STALE_FILES_H
#define TALWEG_CLI_STALE_FILES_H

/* Remove the unfinished files PATH.PID.N.part of tw_writer whose process has ended. */
void tw_remove_stale_files(const char *path);

#endif
