/*
 * steps.c: which events of an execution tell its story, and in which words. Nobody reads ten
 * thousand lines: what a thread did just before it lost the processor and just after it got it is
 * kept, and so is the end; the rest becomes "… 1,998 more". Repeated words are the report's own:
 * "lock NAME" and "unlock NAME" become the bars of the HTML report.
 */
#include "fuzz/steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

enum {
    AROUND = 3,     /* events kept on each side of a switch */
    MAX_STEPS = 64, /* of a long story the end */
};

struct teller {
    struct sn_symboliser *sy;
    const struct sn_execution *e;
    const struct sn_finding *f;
    uint64_t *unnamed; /* objects without a name, in the order of their first mention */
    size_t nunnamed;
};

static bool module_of(const struct teller *k, uint64_t frame, unsigned *module)
{
    unsigned i = SN_FRAME_MODULE(frame);
    return i < k->e->nmodules && k->e->module[i] &&
           sn_symbol_module(k->sy, k->e->module[i], NULL, 0, module) == 0;
}

static void place(const struct teller *k, uint64_t frame, struct sn_frame *out)
{
    struct sn_stack stack = {0};
    unsigned module;
    if (!module_of(k, frame, &module))
        return;
    sn_symbol_code(k->sy, module, SN_FRAME_OFFSET(frame), true, &stack);
    const struct sn_frame *at = sn_stack_frame(&stack);
    if (at)
        sn_frame_copy(out, at);
    sn_stack_clear(&stack);
}

/* Parts of a library's type are left out: m.__data is m. */
static void cut_reserved(char *path)
{
    char *part = strstr(path, ".__");
    if (part)
        *part = 0;
}

static char *global_name(const struct teller *k, uint64_t object)
{
    struct sn_object variable = {0};
    unsigned module;
    char *path = NULL;
    if (module_of(k, object, &module) &&
        sn_symbol_data(k->sy, module, SN_FRAME_OFFSET(object), &variable) == 0) {
        path = sn_symbol_member(k->sy, module, SN_FRAME_OFFSET(object));
        if (!path)
            path = sn_xstrdup(variable.name);
    }
    sn_object_clear(&variable);
    if (path)
        cut_reserved(path);
    return path;
}

static bool is_access(uint8_t op)
{
    return op == SN_EV_READ || op == SN_EV_WRITE || op == SN_EV_FREE || op == SN_EV_ATOMIC_LOAD ||
           op == SN_EV_ATOMIC_STORE || op == SN_EV_ATOMIC_RMW;
}

/* "A", "B", … in the order of their first mention: an address tells nobody anything. */
static char *letter(struct teller *k, uint64_t object)
{
    size_t i = 0;
    while (i < k->nunnamed && k->unnamed[i] != object)
        i++;
    if (i == k->nunnamed) {
        k->unnamed = sn_xrealloc(k->unnamed, k->nunnamed + 1, sizeof *k->unnamed);
        k->unnamed[k->nunnamed++] = object;
    }
    return i < 26 ? sn_xformat("%c", (char)('A' + i)) : sn_xformat("#%zu", i + 1);
}

static char *name_of(struct teller *k, const struct sn_log_step *s)
{
    char *name = global_name(k, s->object);
    if (name)
        return name;
    bool has_module = SN_FRAME_MODULE(s->object) != SN_NO_MODULE;
    if (is_access(s->op) || (!SN_FRAME_OFFSET(s->object) && !has_module))
        return is_access(s->op) && k->f->object.kind == SN_OBJ_HEAP && s->op != SN_EV_FREE
                   ? sn_xstrdup("the block")
                   : NULL;
    return letter(k, s->object);
}

static const char *word_of(uint8_t op)
{
    switch (op) {
    case SN_EV_COND_WAKE:
        return "woken by";
    case SN_EV_BARRIER_ENTER:
        return "come to barrier";
    case SN_EV_BARRIER_LEAVE:
        return "leave barrier";
    case SN_EV_SEM_WAIT:
        return "take from semaphore";
    case SN_EV_SEM_POST:
        return "give to semaphore";
    case SN_EV_ATOMIC_LOAD:
        return "atomic load";
    case SN_EV_ATOMIC_STORE:
        return "atomic store";
    case SN_EV_ATOMIC_RMW:
        return "atomic update";
    default:
        return sn_event_name((enum sn_event_op)op);
    }
}

