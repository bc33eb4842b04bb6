/* landmark.c: see landmark.h. */
#include "fuzz/landmark.h"

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "fuzz/relocate.h"
#include "report/source.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

static char *text_at(const struct sn_frame *f)
{
    int column;
    char *line = f->file ? sn_source_line(f->file, f->line, f->column, &column) : NULL;
    if (!line)
        return NULL;
    char *text = line + strspn(line, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
        n--;
    char *copy = sn_xstrndup(text, n);
    free(line);
    return copy;
}

static void set_text(json_t *o, const char *key, const char *value)
{
    if (value)
        json_object_set_new(o, key, json_stringn_nocheck(value, strlen(value)));
}

/* Index of the place in the list; it is added when it is new. */
static size_t add_place(json_t *places, struct sn_symboliser *sy, const struct sn_execution *e,
                        uint64_t frame, uint32_t op)
{
    json_t *o;
    size_t i;
    unsigned module, m = SN_FRAME_MODULE(frame);
    json_int_t offset = (json_int_t)SN_FRAME_OFFSET(frame);
    json_array_foreach(places, i,
                       o) if (json_integer_value(json_object_get(o, "offset")) == offset &&
                              strcmp(json_string_value(json_object_get(o, "module")),
                                     sn_execution_module(e, frame)) == 0) return i;
    struct sn_stack stack = {0};
    if (m < e->nmodules && e->module[m] &&
        sn_symbol_module(sy, e->module[m], NULL, 0, &module) == 0)
        sn_symbol_code(sy, module, SN_FRAME_OFFSET(frame), true, &stack);
    o = json_pack("{s:s, s:I, s:i}", "module", sn_execution_module(e, frame), "offset", offset,
                  "op", (int)op);
    if (stack.n) {
        char *text = text_at(&stack.frame[0]);
        set_text(o, "function", stack.frame[0].function);
        set_text(o, "file", stack.frame[0].file);
        set_text(o, "text", text);
        json_object_set_new(o, "line", json_integer(stack.frame[0].line));
        free(text);
    }
    sn_stack_clear(&stack);
    json_array_append_new(places, o);
    return i;
}

/* The frame of a goal's site: a hit has it. */
static void add_goal(json_t *all, json_t *places, struct sn_symboliser *sy,
                     const struct sn_execution *e, const struct sn_goal *g)
{
    for (size_t i = 0; g->race && i < e->nhits; i++) {
        struct sn_execution one = *e;
        one.hit = &e->hit[i];
        one.nhits = 1;
        if (!sn_goal_hit(g, &one))
            continue;
        size_t a = add_place(places, sy, e, e->hit[i].site[0], SN_EV_NONE);
        size_t b = add_place(places, sy, e, e->hit[i].site[1], SN_EV_NONE);
        json_object_set_new(all, "goal", json_pack("[I, I]", (json_int_t)a, (json_int_t)b));
        return;
    }
}

json_t *sn_landmarks_make(const struct sn_execution *e, const struct sn_goal *g)
{
    enum { MAX_TURNS = 20000 };
    struct sn_symboliser *sy = sn_symboliser_new();
    json_t *all = json_object(), *places = json_array(), *turns = json_array();
    for (size_t i = 0; i < e->nlog && i < MAX_TURNS; i++) {
        const struct sn_log_entry *l = &e->log[i];
        if ((l->kind != SN_LOG_PREEMPT && l->kind != SN_LOG_FORCED) || l->process)
            continue;
        bool stops = l->kind == SN_LOG_PREEMPT && l->addr;
        size_t place = stops ? add_place(places, sy, e, l->site, l->op) : 0;
        json_array_append_new(turns,
                              json_pack("[I, I, I]", (json_int_t)l->thread,
                                        (json_int_t)(stops ? l->addr : 0), (json_int_t)place));
    }
    add_goal(all, places, sy, e, g);
    json_object_set_new(all, "places", places);
    json_object_set_new(all, "turns", turns);
    sn_symboliser_free(sy);
    return all;
}

static bool same_text(const json_t *o, const char *key, const char *text)
{
    const char *want = json_string_value(json_object_get(o, key));
    return want && text && strcmp(want, text) == 0;
}

/* 0: another place; else the nearer the more. */
static int likeness(const json_t *want, const struct sn_place *p)
{
    const struct sn_frame *f = p->stack.n ? &p->stack.frame[0] : NULL;
    int op = (int)json_integer_value(json_object_get(want, "op"));
    if (!f || !same_text(want, "function", f->function))
        return 0;
    int away = abs(f->line - (int)json_integer_value(json_object_get(want, "line")));
    char *text = text_at(f);
    bool same = json_object_get(want, "text") ? same_text(want, "text", text) : away == 0;
    free(text);
    if (!same || (op != SN_EV_NONE && op != SN_EV_YIELD && (uint32_t)op != p->seen.op))
        return 0;
    return away < 1000 ? 1000 - away : 1;
}

static const struct sn_place *find(const json_t *want, const struct sn_places *all)
{
    const struct sn_place *best = NULL;
    int most = 0;
    for (size_t i = 0; i < all->n; i++) {
        int n = likeness(want, &all->p[i]);
        if (n > most) {
            most = n;
            best = &all->p[i];
        }
    }
    return best;
}

static const struct sn_place *place_number(const json_t *from, size_t i, const struct sn_place **at)
{
    return i < json_array_size(json_object_get(from, "places")) ? at[i] : NULL;
}

static void add_turns(const json_t *from, const struct sn_place **at, struct sn_schedule *s)
{
    json_t *turn;
    size_t i;
    json_array_foreach(json_object_get(from, "turns"), i, turn)
    {
        uint32_t thread = (uint32_t)json_integer_value(json_array_get(turn, 0));
        uint32_t nth = (uint32_t)json_integer_value(json_array_get(turn, 1));
        const struct sn_place *p =
            place_number(from, (size_t)json_integer_value(json_array_get(turn, 2)), at);
        if (nth && p)
            sn_schedule_add_turn(s, thread, nth, p->stack.frame[0].module,
                                 p->stack.frame[0].offset);
        else if (!nth)
            sn_schedule_add_turn(s, thread, 0, NULL, 0);
    }
}

/* The schedule's own site list owns the names. */
static struct sn_code_site as_site(struct sn_schedule *s, const struct sn_place *p)
{
    const struct sn_frame *f = &p->stack.frame[0];
    sn_schedule_add_site(s, f->module, f->offset);
    for (size_t i = 0; i < s->nsites; i++)
        if (s->site[i].offset == f->offset && strcmp(s->site[i].module, f->module) == 0)
            return s->site[i];
    return (struct sn_code_site){0};
}

static bool set_goal(const json_t *from, const struct sn_place **at, struct sn_schedule *s,
                     struct sn_goal *g)
{
    const json_t *pair = json_object_get(from, "goal");
    if (!g->race)
        return true;
    const struct sn_place *a =
        place_number(from, (size_t)json_integer_value(json_array_get(pair, 0)), at);
    const struct sn_place *b =
        place_number(from, (size_t)json_integer_value(json_array_get(pair, 1)), at);
    if (!pair || !a || !b)
        return false;
    g->a = as_site(s, a);
    g->b = as_site(s, b);
    return true;
}

int sn_landmarks_apply(const json_t *from, struct sn_runner *r, struct sn_schedule *s,
                       struct sn_goal *g, struct sn_landmarks_found *found)
{
    struct sn_places all = {0};
    json_t *places = json_object_get(from, "places"), *want;
    size_t i;
    *found = (struct sn_landmarks_found){.places = json_array_size(places)};
    int status = sn_places_collect(r, &all);
    if (status)
        return status;
    const struct sn_place **at = sn_xcalloc(found->places + 1, sizeof *at);
    json_array_foreach(places, i, want)
    {
        at[i] = find(want, &all);
        found->there += at[i] != NULL;
    }
    *s = (struct sn_schedule){.strategy = "order", .points = "sites", .stops_after = true};
    add_turns(from, at, s);
    found->goal_there = set_goal(from, at, s, g);
    free(at);
    sn_places_clear(&all);
    return 0;
}
