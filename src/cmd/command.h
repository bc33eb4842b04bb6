/*
 * command.h: one file per sub-command, one line per command in commands.def.
 */
#ifndef SN_CMD_COMMAND_H
#define SN_CMD_COMMAND_H

#include "cmd/options.h"

#define SN_EXIT_FOUND 66
#define SN_EXIT_FAILED 125
#define SN_EXIT_CANNOT_EXEC 126
#define SN_EXIT_NOT_FOUND 127

struct sn_command {
    const char *name;
    const char *summary;               /* one line for `snag help` */
    int (*run)(int argc, char **argv); /* argv[0] is the sub-command; returns the exit status */
    void (*help)(void);                /* fits a screen, with an example */
    const struct sn_option *options;   /* its own; null: none */
};

extern const struct sn_command sn_commands[]; /* ends with a null name */
extern char **sn_command_line;                /* argv of snag itself */

/* The command with that name, or null. */
const struct sn_command *sn_command_find(const char *name);
/* SN_EXIT_FAILED, after a message that names the nearest command. */
int sn_command_unknown(const char *name);
/* Prints the command's page, all of it or what fits a screen. SN_EXIT_FAILED, after a message, when
 * there is no such command. */
int sn_help_command(const char *name, bool all);
/* The whole of main(). */
int sn_main(int argc, char **argv);

/* A command without options of its own defines no table: the weak reference is then null. */
#define SN_COMMAND(name, ident, summary)                                                           \
    int sn_cmd_##ident(int argc, char **argv);                                                     \
    void sn_help_##ident(void);                                                                    \
    extern const struct sn_option sn_options_##ident[] __attribute__((weak));
#include "cmd/commands.def"
#undef SN_COMMAND

#endif
