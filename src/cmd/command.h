/*
 * command.h: one file per sub-command, one line per command in commands.def.
 */
#ifndef SN_CMD_COMMAND_H
#define SN_CMD_COMMAND_H

#define SN_EXIT_FOUND 66
#define SN_EXIT_FAILED 125
#define SN_EXIT_CANNOT_EXEC 126
#define SN_EXIT_NOT_FOUND 127

struct sn_command {
    const char *name;
    const char *summary;              /* one line for `snag help` */
    int (*run)(int argc, char **argv); /* argv[0] is the sub-command; returns the exit status */
    void (*help)(void);               /* fits a screen, with an example */
};

#define SN_COMMAND(name, ident, summary)                                                           \
    int sn_cmd_##ident(int argc, char **argv);                                                     \
    void sn_help_##ident(void);
#include "cmd/commands.def"
#undef SN_COMMAND

#endif
