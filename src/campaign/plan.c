/* plan.c: plans on disk, see plan.h. */
#include "campaign/plan.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "campaign/folder.h"
#include "store/xalloc.h"

#define PLAN_VERSION 1

struct sn_unit *sn_plan_add(struct sn_plan *p)
{
    if ((p->n & (p->n - 1)) == 0)
        p->unit = sn_xrealloc(p->unit, p->n ? 2 * p->n : 1, sizeof *p->unit);
    struct sn_unit *u = &p->unit[p->n++];
    *u = (struct sn_unit){.folder = sn_xstrdup(p->home)};
    return u;
}

void sn_plan_clear(struct sn_plan *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->unit[i].what);
        free(p->unit[i].folder);
        sn_words_free(&p->unit[i].command);
        sn_words_free(&p->unit[i].env);
    }
    free(p->unit);
    free(p->dir);
    free(p->name);
    free(p->home);
    free(p->store);
    free(p->source);
    sn_words_free(&p->carry);
    sn_words_free(&p->seeds);
    *p = (struct sn_plan){0};
}

char *sn_plan_file(const struct sn_plan *p, const char *sub, size_t unit)
{
    return sn_xformat("%s/%s/%04zu", p->dir, sub, unit + 1);
}

/* ---- unit files ---- */

static bool is_home(const char *p, const char *home, size_t n)
{
    return n > 1 && strncmp(p, home, n) == 0 && (p[n] == '/' || p[n] == 0);
}

char *sn_plan_quote(const char *word, const char *home)
{
    char *text;
    size_t bytes, n = strlen(home);
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    bool plain = *word != 0;
    for (const char *p = word; *p; p++)
        plain = plain && (strchr("_-./=:,+@%", *p) || (*p >= '0' && *p <= '9') ||
                          (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'));
    const char *quote = plain ? "" : "'";
    fputs(quote, out);
    for (const char *p = word; *p; p++) {
        if (is_home(p, home, n)) {
            fprintf(out, "%s\"$home\"%s", quote, quote);
            p += n - 1;
        } else if (*p == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*p, out);
        }
    }
    fputs(quote, out);
    fclose(out);
    return text;
}

static void put_word(FILE *out, const char *word, const char *home)
{
    char *quoted = sn_plan_quote(word, home);
    fprintf(out, " %s", quoted);
    free(quoted);
}

static void put_assignment(FILE *out, const char *name, size_t n, const char *value,
                           const char *home)
{
    char *quoted = sn_plan_quote(value, home);
    fprintf(out, "export %.*s=%s\n", (int)n, name, quoted);
    free(quoted);
}

static void put_env(FILE *out, const struct sn_unit *u, const char *home)
{
    for (size_t i = 0; i < u->env.n; i++) {
        const char *equals = strchr(u->env.v[i], '=');
        if (equals)
            put_assignment(out, u->env.v[i], (size_t)(equals - u->env.v[i]), equals + 1, home);
    }
}

/* Line breaks of a test's name stay out of the comment. */
static void put_comment(FILE *out, const struct sn_plan *p, size_t i)
{
    fprintf(out, "#!/bin/sh\n# Unit %zu of %zu of the campaign %s: ", i + 1, p->n, p->name);
    for (const char *c = p->unit[i].what; *c; c++)
        fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
    fputs("\n# Its output is the store out/ beside units/; running it again gives the same one.\n",
          out);
}

static char *script(const struct sn_plan *p, size_t i, const char *snag)
{
    const struct sn_unit *u = &p->unit[i];
    char *text, *quoted;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    put_comment(out, p, i);
    fputs("dir=$(cd \"$(dirname \"$0\")/..\" && pwd -P) || exit 125\n", out);
    quoted = sn_plan_quote(p->home, "");
    fprintf(out, "home=${SNAG_HOME:-%s}\n", quoted);
    fprintf(out, "export SNAG_UNIT=%s:%zu:%lld\n", p->id, i + 1, (long long)p->planned_ns);
    fprintf(out, "export SNAG_UNIT_STORE=\"$dir\"/out/%04zu\n", i + 1);
    fprintf(out, "export SNAG_UNIT_HOME=\"$home\" SNAG_UNIT_PLANNED_HOME=%s\n", quoted);
    free(quoted);
    if (p->unit_time_s > 0)
        fprintf(out, "export SNAG_UNIT_TIME=%g\n", p->unit_time_s);
    put_env(out, u, p->home);
    fputs("unset SNAG_OPTIONS\ncd", out);
    put_word(out, u->folder, p->home);
    quoted = sn_plan_quote(snag, "");
    fprintf(out, " || exit 125\nexec \"${SNAG:-%s}\"", quoted);
    free(quoted);
    for (size_t k = 0; k < u->command.n; k++)
        put_word(out, u->command.v[k], p->home);
    fputc('\n', out);
    fclose(out);
    return text;
}

/* ---- plan.json ---- */

static json_t *list_to_json(const struct sn_words *w)
{
    json_t *all = sn_xcheck(json_array());
    for (size_t i = 0; i < w->n; i++)
        json_array_append_new(all, json_string_nocheck(w->v[i]));
    return all;
}

static int list_from_json(const json_t *j, struct sn_words *w)
{
    if (!json_is_array(j))
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(j); i++) {
        const char *word = json_string_value(json_array_get(j, i));
        if (!word)
            return -EINVAL;
        sn_words_add(w, word);
    }
    return 0;
}

