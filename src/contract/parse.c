/*
 * parse.c: reading contract files. A file is lines; a line is a key and its words; `#` starts a
 * comment. Rule lines end in ": FUNCTION…", and a line that ends with a backslash goes on. Whatever
 * is not understood is an error with file and line: a rule that silently does nothing would hide
 * bugs.
 */
#include "contract/contract.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/xalloc.h"

enum { MAX_WORDS = 512 };

struct parser {
    struct sn_contracts *c;
    const char *file;
    size_t lib;
    bool has_library;
    int line;
    char *word[MAX_WORDS];
    unsigned n, at;
    char *why; /* the first error */
};

__attribute__((format(printf, 2, 3))) static int bad(struct parser *p, const char *format, ...)
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

static const char *peek(const struct parser *p)
{
    return p->at < p->n ? p->word[p->at] : "";
}

static const char *next(struct parser *p)
{
    return p->at < p->n ? p->word[p->at++] : "";
}

static bool accept(struct parser *p, const char *word)
{
    if (strcmp(peek(p), word) != 0)
        return false;
    p->at++;
    return true;
}

static int end(struct parser *p)
{
    return p->at == p->n ? 0 : bad(p, "'%s' is not expected here", peek(p));
}

static bool is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_-.", *s))
            return false;
    return true;
}

static int read_number(struct parser *p, int64_t *out)
{
    char *stop;
    const char *word = next(p);
    errno = 0;
    *out = strtoll(word, &stop, 0);
    if (!*word || *stop || errno)
        return bad(p, "a number is expected, not '%s'", word);
    return 0;
}

static struct sn_contract_type *find_type(struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->c->ntypes; i++)
        if (p->c->type[i].lib == p->lib && strcmp(p->c->type[i].name, name) == 0)
            return &p->c->type[i];
    return NULL;
}

