/*
 * answer.c: what the server does with each message: one function per method, one table. A request
 * gets an answer whatever it contains; a notification that makes no sense is passed over.
 */
#include <string.h>
#include <unistd.h>

#include "lsp/confirm.h"
#include "lsp/diagnostic.h"
#include "lsp/server.h"
#include "lsp/wire.h"
#include "store/xalloc.h"

enum { NOT_FOUND = -32601, BAD_REQUEST = -32600, BAD_PARAMS = -32602, NOT_INITIALIZED = -32002 };

/* Result of a request (the caller's), or null for "null"; *error is a sentence when it failed. */
typedef json_t *handler_fn(struct sn_lsp *s, const json_t *params, const char **error);

static const char *text_at(const json_t *j, const char *a, const char *b)
{
    const json_t *inner = json_object_get(j, a);
    return json_string_value(b ? json_object_get(inner, b) : inner);
}

static struct sn_document *document_of(struct sn_lsp *s, const json_t *params)
{
    const char *uri = text_at(params, "textDocument", "uri");
    return uri ? sn_document_find(&s->docs, uri) : NULL;
}

/* --- beginning and end --- */

static json_t *capabilities(void)
{
    return json_pack("{s:{s:b, s:i, s:{s:b}}, s:b, s:{s:[s]}, s:{s:[s]}, s:s}", "textDocumentSync",
                     "openClose", 1, "change", 2, "save", "includeText", 0, "hoverProvider", 1,
                     "codeActionProvider", "codeActionKinds", "quickfix", "executeCommandProvider",
                     "commands", "snag.confirm", "positionEncoding", "utf-16");
}

/* The folder that the store is in: the first workspace folder. */
static void set_root(struct sn_lsp *s, const json_t *params)
{
    const char *uri =
        text_at(json_array_get(json_object_get(params, "workspaceFolders"), 0), "uri", NULL);
    if (uri == NULL)
        uri = text_at(params, "rootUri", NULL);
    const char *path = uri ? NULL : text_at(params, "rootPath", NULL);
    free(s->root);
    s->root = uri ? sn_uri_path(uri) : sn_xstrdup(path);
}

static json_t *initialize(struct sn_lsp *s, const json_t *params, const char **error)
{
    if (s->initialized) {
        *error = "initialize came twice";
        return NULL;
    }
    s->initialized = true;
    set_root(s, params);
    sn_lsp_config_read(&s->config, json_object_get(params, "initializationOptions"));
    const json_t *workspace = json_object_get(json_object_get(params, "capabilities"), "workspace");
    s->pulls_config = json_is_true(json_object_get(workspace, "configuration"));
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities(), "serverInfo", "name",
                     "snag", "version", SNAG_VERSION);
}

static void pull_config(struct sn_lsp *s)
{
    s->config_request = ++s->requests;
    json_t *request =
        json_pack("{s:s, s:I, s:s, s:{s:[{s:s}]}}", "jsonrpc", "2.0", "id", s->config_request,
                  "method", "workspace/configuration", "params", "items", "section", "snag");
    if (sn_wire_send(s->out, request) < 0)
        s->done = true;
}

static json_t *initialized(struct sn_lsp *s, const json_t *params, const char **error)
{
    (void)params, (void)error;
    if (s->pulls_config)
        pull_config(s);
    return NULL;
}

static json_t *shut_down(struct sn_lsp *s, const json_t *params, const char **error)
{
    (void)params, (void)error;
    s->shut_down = true;
    sn_job_cancel(&s->check);
    sn_job_cancel(&s->confirm);
    return NULL;
}

static json_t *leave(struct sn_lsp *s, const json_t *params, const char **error)
{
    (void)params, (void)error;
    s->done = true;
    return NULL;
}

/* --- settings --- */

static void take_settings(struct sn_lsp *s, const json_t *settings)
{
    if (!json_is_object(settings))
        return;
    sn_lsp_config_read(&s->config, settings);
    sn_lsp_touch_all(s);
    sn_lsp_publish(s, NULL);
}

static json_t *config_changed(struct sn_lsp *s, const json_t *params, const char **error)
{
    const json_t *settings = json_object_get(params, "settings"),
                 *ours = json_object_get(settings, "snag");
    (void)error;
    if (json_is_object(settings))
        take_settings(s, ours ? ours : settings);
    else if (s->pulls_config)
        pull_config(s);
    return NULL;
}

/* --- documents --- */

