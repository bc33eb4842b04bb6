/*
 * say.h: the command's own words to the user, on stderr, one line each, "snag: " in front. A
 * command that fails says so once, in words that tell what to do, and returns SN_EXIT_FAILED.
 */
#ifndef SN_CMD_SAY_H
#define SN_CMD_SAY_H

void sn_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and returns SN_EXIT_FAILED: `return sn_fail("…")`. */
int sn_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