static json_t *to_json(const struct sn_plan *p)
{
    json_t *units = sn_xcheck(json_array());
    for (size_t i = 0; i < p->n; i++) {
        const struct sn_unit *u = &p->unit[i];
        json_t *one = json_object();
        json_object_set_new(one, "what", json_string_nocheck(u->what));
        json_object_set_new(one, "folder", json_string_nocheck(u->folder));
        json_object_set_new(one, "command", list_to_json(&u->command));
        if (u->env.n)
            json_object_set_new(one, "environment", list_to_json(&u->env));
        json_array_append_new(units, one);
    }
    json_t *j = json_pack("{s:i, s:s, s:s, s:I}", "version", PLAN_VERSION, "name", p->name, "id",
                          p->id, "planned_ns", (json_int_t)p->planned_ns);
    json_object_set_new(j, "home", json_string_nocheck(p->home));
    json_object_set_new(j, "store", json_string_nocheck(p->store));
    json_object_set_new(j, "source", json_string_nocheck(p->source));
    json_object_set_new(j, "budget", json_real(p->budget_s));
    json_object_set_new(j, "unit_time", json_real(p->unit_time_s));
    json_object_set_new(j, "retries", json_integer(p->retries));
    json_object_set_new(j, "carry", list_to_json(&p->carry));
    json_object_set_new(j, "seeds", list_to_json(&p->seeds));
    json_object_set_new(j, "units", units);
    return sn_xcheck(j);
}

static int unit_from_json(const json_t *j, struct sn_plan *p)
{
    const char *what = json_string_value(json_object_get(j, "what"));
    const char *folder = json_string_value(json_object_get(j, "folder"));
    const json_t *env = json_object_get(j, "environment");
    if (!what || !folder)
        return -EINVAL;
    struct sn_unit *u = sn_plan_add(p);
    free(u->folder);
    u->what = sn_xstrdup(what);
    u->folder = sn_xstrdup(folder);
    if (env && list_from_json(env, &u->env))
        return -EINVAL;
    return list_from_json(json_object_get(j, "command"), &u->command);
}

static char *text_of(const json_t *j, const char *name)
{
    return sn_xstrdup(json_string_value(json_object_get(j, name)));
}

