/* server.c: see server.h. */
#include "lsp/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lsp/diagnostic.h"
#include "lsp/recheck.h"
#include "lsp/wire.h"
#include "store/scratch.h"
#include "store/utf8.h"
#include "store/xalloc.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- out --- */

void sn_lsp_notify(struct sn_lsp *s, const char *method, json_t *params)
{
    if (sn_wire_send(s->out, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method,
                                       "params", params)) < 0)
        s->done = true;
}

static void tell(struct sn_lsp *s, const char *method, int type, const char *text)
{
    char *clean = sn_utf8_clean(text, strlen(text), false);
    sn_lsp_notify(s, method, json_pack("{s:i, s:s}", "type", type, "message", clean));
    free(clean);
}

void sn_lsp_log(struct sn_lsp *s, const char *text)
{
    tell(s, "window/logMessage", 3, text);
}

void sn_lsp_show(struct sn_lsp *s, const char *text)
{
    tell(s, "window/showMessage", 3, text);
}

static void publish_one(struct sn_lsp *s, const char *uri, json_t *list)
{
    const struct sn_document *d = sn_document_find(&s->docs, uri);
    json_t *params =
        json_pack("{s:s, s:o}", "uri", uri, "diagnostics", list ? json_incref(list) : json_array());
    if (d != NULL)
        json_object_set_new(params, "version", json_integer(d->version));
    sn_lsp_notify(s, "textDocument/publishDiagnostics", params);
}

void sn_lsp_publish(struct sn_lsp *s, const char *always)
{
    json_t *now = sn_diagnostics(&s->docs, s->config.candidates), *list;
    const char *uri;
    json_object_foreach(now, uri, list) if (!json_equal(list, json_object_get(s->marks, uri)) ||
                                            (always && strcmp(uri, always) == 0))
        publish_one(s, uri, list);
    json_object_foreach(s->marks, uri, list) if (json_object_get(now, uri) == NULL &&
                                                 (always == NULL || strcmp(uri, always) != 0))
        publish_one(s, uri, NULL);
    if (always != NULL && json_object_get(now, always) == NULL)
        publish_one(s, always, NULL);
    json_decref(s->marks);
    s->marks = now;
}

/* --- checks --- */

void sn_lsp_touch(struct sn_lsp *s, struct sn_document *d, bool at_once)
{
    if (s->check.pid > 0 && strcmp(s->check.uri, d->uri) == 0)
        sn_job_cancel(&s->check);
    d->due_s = now_s() + (at_once ? 0 : (double)s->config.debounce_ms / 1000);
}

void sn_lsp_touch_all(struct sn_lsp *s)
{
    for (size_t i = 0; i < s->docs.n; i++)
        if (sn_document_is_unit(&s->docs.d[i]))
            sn_lsp_touch(s, &s->docs.d[i], false);
}

static struct sn_document *next_due(struct sn_lsp *s)
{
    struct sn_document *next = NULL;
    for (size_t i = 0; i < s->docs.n; i++) {
        struct sn_document *d = &s->docs.d[i];
        if (d->due_s > 0 && (next == NULL || d->due_s < next->due_s))
            next = d;
    }
    return next;
}

static void start_due(struct sn_lsp *s)
{
    struct sn_document *d = s->check.pid > 0 ? NULL : next_due(s);
    if (d == NULL || d->due_s > now_s())
        return;
    struct sn_recheck r = {
        .docs = &s->docs, .d = d, .config = &s->config, .lib_dir = s->lib_dir, .cache = s->cache};
    d->due_s = 0;
    int e = sn_job_start(&s->check, d->uri, sn_recheck, &r);
    if (e < 0)
        sn_lsp_log(s, strerror(-e));
}

static void take_check(struct sn_lsp *s)
{
    char *uri = sn_xstrdup(s->check.uri);
    json_t *result = sn_job_finish(&s->check), *text;
    struct sn_document *d = sn_document_find(&s->docs, uri);
    size_t i;
    json_array_foreach(json_object_get(result, "messages"), i, text) if (json_is_string(text))
        sn_lsp_log(s, json_string_value(text));
    bool works = json_is_object(result) && !json_is_true(json_object_get(result, "failed"));
    bool found = json_array_size(json_object_get(result, "findings")) > 0;
    if (d != NULL && (works || found)) {
        d->shares = json_is_true(json_object_get(result, "shares"));
        json_decref(d->findings);
        d->findings = json_incref(json_object_get(result, "findings"));
        sn_lsp_publish(s, uri);
    }
    json_decref(result);
    free(uri);
}

