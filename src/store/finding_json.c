/*
 * finding_json.c: the JSON form of CLI.md, and back. Unknown things are absent. Fields beyond
 * CLI.md's: key, text, steps; per site note, wants, held (locks with their mode and place),
 * created, creator; per object member, offset, alloc, freed; `new` in a campaign's report. The store keeps findings in this form,
 * too.
 */
#include "store/finding.h"

#include <errno.h>
#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

static void put_text(json_t *to, const char *name, const char *text)
{
    if (!text)
        return;
    json_t *value = json_string(text);
    if (!value) {
        char *clean = sn_utf8_clean(text, strlen(text), false);
        value = json_string(clean);
        free(clean);
    }
    json_object_set_new(to, name, sn_xcheck(value));
}

static void put_number(json_t *to, const char *name, int64_t value)
{
    json_object_set_new(to, name, sn_xcheck(json_integer(value)));
}

static json_t *frame_to_json(const struct sn_frame *f)
{
    json_t *j = sn_xcheck(json_object());
    put_text(j, "function", f->function);
    put_text(j, "file", f->file);
    if (f->line > 0)
        put_number(j, "line", f->line);
    if (f->column > 0)
        put_number(j, "column", f->column);
    put_text(j, "module", f->module);
    if (f->module)
        put_number(j, "offset", (int64_t)f->offset);
    json_object_set_new(j, "inlined", json_boolean(f->inlined));
    return j;
}

static json_t *stack_to_json(const struct sn_stack *s)
{
    json_t *j = sn_xcheck(json_array());
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(j, frame_to_json(&s->frame[i]));
    return j;
}

static void put_stack(json_t *to, const char *name, const struct sn_stack *s)
{
    if (s->n)
        json_object_set_new(to, name, stack_to_json(s));
}

static void put_locks(json_t *to, const struct sn_site *s)
{
    if (!s->locks_known)
        return;
    json_t *names = sn_xcheck(json_array()), *held = sn_xcheck(json_array());
    bool details = false;
    for (size_t i = 0; i < s->nlocks; i++) {
        const struct sn_held_lock *l = &s->locks[i];
        json_t *one = sn_xcheck(json_object());
        put_text(one, "name", l->name ? l->name : "lock");
        json_array_append(names, json_object_get(one, "name"));
        if (l->shared)
            json_object_set_new(one, "shared", json_true());
        put_stack(one, "taken", &l->taken);
        put_stack(one, "alloc", &l->alloc);
        details = details || l->shared || l->taken.n || l->alloc.n;
        json_array_append_new(held, one);
    }
    json_object_set_new(to, "locks", names);
    if (details)
        json_object_set_new(to, "held", held);
    else
        json_decref(held);
}

static void put_op(json_t *to, const struct sn_site *s)
{
    if (s->op != SN_OP_CALL) {
        put_text(to, "op", sn_op_name(s->op));
        return;
    }
    char *text = sn_xformat("call:%s", s->call ? s->call : "?");
    put_text(to, "op", text);
    free(text);
}

static json_t *site_to_json(const struct sn_site *s)
{
    json_t *j = sn_xcheck(json_object());
    if (s->thread >= 0)
        put_number(j, "thread", s->thread);
    put_op(j, s);
    if (s->size)
        put_number(j, "size", (int64_t)s->size);
    put_locks(j, s);
    put_text(j, "wants", s->wants);
    put_text(j, "note", s->note);
    json_object_set_new(j, "stack", stack_to_json(&s->stack));
    put_stack(j, "created", &s->created);
    if (s->creator >= 0 && s->created.n)
        put_number(j, "creator", s->creator);
    return j;
}

static json_t *object_to_json(const struct sn_object *o)
{
    json_t *j = sn_xcheck(json_object());
    put_text(j, "kind", sn_object_kind_name(o->kind));
    put_text(j, "name", o->name);
    put_text(j, "member", o->member);
    if (o->size)
        put_number(j, "size", (int64_t)o->size);
    if (o->has_offset)
        put_number(j, "offset", (int64_t)o->offset);
    put_text(j, "file", o->file);
    if (o->line > 0)
        put_number(j, "line", o->line);
    put_stack(j, "alloc", &o->alloc);
    if (o->freed)
        json_object_set_new(j, "freed", json_true());
    return j;
}

