/*
 * suppress.c: `snag suppress ID…`: findings that somebody has looked at and decided to live with.
 * The store remembers them by key and fingerprint; they are found as ever, but neither shown nor
 * counted.
 */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/say.h"
#include "report/fingerprint.h"
#include "store/store.h"
#include "store/xalloc.h"

static bool list, undo;
static const char *reason;

const struct sn_option sn_options_suppress[] = {
    SN_OPTION_TEXT("reason", &reason, "TEXT", "why it may stay"),
    SN_OPTION_FLAG("undo", &undo, "show and count these again"),
    SN_OPTION_FLAG("list", &list, "what is suppressed, a line each"),
    SN_OPTION_END,
};

static int print_one(void *arg, const char *key, const void *data, size_t bytes)
{
    (void)arg;
    json_t *j = json_loadb(data, bytes, 0, NULL);
    const char *title = json_string_value(json_object_get(j, "title"));
    const char *why = json_string_value(json_object_get(j, "reason"));
    if (json_object_size(j))
        printf("%s\t%s\t%s\n", title ? title : "", why ? why : "", key);
    json_decref(j);
    return 0;
}

static int keep(struct sn_store *store, const struct sn_finding *f)
{
    char *print = sn_fingerprint(f);
    json_t *j = undo ? sn_xcheck(json_object())
                     : sn_xcheck(json_pack("{s:s, s:s?, s:s*}", "fingerprint", print, "title",
                                           f->title, "reason", reason));
    char *text = sn_xcheck(json_dumps(j, JSON_COMPACT));
    int r = sn_store_put_blob(store, "suppressed", f->key, text, strlen(text));
    free(text);
    free(print);
    json_decref(j);
    return r;
}

static int suppress_one(struct sn_store *store, const char *word)
{
    struct sn_finding f = {0};
    char *end;
    errno = 0;
    int64_t id = strtoll(word, &end, 10);
    if (*end || end == word || errno || id < 1)
        return sn_fail("'%s' is not the number of a finding; snag list shows them", word);
    if (sn_store_get(store, id, &f) < 0)
        return sn_fail("there is no finding %lld in %s; snag list shows what is there",
                       (long long)id, sn_common.store);
    int r = keep(store, &f);
    if (r < 0)
        r = sn_fail("the store %s cannot be written: %s", sn_common.store, sn_store_error(store));
    else if (!sn_common.quiet)
        sn_say(undo ? "finding %lld counts again: %s"
                    : "finding %lld is suppressed: %s (--undo takes it back)",
               (long long)id, f.title ? f.title : "");
    sn_finding_clear(&f);
    return r;
}

static int suppress_all(const struct sn_words *ids)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    int status = 0;
    if (sn_store_open(sn_common.store, list ? SN_STORE_READ : SN_STORE_WRITE, &store, &why) < 0) {
        status = sn_fail("%s", why);
        free(why);
        return status;
    }
    if (list)
        sn_store_each_blob(store, "suppressed", print_one, NULL);
    for (size_t i = 0; i < ids->n && !status; i++)
        status = suppress_one(store, ids->v[i]);
    sn_store_close(store);
    return status;
}

int sn_cmd_suppress(int argc, char **argv)
{
    struct sn_words ids = {0};
    int status = sn_options_read_mixed(argc, argv, sn_options_suppress, &ids);
    if (!status && !sn_common.store)
        status = sn_fail("--no-store leaves nothing to suppress: leave it out, or name a store with --store DIR");
    if (!status && !list && !ids.n)
        status = sn_fail("no finding given: snag suppress ID…; snag list shows their numbers");
    if (!status)
        status = suppress_all(&ids);
    sn_words_free(&ids);
    return status;
}

void sn_help_suppress(void)
{
    sn_help_page(
        "snag suppress [options] ID…",
        "These findings of the store are not shown and do not count any more, in this and in\n"
        "later runs, also after their lines have moved. They stay in the store, and in the JSON\n"
        "form with \"known\": \"suppressed\". What cannot be changed at all (a library's own "
        "races)\n"
        "is better left out by --suppressions FILE.",
        sn_options_suppress, false,
        "snag suppress 3 --reason 'statistics only, may be off by one'");
}
