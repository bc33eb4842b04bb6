/* merge.c: `snag merge STORE…`, other stores taken into this one. */
#include "cmd/command.h"

#include <stdlib.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "store/store.h"

static void say_failed(void *arg, const char *dir, int err, const char *why)
{
    (void)arg;
    (void)dir, (void)err; /* the sentence says both */
    sn_say("%s", why);
}

static int merge_into(struct sn_store *store, const struct sn_words *others)
{
    int r = sn_store_merge_many(store, (const char *const *)others->v, others->n, say_failed, NULL);
    return r < 0 ? SN_EXIT_FAILED : 0;
}

int sn_cmd_merge(int argc, char **argv)
{
    struct sn_words others = {0};
    struct sn_store *store = NULL;
    char *why = NULL;
    int status = sn_options_read_mixed(argc, argv, NULL, &others);
    if (!status && (!others.n || !sn_common.store))
        status = sn_fail("no store given: snag merge [--store INTO] STORE…");
    if (!status && sn_store_open(sn_common.store, SN_STORE_WRITE, &store, &why) < 0)
        status = sn_fail("%s", why);
    if (!status)
        status = merge_into(store, &others);
    sn_store_close(store);
    sn_words_free(&others);
    free(why);
    return status;
}

void sn_help_merge(void)
{
    sn_help_page(
        "snag merge [options] STORE…",
        "Takes the runs and findings of other stores into the one of --store (.snag). The\n"
        "order does not matter, and a store that is merged again changes nothing.",
        NULL, false, "snag merge --store all machine1/.snag machine2/.snag");
}
