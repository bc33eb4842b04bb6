/* commands.c: the table of sub-commands, `snag help` and `snag --version`. */
#include "cmd/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "campaign/unit.h"
#include "cmd/say.h"

char **sn_command_line;

const struct sn_command sn_commands[] = {
#define SN_COMMAND(name, ident, summary)                                                           \
    {name, summary, sn_cmd_##ident, sn_help_##ident, sn_options_##ident},
#include "cmd/commands.def"
#undef SN_COMMAND
    {0, 0, 0, 0, 0},
};

const struct sn_command *sn_command_find(const char *name)
{
    for (const struct sn_command *c = sn_commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

int sn_help_command(const char *name)
{
    const struct sn_command *c = sn_command_find(name);
    if (!c)
        return sn_fail("no command '%s'; snag help lists them", name);
    c->help();
    return 0;
}

static void help_all(FILE *out)
{
    fprintf(out, "snag finds concurrency bugs in C and C++ programs.\n\nusage: snag COMMAND …\n\n");
    for (const struct sn_command *c = sn_commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "  %-10s %s\n", "help", "this page; snag help COMMAND for one command");
    fprintf(out, "\nExample:\n  snag cc -o prog prog.c && snag race ./prog\n");
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int sn_main(int argc, char **argv)
{
    sn_command_line = argv;
    if (argc < 2) {
        help_all(stderr);
        return SN_EXIT_FAILED;
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        printf("snag %s\n", SNAG_VERSION);
        return 0;
    }
    if (is_one_of(argv[1], "help", "--help", "-h")) {
        if (argc > 2)
            return sn_help_command(argv[2]);
        help_all(stdout);
        return 0;
    }
    const struct sn_command *c = sn_command_find(argv[1]);
    if (!c)
        return sn_fail("no command '%s'; snag help lists them", argv[1]);
    if (sn_unit_wanted())
        return sn_unit_main(c->run, argc - 1, argv + 1);
    return c->run(argc - 1, argv + 1);
}