static int find_mode(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->c->nmodes; i++)
        if (p->c->mode[i].lib == p->lib && strcmp(p->c->mode[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- lines that describe ---- */

static int line_library(struct parser *p)
{
    struct sn_contracts *c = p->c;
    const char *name = next(p);
    if (p->has_library)
        return bad(p, "a file has one 'library' line");
    if (!is_name(name))
        return bad(p, "'library' needs a name");
    for (size_t i = 0; i < c->nlibs; i++)
        if (strcmp(c->lib[i].name, name) == 0)
            return bad(p, "library %s is also in %s", name, c->lib[i].file);
    c->lib = sn_xgrow(c->lib, c->nlibs, &c->cap_libs, sizeof *c->lib);
    p->lib = c->nlibs++;
    c->lib[p->lib] =
        (struct sn_contract_lib){.name = sn_xstrdup(name), .file = sn_xstrdup(p->file)};
    p->has_library = true;
    return end(p);
}

static int line_soname(struct parser *p)
{
    struct sn_contract_lib *l = &p->c->lib[p->lib];
    if (p->at == p->n)
        return bad(p, "'soname' needs the names of shared libraries");
    while (p->at < p->n) {
        l->soname = sn_xrealloc(l->soname, l->nsonames + 1, sizeof *l->soname);
        l->soname[l->nsonames++] = sn_xstrdup(next(p));
    }
    return 0;
}

static int line_libc(struct parser *p)
{
    const char *name = next(p);
    if (strcmp(name, "glibc") != 0 && strcmp(name, "musl") != 0)
        return bad(p, "'libc' is glibc or musl, not '%s'", name);
#ifdef __GLIBC__
    p->c->lib[p->lib].wrong_libc = strcmp(name, "glibc") != 0;
#else
    p->c->lib[p->lib].wrong_libc = strcmp(name, "musl") != 0;
#endif
    return end(p);
}

static int line_about(struct parser *p)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (const char *gap = ""; p->at < p->n; gap = " ")
        fprintf(out, "%s%s", gap, next(p));
    fclose(out);
    free(p->c->lib[p->lib].about);
    p->c->lib[p->lib].about = text;
    return 0;
}

static int add_type(struct parser *p, bool hidden, struct sn_contract_type **out)
{
    struct sn_contracts *c = p->c;
    const char *name = next(p);
    if (!is_name(name))
        return bad(p, "a type or state needs a name, not '%s'", name);
    if (find_type(p, name))
        return bad(p, "%s is described twice", name);
    c->type = sn_xgrow(c->type, c->ntypes, &c->cap_types, sizeof *c->type);
    *out = &c->type[c->ntypes++];
    **out = (struct sn_contract_type){
        .name = sn_xstrdup(name), .lib = p->lib, .hidden = hidden, .line = p->line};
    return 0;
}

/* type NAME -> ROOT call SYMBOL [NUMBER] | load OFFSET */
static int read_root(struct parser *p, struct sn_contract_type *t)
{
    const char *root = next(p), *how = next(p);
    if (!find_type(p, root))
        return bad(p, "the root type '%s' is not described above", root);
    t->root = sn_xstrdup(root);
    if (strcmp(how, "load") == 0) {
        t->map = SN_MAP_LOAD;
        return read_number(p, &t->map_value);
    }
    if (strcmp(how, "call") != 0)
        return bad(p, "'-> ROOT' needs 'call FUNCTION' or 'load OFFSET', not '%s'", how);
    if (!is_name(peek(p)))
        return bad(p, "'call' needs a function");
    t->map = SN_MAP_CALL;
    t->map_symbol = sn_xstrdup(next(p));
    bool twice = p->at < p->n && strcmp(peek(p), "roles") != 0;
    return twice ? read_number(p, &t->map_value) : 0;
}

static int read_roles(struct parser *p, struct sn_contract_type *t)
{
    for (; p->at < p->n; t->nroles++) {
        if (t->nroles == sizeof t->role / sizeof *t->role)
            return bad(p, "a type has at most %u roles", t->nroles);
        if (!is_name(peek(p)))
            return bad(p, "'%s' is no name of a role", peek(p));
        t->role[t->nroles] = sn_xstrdup(next(p));
    }
    return t->nroles ? 0 : bad(p, "'roles' needs names");
}

static int line_type(struct parser *p)
{
    struct sn_contract_type *t;
    int r = add_type(p, false, &t);
    if (r == 0 && accept(p, "->"))
        r = read_root(p, t);
    if (r == 0 && accept(p, "roles"))
        r = read_roles(p, t);
    return r ? r : end(p);
}

static int line_state(struct parser *p)
{
    struct sn_contract_type *t;
    int r = 0;
    if (p->at == p->n)
        return bad(p, "'state' needs names");
    while (r == 0 && p->at < p->n)
        r = add_type(p, true, &t);
    return r;
}

static int read_test(struct parser *p, bool args, uint8_t *test)
{
    static const char *const words[] = {"", "==", "!=", "&", "!&"};
    const char *word = next(p);
    for (int i = 1; i < 5; i++)
        if (strcmp(word, words[i]) == 0) {
            *test = (uint8_t)i;
            return 0;
        }
    return bad(p, "'%s' is no comparison%s: ==, !=, & or !&", word, args ? " of an argument" : "");
}

static int find_mode_kind(struct parser *p, const char *how, enum sn_contract_mode_kind *kind)
{
    static const char *const words[] = {
        [SN_MODE_CALL] = "call", [SN_MODE_HAS] = "has", [SN_MODE_ATOMIC] = "atomic",
        [SN_MODE_MARK] = "mark", [SN_MODE_ASK] = "ask", [SN_MODE_FIELD] = "field"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], how) == 0) {
            *kind = (enum sn_contract_mode_kind)i;
            return 0;
        }
    return bad(p, "'mode NAME' is followed by call, has, atomic, mark, ask or field, not '%s'",
               how);
}

/* call|ask FUNCTION [at OFFSET] OP NUMBER | has|atomic FUNCTION | field OFFSET OP NUMBER | mark */
static int read_mode(struct parser *p, struct sn_contract_mode_text *m)
{
    bool compares = m->kind == SN_MODE_CALL || m->kind == SN_MODE_ASK || m->kind == SN_MODE_FIELD;
    bool named = m->kind != SN_MODE_MARK && m->kind != SN_MODE_FIELD;
    const char *symbol = named ? next(p) : "";
    uint8_t test = 0;
    if (named && !is_name(symbol))
        return bad(p, "a function is expected, not '%s'", symbol);
    m->deref = compares && named && accept(p, "at");
    if ((m->deref || m->kind == SN_MODE_FIELD) && read_number(p, &m->offset))
        return -EINVAL;
    if (compares && (read_test(p, false, &test) || read_number(p, &m->value)))
        return -EINVAL;
    m->test = (enum sn_contract_test)test;
    int r = end(p);
    m->symbol = r ? NULL : sn_xstrdup(symbol);
    return r;
}

