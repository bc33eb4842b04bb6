/* order_file.c: the contracts of a run, see order_file.h. */
#include "cmd/order_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/contract_files.h"
#include "cmd/say.h"
#include "core/contract.h"
#include "store/xalloc.h"

struct sn_words sn_order_contracts;

int sn_contracts_put(const char *run_dir, const void *data, size_t bytes)
{
    char *path = sn_xformat("%s/%s", run_dir, SN_CONTRACT_FILE);
    FILE *out = fopen(path, "w");
    bool good = out && fwrite(data, 1, bytes, out) == bytes;
    if (out)
        good = fclose(out) == 0 && good;
    int status = good ? 0 : sn_fail("%s cannot be written: %s", path, strerror(errno));
    free(path);
    return status;
}

int sn_order_put(const char *run_dir)
{
    static void *flat; /* the same for every start of a program */
    static size_t bytes;
    struct sn_contracts set = {0};
    int status = 0;
    if (!flat) {
        status = sn_contract_order_files(&sn_order_contracts, &set);
        if (!status)
            flat = sn_contracts_compile(&set, true, &bytes);
        sn_contracts_free(&set);
    }
    return status ? status : sn_contracts_put(run_dir, flat, bytes);
}