static json_t *steps_to_json(const struct sn_finding *f)
{
    json_t *all = sn_xcheck(json_array());
    for (size_t i = 0; i < f->nsteps; i++) {
        json_t *one = sn_xcheck(json_object());
        put_number(one, "thread", f->steps[i].thread);
        put_text(one, "what", f->steps[i].what);
        json_object_set_new(one, "at", frame_to_json(&f->steps[i].at));
        json_array_append_new(all, one);
    }
    return all;
}

static void put_where(json_t *j, const struct sn_finding *f)
{
    put_text(j, "text", f->text);
    if (f->object.kind != SN_OBJ_UNKNOWN)
        json_object_set_new(j, "object", object_to_json(&f->object));
    json_t *sites = sn_xcheck(json_array());
    for (size_t i = 0; i < f->nsites; i++)
        json_array_append_new(sites, site_to_json(&f->sites[i]));
    json_object_set_new(j, "sites", sites);
    if (f->nsteps)
        json_object_set_new(j, "steps", steps_to_json(f));
}

static void put_replay(json_t *j, const struct sn_finding *f)
{
    if (!f->has_schedule || f->id <= 0)
        return;
    char *command = sn_xformat("snag replay %lld", (long long)f->id);
    put_text(j, "replay", command);
    free(command);
}

/* Fields stand in the order of CLI.md, for people who read JSON. */
json_t *sn_finding_to_json(const struct sn_finding *f)
{
    json_t *j = sn_xcheck(json_object());
    if (f->id > 0)
        put_number(j, "id", f->id);
    put_text(j, "kind", sn_kind_name(f->kind));
    put_text(j, "status", sn_status_name(f->status));
    put_text(j, "engine", f->engine);
    put_text(j, "title", f->title);
    if (f->harmful >= 0)
        json_object_set_new(j, "harmful", json_boolean(f->harmful));
    put_text(j, "effect", f->effect);
    put_where(j, f);
    put_replay(j, f);
    if (f->hits > 0)
        put_number(j, "hits", f->hits);
    if (f->first_run > 0)
        put_number(j, "first_run", f->first_run);
    if (f->is_new)
        json_object_set_new(j, "new", json_true());
    put_text(j, "key", f->key);
    return j;
}

