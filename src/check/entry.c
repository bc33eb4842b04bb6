/* entry.c: see entry.h. */
#include "check/entry.h"

#include <stdlib.h>
#include <string.h>

#include "check/lib.h"

static bool has_body(const struct sn_bytecode *c, uint32_t f) { return f != SN_NONE && c->func[f].entry != SN_NONE; }

static const char *name_of(const struct sn_bytecode *c, uint32_t f) { return sn_bytecode_string(c, c->func[f].name); }

static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

static void add(struct sn_entries *all, enum sn_entry_kind kind, uint32_t func)
{
    all->e = realloc(all->e, (all->n + 1) * sizeof *all->e);
    if (all->e == NULL)
        abort();
    all->e[all->n++] = (struct sn_entry){.kind = kind, .func = func};
}

/* --- functions that start threads, directly or through others --- */

static bool starts_threads(const char *name)
{
    return strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0 ||
           starts(name, "g_thread_new") || starts(name, "g_thread_try_new") || starts(name, "__kmpc_fork_call") ||
           strcmp(name, "timer_create") == 0 || strcmp(name, "GOMP_parallel") == 0;
}

static bool mark_callers(const struct sn_bytecode *c, uint8_t *marked)
{
    bool changed = false;
    for (uint32_t f = 0; f < c->nfunc; f++) {
        if (marked[f] || !has_body(c, f))
            continue;
        for (uint32_t i = c->func[f].entry; i < c->func[f].end && !marked[f]; i++) {
            const struct sn_insn *p = &c->insn[i];
            bool call = p->op == SN_BC_CALL || p->op == SN_BC_CALLM || p->op == SN_BC_CALLU;
            marked[f] = call && marked[p->b];
            changed |= marked[f];
        }
    }
    return changed;
}

static uint8_t *thread_starters(const struct sn_bytecode *c)
{
    uint8_t *marked = calloc(c->nfunc + 1, 1);
    if (marked == NULL)
        abort();
    for (uint32_t f = 0; f < c->nfunc; f++)
        marked[f] = !has_body(c, f) && starts_threads(name_of(c, f));
    while (mark_callers(c, marked))
        ;
    return marked;
}

static void add_middle(const struct sn_bytecode *c, struct sn_entries *all)
{
    uint8_t *starter = thread_starters(c);
    for (uint32_t f = 0; f < c->nfunc; f++)
        if (starter[f] && has_body(c, f) && strcmp(name_of(c, f), "main") != 0)
            add(all, SN_ENTRY_MIDDLE, f);
    free(starter);
}

static bool is_test(const struct sn_bytecode *c, uint32_t f)
{
    const char *name = name_of(c, f);
    return has_body(c, f) && c->func[f].nparams <= 1 && (starts(name, "test_") || starts(name, "Test"));
}

static void add_library(const struct sn_bytecode *c, struct sn_entries *all)
{
    all->exported = calloc(c->nfunc + 1, sizeof *all->exported);
    if (all->exported == NULL)
        abort();
    for (uint32_t f = 0; f < c->nfunc; f++)
        if (has_body(c, f) && c->func[f].exported)
            all->exported[all->nexported++] = f;
    if (all->nexported > 0)
        add(all, SN_ENTRY_LIBRARY, SN_NONE);
}

int sn_entries_find(const struct sn_bytecode *code, const char *named, struct sn_entries *out)
{
    uint32_t main_func = sn_bytecode_find(code, "main");
    *out = (struct sn_entries){0};
    if (named != NULL) {
        uint32_t f = sn_bytecode_find(code, named);
        if (!has_body(code, f))
            return -1;
        add(out, f == main_func ? SN_ENTRY_MAIN : SN_ENTRY_NAMED, f);
        return 0;
    }
    bool has_main = has_body(code, main_func);
    if (has_main)
        add(out, SN_ENTRY_MAIN, main_func);
    for (uint32_t f = 0; f < code->nfunc; f++)
        if (is_test(code, f))
            add(out, has_main ? SN_ENTRY_UNRUN_TEST : SN_ENTRY_TEST, f);
    if (!has_main)
        add_library(code, out);
    add_middle(code, out);
    return 0;
}

void sn_entries_free(struct sn_entries *e)
{
    free(e->e);
    free(e->exported);
}

/* --- arguments --- */

static uint32_t text_block(struct sn_vm *vm, const char *s, uint8_t tag)
{
    size_t n = strlen(s);
    uint32_t at = sn_simmem_take(&vm->mem, n + 1, 16, tag);
    if (at == 0)
        return 0;
    sn_range_mark(&vm->mem, at, n + 1, SN_DIRTY_BYTES);
    memcpy(sn_mem(&vm->mem, at), s, n + 1);
    *sn_tag(&vm->mem, at + n) = 0;
    return at;
}

