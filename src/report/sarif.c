/*
 * sarif.c: SARIF 2.1.0. One rule per kind, one result per finding; both sides are locations with
 * stacks, the interleaving is a code flow with one thread flow per thread, and the finding's key is
 * the fingerprint, so that a result is recognised after lines have moved elsewhere.
 */
#include "report/forms.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/fingerprint.h"
#include "report/judge.h"
#include "report/source.h"
#include "report/text.h"
#include "store/utf8.h"
#include "store/xalloc.h"

static json_t *text(const char *s)
{
    char *clean = sn_utf8_clean(s, strlen(s), true);
    json_t *j = sn_xcheck(json_string(clean));
    free(clean);
    return j;
}

static json_t *message(const char *s)
{
    return sn_xcheck(json_pack("{s:o}", "text", text(s)));
}

/* Relative paths are relative to %SRCROOT%; absolute ones become file: URIs. */
static json_t *artifact(const char *file)
{
    const char *path = sn_source_short(file);
    char *uri;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&uri, &bytes));
    if (*path == '/')
        fputs("file://", out);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
            strchr("/._-~+", *p))
            fputc(*p, out);
        else
            fprintf(out, "%%%02X", *p);
    }
    fclose(out);
    json_t *j = sn_xcheck(json_pack("{s:s}", "uri", uri));
    if (*path != '/')
        json_object_set_new(j, "uriBaseId", json_string("%SRCROOT%"));
    free(uri);
    return j;
}

static json_t *location(const struct sn_frame *f)
{
    json_t *j = sn_xcheck(json_object());
    if (f->file) {
        json_t *physical = sn_xcheck(json_pack("{s:o}", "artifactLocation", artifact(f->file)));
        if (f->line > 0) {
            json_t *region = sn_xcheck(json_pack("{s:i}", "startLine", f->line));
            if (f->column > 0)
                json_object_set_new(region, "startColumn", json_integer(f->column));
            json_object_set_new(physical, "region", region);
        }
        json_object_set_new(j, "physicalLocation", physical);
    }
    if (f->function)
        json_object_set_new(
            j, "logicalLocations",
            json_pack("[{s:o,s:s}]", "fullyQualifiedName", text(f->function), "kind", "function"));
    return j;
}

static char *site_words(const struct sn_site *s)
{
    char *op = s->op == SN_OP_CALL ? sn_xformat("call of %s()", s->call ? s->call : "?")
                                   : sn_xstrdup(sn_op_name(s->op));
    char *words = s->thread < 0 ? sn_xformat("%s by a thread", op)
                                : sn_xformat("%s by thread %lld", op, (long long)s->thread);
    free(op);
    return words;
}

static json_t *stack(const struct sn_site *s)
{
    json_t *frames = sn_xcheck(json_array());
    for (size_t i = 0; i < s->stack.n; i++) {
        const struct sn_frame *f = &s->stack.frame[i];
        json_t *one = sn_xcheck(json_pack("{s:o}", "location", location(f)));
        if (f->module)
            json_object_set_new(one, "module", text(f->module));
        if (s->thread >= 0 && s->thread <= INT_MAX)
            json_object_set_new(one, "threadId", json_integer(s->thread));
        json_array_append_new(frames, one);
    }
    char *words = site_words(s);
    json_t *j = sn_xcheck(json_pack("{s:o,s:o}", "message", message(words), "frames", frames));
    free(words);
    return j;
}

/* The format wants the stacks of a result to differ. */
static void append_new_stack(json_t *all, json_t *one)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        if (json_equal(json_array_get(all, i), one)) {
            json_decref(one);
            return;
        }
    }
    json_array_append_new(all, one);
}

static void put_sites(json_t *result, const struct sn_finding *f)
{
    json_t *main = sn_xcheck(json_array()), *related = sn_xcheck(json_array());
    json_t *stacks = sn_xcheck(json_array());
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_frame *at = sn_site_frame(&f->sites[i]);
        append_new_stack(stacks, stack(&f->sites[i]));
        if (!at)
            continue;
        json_t *where = location(at);
        char *words = site_words(&f->sites[i]);
        json_object_set_new(where, "message", message(words));
        free(words);
        if (json_array_size(main)) {
            json_object_set_new(where, "id", json_integer((json_int_t)i));
            json_array_append_new(related, where);
        } else {
            json_array_append_new(main, where);
        }
    }
    json_object_set_new(result, "locations", main);
    json_object_set_new(result, "relatedLocations", related);
    json_object_set_new(result, "stacks", stacks);
}

/* The flow of one thread: its steps, each with its place in the order of all. */
static json_t *thread_flow(const struct sn_finding *f, int64_t thread)
{
    json_t *steps = sn_xcheck(json_array());
    for (size_t i = 0; i < f->nsteps; i++) {
        if (f->steps[i].thread != thread)
            continue;
        json_t *where = location(&f->steps[i].at);
        json_object_set_new(where, "message",
                            message(f->steps[i].what ? f->steps[i].what : "step"));
        json_array_append_new(
            steps, json_pack("{s:o,s:I}", "location", where, "executionOrder", (json_int_t)i + 1));
    }
    char *id = sn_xformat("thread %lld", (long long)thread);
    json_t *j = sn_xcheck(json_pack("{s:s,s:o}", "id", id, "locations", steps));
    free(id);
    return j;
}

