/*
 * parse.c: reading contract files. A file is lines; a line is a key and its words; `#` starts a
 * comment. Rule lines end in ": FUNCTION…", and a line that ends with a backslash goes on. Whatever
 * is not understood is an error with file and line: a rule that silently does nothing would hide
 * bugs.
 */
#include "contract/parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/xalloc.h"

int sn_parser_bad(struct sn_parser *p, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    sn_xcheck(n < 0 ? NULL : text);
    if (!p->why)
        p->why = sn_xformat("%s:%d: %s", p->file, p->line, text);
    free(text);
    return -EINVAL;
}

const char *sn_parser_peek(const struct sn_parser *p)
{
    return p->at < p->n ? p->word[p->at] : "";
}

const char *sn_parser_next(struct sn_parser *p)
{
    return p->at < p->n ? p->word[p->at++] : "";
}

bool sn_parser_accept(struct sn_parser *p, const char *word)
{
    if (strcmp(sn_parser_peek(p), word) != 0)
        return false;
    p->at++;
    return true;
}

static int end(struct sn_parser *p)
{
    return p->at == p->n ? 0 : sn_parser_bad(p, "'%s' is not expected here", sn_parser_peek(p));
}

bool sn_parser_is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_-.", *s))
            return false;
    return true;
}

int sn_parser_number(struct sn_parser *p, int64_t *out)
{
    char *stop;
    const char *word = sn_parser_next(p);
    errno = 0;
    *out = strtoll(word, &stop, 0);
    if (!*word || *stop || errno)
        return sn_parser_bad(p, "a number is expected, not '%s'", word);
    return 0;
}

struct sn_contract_type *sn_parser_type(struct sn_parser *p, const char *name)
{
    for (size_t i = 0; i < p->c->ntypes; i++)
        if (p->c->type[i].lib == p->lib && strcmp(p->c->type[i].name, name) == 0)
            return &p->c->type[i];
    return NULL;
}

