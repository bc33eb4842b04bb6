/*
 * load.c: reads modules (bitcode or text), links them, promotes locals to registers, and lowers the
 * whole into bytecode. The one entry of this loadable module, sn_llvm_load(), is called by
 * check/plugin.c.
 */
#include "check/llvm/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/llvm/llvm.h"

/* What LLVM says goes here, never to the terminal and never to exit(). */
struct notes {
    char text[2048];
    size_t n;
    bool error;
};

static void note(struct notes *t, const char *text)
{
    int n = snprintf(t->text + t->n, sizeof t->text - t->n, "%s%s", t->n ? "\n" : "", text);
    t->n += n > 0 && (size_t)n < sizeof t->text - t->n ? (size_t)n : 0;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    struct notes *t = arg;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    note(t, text);
    t->error = true;
    LLVMDisposeMessage(text);
}

static LLVMModuleRef read_module(LLVMContextRef ctx, const char *path, struct notes *t)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef m = NULL;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why) == 0)
        LLVMParseIRInContext(ctx, buffer, &m, &why); /* takes the buffer */
    if (m == NULL) {
        note(t, why ? why : path);
        t->error = true;
    }
    if (why != NULL)
        LLVMDisposeMessage(why);
    return m;
}

static bool verified(LLVMModuleRef m, struct notes *t)
{
    char *why = NULL;
    bool broken = LLVMVerifyModule(m, LLVMReturnStatusAction, &why) != 0;
    if (broken) {
        note(t, why ? why : "invalid module");
        t->error = true;
    }
    if (why != NULL)
        LLVMDisposeMessage(why);
    return !broken;
}

/* All modules in one. A module that cannot be read or linked is told and left out. */
static LLVMModuleRef link_all(LLVMContextRef ctx, const char *const *files, size_t n, struct notes *t)
{
    LLVMModuleRef all = NULL;
    for (size_t i = 0; i < n; i++) {
        LLVMModuleRef m = read_module(ctx, files[i], t);
        if (m == NULL)
            continue;
        if (!verified(m, t)) {
            LLVMDisposeModule(m);
            continue;
        }
        if (all == NULL)
            all = m;
        else
            LLVMLinkModules2(all, m); /* an error is told to on_diagnostic(); m is gone either way */
    }
    return all;
}

static bool promote(LLVMModuleRef m, struct notes *t)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(m, "function(sroa)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (e == NULL)
        return true;
    char *why = LLVMGetErrorMessage(e);
    note(t, why);
    LLVMDisposeErrorMessage(why);
    return false;
}

static bool is_exported(LLVMValueRef fn)
{
    LLVMLinkage k = LLVMGetLinkage(fn);
    bool local = k == LLVMInternalLinkage || k == LLVMPrivateLinkage || k == LLVMAvailableExternallyLinkage;
    return !local && LLVMGetVisibility(fn) == LLVMDefaultVisibility;
}

static uint16_t pointer_params(LLVMValueRef fn)
{
    uint16_t bits = 0;
    for (unsigned k = 0; k < LLVMCountParams(fn) && k < 16; k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(fn, k))) == LLVMPointerTypeKind)
            bits |= (uint16_t)(1u << k);
    return bits;
}

static void declare_function(struct sn_lower *l, LLVMValueRef fn)
{
    struct sn_bytecode *c = l->code;
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n);
    LLVMTypeRef type = LLVMGlobalGetValueType(fn);
    LLVMTypeRef result = LLVMGetReturnType(type);
    if (LLVMGetIntrinsicID(fn) != 0)
        return;
    SN_GROW(c->func, c->nfunc, l->cap_func);
    struct sn_func *f = &c->func[c->nfunc];
    uint32_t slots = sn_lower_flat(l, result)->nslot;
    *f = (struct sn_func){.name = sn_lower_string(l, name, n), .entry = SN_NONE, .model = -1};
    f->nresult = (uint8_t)(slots < 255 ? slots : 255);
    f->variadic = LLVMIsFunctionVarArg(type) != 0;
    f->exported = is_exported(fn);
    f->pointer_params = pointer_params(fn);
    f->is_pointer_result = LLVMGetTypeKind(result) == LLVMPointerTypeKind;
    sn_lower_where(l, fn, &f->file, &f->line);
    sn_lower_map_put(&l->functions, SN_KEY(fn), (uint32_t)c->nfunc++);
}

#define MAX_FUNCTIONS ((SN_ADDR_FUNC_END - SN_ADDR_FUNC) / 16)

