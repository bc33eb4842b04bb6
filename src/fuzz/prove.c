/* prove.c: a campaign on the findings of another engine, see prove.h. */
#include "fuzz/prove.h"

#include <limits.h>
#include <stdlib.h>

#include "cmd/launch.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "fuzz/asked.h"
#include "fuzz/campaign.h"
#include "store/xalloc.h"

enum { SCHEDULES = 50, LIMIT_S = 10, TIMEOUT_S = 10, MINIMISE = 120 };

/* Where the campaign has the finding, by its place in the caller's list. */
static const size_t nowhere = (size_t)-1;

static size_t *hand_in(struct sn_proof *p, struct sn_campaign *c)
{
    size_t *at = sn_xcalloc(p->findings->n, sizeof *at);
    for (size_t i = 0; i < p->findings->n; i++) {
        at[i] = nowhere;
        if (!sn_campaign_add(c, &p->findings->f[i]))
            continue;
        at[i] = c->n - 1;
        if (p->hint && p->hint[i].strategy[0])
            c->result[at[i]].hint = &p->hint[i];
    }
    return at;
}

static void take_back(struct sn_proof *p, struct sn_campaign *c, const size_t *at)
{
    size_t n = p->findings->n;
    for (size_t i = 0; i < n; i++)
        if (at[i] != nowhere) {
            p->confirmed += c->result[at[i]].confirmed;
            p->findings->f[i] = c->result[at[i]].f;
            c->result[at[i]].f = (struct sn_finding){0};
        }
    for (size_t i = 0; i < c->n; i++)
        if (c->result[i].hits && c->result[i].f.key) {
            *sn_findings_add(p->findings) = c->result[i].f;
            c->result[i].f = (struct sn_finding){0};
        }
}

static int campaign(struct sn_proof *p, struct sn_campaign *c, const char *program)
{
    size_t *at = hand_in(p, c);
    int status = sn_campaign_learn_usual_end(c, -1);
    if (!status)
        status = sn_campaign_directed(c);
    if (!status)
        status = sn_campaign_finish(c, MINIMISE);
    if (!status)
        status = sn_campaign_save(c, p->store, program);
    p->executions = c->executions;
    take_back(p, c, at);
    free(at);
    return status;
}

int sn_prove(struct sn_proof *p)
{
    struct sn_options rt = sn_session_rt();
    struct sn_campaign c = {.runner = {.argv = p->argv,
                                       .timeout_s = p->timeout_s > 0 ? p->timeout_s : TIMEOUT_S,
                                       .rt = &rt},
                            .schedules = p->schedules ? p->schedules : SCHEDULES,
                            .limit_s = p->limit_s > 0 ? p->limit_s : LIMIT_S,
                            .seed = p->seed,
                            .progress = p->progress};
    char path[PATH_MAX], *program = NULL, *why = NULL;
    p->executions = p->confirmed = 0;
    int status = sn_launch_check(p->argv[0], path);
    if (!status && sn_run_dir_make_quick(NULL, &c.runner.dir, &why) < 0)
        status = sn_fail("%s", why);
    program = realpath(path, NULL);
    sn_asked_watch();
    if (!status)
        status = campaign(p, &c, program ? program : path);
    sn_runner_stop(&c.runner);
    sn_asked_leave();
    if (c.runner.dir)
        sn_run_dir_remove(c.runner.dir);
    free(c.runner.dir);
    free(program);
    free(why);
    sn_campaign_clear(&c);
    return status;
}