int sn_parser_mode(const struct sn_parser *p, const char *name)
{
    for (size_t i = 0; i < p->c->nmodes; i++)
        if (p->c->mode[i].lib == p->lib && strcmp(p->c->mode[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- lines that describe ---- */

static int line_library(struct sn_parser *p)
{
    struct sn_contracts *c = p->c;
    const char *name = sn_parser_next(p);
    if (p->has_library)
        return sn_parser_bad(p, "a file has one 'library' line");
    if (!sn_parser_is_name(name))
        return sn_parser_bad(p, "'library' needs a name");
    for (size_t i = 0; i < c->nlibs; i++)
        if (strcmp(c->lib[i].name, name) == 0)
            return sn_parser_bad(p, "library %s is also in %s", name, c->lib[i].file);
    c->lib = sn_xgrow(c->lib, c->nlibs, &c->cap_libs, sizeof *c->lib);
    p->lib = c->nlibs++;
    c->lib[p->lib] =
        (struct sn_contract_lib){.name = sn_xstrdup(name), .file = sn_xstrdup(p->file)};
    p->has_library = true;
    return end(p);
}

static int line_soname(struct sn_parser *p)
{
    struct sn_contract_lib *l = &p->c->lib[p->lib];
    if (p->at == p->n)
        return sn_parser_bad(p, "'soname' needs the names of shared libraries");
    while (p->at < p->n) {
        l->soname = sn_xrealloc(l->soname, l->nsonames + 1, sizeof *l->soname);
        l->soname[l->nsonames++] = sn_xstrdup(sn_parser_next(p));
    }
    return 0;
}

static int line_libc(struct sn_parser *p)
{
    const char *name = sn_parser_next(p);
    if (strcmp(name, "glibc") != 0 && strcmp(name, "musl") != 0)
        return sn_parser_bad(p, "'libc' is glibc or musl, not '%s'", name);
#ifdef __GLIBC__
    p->c->lib[p->lib].wrong_libc = strcmp(name, "glibc") != 0;
#else
    p->c->lib[p->lib].wrong_libc = strcmp(name, "musl") != 0;
#endif
    return end(p);
}

static int line_about(struct sn_parser *p)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (const char *gap = ""; p->at < p->n; gap = " ")
        fprintf(out, "%s%s", gap, sn_parser_next(p));
    fclose(out);
    free(p->c->lib[p->lib].about);
    p->c->lib[p->lib].about = text;
    return 0;
}

static int add_type(struct sn_parser *p, bool hidden, struct sn_contract_type **out)
{
    struct sn_contracts *c = p->c;
    const char *name = sn_parser_next(p);
    if (!sn_parser_is_name(name))
        return sn_parser_bad(p, "a type or state needs a name, not '%s'", name);
    if (sn_parser_type(p, name))
        return sn_parser_bad(p, "%s is described twice", name);
    c->type = sn_xgrow(c->type, c->ntypes, &c->cap_types, sizeof *c->type);
    *out = &c->type[c->ntypes++];
    **out = (struct sn_contract_type){
        .name = sn_xstrdup(name), .lib = p->lib, .hidden = hidden, .line = p->line};
    return 0;
}

/* type NAME -> ROOT call SYMBOL [NUMBER] | load OFFSET */
static int read_root(struct sn_parser *p, struct sn_contract_type *t)
{
    const char *root = sn_parser_next(p), *how = sn_parser_next(p);
    if (!sn_parser_type(p, root))
        return sn_parser_bad(p, "the root type '%s' is not described above", root);
    t->root = sn_xstrdup(root);
    if (strcmp(how, "load") == 0) {
        t->map = SN_MAP_LOAD;
        return sn_parser_number(p, &t->map_value);
    }
    if (strcmp(how, "call") != 0)
        return sn_parser_bad(p, "'-> ROOT' needs 'call FUNCTION' or 'load OFFSET', not '%s'", how);
    if (!sn_parser_is_name(sn_parser_peek(p)))
        return sn_parser_bad(p, "'call' needs a function");
    t->map = SN_MAP_CALL;
    t->map_symbol = sn_xstrdup(sn_parser_next(p));
    bool twice = p->at < p->n && strcmp(sn_parser_peek(p), "roles") != 0;
    return twice ? sn_parser_number(p, &t->map_value) : 0;
}

static int read_roles(struct sn_parser *p, struct sn_contract_type *t)
{
    for (; p->at < p->n; t->nroles++) {
        if (t->nroles == sizeof t->role / sizeof *t->role)
            return sn_parser_bad(p, "a type has at most %u roles", t->nroles);
        if (!sn_parser_is_name(sn_parser_peek(p)))
            return sn_parser_bad(p, "'%s' is no name of a role", sn_parser_peek(p));
        t->role[t->nroles] = sn_xstrdup(sn_parser_next(p));
    }
    return t->nroles ? 0 : sn_parser_bad(p, "'roles' needs names");
}

static int line_type(struct sn_parser *p)
{
    struct sn_contract_type *t;
    int r = add_type(p, false, &t);
    if (r == 0 && sn_parser_accept(p, "->"))
        r = read_root(p, t);
    if (r == 0 && sn_parser_accept(p, "roles"))
        r = read_roles(p, t);
    return r ? r : end(p);
}

static int line_state(struct sn_parser *p)
{
    struct sn_contract_type *t;
    int r = 0;
    if (p->at == p->n)
        return sn_parser_bad(p, "'state' needs names");
    while (r == 0 && p->at < p->n)
        r = add_type(p, true, &t);
    return r;
}

static int line_key(struct sn_parser *p)
{
    struct sn_contract_type *t;
    int r = 0;
    if (p->at == p->n)
        return sn_parser_bad(p, "'key' needs names");
    while (r == 0 && p->at < p->n) {
        r = add_type(p, false, &t);
        if (r == 0)
            t->key = true;
    }
    return r;
}

int sn_parser_test(struct sn_parser *p, bool args, uint8_t *test)
{
    static const char *const words[] = {"", "==", "!=", "&", "!&"};
    const char *word = sn_parser_next(p);
    for (int i = 1; i < 5; i++)
        if (strcmp(word, words[i]) == 0) {
            *test = (uint8_t)i;
            return 0;
        }
    return sn_parser_bad(p, "'%s' is no comparison%s: ==, !=, & or !&", word, args ? " of an argument" : "");
}

static int find_mode_kind(struct sn_parser *p, const char *how, enum sn_contract_mode_kind *kind)
{
    static const char *const words[] = {
        [SN_MODE_CALL] = "call", [SN_MODE_HAS] = "has", [SN_MODE_ATOMIC] = "atomic",
        [SN_MODE_MARK] = "mark", [SN_MODE_ASK] = "ask", [SN_MODE_FIELD] = "field"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], how) == 0) {
            *kind = (enum sn_contract_mode_kind)i;
            return 0;
        }
    return sn_parser_bad(p, "'mode NAME' is followed by call, has, atomic, mark, ask or field, not '%s'",
               how);
}

/* call|ask FUNCTION [at OFFSET] OP NUMBER | has|atomic FUNCTION | field OFFSET OP NUMBER | mark */
static int read_mode(struct sn_parser *p, struct sn_contract_mode_text *m)
{
    bool compares = m->kind == SN_MODE_CALL || m->kind == SN_MODE_ASK || m->kind == SN_MODE_FIELD;
    bool named = m->kind != SN_MODE_MARK && m->kind != SN_MODE_FIELD;
    const char *symbol = named ? sn_parser_next(p) : "";
    uint8_t test = 0;
    if (named && !sn_parser_is_name(symbol))
        return sn_parser_bad(p, "a function is expected, not '%s'", symbol);
    m->deref = compares && named && sn_parser_accept(p, "at");
    if ((m->deref || m->kind == SN_MODE_FIELD) && sn_parser_number(p, &m->offset))
        return -EINVAL;
    if (compares && (sn_parser_test(p, false, &test) || sn_parser_number(p, &m->value)))
        return -EINVAL;
    m->test = (enum sn_contract_test)test;
    int r = end(p);
    m->symbol = r ? NULL : sn_xstrdup(symbol);
    return r;
}

static int line_mode(struct sn_parser *p)
{
    struct sn_contracts *c = p->c;
    const char *name = sn_parser_next(p), *how = sn_parser_next(p);
    struct sn_contract_mode_text m = {.lib = p->lib, .line = p->line};
    if (!sn_parser_is_name(name) || sn_parser_mode(p, name) >= 0)
        return sn_parser_bad(p, "'mode' needs a new name, not '%s'", name);
    if (find_mode_kind(p, how, &m.kind) || read_mode(p, &m))
        return -EINVAL;
    m.name = sn_xstrdup(name);
    c->mode = sn_xgrow(c->mode, c->nmodes, &c->cap_modes, sizeof *c->mode);
    c->mode[c->nmodes++] = m;
    return 0;
}

static const struct key {
    const char *word;
    int (*read)(struct sn_parser *);
} keys[] = {
    {"soname", line_soname}, {"libc", line_libc},   {"about", line_about},
    {"type", line_type},     {"state", line_state}, {"mode", line_mode},
    {"key", line_key},
};

static int read_words(struct sn_parser *p)
{
    const char *first = sn_parser_next(p);
    if (strcmp(first, "library") == 0)
        return line_library(p);
    if (!p->has_library)
        return sn_parser_bad(p, "the file must begin with 'library NAME'");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].word, first) == 0)
            return keys[i].read(p);
    return sn_parser_rule(p, first);
}

