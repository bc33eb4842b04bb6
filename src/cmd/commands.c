/* commands.c: the table of sub-commands, `snag help` and `snag --version`. */
#include "cmd/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "campaign/unit.h"
#include "cmd/help.h"
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

int sn_command_unknown(const char *name)
{
    const char *best = NULL;
    size_t distance = strlen(name) / 3 + 2; /* farther is no help */
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        size_t d = sn_word_distance(name, c->name);
        if (d < distance) {
            distance = d;
            best = c->name;
        }
    }
    if (best)
        return sn_fail("no command '%s'; did you mean %s? (snag help lists them)", name, best);
    return sn_fail("no command '%s'; snag help lists them", name);
}

static void help_all(FILE *out)
{
    fprintf(out, "snag finds concurrency bugs in C and C++ programs. usage: snag COMMAND …\n\n");
    for (const struct sn_command *c = sn_commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "  %-10s %s\n", "help", "this page; snag help COMMAND for one command");
    fprintf(out, "\nExample: snag cc -g -pthread -o prog prog.c && snag hunt ./prog\n");
}

static void help_first(FILE *out)
{
    fputs("snag finds concurrency bugs in C and C++ programs. Begin with\n\n"
          "  snag cc -g -pthread -o prog prog.c     your compiler, instrumenting (make CC=\"snag cc\")\n"
          "  snag hunt ./prog                       find, confirm, minimise, report\n"
          "  snag replay 1                          make finding 1 happen again\n\n"
          "or, without a rebuild, with\n\n"
          "  snag run ./prog                        library calls that must not overlap, deadlocks\n\n"
          "snag help lists all commands; snag help COMMAND explains one.\n",
          out);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int print_man(const char *name)
{
    const struct sn_command *c = name ? sn_command_find(name) : NULL;
    if (name && !c)
        return sn_command_unknown(name);
    sn_help_man(stdout, c);
    return 0;
}

/* The names of all commands, a line each, for scripts. */
static int print_names(void)
{
    for (const struct sn_command *c = sn_commands; c->name; c++)
        puts(c->name);
    return 0;
}

static int help(int argc, char **argv)
{
    const char *word = argc > 2 ? argv[2] : NULL, *next = argc > 3 ? argv[3] : NULL;
    if (!word)
        return help_all(stdout), 0;
    if (strcmp(word, "--names") == 0)
        return print_names();
    if (strcmp(word, "--man") == 0)
        return print_man(next);
    if (strcmp(word, "--complete") == 0)
        return next && sn_help_complete(stdout, next) == 0
                   ? 0
                   : sn_fail("snag help --complete takes bash, zsh or fish");
    bool all = strcmp(word, "--all") == 0;
    if (all && !next)
        return help_all(stdout), 0;
    return sn_help_command(all ? next : word, all || (next && strcmp(next, "--all") == 0));
}

static int run(int argc, char **argv)
{
    sn_command_line = argv;
    if (argc < 2) {
        help_first(stderr);
        return SN_EXIT_FAILED;
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        printf("snag %s\n", SNAG_VERSION);
        return 0;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return help(argc, argv);
    const struct sn_command *c = sn_command_find(argv[1]);
    if (!c)
        return sn_command_unknown(argv[1]);
    if (sn_unit_wanted())
        return sn_unit_main(c->run, argc - 1, argv + 1);
    return c->run(argc - 1, argv + 1);
}

int sn_main(int argc, char **argv)
{
    int status = run(argc, argv), error = fflush(stdout) == 0 ? 0 : errno;
    if ((!error && !ferror(stdout)) || status == SN_EXIT_FAILED)
        return status;
    sn_say("not all could be written to stdout%s%s", error ? ": " : "",
           error ? strerror(error) : "");
    return SN_EXIT_FAILED;
}
