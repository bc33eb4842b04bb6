/*
 * options.h: the command line's options, as tables. The common ones stand in options.c; a command's
 * own stand in its file, in an array sn_options_IDENT that ends with SN_OPTION_END:
 *
 *     static const char *detector = "fasttrack";
 *     const struct sn_option sn_options_race[] = {
 *         SN_OPTION_CHOICE("detector", &detector, "fasttrack|hybrid", "which detector"),
 *         SN_OPTION_END,
 *     };
 *
 * `--name value`, `--name=value`, for a flag `--name` or `--name=no`; a one-letter name takes one
 * dash. SNAG_OPTIONS="name=value name …" is read first, so the command line wins; what is an option
 * of some other command is skipped there, so that one setting serves a whole test run.
 */
#ifndef SN_CMD_OPTIONS_H
#define SN_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/words.h"

enum sn_option_type {
    SN_OPT_END,
    SN_OPT_FLAG,   /* bool */
    SN_OPT_NUMBER, /* int64_t */
    SN_OPT_REAL,   /* double */
    SN_OPT_TEXT,   /* const char * */
    SN_OPT_CHOICE, /* const char *, one of the words of `value` */
    SN_OPT_LIST,   /* struct sn_words: may be given many times */
    SN_OPT_CLEAR,  /* const char *, set to null: --no-store */
};

struct sn_option {
    const char *name;
    enum sn_option_type type;
    void *to;
    const char *value; /* its word in the help: "N", "FILE", or the choices "a|b" */
    const char *help;
    int64_t min, max; /* of a number */
};

/* The address, which must be that of a `type`. */
#define SN_OPTION_TO(type, to) (1 ? (to) : (type *)0)
#define SN_OPTION_FLAG(name, to, help)                                                             \
    {                                                                                              \
        name, SN_OPT_FLAG, SN_OPTION_TO(bool, to), 0, help, 0, 0                                   \
    }
#define SN_OPTION_NUMBER(name, to, min, max, value, help)                                          \
    {                                                                                              \
        name, SN_OPT_NUMBER, SN_OPTION_TO(int64_t, to), value, help, min, max                      \
    }
#define SN_OPTION_REAL(name, to, value, help)                                                      \
    {                                                                                              \
        name, SN_OPT_REAL, SN_OPTION_TO(double, to), value, help, 0, 0                             \
    }
#define SN_OPTION_TEXT(name, to, value, help)                                                      \
    {                                                                                              \
        name, SN_OPT_TEXT, SN_OPTION_TO(const char *, to), value, help, 0, 0                       \
    }
#define SN_OPTION_CHOICE(name, to, choices, help)                                                  \
    {                                                                                              \
        name, SN_OPT_CHOICE, SN_OPTION_TO(const char *, to), choices, help, 0, 0                   \
    }
#define SN_OPTION_LIST(name, to, value, help)                                                      \
    {                                                                                              \
        name, SN_OPT_LIST, SN_OPTION_TO(struct sn_words, to), value, help, 0, 0                    \
    }
#define SN_OPTION_END                                                                              \
    {                                                                                              \
        0, SN_OPT_END, 0, 0, 0, 0, 0                                                               \
    }

/* What every command takes (CLI.md). */
struct sn_common {
    const char *json, *sarif, *junit, *html;
    const char *store; /* null: --no-store */
    int64_t seed, runs, exitcode, jobs;
    double timeout_s; /* 0: none */
    const char *suppressions, *baseline;
    bool stats, quiet;
    const char *color;
};

extern struct sn_common sn_common;
extern const struct sn_option sn_common_options[];
/* From here on the common options concern commands that run a program. */
#define SN_FIRST_RUN_OPTION 12

/* Reads the options in front of the first word that is none (or after `--`); its index goes to
 * *first. 0, or SN_EXIT_FAILED after a message. `--help` prints the command's page and exits. */
int sn_options_read(int argc, char **argv, const struct sn_option *own, int *first);
/* The same for commands without a program: options may stand anywhere, the other words go to
 * `rest`. */
int sn_options_read_mixed(int argc, char **argv, const struct sn_option *own,
                          struct sn_words *rest);
/* One setting, as SNAG_OPTIONS has it: "name=value" or "name". 0, -ENOENT when no such option, or
 * -EINVAL with a sentence in *why (malloc). A text option points into `setting` afterwards. */
int sn_option_set(const struct sn_option *own, const char *setting, char **why);
/* The option whose name is nearest to `name`, or null when none is near. */
const char *sn_option_nearest(const struct sn_option *own, const char *name);

/* What the command says about itself (help.h): usage, words, its own options, whether it runs a
 * program, an example. `--help` shows at most 24 lines of it. */
void sn_help_page(const char *usage, const char *words, const struct sn_option *own,
                  bool runs_program, const char *example);

#endif
