/* contracts.c: `snag contracts list|check`: what the contract files say, and whether it is so. */
#include "cmd/command.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/contract_files.h"
#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "store/xalloc.h"

static size_t rules_of(const struct sn_contracts *c, size_t lib)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nrules; i++)
        n += c->rule[i].lib == lib;
    return n;
}

static int list(const struct sn_contracts *c)
{
    for (size_t i = 0; i < c->nlibs; i++)
        printf("%-12s %4zu rules  %-24s %s\n", c->lib[i].name, rules_of(c, i),
               c->lib[i].nsonames ? c->lib[i].soname[0] : "-",
               c->lib[i].about ? c->lib[i].about : "");
    return 0;
}

/* The library, if it is installed: any of its sonames. */
static void *open_library(const struct sn_contract_lib *l)
{
    void *h = NULL;
    for (size_t i = 0; i < l->nsonames && !h; i++)
        h = dlopen(l->soname[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    return h;
}

static bool has(const struct sn_contract_lib *l, void *first, const char *name)
{
    bool found = dlsym(first, name) != NULL;
    for (size_t i = 0; i < l->nsonames && !found; i++) {
        void *h = dlopen(l->soname[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        found = h && dlsym(h, name);
        if (h)
            dlclose(h);
    }
    return found;
}

static bool is_first(const struct sn_contracts *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->rule[k].lib == c->rule[i].lib &&
            strcmp(c->rule[k].function, c->rule[i].function) == 0)
            return false;
    return true;
}

/* Returns the number of functions that the library lacks. */
static size_t check_library(const struct sn_contracts *c, size_t lib)
{
    const struct sn_contract_lib *l = &c->lib[lib];
    void *h = open_library(l);
    size_t missing = 0, all = 0;
    if (!l->nsonames || !h) {
        printf("%-12s %s\n", l->name, l->nsonames ? "is not installed" : "any module: not checked");
        return 0;
    }
    for (size_t i = 0; i < c->nrules; i++) {
        if (c->rule[i].lib != lib || !is_first(c, i) || strpbrk(c->rule[i].function, "@*"))
            continue; /* callbacks are the program's, and patterns fit what there is */
        all++;
        if (has(l, h, c->rule[i].function))
            continue;
        missing++;
        printf("%-12s lacks %s (%s:%u)\n", l->name, c->rule[i].function, l->file,
               c->rule[i].effect.line);
    }
    printf("%-12s has %zu of %zu functions\n", l->name, all - missing, all);
    dlclose(h);
    return missing;
}

static int check(const struct sn_contracts *c)
{
    for (size_t i = 0; i < c->nlibs; i++)
        check_library(c, i);
    return 0;
}

/* For cmake/command.cmake. */
static int compile(const struct sn_words *rest)
{
    return rest->n == 2 ? sn_order_compile(rest->v[1])
                        : sn_fail("snag contracts compile FILE: which file is to be made?");
}

int sn_cmd_contracts(int argc, char **argv)
{
    struct sn_words rest = {0}, files = {0};
    struct sn_contracts c = {0};
    int status = sn_options_read_mixed(argc, argv, NULL, &rest);
    if (!status && !rest.n)
        status = sn_fail("say what to do: snag contracts list|check [FILE…]");
    if (!status && strcmp(rest.v[0], "compile") == 0) {
        status = compile(&rest);
        sn_words_free(&rest);
        return status;
    }
    for (size_t i = 1; i < rest.n; i++)
        sn_words_add(&files, rest.v[i]);
    if (!status && strcmp(rest.v[0], "list") != 0 && strcmp(rest.v[0], "check") != 0)
        status = sn_fail("'%s' is neither list nor check", rest.v[0]);
    if (!status)
        status = sn_contract_files(&files, &c);
    bool lists = !status && strcmp(rest.v[0], "list") == 0;
    if (!status)
        status = lists ? list(&c) : check(&c);
    sn_contracts_free(&c);
    if (!status && lists && !files.n) {
        status = sn_contract_order_files(&files, &c);
        list(&c);
        sn_contracts_free(&c);
    }
    sn_words_free(&rest);
    sn_words_free(&files);
    return status;
}

void sn_help_contracts(void)
{
    sn_help_page("snag contracts list|check [FILE|NAME…]",
                 "list: the libraries whose thread-safety contracts snag knows, and FILEs.\n"
                 "check: reads them strictly, and says which functions the installed library lacks.",
                 NULL, false, "snag contracts check mylib.contract");
}
