/*
 * order_file.c: the contracts of a run, see order_file.h.
 *
 * What snag knows itself of orders is compiled when it is built (lib/order.bin): to read it anew would
 * be a third of what a run of a small program costs. It is, once somebody has changed a file.
 */
#include "cmd/order_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/contract_files.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "core/contract.h"
#include "store/xalloc.h"

struct sn_words sn_order_contracts;

static int write_file(const char *path, const void *data, size_t bytes)
{
    FILE *out = fopen(path, "w");
    bool good = out && fwrite(data, 1, bytes, out) == bytes;
    if (out)
        good = fclose(out) == 0 && good;
    return good ? 0 : sn_fail("%s cannot be written: %s", path, strerror(errno));
}

int sn_contracts_put(const char *run_dir, const void *data, size_t bytes)
{
    char *path = sn_xformat("%s/%s", run_dir, SN_CONTRACT_FILE);
    int status = write_file(path, data, bytes);
    free(path);
    return status;
}

static int compile(void **flat, size_t *bytes)
{
    struct sn_contracts set = {0};
    int status = sn_contract_order_files(&sn_order_contracts, &set);
    if (!status)
        *flat = sn_contracts_compile(&set, true, bytes);
    sn_contracts_free(&set);
    return status;
}

int sn_order_compile(const char *path)
{
    void *flat;
    size_t bytes;
    int status = compile(&flat, &bytes);
    if (status)
        return status;
    status = write_file(path, flat, bytes);
    free(flat);
    return status;
}

/* The compiled file is there, and the run has it. */
static bool link_compiled(const char *run_dir)
{
    const char *lib = sn_place_lib();
    char *compiled = lib ? sn_xformat("%s/order.bin", lib) : NULL;
    char *path = sn_xformat("%s/%s", run_dir, SN_CONTRACT_FILE);
    struct stat st;
    bool done = compiled && !sn_order_contracts.n && !stat(compiled, &st) &&
                !sn_contract_order_newer(&st.st_mtim) && !symlink(compiled, path);
    free(compiled);
    free(path);
    return done;
}

int sn_order_put(const char *run_dir)
{
    static void *flat; /* the same for every start of a program */
    static size_t bytes;
    if (link_compiled(run_dir))
        return 0;
    int status = flat ? 0 : compile(&flat, &bytes);
    return status ? status : sn_contracts_put(run_dir, flat, bytes);
}