static json_t *did_open(struct sn_lsp *s, const json_t *params, const char **error)
{
    const json_t *d = json_object_get(params, "textDocument"), *text = json_object_get(d, "text");
    const char *uri = text_at(d, "uri", NULL);
    (void)error;
    if (uri == NULL || !json_is_string(text))
        return NULL;
    struct sn_document *doc = sn_document_open(&s->docs, uri, text_at(d, "languageId", NULL),
                                               json_integer_value(json_object_get(d, "version")),
                                               json_string_value(text), json_string_length(text));
    if (sn_document_is_unit(doc))
        sn_lsp_touch(s, doc, true);
    return NULL;
}

/* A header may matter to every unit that is open, a unit to those that it shares a program with. */
static void changed(struct sn_lsp *s, struct sn_document *d, bool at_once)
{
    if (!sn_document_is_unit(d)) {
        sn_lsp_touch_all(s);
        return;
    }
    for (size_t i = 0; d->shares && i < s->docs.n; i++)
        if (s->docs.d[i].shares)
            sn_lsp_touch(s, &s->docs.d[i], false);
    sn_lsp_touch(s, d, at_once);
}

static json_t *did_change(struct sn_lsp *s, const json_t *params, const char **error)
{
    struct sn_document *d = document_of(s, params);
    const json_t *version = json_object_get(json_object_get(params, "textDocument"), "version");
    size_t i;
    json_t *change;
    bool any = false;
    (void)error;
    if (d == NULL)
        return NULL;
    json_array_foreach(json_object_get(params, "contentChanges"), i, change) any |=
        sn_document_change(d, change);
    d->version = json_is_integer(version) ? json_integer_value(version) : d->version + 1;
    if (any && s->config.on_change)
        changed(s, d, false);
    return NULL;
}

static json_t *did_save(struct sn_lsp *s, const json_t *params, const char **error)
{
    struct sn_document *d = document_of(s, params);
    (void)error;
    if (d != NULL) {
        d->dirty = access(d->path, F_OK) != 0;
        changed(s, d, true);
    }
    return NULL;
}

static json_t *did_close(struct sn_lsp *s, const json_t *params, const char **error)
{
    struct sn_document *d = document_of(s, params);
    (void)error;
    if (d == NULL)
        return NULL;
    if (s->check.pid > 0 && strcmp(s->check.uri, d->uri) == 0)
        sn_job_cancel(&s->check);
    bool header_changed = d->dirty && !sn_document_is_unit(d);
    sn_document_close(&s->docs, d);
    if (header_changed)
        sn_lsp_touch_all(s);
    sn_lsp_publish(s, text_at(params, "textDocument", "uri"));
    return NULL;
}

/* --- questions --- */

static json_t *hover(struct sn_lsp *s, const json_t *params, const char **error)
{
    const char *uri = text_at(params, "textDocument", "uri");
    struct sn_position p;
    if (uri == NULL || !sn_position_read(json_object_get(params, "position"), &p)) {
        *error = "a hover needs a document and a position";
        return NULL;
    }
    char *text = sn_hover_text(&s->docs, s->marks, uri, p.line);
    if (text == NULL)
        return NULL;
    json_t *answer = json_pack("{s:{s:s, s:s}}", "contents", "kind", "markdown", "value", text);
    free(text);
    return answer;
}

static bool in_range(const json_t *diagnostic, size_t from, size_t to)
{
    struct sn_position p;
    const json_t *range = json_object_get(diagnostic, "range");
    return sn_position_read(json_object_get(range, "start"), &p) && p.line >= from && p.line <= to;
}

static json_t *action_for(const char *uri, json_t *diagnostic)
{
    const char *key = text_at(json_object_get(diagnostic, "data"), "key", NULL);
    return json_pack("{s:s, s:s, s:[O], s:{s:s, s:s, s:[{s:s, s:s?}]}}", "title",
                     "Confirm with snag fuzz", "kind", "quickfix", "diagnostics", diagnostic,
                     "command", "title", "Confirm with snag fuzz", "command", "snag.confirm",
                     "arguments", "uri", uri, "key", key);
}

static json_t *code_action(struct sn_lsp *s, const json_t *params, const char **error)
{
    const char *uri = text_at(params, "textDocument", "uri");
    const json_t *range = json_object_get(params, "range");
    struct sn_position from, to;
    size_t i;
    json_t *one;
    if (uri == NULL || !sn_position_read(json_object_get(range, "start"), &from) ||
        !sn_position_read(json_object_get(range, "end"), &to)) {
        *error = "code actions need a document and a range";
        return NULL;
    }
    json_t *actions = json_array(), *seen = json_object();
    json_array_foreach(json_object_get(s->marks, uri), i, one)
    {
        const char *key = text_at(json_object_get(one, "data"), "key", NULL);
        bool confirmed = json_integer_value(json_object_get(one, "severity")) == 1;
        if (!in_range(one, from.line, to.line) || key == NULL || confirmed ||
            json_object_get(seen, key))
            continue;
        json_object_set_new(seen, key, json_true());
        json_array_append_new(actions, action_for(uri, one));
    }
    json_decref(seen);
    return actions;
}