/* Cuts the text into words in place, up to a comment. */
static int split(struct sn_parser *p, char *text)
{
    p->n = p->at = 0;
    for (char *s = text + strspn(text, " \t\r\n\\"); *s && *s != '#';) {
        size_t n = strcspn(s, " \t\r\n\\#");
        if (p->n == SN_PARSER_WORDS)
            return sn_parser_bad(p, "more than %d words in a line: make two of it", SN_PARSER_WORDS);
        p->word[p->n++] = s;
        char last = s[n];
        s[n] = 0;
        if (!last || last == '#')
            break;
        s += n + 1;
        s += strspn(s, " \t\r\n\\");
    }
    return 0;
}

/* "use T 1: f": the colon stands at a word's end. */
static int open_colon(struct sn_parser *p)
{
    static char colon[] = ":";
    for (unsigned i = 0; i < p->n; i++) {
        size_t k = strlen(p->word[i]);
        if (k < 2 || p->word[i][k - 1] != ':')
            continue;
        if (p->n == SN_PARSER_WORDS)
            return sn_parser_bad(p, "more than %d words in a line: make two of it", SN_PARSER_WORDS);
        p->word[i][k - 1] = 0;
        memmove(&p->word[i + 2], &p->word[i + 1], (p->n - i - 1) * sizeof *p->word);
        p->word[i + 1] = colon;
        p->n++;
        return 0;
    }
    return 0;
}

