/*
 * model.h: what library functions do in the simulation. A model is a C function that reads its
 * arguments from registers, works on the simulated memory, and says how the call ended. Models are
 * listed in tables, one per subject; a declared function is bound to its model by name.
 */
#ifndef SN_CHECK_MODEL_H
#define SN_CHECK_MODEL_H

#include "check/vm.h"

struct sn_call {
    struct sn_vm *vm;
    struct sn_task *t;
    const struct sn_reg *arg;
    unsigned nargs;
    struct sn_reg ret;    /* zero and interpreted unless the model says otherwise */
    uint32_t dst;         /* register that gets the result, SN_NONE none */
    uint32_t func;
};

typedef enum sn_result sn_model_fn(struct sn_call *c);

#define SN_MODEL_POINT 1 /* visible to other threads: the scheduler decides before it */
/* What it touches (struct sn_visible): its first argument is the object that it writes, unless: */
#define SN_MODEL_SHARED 2 /* it only reads it */
#define SN_MODEL_BOTH 4   /* its second argument, too */
#define SN_MODEL_LOCAL 8  /* nothing that others touch */
#define SN_MODEL_ANY 16   /* everything */

struct sn_model {
    const char *name;
    sn_model_fn *fn;
    unsigned flags;
    int64_t extra;        /* one function for several names */
};

struct sn_model_table {
    const struct sn_model *model;
    size_t n;
};

/* Gives declared functions their models, and turns calls of them into CALLM or CALLU. */
void sn_models_bind(struct sn_bytecode *code, const struct sn_model ***table);
enum sn_result sn_model_call(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func);
enum sn_result sn_model_direct(struct sn_vm *vm, struct sn_task *t, uint32_t func, const struct sn_reg *arg,
                               unsigned nargs, struct sn_reg *ret);
enum sn_result sn_unknown_call(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func);
enum sn_result sn_va_start(struct sn_vm *vm, struct sn_task *t, struct sn_reg list, struct sn_reg area);
bool sn_model_exists(const char *name);
const struct sn_model *sn_model_of(const struct sn_call *c);

/* Argument k; uninterpreted when the call has fewer. */
static inline struct sn_reg sn_arg(const struct sn_call *c, unsigned k)
{
    return k < c->nargs ? c->arg[k] : (struct sn_reg){0, SN_UNKNOWN};
}
static inline enum sn_result sn_return(struct sn_call *c, uint64_t v)
{
    c->ret = (struct sn_reg){v, 0};
    return SN_DONE;
}
/* An input of that many bits: any value may come. */
enum sn_result sn_return_input(struct sn_call *c, unsigned bits);

/* Scalars in simulated memory, without recording an access: for what only the library touches. */
uint64_t sn_peek(const struct sn_vm *vm, uint64_t addr, unsigned bytes);
void sn_poke(struct sn_vm *vm, uint64_t addr, unsigned bytes, uint64_t v);

/* What the models remember in a run (lib.c). */
struct sn_libstate;
void sn_lib_init(struct sn_vm *vm);
void sn_lib_reset(struct sn_vm *vm);
void sn_lib_free(struct sn_vm *vm);

#endif