static int line_mode(struct parser *p)
{
    struct sn_contracts *c = p->c;
    const char *name = next(p), *how = next(p);
    struct sn_contract_mode_text m = {.lib = p->lib, .line = p->line};
    if (!is_name(name) || find_mode(p, name) >= 0)
        return bad(p, "'mode' needs a new name, not '%s'", name);
    if (find_mode_kind(p, how, &m.kind) || read_mode(p, &m))
        return -EINVAL;
    m.name = sn_xstrdup(name);
    c->mode = sn_xgrow(c->mode, c->nmodes, &c->cap_modes, sizeof *c->mode);
    c->mode[c->nmodes++] = m;
    return 0;
}

/* ---- rules ---- */

static const struct verb {
    const char *word;
    enum sn_contract_act act;
    uint16_t does, conflicts;
} verbs[] = {
    {"read", SN_ACT_TOUCH, SN_CB_READ, SN_CB_WRITE},
    {"write", SN_ACT_TOUCH, SN_CB_WRITE, SN_CB_ALL},
    {"use", SN_ACT_TOUCH, SN_CB_WRITE, SN_CB_ALL},
    {"destroy", SN_ACT_DESTROY, SN_CB_WRITE, SN_CB_ALL},
    {"set", SN_ACT_SET, SN_CB_WRITE, SN_CB_ALL},
    {"freeze", SN_ACT_FREEZE, SN_CB_READ, SN_CB_WRITE},
    {"acquire", SN_ACT_ACQUIRE, 0, 0},
    {"acquire-shared", SN_ACT_ACQUIRE_SHARED, 0, 0},
    {"release", SN_ACT_RELEASE, 0, 0},
    {"release-shared", SN_ACT_RELEASE_SHARED, 0, 0},
    {"begin", SN_ACT_BEGIN, SN_CB_WRITE, SN_CB_ALL},
    {"end", SN_ACT_END, SN_CB_WRITE, SN_CB_ALL},
    {"only", SN_ACT_ONLY, SN_CB_WRITE, SN_CB_ALL},
    {"own", SN_ACT_OWN, 0, 0},
    {"reset", SN_ACT_RESET, 0, 0},
};

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].word, word) == 0)
            return &verbs[i];
    return NULL;
}

static int read_arg(struct parser *p, uint8_t *arg, uint8_t *load)
{
    const char *word = next(p);
    *load = word[0] == '*';
    word += *load;
    if (word[0] < '1' || word[0] > '6' || word[1])
        return bad(p, "an argument is 1 to 6 (or *1 to *6), not '%s'", word);
    *arg = (uint8_t)(word[0] - '0');
    return 0;
}

/* [if ARG OP NUMBER] [when MODE | unless MODE] [long] */
static int read_conditions(struct parser *p, struct sn_contract_effect *e)
{
    uint8_t load;
    while (p->at < p->n && strcmp(peek(p), ":") != 0) {
        const char *word = next(p);
        if (strcmp(word, "if") == 0) {
            if (read_arg(p, &e->test_arg, &load) || read_test(p, true, &e->test) ||
                read_number(p, &e->value))
                return -EINVAL;
            if (load)
                return bad(p, "'if' looks at an argument's value, not behind it");
        } else if (strcmp(word, "when") == 0 || strcmp(word, "unless") == 0) {
            int mode = find_mode(p, peek(p));
            if (mode < 0)
                return bad(p, "mode '%s' is not described above", peek(p));
            e->mode = (uint16_t)(mode + 1);
            e->mode_not = word[0] == 'u';
            p->at++;
        } else if (strcmp(word, "long") == 0 && e->does) {
            e->is_long = 1;
        } else {
            return bad(p, "unknown key '%s' in a rule", word);
        }
    }
    return 0;
}

static int read_functions(struct parser *p, const struct sn_contract_effect *e, bool exempt)
{
    struct sn_contracts *c = p->c;
    if (!accept(p, ":"))
        return bad(p, "a rule ends with ': FUNCTION…'");
    if (p->at == p->n)
        return bad(p, "the rule names no function");
    while (p->at < p->n) {
        const char *name = next(p);
        if (!is_name(name))
            return bad(p, "'%s' is no function", name);
        c->rule = sn_xgrow(c->rule, c->nrules, &c->cap_rules, sizeof *c->rule);
        c->rule[c->nrules++] = (struct sn_contract_rule){
            .function = sn_xstrdup(name), .lib = p->lib, .exempt = exempt, .effect = *e};
    }
    return 0;
}

static int read_object(struct parser *p, struct sn_contract_effect *e)
{
    const char *name = next(p);
    struct sn_contract_type *t = find_type(p, name);
    if (!t)
        return bad(p, "'%s' is neither a type nor a state described above", name);
    e->object = (uint32_t)(t - p->c->type);
    return t->hidden ? 0 : read_arg(p, &e->arg, &e->load);
}

