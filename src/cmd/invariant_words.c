/* invariant_words.c: see invariant_words.h. */
#include "cmd/invariant_words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/find_program.h"
#include "cmd/options.h"
#include "cmd/say.h"
#include "store/xalloc.h"

int sn_words_load(struct sn_inv *v, const char *program, char path[4096])
{
    struct sn_store *store = NULL;
    char *why = NULL, full[PATH_MAX];
    if (sn_find_program(program, full, sizeof full) != 0)
        snprintf(full, sizeof full, "%s", program);
    if (!realpath(full, path))
        snprintf(path, 4096, "%s", full);
    sn_inv_init(v, path);
    int r = sn_common.store ? sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) : -ENOENT;
    if (r < 0) { /* no store: nothing was learned yet */
        int status = r == -ENOENT ? 0 : sn_fail("%s", why);
        free(why);
        return status;
    }
    r = sn_inv_read_store(v, store);
    if (r)
        sn_say("the invariants in %s cannot be read: %s", sn_common.store, sn_store_error(store));
    sn_store_close(store);
    return r ? SN_EXIT_FAILED : 0;
}

/* Runs are put together when there are more than fit on a line. */
void sn_words_chart(const struct sn_inv *v)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { WIDTH = 60 };
    size_t per = (v->nruns + WIDTH - 1) / WIDTH;
    uint32_t most = 1;
    char line[WIDTH * 4 + 1] = "";
    for (size_t i = 0; i < v->nruns; i++)
        most = v->news[i] > most ? v->news[i] : most;
    for (size_t i = 0; per && i < v->nruns; i += per) {
        uint32_t height = 0;
        for (size_t j = i; j < i + per && j < v->nruns; j++)
            height = v->news[j] > height ? v->news[j] : height;
        unsigned step = 0; /* on a scale of halves, so that the last few still show */
        for (uint32_t h = height; h; h = h * 2 > most ? 0 : h * 2)
            step++;
        strcat(line, height ? bars[step > 8 ? 1 : 9 - step] : bars[0]);
    }
    sn_say("new orders per run (most: %u): [%s]", most, line);
}

static void print_set(struct sn_inv *v, const struct sn_inv_place *p)
{
    char *words = sn_keys_words(v->keys, p->key);
    printf("%s\n", words);
    free(words);
    for (size_t i = 0; i < p->nset; i++) {
        words = sn_keys_words(v->keys, v->place[p->set[i]].key);
        printf("    after %s\n", words);
        free(words);
    }
}

void sn_words_sets(struct sn_inv *v)
{
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].kept)
            print_set(v, &v->place[i]);
}

void sn_words_gone(struct sn_inv *v, bool all)
{
    size_t needed = 0, gone = 0;
    for (size_t i = 1; i < v->n; i++) {
        needed += v->place[i].needed;
        gone += v->place[i].needed && v->place[i].module < 0;
    }
    if (!gone)
        return;
    sn_say("%zu of %zu places that were learned are not in this build: run snag learn again to "
           "guard what has changed",
           gone, needed);
    const size_t named = all ? SIZE_MAX : 30;
    size_t said = 0;
    for (size_t i = 1; i < v->n && said < named; i++)
        if (v->place[i].needed && v->place[i].module < 0 && said++ < named)
            sn_say("  not in this build: %s", v->place[i].key);
    if (gone > said)
        sn_say("  and %zu more: snag learn --show names them all", gone - said);
}