static json_t *execute(struct sn_lsp *s, const json_t *params, const char **error)
{
    const char *name = text_at(params, "command", NULL);
    const json_t *arg = json_array_get(json_object_get(params, "arguments"), 0);
    const char *uri = text_at(arg, "uri", NULL), *key = text_at(arg, "key", NULL);
    struct sn_confirm c = {.config = &s->config};
    if (name == NULL || strcmp(name, "snag.confirm") != 0)
        *error = "there is no such command";
    else if (uri == NULL || key == NULL || !sn_finding_by_key(&s->docs, key, &c.finding))
        *error = "there is no such finding any more";
    else if (s->confirm.pid > 0)
        *error = "snag fuzz is at work already";
    if (*error != NULL) {
        sn_finding_clear(&c.finding);
        return NULL;
    }
    char *file = sn_uri_path(uri), *slash = strrchr(file, '/'),
         *folder = sn_xstrndup(file, (size_t)(slash - file));
    c.file = file;
    c.root = s->root ? s->root : folder;
    int e = sn_job_start(&s->confirm, uri, sn_confirm, &c);
    if (e < 0)
        *error = strerror(-e);
    else
        sn_lsp_log(s, "snag fuzz is at work");
    sn_finding_clear(&c.finding);
    free(file);
    free(folder);
    return NULL;
}

/* --- dispatch --- */

static const struct method {
    const char *name;
    handler_fn *fn;
    bool request;
} methods[] = {
    {"initialize", initialize, true},
    {"initialized", initialized, false},
    {"shutdown", shut_down, true},
    {"exit", leave, false},
    {"workspace/didChangeConfiguration", config_changed, false},
    {"workspace/executeCommand", execute, true},
    {"textDocument/didOpen", did_open, false},
    {"textDocument/didChange", did_change, false},
    {"textDocument/didSave", did_save, false},
    {"textDocument/didClose", did_close, false},
    {"textDocument/hover", hover, true},
    {"textDocument/codeAction", code_action, true},
};

static const struct method *method_named(const char *name)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (strcmp(methods[k].name, name) == 0)
            return &methods[k];
    return NULL;
}

static void reply(struct sn_lsp *s, json_t *id, json_t *result)
{
    json_t *m = json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
                          result ? result : json_null());
    if (sn_wire_send(s->out, m) < 0)
        s->done = true;
}

static void refuse(struct sn_lsp *s, json_t *id, int code, const char *text)
{
    json_t *m = json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id, "error", "code",
                          code, "message", text);
    if (sn_wire_send(s->out, m) < 0)
        s->done = true;
}

static void answer_request(struct sn_lsp *s, json_t *id, const char *name, const json_t *params)
{
    const struct method *m = method_named(name);
    const char *error = NULL;
    if (s->shut_down)
        refuse(s, id, BAD_REQUEST, "the server is shut down");
    else if (!s->initialized && strcmp(name, "initialize") != 0)
        refuse(s, id, NOT_INITIALIZED, "initialize comes first");
    else if (m == NULL || !m->request)
        refuse(s, id, NOT_FOUND, "snag does not know this method");
    else {
        json_t *result = m->fn(s, params, &error);
        if (error != NULL)
            refuse(s, id, BAD_PARAMS, error);
        else
            reply(s, id, result);
    }
}

/* The client's answer to a request of ours: settings. */
static void take_answer(struct sn_lsp *s, const json_t *id, const json_t *message)
{
    if (json_is_integer(id) && json_integer_value(id) == s->config_request)
        take_settings(s, json_array_get(json_object_get(message, "result"), 0));
}

void sn_lsp_answer(struct sn_lsp *s, const json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *name = json_string_value(json_object_get(message, "method"));
    const json_t *params = json_object_get(message, "params");
    const char *error = NULL;
    bool has_id = json_is_integer(id) || json_is_string(id);
    if (name == NULL) {
        if (has_id && (json_object_get(message, "result") || json_object_get(message, "error")))
            take_answer(s, id, message);
        else
            refuse(s, has_id ? id : json_null(), BAD_REQUEST, "a message without a method");
    } else if (has_id) {
        answer_request(s, id, name, params);
    } else {
        const struct method *m = method_named(name);
        bool now = m != NULL && !m->request && (s->initialized || m->fn == leave) &&
                   (!s->shut_down || m->fn == leave);
        if (now)
            json_decref(m->fn(s, params, &error));
    }
}
