/*
 * help.c: a command's page on the screen. It fits 24 lines of 80 columns: words that do not fit are
 * left to the manual page after a whole sentence, options that do not fit are named without their
 * explanation.
 */
#include "cmd/help.h"

#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

enum { ROWS = 24, COLUMNS = 79, NAME_WIDTH = 24, WORDS_MAX = 9 };

static struct sn_help *wanted; /* where sn_help_tell() puts it; null: the screen */
static bool wants_all;

static char *copy(const char *s)
{
    return sn_xstrdup(s ? s : "");
}

void sn_help_tell(const struct sn_help *h)
{
    if (!wanted) {
        sn_help_print(stdout, h, wants_all);
        return;
    }
    *wanted = (struct sn_help){.usage = copy(h->usage),
                               .words = copy(h->words),
                               .example = copy(h->example),
                               .own = h->own,
                               .common = h->common};
}

void sn_help_page(const char *usage, const char *words, const struct sn_option *own,
                  bool runs_program, const char *example)
{
    sn_help_tell(&(struct sn_help){.usage = (char *)usage,
                                   .words = (char *)words,
                                   .example = (char *)example,
                                   .own = own,
                                   .common = runs_program ? SN_COMMON_RUN : SN_COMMON_STORE});
}

struct sn_help sn_help_of(const struct sn_command *c)
{
    struct sn_help h = {0};
    wanted = &h;
    c->help();
    wanted = NULL;
    if (!h.usage)
        h = (struct sn_help){.usage = sn_xformat("snag %s", c->name),
                             .words = copy(c->summary),
                             .example = copy(""),
                             .common = SN_COMMON_NONE};
    return h;
}

void sn_help_free(struct sn_help *h)
{
    free(h->usage);
    free(h->words);
    free(h->example);
    *h = (struct sn_help){0};
}

bool sn_help_takes(const struct sn_help *h, const struct sn_option *common)
{
    long i = common - sn_common_options;
    return h->common == SN_COMMON_RUN || (h->common == SN_COMMON_STORE && i < SN_FIRST_RUN_OPTION);
}

char *sn_help_option(const struct sn_option *o)
{
    return sn_xformat("%s%s%s%s", o->name[1] ? "--" : "-", o->name, o->value ? " " : "",
                      o->value ? o->value : "");
}

char *sn_help_subcommands(const struct sn_help *h)
{
    const char *p = strchr(h->usage, ' '); /* past "snag" */
    p = p ? strchr(p + 1, ' ') : NULL;     /* past the command */
    if (!p)
        return NULL;
    size_t n = strspn(++p, "abcdefghijklmnopqrstuvwxyz|-");
    return n && memchr(p, '|', n) && (p[n] == ' ' || !p[n]) ? sn_xstrndup(p, n) : NULL;
}

/* ---- lines ---- */

static size_t columns_of(const char *s, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns += ((unsigned char)s[i] & 0xc0) != 0x80;
    return columns;
}

struct page {
    char **line;
    size_t n, cap;
};

static void add_line(struct page *p, const char *text, size_t n)
{
    p->line = sn_xgrow(p->line, p->n, &p->cap, sizeof *p->line);
    p->line[p->n++] = sn_xstrndup(text, n);
}

static void free_page(struct page *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->line[i]);
    free(p->line);
    *p = (struct page){0};
}

/* Adds `text` in lines of at most COLUMNS, later ones indented. */
static void fill(struct page *p, const char *text, size_t indent)
{
    char line[512];
    size_t n = 0, width = 0;
    bool first = true;
    for (const char *s = text; *s;) {
        size_t word = strcspn(s, " "), columns = columns_of(s, word);
        if (n && (width + 1 + columns > COLUMNS || n + 1 + word >= sizeof line - 8)) {
            add_line(p, line, n);
            first = false;
            n = 0;
        }
        if (!n) {
            n = width = first ? 0 : indent;
            memset(line, ' ', n);
        } else {
            line[n++] = ' ';
            width++;
        }
        word = word < sizeof line - n - 1 ? word : sizeof line - n - 1;
        memcpy(line + n, s, word);
        n += word;
        width += columns;
        s += strcspn(s, " ");
        s += strspn(s, " ");
    }
    if (n)
        add_line(p, line, n);
}

/* Lines that follow each other are one paragraph, unless one begins with a blank or is empty. */
static void add_words(struct page *p, const char *words)
{
    char *text = sn_xstrdup(words), *rest = text, *line, *joined = sn_xstrdup("");
    while ((line = strsep(&rest, "\n"))) {
        if (*line && *line != ' ') {
            char *longer = sn_xformat("%s%s%s", joined, *joined ? " " : "", line);
            free(joined);
            joined = longer;
            continue;
        }
        fill(p, joined, 0);
        *joined = 0;
        if (*line)
            add_line(p, line, strlen(line));
    }
    fill(p, joined, 0);
    free(joined);
    free(text);
}

/* Cuts to the last line with the end of a sentence that leaves at most `most` lines. */
static void cut_words(struct page *p, size_t most)
{
    size_t last = 0;
    if (p->n <= most)
        return;
    for (size_t i = 0; i < most; i++) {
        char *end = NULL;
        for (char *s = p->line[i]; (s = strstr(s, ".")); s++)
            if (s[1] == 0 || s[1] == ' ')
                end = s + 1;
        if (!end || p->line[i][0] == ' ')
            continue;
        last = i + 1;
        if (i + 1 == most)
            *end = 0;
    }
    while (p->n > (last ? last : most))
        free(p->line[--p->n]);
}