static void put_flows(json_t *result, const struct sn_finding *f)
{
    if (!f->nsteps)
        return;
    json_t *flows = sn_xcheck(json_array());
    for (size_t i = 0; i < f->nsteps; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first = first && f->steps[k].thread != f->steps[i].thread;
        if (first)
            json_array_append_new(flows, thread_flow(f, f->steps[i].thread));
    }
    json_object_set_new(result, "codeFlows", json_pack("[{s:o}]", "threadFlows", flows));
}

static void put_properties(json_t *result, const struct sn_finding *f)
{
    json_t *j = sn_xcheck(json_pack("{s:s}", "status", sn_status_name(f->status)));
    if (f->engine)
        json_object_set_new(j, "engine", text(f->engine));
    if (f->id)
        json_object_set_new(j, "id", json_integer(f->id));
    if (f->harmful >= 0)
        json_object_set_new(j, "harmful", json_boolean(f->harmful));
    if (f->effect)
        json_object_set_new(j, "effect", text(f->effect));
    json_object_set_new(result, "properties", j);
}

static json_t *result(const struct sn_finding *f)
{
    json_t *j = sn_xcheck(json_object());
    json_object_set_new(j, "ruleId", json_string(sn_kind_name(f->kind)));
    json_object_set_new(j, "ruleIndex", json_integer(f->kind));
    json_object_set_new(j, "level", json_string(f->status >= SN_OBSERVED ? "error" : "warning"));
    json_object_set_new(j, "message", message(f->title ? f->title : sn_kind_name(f->kind)));
    put_sites(j, f);
    put_flows(j, f);
    if (f->key)
        json_object_set_new(j, "partialFingerprints",
                            json_pack("{s:o}", "snagFindingKey/v1", text(f->key)));
    char *print = sn_fingerprint(f);
    json_object_set_new(j, "fingerprints", json_pack("{s:s}", "snagFingerprint/v1", print));
    free(print);
    if (sn_judged()->baseline)
        json_object_set_new(j, "baselineState",
                            json_string(f->known == SN_IN_BASELINE ? "unchanged" : "new"));
    if (f->known == SN_SUPPRESSED)
        json_object_set_new(j, "suppressions", json_pack("[{s:s}]", "kind", "external"));
    if (f->hits > 0)
        json_object_set_new(j, "occurrenceCount", json_integer(f->hits));
    put_properties(j, f);
    return j;
}

static json_t *rules(void)
{
    static const char *const words[SN_KIND_COUNT] = {
        [SN_KIND_DATA_RACE] = "Two threads use the same memory at once, and one writes",
        [SN_KIND_THREAD_SAFETY] = "Two threads are in calls on one object that does not allow it",
        [SN_KIND_DEADLOCK] = "Threads wait for each other for ever",
        [SN_KIND_LOCK_ORDER] = "Locks are taken in different orders, which can deadlock",
        [SN_KIND_ORDER] = "Something is used before or after its time",
        [SN_KIND_ATOMICITY] = "Another thread comes in between steps that belong together",
        [SN_KIND_MISUSE] = "A synchronisation object is used against its rules",
    };
    json_t *all = sn_xcheck(json_array());
    for (int k = 0; k < SN_KIND_COUNT; k++) {
        struct sn_finding f = {.kind = (enum sn_kind)k};
        json_t *rule = sn_xcheck(json_pack("{s:s,s:o}", "id", sn_kind_name((enum sn_kind)k),
                                           "shortDescription", message(words[k])));
        json_object_set_new(rule, "help", message(sn_hint(&f)));
        json_array_append_new(all, rule);
    }
    return all;
}

static json_t *invocation(const struct sn_report *r)
{
    json_t *arguments = sn_xcheck(json_array());
    for (char **a = r->command; a && *a; a++)
        json_array_append_new(arguments, text(*a));
    return sn_xcheck(json_pack("[{s:b,s:o}]", "executionSuccessful", 1, "arguments", arguments));
}

void sn_report_sarif(const struct sn_report *r, json_t **out)
{
    json_t *results = sn_xcheck(json_array());
    for (size_t i = 0; i < r->findings.n; i++) {
        if (r->findings.f[i].status > SN_CANDIDATE)
            json_array_append_new(results, result(&r->findings.f[i]));
    }
    json_t *driver = sn_xcheck(json_pack("{s:s,s:s,s:o}", "name", "snag", "semanticVersion",
                                         SNAG_VERSION, "rules", rules()));
    json_t *run = sn_xcheck(json_pack("{s:{s:o},s:o,s:o}", "tool", "driver", driver, "invocations",
                                      invocation(r), "results", results));
    *out = sn_xcheck(json_pack("{s:s,s:s,s:[o]}", "$schema",
                               "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                               "runs", run));
}
