/*
 * help_complete.c: completions for bash, zsh and fish out of the tables of commands and options.
 * `snag help --complete SHELL`; the build writes them all. Values that are one of some words are
 * completed as these, FILE and DIR as files; after the program's name the shell completes as ever.
 */
#include "cmd/help.h"

#include <errno.h>
#include <string.h>

#include "store/xalloc.h"

static void each_option(const struct sn_help *h, void (*fn)(FILE *out, const struct sn_option *o),
                        FILE *out)
{
    for (const struct sn_option *o = h->own; o && o->name; o++)
        fn(out, o);
    for (const struct sn_option *o = sn_common_options; o->name; o++)
        if (sn_help_takes(h, o))
            fn(out, o);
}

static void put_with_blanks(FILE *out, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

/* ---- bash ---- */

static void bash_name(FILE *out, const struct sn_option *o)
{
    fprintf(out, " %s%s", o->name[1] ? "--" : "-", o->name);
}

static void bash_value(FILE *out, const struct sn_option *o)
{
    if (o->type != SN_OPT_CHOICE)
        return;
    fprintf(out, "    --%s) COMPREPLY=($(compgen -W \"", o->name);
    put_with_blanks(out, o->value);
    fputs("\" -- \"$cur\")); return ;;\n", out);
}

static void bash(FILE *out)
{
    fputs("# bash completion for snag, made by `snag help --complete bash`\n_snag()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local commands=\"",
          out);
    for (const struct sn_command *c = sn_commands; c->name; c++)
        fprintf(out, "%s ", c->name);
    fputs("help --version\" options= words=\n"
          "    if [ \"$COMP_CWORD\" = 1 ] || [ \"$prev\" = help ]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]}:$prev in\n",
          out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        struct sn_help h = sn_help_of(c);
        for (const struct sn_option *o = h.own; o && o->name; o++)
            if (o->type == SN_OPT_CHOICE) {
                fprintf(out, "    %s:--%s) COMPREPLY=($(compgen -W \"", c->name, o->name);
                put_with_blanks(out, o->value);
                fputs("\" -- \"$cur\")); return ;;\n", out);
            }
        sn_help_free(&h);
    }
    fputs("    esac\n    case $prev in\n", out);
    for (const struct sn_option *o = sn_common_options; o->name; o++)
        bash_value(out, o);
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        struct sn_help h = sn_help_of(c);
        char *sub = sn_help_subcommands(&h);
        fprintf(out, "    %s) options=\"", c->name);
        each_option(&h, bash_name, out);
        fputs(" --help\" words=\"", out);
        put_with_blanks(out, sub ? sub : "");
        fputs("\" ;;\n", out);
        free(sub);
        sn_help_free(&h);
    }
    fputs("    esac\n    case $cur in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
          "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\")) ;;\n"
          "    esac\n}\ncomplete -o filenames -o bashdefault -F _snag snag\n",
          out);
}

/* ---- zsh and fish: with explanations ---- */

/* Inside '…', and without what zsh's _arguments takes for itself. */
static void put_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("’", out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void zsh_option(FILE *out, const struct sn_option *o)
{
    bool takes = o->value != NULL;
    fprintf(out, " \\\n            '%s%s%s[", o->name[1] ? "--" : "-", o->name,
            takes && o->name[1] ? "=" : "");
    put_quoted(out, o->help, "[]\\:");
    fputc(']', out);
    if (takes) {
        fputc(':', out);
        put_quoted(out, o->value, ":\\[]()");
        fputc(':', out);
        if (o->type == SN_OPT_CHOICE) {
            fputc('(', out);
            put_with_blanks(out, o->value);
            fputc(')', out);
        } else if (!strcmp(o->value, "FILE") || !strcmp(o->value, "DIR")) {
            fputs(!strcmp(o->value, "DIR") ? "_files -/" : "_files", out);
        }
    }
    fputc('\'', out);
}

static void zsh(FILE *out)
{
    fputs(
        "#compdef snag\n# zsh completion for snag, made by `snag help --complete zsh`\n_snag() {\n"
        "    local -a commands\n    commands=(",
        out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        fprintf(out, "\n        '%s:", c->name);
        put_quoted(out, c->summary, "");
        fputc('\'', out);
    }
    fputs("\n        'help:what a command does'\n    )\n"
          "    if (( CURRENT == 2 )) || [[ $words[CURRENT-1] == help ]]; then\n"
          "        _describe command commands\n        return\n    fi\n    case $words[2] in\n",
          out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        struct sn_help h = sn_help_of(c);
        char *sub = sn_help_subcommands(&h);
        fprintf(out, "    %s)\n        _arguments", c->name);
        each_option(&h, zsh_option, out);
        fputs(" \\\n            '--help[what the command does]'", out);
        if (sub) {
            fputs(" \\\n            '2:word:(", out);
            put_with_blanks(out, sub);
            fputs(")'", out);
        }
        fputs(" \\\n            '*:file:_files' ;;\n", out);
        free(sub);
        sn_help_free(&h);
    }
    fputs("    esac\n}\n_snag \"$@\"\n", out);
}

static const char *fish_command;

static void fish_option(FILE *out, const struct sn_option *o)
{
    fprintf(out, "complete -c snag -n '__fish_seen_subcommand_from %s' -%c %s", fish_command,
            o->name[1] ? 'l' : 's', o->name);
    if (o->type == SN_OPT_CHOICE) {
        fputs(" -x -a '", out);
        put_with_blanks(out, o->value);
        fputc('\'', out);
    } else if (o->value) {
        fputs(" -r", out);
    }
    fputs(" -d '", out);
    put_quoted(out, o->help, "\\");
    fputs("'\n", out);
}

static void fish(FILE *out)
{
    fputs("# fish completion for snag, made by `snag help --complete fish`\n", out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        fprintf(out, "complete -c snag -f -n __fish_use_subcommand -a '%s' -d '", c->name);
        put_quoted(out, c->summary, "\\");
        fputs("'\n", out);
    }
    fputs("complete -c snag -f -n __fish_use_subcommand -a help -d 'what a command does'\n", out);
    for (const struct sn_command *c = sn_commands; c->name; c++) {
        struct sn_help h = sn_help_of(c);
        char *sub = sn_help_subcommands(&h);
        fish_command = c->name;
        each_option(&h, fish_option, out);
        if (sub) {
            fprintf(out, "complete -c snag -n '__fish_seen_subcommand_from %s' -a '", c->name);
            put_with_blanks(out, sub);
            fputs("'\n", out);
        }
        free(sub);
        sn_help_free(&h);
    }
}

int sn_help_complete(FILE *out, const char *shell)
{
    if (!strcmp(shell, "bash"))
        bash(out);
    else if (!strcmp(shell, "zsh"))
        zsh(out);
    else if (!strcmp(shell, "fish"))
        fish(out);
    else
        return -EINVAL;
    return 0;
}