static int from_json(const json_t *j, struct sn_plan *p)
{
    const char *id = json_string_value(json_object_get(j, "id"));
    unsigned char bytes[SN_CAMPAIGN_BYTES];
    const json_t *units = json_object_get(j, "units");
    if (json_integer_value(json_object_get(j, "version")) != PLAN_VERSION || !id ||
        strlen(id) != SN_CAMPAIGN_DIGITS || sn_campaign_id_parse(id, bytes))
        return -EINVAL;
    memcpy(p->id, id, sizeof p->id);
    p->planned_ns = json_integer_value(json_object_get(j, "planned_ns"));
    p->name = text_of(j, "name");
    p->home = text_of(j, "home");
    p->store = text_of(j, "store");
    p->source = text_of(j, "source");
    p->budget_s = json_number_value(json_object_get(j, "budget"));
    p->unit_time_s = json_number_value(json_object_get(j, "unit_time"));
    p->retries = json_integer_value(json_object_get(j, "retries"));
    if (!p->name || !p->home || !p->store || !p->source || p->planned_ns <= 0 ||
        !json_array_size(units) || list_from_json(json_object_get(j, "carry"), &p->carry) ||
        list_from_json(json_object_get(j, "seeds"), &p->seeds))
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(units); i++)
        if (unit_from_json(json_array_get(units, i), p))
            return -EINVAL;
    return 0;
}

int sn_plan_load(const char *dir, struct sn_plan *out, char **why)
{
    char *path = sn_xformat("%s/plan.json", dir), *text = NULL;
    size_t bytes;
    *out = (struct sn_plan){0};
    int err = sn_file_read(path, &text, &bytes);
    if (err) {
        *why = sn_xformat("there is no campaign in %s (%s: %s): plan one with snag campaign plan",
                          dir, path, strerror(-err));
    } else {
        json_t *j = json_loadb(text, bytes, 0, NULL);
        err = j ? from_json(j, out) : -EINVAL;
        json_decref(j);
        if (err)
            *why = sn_xformat("%s is no plan of this version of snag: plan again (snag campaign "
                              "plan)",
                              path);
        out->dir = sn_path_real(dir);
    }
    if (err)
        sn_plan_clear(out);
    free(text);
    free(path);
    return err;
}

/* ---- saving ---- */

static int make_id(struct sn_plan *p)
{
    unsigned char bytes[SN_CAMPAIGN_BYTES];
    struct timespec t;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -EIO;
    for (int i = 0; i < SN_CAMPAIGN_BYTES; i++)
        snprintf(p->id + 2 * i, 3, "%02x", bytes[i]);
    clock_gettime(CLOCK_REALTIME, &t);
    p->planned_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return 0;
}

static int make_folders(const char *dir)
{
    static const char *const sub[] = {"units", "out", "log", "fail"};
    int err = 0;
    for (size_t i = 0; !err && i < sizeof sub / sizeof *sub; i++) {
        char *path = sn_xformat("%s/%s", dir, sub[i]);
        err = sn_folder_remove(path);
        if (!err)
            err = sn_folder_make(path);
        free(path);
    }
    return err;
}

static int write_units(const struct sn_plan *p, const char *snag)
{
    int err = 0;
    for (size_t i = 0; !err && i < p->n; i++) {
        char *path = sn_plan_file(p, "units", i), *text = script(p, i, snag);
        err = sn_file_write(path, text, true);
        free(path);
        free(text);
    }
    return err;
}

static int write_plan(const struct sn_plan *p)
{
    char *path = sn_xformat("%s/plan.json", p->dir);
    json_t *j = to_json(p);
    char *text = sn_xcheck(json_dumps(j, JSON_INDENT(1)));
    int err = sn_file_write(path, text, false);
    json_decref(j);
    free(text);
    free(path);
    return err;
}

int sn_plan_save(struct sn_plan *p, const char *dir, const char *snag, char **why)
{
    char *old = sn_xformat("%s/plan.json", dir);
    remove(old);
    free(old);
    int err = make_id(p);
    if (!err)
        err = make_folders(dir);
    if (!err) {
        p->dir = sn_path_real(dir);
        err = write_units(p, snag);
    }
    if (!err)
        err = write_plan(p);
    if (err)
        *why = sn_xformat("cannot write the campaign's folder %s: %s", dir, strerror(-err));
    return err;
}
