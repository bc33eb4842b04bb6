/* keys.c: making and finding keys, see keys.h. */
#include "guard/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"
#include "symbol/map.h"
#include "symbol/symbol.h"

struct module {
    char *path;
    struct sn_calls calls;
    bool ok, named;
    unsigned symbols;
    char **key;           /* by call */
    struct sn_map by_key; /* hash of the key -> call */
    struct sn_map other;  /* places that are no known call: address -> index into other_key */
    char **other_key;
    size_t nother, other_cap;
};

struct sn_keys {
    struct sn_symboliser *symbols;
    struct module *module;
    size_t n, cap;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

uint64_t sn_keys_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
    return h;
}

struct sn_keys *sn_keys_new(void)
{
    struct sn_keys *k = sn_xcalloc(1, sizeof *k);
    k->symbols = sn_symboliser_new();
    return k;
}

void sn_keys_free(struct sn_keys *k)
{
    for (size_t i = 0; k && i < k->n; i++) {
        struct module *m = &k->module[i];
        for (size_t j = 0; m->key && j < m->calls.n; j++)
            free(m->key[j]);
        for (size_t j = 0; j < m->nother; j++)
            free(m->other_key[j]);
        free(m->key);
        free(m->other_key);
        free(m->path);
        sn_map_free(&m->by_key);
        sn_map_free(&m->other);
        sn_calls_free(&m->calls);
    }
    if (!k)
        return;
    sn_symboliser_free(k->symbols);
    free(k->module);
    free(k);
}

int sn_keys_module(struct sn_keys *k, const char *path)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->module[i].path, path) == 0)
            return k->module[i].ok ? (int)i : -1;
    k->module = sn_xgrow(k->module, k->n, &k->cap, sizeof *k->module);
    struct module *m = &k->module[k->n++];
    *m = (struct module){.path = sn_xstrdup(path)};
    m->ok = sn_calls_read(path, &m->calls) == 0 &&
            sn_symbol_module(k->symbols, path, NULL, 0, &m->symbols) == 0;
    return m->ok ? (int)k->n - 1 : -1;
}

const char *sn_keys_path(const struct sn_keys *k, int module)
{
    return k->module[module].path;
}

const struct sn_calls *sn_keys_calls(const struct sn_keys *k, int module)
{
    return &k->module[module].calls;
}

/* The line on which the function begins; 0: not known, or in another file. */
static int first_line(struct sn_keys *k, const struct module *m, const struct sn_function *f,
                      const char *file)
{
    struct sn_stack s = {0};
    int line = 0;
    sn_symbol_code(k->symbols, m->symbols, f->low, false, &s);
    const struct sn_frame *outer = s.n ? &s.frame[s.n - 1] : NULL;
    if (outer && outer->file && strcmp(outer->file, file) == 0)
        line = outer->line;
    sn_stack_clear(&s);
    return line;
}

static const char *short_callee(const char *name)
{
    return strncmp(name, "__tsan_", 7) == 0 ? name + 7 : name;
}

/* Null: there is no debug information here. */
static char *name_call(struct sn_keys *k, struct module *m, const struct sn_call_site *c)
{
    const struct sn_function *f = sn_calls_function(&m->calls, c->at);
    struct sn_stack s = {0};
    char *key = NULL;
    sn_symbol_code(k->symbols, m->symbols, c->returns, true, &s);
    const struct sn_frame *at = s.n ? &s.frame[0] : NULL;
    if (at && at->file && f) {
        int first = first_line(k, m, f, at->file);
        key = sn_xformat("%s!%s@%s%s%d:%d/%s", base_name(m->path), f->name, base_name(at->file),
                         first ? "+" : ":", at->line - first, at->column, short_callee(c->name));
    } else if (f) {
        key = sn_xformat("%s!%s+0x%llx/%s", base_name(m->path), f->name,
                         (unsigned long long)(c->returns - f->low), short_callee(c->name));
    }
    sn_stack_clear(&s);
    return key;
}