static char *words_of(struct teller *k, const struct sn_log_step *s)
{
    if (s->op == SN_EV_END)
        return sn_xstrdup("ends");
    if (s->op == SN_EV_CREATE)
        return sn_xformat("create thread %u", (unsigned)s->object);
    if (s->op == SN_EV_JOIN)
        return s->how == SN_STEP_WAITS ? sn_xstrdup("waits in join")
                                       : sn_xformat("join thread %u", (unsigned)s->object);
    if (s->op == SN_EV_FREE)
        return sn_xstrdup("free a block");
    char *name = name_of(k, s), *words;
    const char *joint = name ? " " : "", *n = name ? name : "";
    if (s->how == SN_STEP_FAILS)
        words = sn_xformat("fails to %s%s%s", word_of(s->op), joint, n);
    else if (s->how == SN_STEP_DONE)
        words = sn_xformat("%s%s%s", word_of(s->op), joint, n);
    else if (s->op == SN_EV_LOCK || s->op == SN_EV_RDLOCK || s->op == SN_EV_COND_WAKE)
        words = sn_xformat("waits for%s%s", joint, n);
    else if (s->op == SN_EV_ACQUIRE)
        words = sn_xformat("waits at futex%s%s", joint, n);
    else
        words = sn_xformat("waits in %s%s%s", sn_event_name((enum sn_event_op)s->op), joint, n);
    free(name);
    return words;
}

static struct sn_step *add_step(struct sn_finding *f, int64_t thread, char *what)
{
    f->steps = sn_xrealloc(f->steps, f->nsteps + 1, sizeof *f->steps);
    struct sn_step *s = &f->steps[f->nsteps++];
    *s = (struct sn_step){.thread = thread, .what = what};
    return s;
}

static void clear_steps(struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsteps; i++) {
        free(f->steps[i].what);
        free(f->steps[i].at.function);
        free(f->steps[i].at.file);
        free(f->steps[i].at.module);
    }
    free(f->steps);
    f->steps = NULL;
    f->nsteps = 0;
}

/* Marks what is within AROUND events of a switch, of the beginning and of the end. */
static bool *choose(const struct sn_log_step *s, size_t n)
{
    bool *keep = sn_xcalloc(n, sizeof *keep);
    for (size_t i = 0; i <= n; i++) {
        if (i > 0 && i < n && s[i].thread == s[i - 1].thread)
            continue;
        for (size_t k = i > AROUND ? i - AROUND : 0; k < n && k < i + AROUND; k++)
            keep[k] = true;
    }
    size_t kept = 0;
    for (size_t i = n; i-- > 0;)
        if (keep[i] && kept++ >= MAX_STEPS)
            keep[i] = false;
    return keep;
}

static void tell_gap(struct sn_finding *f, const struct sn_log_step *from, size_t n)
{
    bool one = true;
    for (size_t i = 1; i < n; i++)
        one &= from[i].thread == from[0].thread;
    if (n)
        add_step(
            f, from[n - 1].thread,
            sn_xformat("… %zu more event%s%s", n, n == 1 ? "" : "s", one ? "" : " of all threads"));
}

/* The chosen events in their order, with what was left out counted. */
static void tell(struct teller *k, struct sn_finding *f)
{
    const struct sn_log_step *s = k->e->step;
    bool *keep = choose(s, k->e->nsteps);
    size_t gap = 0;
    for (size_t i = 0; i < k->e->nsteps; i++) {
        if (!keep[i]) {
            gap++;
            continue;
        }
        tell_gap(f, &s[i - gap], gap);
        gap = 0;
        struct sn_step *step = add_step(f, s[i].thread, words_of(k, &s[i]));
        if (s[i].op != SN_EV_END)
            place(k, s[i].site, &step->at);
    }
    free(keep);
}

static char *stop_words(const struct sn_log_entry *e)
{
    const char *op = sn_event_name((enum sn_event_op)e->op);
    if (e->op == SN_EV_END)
        return sn_xstrdup("ends");
    if (e->op == SN_EV_UNLOCK || e->op == SN_EV_RDUNLOCK || e->op == SN_EV_CREATE)
        return sn_xformat("stops after %s", op);
    return sn_xformat(e->kind == SN_LOG_FORCED ? "waits in %s" : "stops before %s", op);
}

static void tell_stops(struct teller *k, struct sn_finding *f)
{
    const struct sn_execution *e = k->e;
    size_t from = e->nlog > MAX_STEPS ? e->nlog - MAX_STEPS : 0;
    for (size_t i = from; i < e->nlog; i++) {
        if (e->log[i].kind != SN_LOG_PREEMPT && e->log[i].kind != SN_LOG_FORCED)
            continue;
        struct sn_step *step = add_step(f, e->log[i].thread, stop_words(&e->log[i]));
        place(k, e->log[i].site, &step->at);
    }
}

void sn_steps_describe(struct sn_runner *runner, struct sn_result *r,
                       const struct sn_execution *last)
{
    struct sn_schedule told =
        sn_schedule_replay(&r->schedule, r->schedule.entry, r->schedule.nentries);
    struct sn_execution e = {0};
    told.tell = true;
    bool again = sn_execute(runner, &told, &e) == 0 && sn_goal_met(&r->goal, &e) && e.nsteps;
    struct teller k = {.sy = sn_symboliser_new(), .e = again ? &e : last, .f = &r->f};
    clear_steps(&r->f);
    if (again)
        tell(&k, &r->f);
    else
        tell_stops(&k, &r->f);
    free(k.unnamed);
    sn_symboliser_free(k.sy);
    sn_execution_clear(&e);
    sn_schedule_clear(&told);
}
