/* save.c: the schedules of confirmed results, into the store. */
#include "fuzz/campaign.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/say.h"
#include "store/store.h"

static int save_one(const struct sn_campaign *c, const struct sn_result *r, struct sn_store *store,
                    const char *program, const char *folder)
{
    struct sn_saved saved = {.program = (char *)program,
                             .folder = (char *)folder,
                             .argv = c->runner.argv,
                             .goal = r->goal,
                             .expected = c->runner.expected,
                             .timeout_s = c->runner.timeout_s,
                             .build = sn_saved_build(program),
                             .schedule = r->schedule,
                             .landmarks = r->landmarks};
    char *text = sn_saved_to_text(&saved);
    int e = sn_store_put_blob(store, "schedule", r->f.key, text, strlen(text));
    free(text);
    free(saved.build);
    return e == 0 ? 0 : sn_fail("a schedule could not be stored: %s", sn_store_error(store));
}

int sn_campaign_save(const struct sn_campaign *c, struct sn_store *store, const char *program)
{
    char folder[PATH_MAX];
    int status = 0;
    if (!store)
        return 0;
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
    for (size_t i = 0; i < c->n && !status; i++)
        if (c->result[i].confirmed && c->result[i].f.has_schedule)
            status = save_one(c, &c->result[i], store, program, folder);
    return status;
}