static void lower_module(struct sn_lower *l)
{
    LLVMModuleRef m = l->module;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (l->code->nfunc < MAX_FUNCTIONS)
            declare_function(l, f);
    sn_lower_globals(l);
    l->place = SN_NONE;
    sn_emit(l, SN_BC_NOP, 0, 0, 0, 0); /* so that every function has an instruction before it */
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        uint32_t *index = sn_lower_map_find(&l->functions, SN_KEY(f));
        if (index != NULL && LLVMCountBasicBlocks(f) > 0)
            sn_lower_function(l, f, *index);
    }
    l->f = NULL;
    sn_lower_images(l);
}

static void free_lower(struct sn_lower *l)
{
    for (size_t i = 0; i < l->nflat; i++) {
        free(l->flat[i]->leaf);
        free(l->flat[i]);
    }
    free(l->flat);
    sn_lower_map_free(&l->types);
    sn_lower_map_free(&l->strings);
    sn_lower_map_free(&l->places);
    sn_lower_map_free(&l->functions);
    sn_lower_map_free(&l->variables);
    sn_lower_map_free(&l->labels);
    sn_lower_map_free(&l->regs);
    sn_lower_map_free(&l->folded);
    sn_lower_map_free(&l->consts);
    sn_lower_map_free(&l->blocks);
    free(l->block);
    free(l->block_start);
    free(l->fixup);
    free(l->stub);
}

static void lower(LLVMModuleRef m, struct sn_bytecode *out)
{
    struct sn_lower l = {.module = m, .layout = LLVMGetModuleDataLayout(m), .code = out};
    l.byval = LLVMGetEnumAttributeKindForName("byval", 5);
    out->aarch64 = strncmp(LLVMGetTarget(m), "aarch64", 7) == 0;
    lower_module(&l);
    free_lower(&l);
}

/* LLVM would abort. The process is there for this one load (check/worker.h): its end is the answer. */
static void give_up(const char *reason)
{
    (void)reason;
    _exit(1);
}

static LLVMContextRef new_context(struct notes *t)
{
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(ctx, on_diagnostic, t);
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(give_up);
    return ctx;
}

__attribute__((visibility("default"))) int sn_llvm_load(const char *const *files, size_t n,
                                                        const char *ir_out, struct sn_bytecode *out,
                                                        char **message)
{
    struct notes t = {0};
    LLVMContextRef ctx = new_context(&t);
    LLVMModuleRef m = link_all(ctx, files, n, &t);
    *out = (struct sn_bytecode){0};
    bool ok = m != NULL && promote(m, &t);
    if (ok && ir_out != NULL)
        LLVMPrintModuleToFile(m, ir_out, NULL);
    if (ok)
        lower(m, out);
    if (m != NULL)
        LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
    *message = t.n ? strdup(t.text) : NULL;
    return ok ? 0 : -1;
}

struct listing {
    void (*fn)(void *arg, const char *name, bool defined);
    void *arg;
};

static void list_symbol(const struct listing *k, LLVMValueRef v)
{
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);
    LLVMLinkage linkage = LLVMGetLinkage(v);
    if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage || strncmp(name, "llvm.", 5) == 0)
        return;
    k->fn(k->arg, name, !LLVMIsDeclaration(v) && linkage != LLVMAvailableExternallyLinkage);
}

__attribute__((visibility("default"))) int sn_llvm_symbols(const char *file,
                                                           void (*fn)(void *, const char *, bool), void *arg)
{
    struct notes t = {0};
    const struct listing k = {fn, arg};
    LLVMContextRef ctx = new_context(&t);
    LLVMModuleRef m = read_module(ctx, file, &t);
    for (LLVMValueRef v = m ? LLVMGetFirstFunction(m) : NULL; v; v = LLVMGetNextFunction(v))
        list_symbol(&k, v);
    for (LLVMValueRef v = m ? LLVMGetFirstGlobal(m) : NULL; v; v = LLVMGetNextGlobal(v))
        list_symbol(&k, v);
    for (LLVMValueRef v = m ? LLVMGetFirstGlobalAlias(m) : NULL; v; v = LLVMGetNextGlobalAlias(v))
        list_symbol(&k, v);
    if (m != NULL)
        LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
    return m != NULL ? 0 : -1;
}

__attribute__((visibility("default"))) int sn_llvm_version(void) { return LLVM_VERSION_MAJOR; }