char *sn_finding_body(const struct sn_finding *f)
{
    json_t *j = sn_xcheck(json_object());
    put_text(j, "kind", sn_kind_name(f->kind));
    put_text(j, "title", f->title);
    put_where(j, f);
    char *text = sn_xcheck(json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(j);
    return text;
}

/* ---- and back ---- */

static char *get_text(const json_t *j, const char *name)
{
    return sn_xstrdup(json_string_value(json_object_get(j, name)));
}

static int64_t get_number(const json_t *j, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(j, name);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static int get_int(const json_t *j, const char *name)
{
    int64_t value = get_number(j, name, 0);
    return value > 0 && value <= INT32_MAX ? (int)value : 0;
}

static void frame_from_json(const json_t *j, struct sn_frame *f)
{
    f->function = get_text(j, "function");
    f->file = get_text(j, "file");
    f->line = get_int(j, "line");
    f->column = get_int(j, "column");
    f->module = get_text(j, "module");
    f->offset = (uint64_t)get_number(j, "offset", 0);
    f->inlined = json_is_true(json_object_get(j, "inlined"));
}

static void stack_from_json(const json_t *j, struct sn_stack *s)
{
    s->n = json_array_size(j);
    s->frame = s->n ? sn_xcalloc(s->n, sizeof *s->frame) : NULL;
    for (size_t i = 0; i < s->n; i++)
        frame_from_json(json_array_get(j, i), &s->frame[i]);
}

static void locks_from_json(const json_t *j, struct sn_site *s)
{
    const json_t *names = json_object_get(j, "locks"), *held = json_object_get(j, "held");
    s->locks_known = json_is_array(names);
    s->nlocks = json_array_size(names);
    s->locks = s->nlocks ? sn_xcalloc(s->nlocks, sizeof *s->locks) : NULL;
    for (size_t i = 0; i < s->nlocks; i++) {
        const json_t *one = json_array_get(held, i);
        s->locks[i].name = sn_xstrdup(json_string_value(json_array_get(names, i)));
        s->locks[i].shared = json_is_true(json_object_get(one, "shared"));
        stack_from_json(json_object_get(one, "taken"), &s->locks[i].taken);
        stack_from_json(json_object_get(one, "alloc"), &s->locks[i].alloc);
    }
}

static int op_from_json(const json_t *j, struct sn_site *s)
{
    const char *op = json_string_value(json_object_get(j, "op"));
    if (!op)
        return -EINVAL;
    if (!strncmp(op, "call:", 5)) {
        s->op = SN_OP_CALL;
        s->call = strcmp(op + 5, "?") ? sn_xstrdup(op + 5) : NULL;
        return 0;
    }
    for (unsigned i = 0; i < SN_OP_CALL; i++) {
        if (!strcmp(op, sn_op_name((enum sn_op)i))) {
            s->op = (enum sn_op)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int site_from_json(const json_t *j, struct sn_site *s)
{
    s->thread = get_number(j, "thread", -1);
    s->size = (uint64_t)get_number(j, "size", 0);
    s->wants = get_text(j, "wants");
    s->note = get_text(j, "note");
    s->creator = get_number(j, "creator", -1);
    locks_from_json(j, s);
    stack_from_json(json_object_get(j, "stack"), &s->stack);
    stack_from_json(json_object_get(j, "created"), &s->created);
    return op_from_json(j, s);
}

static void object_from_json(const json_t *j, struct sn_object *o)
{
    const char *kind = json_string_value(json_object_get(j, "kind"));
    for (unsigned i = 0; kind && i <= SN_OBJ_LOCK; i++) {
        if (!strcmp(kind, sn_object_kind_name((enum sn_object_kind)i)))
            o->kind = (enum sn_object_kind)i;
    }
    o->name = get_text(j, "name");
    o->member = get_text(j, "member");
    o->size = (uint64_t)get_number(j, "size", 0);
    o->has_offset = json_is_integer(json_object_get(j, "offset"));
    o->offset = (uint64_t)get_number(j, "offset", 0);
    o->file = get_text(j, "file");
    o->line = get_int(j, "line");
    o->freed = json_is_true(json_object_get(j, "freed"));
    stack_from_json(json_object_get(j, "alloc"), &o->alloc);
}

static int sites_from_json(const json_t *j, struct sn_finding *f)
{
    int err = 0;
    f->nsites = json_array_size(j);
    f->sites = f->nsites ? sn_xcalloc(f->nsites, sizeof *f->sites) : NULL;
    for (size_t i = 0; i < f->nsites; i++) {
        int e = site_from_json(json_array_get(j, i), &f->sites[i]);
        err = err ? err : e;
    }
    return err;
}

static void steps_from_json(const json_t *j, struct sn_finding *f)
{
    f->nsteps = json_array_size(j);
    f->steps = f->nsteps ? sn_xcalloc(f->nsteps, sizeof *f->steps) : NULL;
    for (size_t i = 0; i < f->nsteps; i++) {
        const json_t *one = json_array_get(j, i);
        f->steps[i].thread = get_number(one, "thread", -1);
        f->steps[i].what = get_text(one, "what");
        frame_from_json(json_object_get(one, "at"), &f->steps[i].at);
    }
}

static int kind_and_status(const json_t *j, struct sn_finding *f)
{
    const char *kind = json_string_value(json_object_get(j, "kind"));
    const char *status = json_string_value(json_object_get(j, "status"));
    if (!kind || sn_kind_parse(kind, &f->kind))
        return -EINVAL;
    return status ? sn_status_parse(status, &f->status) : 0;
}

int sn_finding_from_json(const json_t *j, struct sn_finding *f)
{
    *f = (struct sn_finding){.harmful = -1};
    int err = kind_and_status(j, f);
    if (err)
        return err;
    f->id = get_number(j, "id", 0);
    f->engine = get_text(j, "engine");
    f->title = get_text(j, "title");
    f->effect = get_text(j, "effect");
    f->text = get_text(j, "text");
    f->key = get_text(j, "key");
    f->hits = get_number(j, "hits", 0);
    f->first_run = get_number(j, "first_run", 0);
    f->has_schedule = json_is_string(json_object_get(j, "replay"));
    const json_t *harmful = json_object_get(j, "harmful");
    if (json_is_boolean(harmful))
        f->harmful = json_is_true(harmful);
    object_from_json(json_object_get(j, "object"), &f->object);
    steps_from_json(json_object_get(j, "steps"), f);
    err = sites_from_json(json_object_get(j, "sites"), f);
    if (err)
        sn_finding_clear(f);
    return err;
}