/* A finding is now known to be sure: its marks say so. */
static void strengthen(struct sn_lsp *s, const char *key, const char *status)
{
    size_t i;
    json_t *j;
    for (size_t k = 0; key != NULL && k < s->docs.n; k++) {
        json_array_foreach(s->docs.d[k].findings, i, j)
        {
            const char *other = json_string_value(json_object_get(j, "key"));
            if (other != NULL && strcmp(other, key) == 0)
                json_object_set_new(j, "status", json_string(status));
        }
    }
    sn_lsp_publish(s, NULL);
}

static void take_confirm(struct sn_lsp *s)
{
    json_t *result = sn_job_finish(&s->confirm);
    const char *message = json_string_value(json_object_get(result, "message"));
    const char *status = json_string_value(json_object_get(result, "status"));
    if (status != NULL)
        strengthen(s, json_string_value(json_object_get(result, "key")), status);
    sn_lsp_show(s, message ? message : "snag fuzz gave no answer");
    json_decref(result);
}

/* --- the loop --- */

static int wait_ms(struct sn_lsp *s)
{
    const struct sn_document *d = s->check.pid > 0 ? NULL : next_due(s);
    if (d == NULL)
        return -1;
    double left = (d->due_s - now_s()) * 1000;
    return left <= 0 ? 0 : (int)left + 1;
}

static void answer_all(struct sn_lsp *s, struct sn_wire *w)
{
    json_t *message = NULL;
    enum sn_wire_result r;
    while (!s->done && (r = sn_wire_next(w, &message)) != SN_WIRE_MORE) {
        if (r == SN_WIRE_MESSAGE) {
            sn_lsp_answer(s, message);
            json_decref(message);
            continue;
        }
        json_t *error = json_pack("{s:s, s:n, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", "error",
                                  "code", -32700, "message", "this is no JSON-RPC message");
        if (sn_wire_send(s->out, error) < 0)
            s->done = true;
    }
}

/* False: the input has ended. */
static bool read_input(struct sn_lsp *s, struct sn_wire *w, int in)
{
    char bytes[65536];
    ssize_t n = read(in, bytes, sizeof bytes);
    if (n > 0)
        sn_wire_feed(w, bytes, (size_t)n);
    answer_all(s, w);
    return n > 0 || (n < 0 && errno == EINTR);
}

static void serve(struct sn_lsp *s, int in)
{
    struct sn_wire w = {0};
    while (!s->done) {
        struct pollfd fds[3] = {{.fd = in, .events = POLLIN},
                                {.fd = s->check.pid > 0 ? s->check.fd : -1, .events = POLLIN},
                                {.fd = s->confirm.pid > 0 ? s->confirm.fd : -1, .events = POLLIN}};
        if (poll(fds, 3, wait_ms(s)) < 0 && errno != EINTR)
            break;
        pid_t checking = s->check.pid; /* a message may end it and begin another */
        if (fds[0].revents && !read_input(s, &w, in))
            break;
        if (fds[1].revents && s->check.pid == checking && checking > 0 && sn_job_read(&s->check))
            take_check(s);
        if (fds[2].revents && s->confirm.pid > 0 && sn_job_read(&s->confirm))
            take_confirm(s);
        start_due(s);
    }
    sn_wire_free(&w);
}

int sn_lsp_serve(int in, FILE *out, const char *lib_dir)
{
    struct sn_lsp s = {.out = out,
                       .lib_dir = lib_dir,
                       .marks = json_object(),
                       .cache = sn_scratch_make("snag-lsp")};
    s.check.fd = s.confirm.fd = -1;
    signal(SIGPIPE, SIG_IGN);
    sn_lsp_config_init(&s.config);
    serve(&s, in);
    sn_job_cancel(&s.check);
    sn_job_cancel(&s.confirm);
    if (s.cache != NULL)
        sn_scratch_remove(s.cache);
    sn_documents_free(&s.docs);
    sn_lsp_config_free(&s.config);
    json_decref(s.marks);
    free(s.cache);
    free(s.root);
    return s.shut_down ? 0 : 1;
}