/* argc and argv are inputs: one to four arguments, often numbers. */
static void main_arguments(struct sn_vm *vm, struct sn_reg args[3])
{
    static const char *const words[] = {"1", "2", "4", "10", "100", "-v", "file", "0"};
    uint64_t argc = vm->first_run ? 1 : 1 + sn_random_below(&vm->random_input, 4);
    uint32_t argv = sn_simmem_take(&vm->mem, (argc + 1) * 8, 16, 0), envp = sn_simmem_take(&vm->mem, 16, 16, 0);
    for (uint64_t k = 0; k < argc; k++) {
        const char *word = k == 0 ? "program" : words[sn_random_below(&vm->random_input, 8)];
        sn_poke(vm, argv + k * 8, 8, text_block(vm, word, k == 0 ? 0 : SN_INPUT));
    }
    args[0] = (struct sn_reg){argc, SN_INPUT};
    args[1] = (struct sn_reg){argv, 0};
    args[2] = (struct sn_reg){envp, 0};
}

#define OBJECT_BYTES 1024u

/* Unknown parameters: a pointer points to an object of its own with unknown contents. */
static void unknown_arguments(struct sn_vm *vm, uint32_t func, struct sn_reg *args, unsigned n)
{
    const struct sn_func *f = &vm->code->func[func];
    for (unsigned k = 0; k < n; k++) {
        bool pointer = k < 16 && f->pointer_params >> k & 1;
        uint32_t at = pointer ? sn_simmem_take(&vm->mem, OBJECT_BYTES, 16, SN_UNKNOWN) : 0;
        args[k] = at ? (struct sn_reg){at, 0} : (struct sn_reg){sn_invent(vm, 64), SN_UNKNOWN};
    }
    if (n > 0)
        vm->exact = false;
    vm->vague_entry |= n > 0;
    vm->guessed |= n > 0;
}

#define MAX_PARAMS 16u

static unsigned arguments(struct sn_vm *vm, const struct sn_entry *e, uint32_t func, struct sn_reg *args)
{
    unsigned n = vm->code->func[func].nparams;
    n = n < MAX_PARAMS ? n : MAX_PARAMS;
    if (e->kind == SN_ENTRY_MAIN) {
        main_arguments(vm, args);
        return 3;
    }
    unknown_arguments(vm, func, args, n);
    if (e->kind == SN_ENTRY_MIDDLE || e->kind == SN_ENTRY_UNRUN_TEST) {
        vm->exact = false;
        vm->guessed = true;
    }
    return n;
}

/* --- the first task --- */

/* Constructor functions run before the entry; afterwards the entry's first instruction is next. */
static enum sn_result constructor_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                       struct sn_reg result)
{
    (void)result;
    if (k->n[0] < vm->code->nctor)
        return sn_call_back(vm, t, sn_func_addr(vm->code->ctor[k->n[0]++]), NULL, 0);
    return SN_DONE;
}

static void run_constructors(struct sn_vm *vm, struct sn_task *t)
{
    if (vm->code->nctor == 0)
        return;
    t->pc--; /* the callback returns behind it */
    sn_push_continuation(t, constructor_step, SN_NONE);
    if (sn_callback_return(vm, t, (struct sn_reg){0, 0}) == SN_DONE)
        t->pc++;
}

#define CALLS_IN_A_ROW 8u

/* A library is used from outside in some order: several exported functions, one after the other. */
static enum sn_result library_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k,
                                   struct sn_reg result)
{
    (void)result;
    const uint32_t *exported = (const uint32_t *)(uintptr_t)k->n[0];
    struct sn_reg args[MAX_PARAMS];
    if (k->n[2]++ >= CALLS_IN_A_ROW)
        return sn_begin_exit(vm, t, false);
    vm->exact = false; /* whether anybody calls them in this order is not known */
    vm->guessed = true;
    uint32_t f = exported[sn_random_below(&vm->random_input, k->n[1])];
    unsigned n = vm->code->func[f].nparams;
    n = n < 8 ? n : 8;
    unknown_arguments(vm, f, args, n);
    return sn_call_back(vm, t, sn_func_addr(f), args, n);
}

bool sn_entry_start(struct sn_vm *vm, const struct sn_entries *all, const struct sn_entry *e)
{
    struct sn_reg args[MAX_PARAMS];
    bool library = e->kind == SN_ENTRY_LIBRARY;
    uint32_t func = library ? all->exported[sn_random_below(&vm->random_input, all->nexported)] : e->func;
    unsigned n = arguments(vm, e, func, args);
    struct sn_task *t = sn_task_new(vm, NULL, func, args, n);
    if (t == NULL)
        return false;
    struct sn_continuation *k = sn_push_continuation(t, library ? library_step : sn_main_returned, SN_NONE);
    k->n[0] = (uint64_t)(uintptr_t)all->exported;
    k->n[1] = all->nexported;
    run_constructors(vm, t);
    return true;
}