static int finish_rule(struct parser *p, struct sn_contract_effect *e)
{
    int r = read_object(p, e);
    if (r == 0)
        r = read_conditions(p, e);
    return r ? r : read_functions(p, e, false);
}

/* role ROLE TYPE ARG …: two calls of one role conflict, and each with a write. */
static int line_role(struct parser *p)
{
    struct sn_contract_effect e = {.act = SN_ACT_TOUCH, .line = (uint32_t)p->line};
    const char *role = next(p);
    struct sn_contract_type *t = find_type(p, peek(p));
    for (unsigned i = 0; t && i < t->nroles; i++)
        if (strcmp(t->role[i], role) == 0)
            e.does = (uint16_t)(SN_CB_FIRST_ROLE << i);
    if (!e.does)
        return bad(p, "'%s' is no role of '%s'", role, peek(p));
    e.conflicts = e.does | SN_CB_WRITE;
    return finish_rule(p, &e);
}

/* mark MODE TYPE ARG …: the object gets the mark. */
static int line_mark(struct parser *p)
{
    struct sn_contract_effect e = {.act = SN_ACT_MARK, .line = (uint32_t)p->line};
    const char *name = next(p);
    int mode = find_mode(p, name), r = read_object(p, &e);
    if (r)
        return r;
    if (mode < 0 || p->c->mode[mode].kind != SN_MODE_MARK)
        return bad(p, "'%s' is no mode of kind mark", name);
    r = read_conditions(p, &e);
    if (r == 0 && e.mode)
        return bad(p, "a mark depends on arguments only");
    e.mode = (uint16_t)(mode + 1);
    return r ? r : read_functions(p, &e, false);
}

static int line_exempt(struct parser *p)
{
    struct sn_contract_effect e = {.line = (uint32_t)p->line};
    return read_functions(p, &e, true);
}

static const struct key {
    const char *word;
    int (*read)(struct parser *);
} keys[] = {
    {"soname", line_soname}, {"libc", line_libc},   {"about", line_about},
    {"type", line_type},     {"state", line_state}, {"mode", line_mode},
    {"role", line_role},     {"mark", line_mark},   {"exempt", line_exempt},
};

static int read_words(struct parser *p)
{
    const char *first = next(p);
    if (strcmp(first, "library") == 0)
        return line_library(p);
    if (!p->has_library)
        return bad(p, "the file must begin with 'library NAME'");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].word, first) == 0)
            return keys[i].read(p);
    const struct verb *v = find_verb(first);
    if (!v)
        return bad(p, "unknown key '%s'", first);
    struct sn_contract_effect e = {
        .act = v->act, .does = v->does, .conflicts = v->conflicts, .line = (uint32_t)p->line};
    return finish_rule(p, &e);
}

/* Cuts the text into words in place, up to a comment. */
static int split(struct parser *p, char *text)
{
    p->n = p->at = 0;
    for (char *s = text + strspn(text, " \t\r\n\\"); *s && *s != '#';) {
        size_t n = strcspn(s, " \t\r\n\\#");
        if (p->n == MAX_WORDS)
            return bad(p, "more than %d words in a line: make two of it", MAX_WORDS);
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
static int open_colon(struct parser *p)
{
    static char colon[] = ":";
    for (unsigned i = 0; i < p->n; i++) {
        size_t k = strlen(p->word[i]);
        if (k < 2 || p->word[i][k - 1] != ':')
            continue;
        if (p->n == MAX_WORDS)
            return bad(p, "more than %d words in a line: make two of it", MAX_WORDS);
        p->word[i][k - 1] = 0;
        memmove(&p->word[i + 2], &p->word[i + 1], (p->n - i - 1) * sizeof *p->word);
        p->word[i + 1] = colon;
        p->n++;
        return 0;
    }
    return 0;
}

static int read_line(struct parser *p, char *text)
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
    struct parser p = {.c = c, .file = name, .line = 1};
    int r = 0, lines;
    while (r == 0 && *text) {
        char *line = whole_line(&text, &lines);
        r = read_line(&p, line);
        free(line);
        if (r == 0)
            p.line += lines;
    }
    if (r == 0 && !p.has_library)
        r = bad(&p, "the file must begin with 'library NAME'");
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
    for (size_t i = 0; i < c->nrules; i++)
        free(c->rule[i].function);
    free(c->lib);
    free(c->type);
    free(c->mode);
    free(c->rule);
    *c = (struct sn_contracts){0};
}
