/* goal.c: goals and saved schedules, see goal.h. */
#include "fuzz/goal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runfile.h"
#include "store/xalloc.h"

static bool is_at(const struct sn_execution *e, uint64_t frame, const struct sn_code_site *s)
{
    return SN_FRAME_OFFSET(frame) == s->offset &&
           strcmp(sn_execution_module(e, frame), s->module) == 0;
}

bool sn_goal_hit(const struct sn_goal *g, const struct sn_execution *e)
{
    for (size_t i = 0; i < e->nhits; i++) {
        const uint64_t *at = e->hit[i].site;
        if ((is_at(e, at[0], &g->a) && is_at(e, at[1], &g->b)) ||
            (is_at(e, at[0], &g->b) && is_at(e, at[1], &g->a)))
            return true;
    }
    return false;
}

bool sn_goal_met(const struct sn_goal *g, const struct sn_execution *e)
{
    if (g->race && !sn_goal_hit(g, e))
        return false;
    if (g->end == SN_END_OK)
        return true;
    if (g->end != e->end)
        return false;
    return g->end == SN_END_DEADLOCK || g->end == SN_END_HANG || g->status == e->status;
}

char *sn_saved_build(const char *path)
{
    enum { AT_ONCE = 1 << 16 };
    uint64_t sum = 0xcbf29ce484222325u, bytes = 0; /* FNV-1a */
    FILE *in = fopen(path, "rb");
    uint8_t *part = in ? sn_xcalloc(AT_ONCE, 1) : NULL;
    for (size_t n; in && (n = fread(part, 1, AT_ONCE, in)) > 0; bytes += n)
        for (size_t i = 0; i < n; i++)
            sum = (sum ^ part[i]) * 0x100000001b3u;
    free(part);
    if (!in)
        return sn_xstrdup("");
    fclose(in);
    return sn_xformat("%llu bytes, %016llx", (unsigned long long)bytes, (unsigned long long)sum);
}

static json_t *site_json(const struct sn_code_site *s)
{
    return json_pack("{s:s, s:I}", "module", s->module ? s->module : "", "offset",
                     (json_int_t)s->offset);
}

static json_t *goal_json(const struct sn_goal *g)
{
    json_t *o =
        json_pack("{s:b, s:i, s:i}", "race", g->race, "end", (int)g->end, "status", g->status);
    if (g->race) {
        json_object_set_new(o, "a", site_json(&g->a));
        json_object_set_new(o, "b", site_json(&g->b));
    }
    return o;
}

char *sn_saved_to_text(const struct sn_saved *s)
{
    json_t *argv = json_array();
    for (char **w = s->argv; *w; w++)
        json_array_append_new(argv, json_stringn_nocheck(*w, strlen(*w)));
    char *plan = sn_schedule_to_text(&s->schedule);
    json_t *o = json_pack("{s:i, s:s, s:s, s:o, s:o, s:i, s:f, s:s, s:I, s:s}", "version", 1,
                          "program", s->program, "folder", s->folder, "argv", argv, "goal",
                          goal_json(&s->goal), "expected", s->expected, "timeout", s->timeout_s,
                          "build", s->build, "seed", (json_int_t)s->schedule.seed, "plan", plan);
    if (s->landmarks)
        json_object_set(o, "landmarks", s->landmarks);
    char *text = sn_xcheck(json_dumps(o, JSON_COMPACT));
    json_decref(o);
    free(plan);
    return text;
}

static int read_site(const json_t *o, struct sn_code_site *s)
{
    const char *module;
    json_int_t offset;
    if (json_unpack((json_t *)o, "{s:s, s:I}", "module", &module, "offset", &offset) < 0)
        return -EINVAL;
    *s = (struct sn_code_site){(char *)module, (uint64_t)offset};
    return 0;
}

static int read_goal(const json_t *o, struct sn_goal *g)
{
    int race, end;
    if (json_unpack((json_t *)o, "{s:b, s:i, s:i}", "race", &race, "end", &end, "status",
                    &g->status) < 0 ||
        end < 0 || end >= SN_ENDS)
        return -EINVAL;
    g->race = race;
    g->end = (enum sn_end)end;
    if (!race)
        return 0;
    int r = read_site(json_object_get(o, "a"), &g->a);
    return r < 0 ? r : read_site(json_object_get(o, "b"), &g->b);
}

static int read_argv(const json_t *argv, struct sn_saved *out)
{
    size_t n = json_array_size(argv);
    if (!n)
        return -EINVAL;
    out->argv = sn_xcalloc(n + 1, sizeof *out->argv);
    for (size_t i = 0; i < n; i++)
        if (!(out->argv[i] = (char *)json_string_value(json_array_get(argv, i))))
            return -EINVAL;
    return 0;
}

int sn_saved_from_text(const char *text, size_t n, struct sn_saved *out)
{
    json_t *argv, *goal;
    json_int_t seed;
    const char *plan;
    *out = (struct sn_saved){.json = json_loadb(text, n, 0, NULL)};
    if (json_unpack(out->json, "{s:s, s:s, s:o, s:o, s:i, s:f, s:s, s:I, s:s}", "program",
                    &out->program, "folder", &out->folder, "argv", &argv, "goal", &goal, "expected",
                    &out->expected, "timeout", &out->timeout_s, "build", &out->build, "seed", &seed,
                    "plan", &plan) < 0 ||
        read_goal(goal, &out->goal) < 0 || read_argv(argv, out) < 0 ||
        sn_schedule_from_text(plan, &out->schedule) < 0) {
        sn_saved_clear(out);
        return -EINVAL;
    }
    out->schedule.seed = seed;
    out->landmarks = json_object_get(out->json, "landmarks");
    return 0;
}

void sn_saved_clear(struct sn_saved *s)
{
    sn_schedule_clear(&s->schedule);
    free(s->argv);
    json_decref(s->json);
    *s = (struct sn_saved){0};
}
