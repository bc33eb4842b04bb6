/*
 * html.c: the report as one page that needs nothing else: no network, no other file. Without
 * JavaScript everything is there to be opened and read; the script adds filters, stepping and the
 * choice of colours (page/page.js). A content security policy lets that one script run and nothing
 * else, should a name ever get past the escaping.
 */
#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "report/source.h"
#include "report/text.h"
#include "store/xalloc.h"

/* The insides of more findings than that are text for a browser with JavaScript, until they are
 * opened: a million elements would take it seconds. */
enum { OPENED_FAST = 100 };

/* Files that the findings are in, each once, with how many findings name it. */
struct files {
    struct named {
        const char *path;
        size_t findings, last; /* last: number of the finding that was counted last */
    } * f;
    size_t n, cap;
    size_t *slot; /* hash table of indices + 1 */
    size_t slots;
};

static uint64_t hash(const char *s)
{
    uint64_t h = 1469598103934665603u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static void place(struct files *all, size_t index)
{
    size_t i = hash(all->f[index].path) % all->slots;
    while (all->slot[i])
        i = (i + 1) % all->slots;
    all->slot[i] = index + 1;
}

static void make_room(struct files *all)
{
    if (all->slots > 2 * all->n)
        return;
    all->slots = all->slots ? 2 * all->slots : 64;
    free(all->slot);
    all->slot = sn_xcalloc(all->slots, sizeof *all->slot);
    for (size_t i = 0; i < all->n; i++)
        place(all, i);
}

static size_t file_index(struct files *all, const char *path)
{
    make_room(all);
    size_t i = hash(path) % all->slots;
    for (; all->slot[i]; i = (i + 1) % all->slots)
        if (!strcmp(all->f[all->slot[i] - 1].path, path))
            return all->slot[i] - 1;
    all->f = sn_xgrow(all->f, all->n, &all->cap, sizeof *all->f);
    all->f[all->n] = (struct named){.path = path};
    all->slot[i] = ++all->n;
    return all->n - 1;
}

/* Calls fn once for each file that a site of the finding is in. */
static void each_file(struct files *all, const struct sn_finding *f, size_t number,
                      void (*fn)(FILE *out, size_t index), FILE *out)
{
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_frame *at = sn_site_frame(&f->sites[i]);
        size_t index = at && at->file ? file_index(all, at->file) : SIZE_MAX;
        if (index == SIZE_MAX || all->f[index].last == number)
            continue;
        all->f[index].last = number;
        if (fn)
            fn(out, index);
        else
            all->f[index].findings++;
    }
}

static void put_index(FILE *out, size_t index)
{
    fprintf(out, "%zu ", index);
}

static void put_nonce(FILE *out, const uint64_t nonce[2])
{
    fprintf(out, "%016" PRIx64 "%016" PRIx64, nonce[0], nonce[1]);
}

static void put_head(FILE *out, size_t n, const uint64_t nonce[2])
{
    fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; base-uri 'none'; "
          "form-action 'none'; style-src 'unsafe-inline'; script-src 'nonce-",
          out);
    put_nonce(out, nonce);
    fprintf(out, "'\">\n<title>snag: %zu finding%s</title>\n<style>\n", n, n == 1 ? "" : "s");
    fputs(sn_page_css, out);
    fputs("</style>\n</head>\n<body>\n", out);
}

static size_t count(const struct sn_finding **shown, size_t n, int kind, int status)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += (kind < 0 || (int)shown[i]->kind == kind) &&
                 (status < 0 || (int)shown[i]->status == status);
    return found;
}

static void put_summary(FILE *out, const struct sn_report *r, const struct sn_finding **shown,
                        size_t n)
{
    const char *joint = ": ";
    fprintf(out, "<header><h1>%zu finding%s</h1>\n<p>snag " SNAG_VERSION, n, n == 1 ? "" : "s");
    for (int s = SN_STATUS_COUNT - 1; s >= 0; s--) {
        size_t some = count(shown, n, -1, s);
        if (some)
            fprintf(out, "%s%zu %s", joint, some, sn_status_name((enum sn_status)s));
        joint = some ? ", " : joint;
    }
    if (r->runs)
        fprintf(out, "; %lld run%s", (long long)r->runs, r->runs == 1 ? "" : "s");
    fputs("</p>\n<p class=cmd><code>", out);
    for (char **word = r->command; word && *word; word++) {
        fputs(word == r->command ? "" : " ", out);
        sn_html_text(out, *word);
    }
    fputs("</code></p>\n", out);
    for (char **m = r->messages; m && *m; m++) {
        fputs("<p>", out);
        sn_html_text(out, *m);
        fputs("</p>\n", out);
    }
    fputs("</header>\n", out);
}

static void put_kinds(FILE *out, const struct sn_finding **shown, size_t n)
{
    fputs("<label>kind<select id=kind><option value=\"\">all kinds</option>", out);
    for (int k = 0; k < SN_KIND_COUNT; k++) {
        size_t some = count(shown, n, k, -1);
        if (!some)
            continue;
        char *words = sn_text_kind((enum sn_kind)k, 2);
        fprintf(out, "<option value=%s>%s (%zu)</option>", sn_kind_name((enum sn_kind)k), words,
                some);
        free(words);
    }
    fputs("</select></label>\n", out);
}

