/*
 * help.h: what a command says about itself, once: `snag COMMAND --help`, the manual page and the
 * shells' completions are all made from it.
 *
 * A command's help function calls sn_help_page() (or sn_help_tell()); what comes of that depends on
 * who asked: a page for the screen, or the record itself (sn_help_of()).
 */
#ifndef SN_CMD_HELP_H
#define SN_CMD_HELP_H

#include <stdio.h>

#include "cmd/command.h"

enum sn_help_common {
    SN_COMMON_RUN,   /* all common options: the command runs a program */
    SN_COMMON_STORE, /* those about reports and the store */
    SN_COMMON_NONE,
};

/* Ownership: all strings are copies; sn_help_free() gives them back. */
struct sn_help {
    char *usage, *words,
        *example; /* lines of words that begin with a blank are shown as they are */
    const struct sn_option *own;
    enum sn_help_common common;
};

void sn_help_tell(const struct sn_help *h); /* strings are borrowed here */
struct sn_help sn_help_of(const struct sn_command *c);
void sn_help_free(struct sn_help *h);

/* Is this common option one of the command's? */
bool sn_help_takes(const struct sn_help *h, const struct sn_option *common);
/* "--name VALUE" as one types it. malloc. */
char *sn_help_option(const struct sn_option *o);

/* `snag help --all COMMAND`: everything; without it a page of at most 24 lines and 80 columns. */
void sn_help_print(FILE *out, const struct sn_help *h, bool all);
/* help_man.c: a manual page; the whole of snag(1) when c is null. */
void sn_help_man(FILE *out, const struct sn_command *c);
/* help_complete.c: "bash", "zsh" or "fish"; 0 or -EINVAL. */
int sn_help_complete(FILE *out, const char *shell);
/* "list|check" of a usage like "snag contracts list|check": the words that may come first. malloc;
 * null: none. */
char *sn_help_subcommands(const struct sn_help *h);

#endif