static int read_line(struct sn_parser *p, char *text)
{
    int r = split(p, text);
    if (r == 0 && p->n && strcmp(p->word[0], "about") != 0)
        r = open_colon(p);
    return r || !p->n ? r : read_words(p);
}

/* A line that ends with a backslash is one with the next. */
static char *whole_line(const char **text, int *lines)
{
    const char *from = *text, *stop = from;
    *lines = 0;
    for (;;) {
        stop = strchr(stop, '\n');
        (*lines)++;
        if (!stop)
            break;
        if (stop > from && stop[-1] == '\\' && stop[1]) {
            stop++;
            continue;
        }
        break;
    }
    size_t n = stop ? (size_t)(stop - from) : strlen(from);
    *text = stop ? stop + 1 : from + n;
    return sn_xstrndup(from, n);
}

int sn_contracts_read_text(struct sn_contracts *c, const char *name, const char *text, char **why)
{
    struct sn_parser p = {.c = c, .file = name, .line = 1};
    int r = 0, lines;
    while (r == 0 && *text) {
        char *line = whole_line(&text, &lines);
        r = read_line(&p, line);
        free(line);
        if (r == 0)
            p.line += lines;
    }
    if (r == 0 && !p.has_library)
        r = sn_parser_bad(&p, "the file must begin with 'library NAME'");
    if (r == 0)
        r = sn_parser_check_callbacks(&p);
    *why = p.why;
    return r;
}

int sn_contracts_read(struct sn_contracts *c, const char *path, char **why)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t cap = 0;
    if (!in) {
        int error = errno;
        *why = sn_xformat("%s: %s", path, strerror(error));
        return -error;
    }
    ssize_t n = getdelim(&text, &cap, 0, in);
    int r = n >= 0 && (size_t)n == strlen(text) ? 0 : -EINVAL;
    if (r < 0)
        *why = sn_xformat("%s: it is empty, a folder, or no text", path);
    else
        r = sn_contracts_read_text(c, path, text, why);
    free(text);
    fclose(in);
    return r;
}

void sn_contracts_free(struct sn_contracts *c)
{
    for (size_t i = 0; i < c->nlibs; i++) {
        for (size_t k = 0; k < c->lib[i].nsonames; k++)
            free(c->lib[i].soname[k]);
        free(c->lib[i].soname);
        free(c->lib[i].name);
        free(c->lib[i].file);
        free(c->lib[i].about);
    }
    for (size_t i = 0; i < c->ntypes; i++) {
        for (unsigned k = 0; k < c->type[i].nroles; k++)
            free(c->type[i].role[k]);
        free(c->type[i].name);
        free(c->type[i].root);
        free(c->type[i].map_symbol);
    }
    for (size_t i = 0; i < c->nmodes; i++) {
        free(c->mode[i].name);
        free(c->mode[i].symbol);
    }
    for (size_t i = 0; i < c->nrules; i++) {
        free(c->rule[i].function);
        free(c->rule[i].callback);
    }
    free(c->lib);
    free(c->type);
    free(c->mode);
    free(c->rule);
    *c = (struct sn_contracts){0};
}