static void put_option(FILE *out, const struct sn_option *o, bool all)
{
    char *name = sn_help_option(o);
    if (strlen(name) > NAME_WIDTH && all)
        fprintf(out, "  %s\n  %-*s %s\n", name, NAME_WIDTH, "", o->help);
    else
        fprintf(out, "  %-*s %s\n", NAME_WIDTH, name, o->help);
    free(name);
}

static bool fits(const struct sn_option *o)
{
    char *name = sn_help_option(o);
    size_t n = strlen(name);
    free(name);
    return 2 + (n > NAME_WIDTH ? n : NAME_WIDTH) + 1 + columns_of(o->help, strlen(o->help)) <=
           COLUMNS;
}

static size_t count_own(const struct sn_help *h)
{
    size_t n = 0;
    while (h->own && h->own[n].name)
        n++;
    return n;
}

static char *append(char *list, const char *joint, const struct sn_option *o)
{
    char *name = sn_help_option(o), *longer = sn_xformat("%s%s%s", list, joint, name);
    free(name);
    free(list);
    return longer;
}

/* Those that do not get a line of their own. */
static void add_rest(struct page *p, const struct sn_help *h, const bool *shown)
{
    char *list = sn_xstrdup("Also");
    const char *joint = " ";
    for (size_t i = 0; i < count_own(h); i++) {
        if (shown[i])
            continue;
        list = append(list, joint, &h->own[i]);
        joint = ", ";
    }
    if (*joint == ',')
        fill(p, list, 2);
    free(list);
}

static void add_common(struct page *p, const struct sn_help *h, const char *name)
{
    char *list = sn_xstrdup("Common:");
    const char *joint = " ";
    for (const struct sn_option *o = sn_common_options; o->name; o++) {
        if (!sn_help_takes(h, o))
            continue;
        list = append(list, joint, o);
        joint = ", ";
    }
    char *text = sn_xformat("%s. They are explained by: snag help --all %s", list, name);
    if (h->common != SN_COMMON_NONE)
        fill(p, text, 2);
    free(text);
    free(list);
}

static void put_page(FILE *out, const struct page *p)
{
    for (size_t i = 0; i < p->n; i++)
        fprintf(out, "%s\n", p->line[i]);
}

static void print_all(FILE *out, const struct sn_help *h)
{
    struct page words = {0};
    add_words(&words, h->words);
    fprintf(out, "usage: %s\n\n", h->usage);
    put_page(out, &words);
    free_page(&words);
    if (count_own(h))
        fputs("\nOptions:\n", out);
    for (size_t i = 0; i < count_own(h); i++)
        put_option(out, &h->own[i], true);
    if (h->common != SN_COMMON_NONE)
        fputs("\nCommon options (also as SNAG_OPTIONS=\"name=value …\"):\n", out);
    for (const struct sn_option *o = sn_common_options; o->name; o++)
        if (sn_help_takes(h, o))
            put_option(out, o, true);
    fprintf(out, "\nExample:\n  %s\n", h->example);
}

/* Takes lines away from the options until everything fits. */
static size_t choose_options(const struct sn_help *h, bool *shown, size_t room)
{
    size_t n = count_own(h), used = 0;
    for (size_t i = 0; i < n; i++) {
        shown[i] = fits(&h->own[i]) && used < room;
        used += shown[i];
    }
    return used;
}

static size_t count_lines(const char *s)
{
    size_t n = 1;
    for (; *s; s++)
        n += *s == '\n' && s[1];
    return n;
}

void sn_help_print(FILE *out, const struct sn_help *h, bool all)
{
    if (all) {
        print_all(out, h);
        return;
    }
    struct page words = {0}, common = {0}, rest = {0}, usage = {0};
    char name[32] = "", *line = sn_xformat("usage: %s", h->usage);
    sscanf(h->usage, "snag %31s", name);
    fill(&usage, line, 7);
    add_words(&words, h->words);
    cut_words(&words, WORDS_MAX);
    add_common(&common, h, name);
    bool *shown = sn_xcalloc(count_own(h), sizeof *shown);
    size_t fixed = usage.n + 1 + words.n + (count_own(h) ? 1 : 0) + (common.n ? 1 : 0) + common.n +
                   1 + count_lines(h->example);
    for (size_t room = ROWS > fixed ? ROWS - fixed : 0;; room--) {
        free_page(&rest);
        size_t used = choose_options(h, shown, room);
        add_rest(&rest, h, shown);
        if (fixed + used + rest.n <= ROWS || !room)
            break;
    }
    put_page(out, &usage);
    fputc('\n', out);
    put_page(out, &words);
    fputs(count_own(h) ? "\n" : "", out);
    for (size_t i = 0; i < count_own(h); i++)
        if (shown[i])
            put_option(out, &h->own[i], false);
    put_page(out, &rest);
    fputs(common.n ? "\n" : "", out);
    put_page(out, &common);
    fprintf(out, "\nExample: %s\n", h->example);
    free(shown);
    free(line);
    free_page(&usage);
    free_page(&words);
    free_page(&common);
    free_page(&rest);
}

int sn_help_command(const char *name, bool all)
{
    const struct sn_command *c = sn_command_find(name);
    if (!c)
        return sn_command_unknown(name);
    wants_all = all;
    c->help();
    return 0;
}
