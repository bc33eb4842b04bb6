/* contract_files.c: finding and reading contract files, see contract_files.h. */
#include "cmd/contract_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "store/xalloc.h"

static const char suffix[] = ".contract";

static bool is_file(const char *word)
{
    size_t n = strlen(word), k = sizeof suffix - 1;
    return strchr(word, '/') || (n > k && strcmp(word + n - k, suffix) == 0);
}

static int read_one(struct sn_contracts *out, const char *path)
{
    char *why = NULL;
    int status = 0;
    if (sn_contracts_read(out, path, &why) < 0)
        status = sn_fail("%s", why);
    free(why);
    return status;
}

static int is_contract(const struct dirent *e)
{
    return is_file(e->d_name);
}

static int read_folder(struct sn_contracts *out, const char *folder)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_contract, alphasort), status = 0;
    if (n < 0)
        return sn_fail("the contracts in %s cannot be read", folder);
    for (int i = 0; i < n; i++) {
        char *path = sn_xformat("%s/%s", folder, names[i]->d_name);
        if (!status)
            status = read_one(out, path);
        free(path);
        free(names[i]);
    }
    free(names);
    return status;
}

static int read_named(struct sn_contracts *out, const char *folder, const char *name)
{
    char *path = sn_xformat("%s/%s%s", folder, name, suffix);
    int status = read_one(out, path);
    free(path);
    return status;
}

int sn_contract_files(const struct sn_words *wanted, struct sn_contracts *out)
{
    const char *folder = sn_place_contracts();
    bool named = false;
    int status = folder ? 0 : SN_EXIT_FAILED;
    for (size_t i = 0; i < wanted->n; i++)
        named = named || !is_file(wanted->v[i]);
    if (!status && !named)
        status = read_folder(out, folder);
    for (size_t i = 0; i < wanted->n && !status; i++)
        status = is_file(wanted->v[i]) ? read_one(out, wanted->v[i])
                                       : read_named(out, folder, wanted->v[i]);
    return status;
}

static bool is_newer(const char *path, const struct timespec *than)
{
    struct stat st;
    return stat(path, &st) || st.st_mtim.tv_sec > than->tv_sec ||
           (st.st_mtim.tv_sec == than->tv_sec && st.st_mtim.tv_nsec > than->tv_nsec);
}

bool sn_contract_order_newer(const struct timespec *than)
{
    const char *folder = sn_place_contracts();
    struct dirent **names;
    int n = -1;
    char *order = folder ? sn_xformat("%s/order", folder) : NULL;
    if (order)
        n = scandir(order, &names, is_contract, NULL);
    bool newer = n < 0;
    for (int i = 0; i < n; i++) {
        char *path = sn_xformat("%s/%s", order, names[i]->d_name);
        newer = newer || is_newer(path, than);
        free(path);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    free(order);
    return newer;
}

int sn_contract_order_files(const struct sn_words *wanted, struct sn_contracts *out)
{
    const char *folder = sn_place_contracts();
    char *order = folder ? sn_xformat("%s/order", folder) : NULL;
    int status = order ? read_folder(out, order) : SN_EXIT_FAILED;
    for (size_t i = 0; i < wanted->n && !status; i++)
        status = read_one(out, wanted->v[i]);
    free(order);
    return status;
}