static char *nameless(const struct module *m, uint64_t returns)
{
    char id[17] = "";
    for (unsigned i = 0; i < 8 && i < m->calls.build_id_bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", m->calls.build_id[i]);
    return sn_xformat("%s+0x%llx@%s", base_name(m->path), (unsigned long long)returns, id);
}

/* The same words many times in one function: they are numbered in the order of the code. */
static char *number(struct module *m, char *key)
{
    uint32_t there;
    for (unsigned i = 0;; i++) {
        char *numbered = sn_xformat("%s#%u", key, i);
        if (!sn_map_get(&m->by_key, sn_keys_hash(numbered), &there)) {
            free(key);
            return numbered;
        }
        free(numbered);
    }
}

static void name_all(struct sn_keys *k, struct module *m)
{
    if (m->named)
        return;
    m->named = true;
    m->key = sn_xcalloc(m->calls.n, sizeof *m->key);
    for (size_t i = 0; i < m->calls.n; i++) {
        char *key = name_call(k, m, &m->calls.call[i]);
        m->key[i] = key ? number(m, key) : nameless(m, m->calls.call[i].returns);
        uint32_t there;
        if (!sn_map_get(&m->by_key, sn_keys_hash(m->key[i]), &there))
            sn_map_put(&m->by_key, sn_keys_hash(m->key[i]), (uint32_t)i);
    }
}

const char *sn_keys_of(struct sn_keys *k, int module, uint64_t returns)
{
    struct module *m = &k->module[module];
    uint32_t i;
    name_all(k, m);
    const struct sn_call_site *c = sn_calls_by_return(&m->calls, returns);
    if (c)
        return m->key[c - m->calls.call];
    if (!sn_map_get(&m->other, returns, &i)) {
        m->other_key = sn_xgrow(m->other_key, m->nother, &m->other_cap, sizeof *m->other_key);
        m->other_key[m->nother] = nameless(m, returns);
        i = (uint32_t)m->nother++;
        sn_map_put(&m->other, returns, i);
    }
    return m->other_key[i];
}

bool sn_keys_find(struct sn_keys *k, int module, const char *key, uint64_t *returns)
{
    struct module *m = &k->module[module];
    uint32_t i;
    unsigned long long offset;
    name_all(k, m);
    if (sn_map_get(&m->by_key, sn_keys_hash(key), &i)) {
        *returns = m->calls.call[i].returns;
        return true;
    }
    const char *plus = strstr(key, "+0x");
    if (strchr(key, '!') || !plus || sscanf(plus, "+0x%llx", &offset) != 1)
        return false;
    char *now = nameless(m, offset);
    bool same = strcmp(now, key) == 0;
    free(now);
    *returns = offset;
    return same;
}

/* Where the place is now, when it is in one of the modules that were read. */
static char *words_of_place(struct sn_keys *k, const struct module *m, const char *key)
{
    uint64_t returns;
    if (!sn_keys_find(k, (int)(m - k->module), key, &returns))
        return NULL;
    struct sn_stack s = {0};
    char *out = NULL;
    sn_symbol_code(k->symbols, m->symbols, returns, true, &s);
    const char *what = strrchr(key, '/');
    if (s.n && s.frame[0].function && s.frame[0].file)
        out = sn_xformat("%s() %s:%d%s%.*s%s", s.frame[0].function, base_name(s.frame[0].file),
                         s.frame[0].line, what ? " (" : "", what ? (int)strcspn(what + 1, "#") : 0,
                         what ? what + 1 : "", what ? ")" : "");
    sn_stack_clear(&s);
    return out;
}

char *sn_keys_words(struct sn_keys *k, const char *key)
{
    if (!*key)
        return sn_xstrdup("nil");
    for (size_t i = 0; i < k->n; i++) {
        struct module *m = &k->module[i];
        const char *name = base_name(m->path);
        size_t n = strlen(name);
        if (!m->ok || strncmp(key, name, n) != 0 ||
            (key[n] != '!' && strncmp(key + n, "+0x", 3) != 0))
            continue;
        char *words = words_of_place(k, m, key);
        if (words)
            return words;
    }
    return sn_xstrdup(key);
}

static bool is_identifier(const char *s)
{
    return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

char *sn_keys_function(struct sn_keys *k, int module, const struct sn_call_site *c)
{
    const struct module *m = &k->module[module];
    const struct sn_function *f = sn_calls_function(&m->calls, c->at);
    struct sn_stack s = {0};
    char *out = f ? sn_xstrndup(f->name, strcspn(f->name, ".")) : NULL;
    sn_symbol_code(k->symbols, m->symbols, c->returns, true, &s);
    if (s.n > 1 && s.frame[0].function && is_identifier(s.frame[0].function)) {
        free(out);
        out = sn_xstrdup(s.frame[0].function);
    }
    sn_stack_clear(&s);
    return out;
}

char *sn_keys_source(struct sn_keys *k, int module, const struct sn_call_site *c,
                     enum sn_keys_where where)
{
    const struct module *m = &k->module[module];
    const struct sn_function *f = sn_calls_function(&m->calls, c->at);
    struct sn_stack s = {0};
    char *out = NULL;
    sn_symbol_code(k->symbols, m->symbols, c->returns, true, &s);
    if (f && s.n && s.frame[0].file) {
        bool inlined = where == SN_KEYS_IN_SOURCE && s.n > 1 && s.frame[0].function;
        const char *name = inlined ? s.frame[0].function : f->name;
        int n = where == SN_KEYS_ANYWHERE ? 0 : (int)strcspn(name, ".");
        out = sn_xformat("%.*s@%s:%d:%d/%s", n, name, base_name(s.frame[0].file), s.frame[0].line,
                         s.frame[0].column, short_callee(c->name));
    }
    sn_stack_clear(&s);
    return out;
}

void sn_keys_inlined(struct sn_keys *k, int module, uint64_t low, uint64_t high,
                     void (*found)(void *arg, const char *name, const char *caller), void *arg)
{
    enum { STEP = 2 }; /* no function is so short that it is passed by */
    for (uint64_t at = low; at < high; at += STEP) {
        struct sn_stack s = {0};
        sn_symbol_code(k->symbols, k->module[module].symbols, at, false, &s);
        for (size_t i = s.n; i-- > 1;)
            if (s.frame[i].function && s.frame[i - 1].function &&
                is_identifier(s.frame[i - 1].function))
                found(arg, s.frame[i - 1].function, s.frame[i].function);
        sn_stack_clear(&s);
    }
}
