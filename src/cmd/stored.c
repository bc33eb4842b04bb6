/* stored.c: findings from the store, see stored.h. */
#include "cmd/stored.h"

#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "report/judge.h"
#include "store/store.h"

int sn_stored_read(struct sn_report *r)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    if (!sn_common.store)
        return sn_fail("--no-store leaves nothing to show: leave it out, or name a store with --store DIR");
    if (sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    int status = 0;
    if (sn_store_all(store, &r->findings) < 0 || sn_store_runs(store, &r->runs) < 0)
        status = sn_fail("the store %s cannot be read: %s", sn_common.store, sn_store_error(store));
    sn_store_close(store);
    return status;
}

int sn_stored_judge(struct sn_report *r)
{
    int status = sn_session_check_outputs();
    if (!status && sn_report_prepare)
        sn_report_prepare();
    if (!status)
        sn_judge(r);
    return status;
}

int sn_stored_emit(struct sn_report *r, bool quiet, bool candidates)
{
    struct sn_report_options o = sn_session_report_options();
    o.quiet |= quiet;
    o.show_candidates = candidates;
    int status = sn_session_check_outputs();
    if (status)
        return status;
    if (sn_report_emit(r, &o) < 0)
        return SN_EXIT_FAILED;
    return sn_report_found(r) ? (int)sn_common.exitcode : 0;
}