static void put_statuses(FILE *out, const struct sn_finding **shown, size_t n)
{
    size_t harmful = 0;
    for (size_t i = 0; i < n; i++)
        harmful += shown[i]->harmful == 1;
    fputs("<label>status<select id=status><option value=\"\">any status</option>", out);
    if (harmful)
        fprintf(out, "<option value=harmful>harmful (%zu)</option>", harmful);
    for (int s = SN_STATUS_COUNT - 1; s >= 0; s--) {
        size_t some = count(shown, n, -1, s);
        const char *name = sn_status_name((enum sn_status)s);
        if (some)
            fprintf(out, "<option value=%s>%s (%zu)</option>", name, name, some);
    }
    fputs("</select></label>\n", out);
}

static const struct files *sorting; /* qsort has no argument for it */

static int by_path(const void *a, const void *b)
{
    return strcmp(sorting->f[*(const size_t *)a].path, sorting->f[*(const size_t *)b].path);
}

static void put_files(FILE *out, const struct files *all)
{
    size_t *order = sn_xcalloc(all->n, sizeof *order);
    for (size_t i = 0; i < all->n; i++)
        order[i] = i;
    sorting = all;
    if (all->n)
        qsort(order, all->n, sizeof *order, by_path);
    fputs("<label>file<select id=file><option value=\"\">all files</option>", out);
    for (size_t i = 0; i < all->n; i++) {
        const struct named *f = &all->f[order[i]];
        fprintf(out, "<option value=%zu>", order[i]);
        sn_html_text(out, sn_source_short(f->path));
        fprintf(out, " (%zu)</option>", f->findings);
    }
    fputs("</select></label>\n", out);
    free(order);
}

static void put_filters(FILE *out, struct files *files, const struct sn_finding **shown, size_t n)
{
    for (size_t i = 0; i < n; i++)
        each_file(files, shown[i], i + 1, NULL, NULL);
    fputs("<form id=filters hidden>\n", out);
    put_kinds(out, shown, n);
    put_statuses(out, shown, n);
    put_files(out, files);
    fputs("<label>words<input id=words type=search></label>\n"
          "<button type=button id=clear>clear</button>\n"
          "<button type=button id=theme>light / dark</button>\n"
          "<span id=shown></span>\n</form>\n",
          out);
}

static void put_where(FILE *out, const struct sn_finding *f)
{
    const struct sn_frame *before = NULL;
    fputs("<span class=where>", out);
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_frame *at = sn_site_frame(&f->sites[i]);
        if (!at || !at->file ||
            (before && before->line == at->line && !strcmp(before->file, at->file)))
            continue;
        const char *base = strrchr(at->file, '/');
        fputs(before ? " · " : "", out);
        sn_html_text(out, base ? base + 1 : at->file);
        fprintf(out, ":%d", at->line);
        before = at;
    }
    fputs("</span>", out);
}

static void put_finding(FILE *out, struct files *files, const struct sn_finding *f, size_t number,
                        size_t n)
{
    fprintf(out, "<details class=f id=f%lld data-k=%s data-s=%s data-h=%d data-f=\"",
            (long long)(f->id ? f->id : (int64_t)number), sn_kind_name(f->kind),
            sn_status_name(f->status), f->harmful == 1);
    each_file(files, f, n + number, put_index, out);
    fprintf(out, "\"%s><summary>", number == 1 ? " open" : "");
    if (f->id)
        fprintf(out, "<span class=id>%lld</span>", (long long)f->id);
    fprintf(out, "<span class=\"st %s\">%s</span>", sn_status_name(f->status),
            sn_status_name(f->status));
    fputs(f->harmful == 1 ? "<span class=harm>harmful</span>" : "", out);
    fputs("<span class=title>", out);
    sn_html_text(out, f->title ? f->title : sn_kind_name(f->kind));
    fputs("</span>", out);
    put_where(out, f);
    fputs("</summary>\n", out);
    fputs(number > OPENED_FAST ? "<noscript>" : "", out);
    sn_html_finding(out, f);
    fputs(number > OPENED_FAST ? "</noscript></details>\n" : "</details>\n", out);
}

void sn_report_html(FILE *out, const struct sn_report *r, bool candidates)
{
    const struct sn_finding **shown = sn_xcalloc(r->findings.n, sizeof *shown);
    size_t n = sn_text_collect(r, candidates, shown);
    struct files files = {0};
    uint64_t nonce[2] = {0};
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce)
        nonce[0] = nonce[1] = 0; /* the escaping alone has to do then */
    put_head(out, n, nonce);
    put_summary(out, r, shown, n);
    put_filters(out, &files, shown, n);
    fputs("<main>\n", out);
    for (size_t i = 0; i < n; i++) /* files were counted as 1 … n; now as n + 1 … 2n */
        put_finding(out, &files, shown[i], i + 1, n);
    if (!n)
        fputs("<p>Nothing was found.</p>\n", out);
    fputs("</main>\n", out);
    if (n < r->findings.n)
        fprintf(out, "<footer>%zu more are left out: suspected but not seen, or known.</footer>\n",
                r->findings.n - n);
    fputs("<script nonce=", out);
    put_nonce(out, nonce);
    fputs(">\n", out);
    fputs(sn_page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
    free(files.f);
    free(files.slot);
    free(shown);
}
