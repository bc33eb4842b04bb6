/* work.c: which units are done, and the progress line; see work.h. */
#include "campaign/work.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "cmd/say.h"
#include "store/store.h"
#include "store/xalloc.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void sn_work_init(struct sn_work *w, const struct sn_plan *p)
{
    *w = (struct sn_work){.plan = p};
    w->state = sn_xcalloc(p->n, sizeof *w->state);
    w->keys = sn_xcheck(json_object());
    w->began_s = now_s();
}

void sn_work_clear(struct sn_work *w)
{
    free(w->state);
    json_decref(w->keys);
    sn_words_free(&w->remote);
    sn_words_free(&w->merge_words);
    *w = (struct sn_work){0};
}

static void count_findings(struct sn_work *w, const char *dir)
{
    struct sn_store *s;
    struct sn_findings all;
    char *why = NULL;
    if (sn_store_open(dir, SN_STORE_READ, &s, &why) == 0) {
        if (sn_store_all(s, &all) == 0) {
            for (size_t i = 0; i < all.n; i++)
                if (all.f[i].status > SN_CANDIDATE)
                    json_object_set_new(w->keys, all.f[i].key, json_true());
            sn_findings_free(&all);
        }
        sn_store_close(s);
    }
    free(why);
}

bool sn_work_look_at(struct sn_work *w, size_t unit)
{
    char *dir = sn_plan_file(w->plan, "out", unit);
    enum sn_unit_state before = w->state[unit];
    w->state[unit] = sn_unit_look(dir, w->plan->id, (uint32_t)unit + 1);
    bool done = w->state[unit] == SN_UNIT_DONE;
    if (done && before != SN_UNIT_DONE)
        count_findings(w, dir);
    w->done += done;
    w->done -= before == SN_UNIT_DONE;
    free(dir);
    return done;
}

static void remove_half(struct sn_work *w, size_t unit)
{
    char *dir = sn_plan_file(w->plan, "out", unit);
    sn_say("the store of unit %zu is half-written or damaged: the unit is run again", unit + 1);
    sn_folder_remove(dir);
    w->state[unit] = SN_UNIT_MISSING;
    free(dir);
}

size_t sn_work_look(struct sn_work *w)
{
    for (size_t i = 0; i < w->plan->n; i++) {
        sn_work_look_at(w, i);
        if (w->state[i] == SN_UNIT_HALF)
            remove_half(w, i);
    }
    w->done_before = w->done;
    w->began_s = now_s();
    return w->plan->n - w->done;
}

bool sn_work_is_late(const struct sn_work *w)
{
    return w->plan->budget_s > 0 && now_s() - w->began_s >= w->plan->budget_s;
}

/* "1 h 5 min", "3 min 20 s", "12 s" */
static char *duration_words(double s)
{
    long n = (long)(s + 0.5);
    if (n >= 3600)
        return sn_xformat("%ld h %ld min", n / 3600, n % 3600 / 60);
    return n >= 60 ? sn_xformat("%ld min %ld s", n / 60, n % 60) : sn_xformat("%ld s", n);
}

static char *left_words(const struct sn_work *w)
{
    size_t here = w->done - w->done_before;
    if (!here || w->done == w->plan->n)
        return sn_xstrdup("");
    double each = (now_s() - w->began_s) / (double)here;
    char *time = duration_words(each * (double)(w->plan->n - w->done));
    char *words = sn_xformat(", %s left", time);
    free(time);
    return words;
}

void sn_work_progress(struct sn_work *w)
{
    if (!w->show)
        return;
    bool terminal = isatty(STDERR_FILENO);
    size_t found = json_object_size(w->keys);
    char *left = left_words(w);
    char *line = sn_xformat("snag: %zu of %zu units, %zu finding%s%s", w->done, w->plan->n, found,
                            found == 1 ? "" : "s", left);
    size_t n = strlen(line);
    fprintf(stderr, "%s%s%*s%s", terminal ? "\r" : "", line,
            terminal && w->shown > n ? (int)(w->shown - n) : 0, "", terminal ? "" : "\n");
    fflush(stderr);
    w->shown = n;
    free(line);
    free(left);
}

void sn_work_progress_end(struct sn_work *w)
{
    if (w->show && w->shown && isatty(STDERR_FILENO))
        fputc('\n', stderr);
    w->shown = 0;
}

void sn_work_look_for_new(struct sn_work *w)
{
    for (size_t i = 0; i < w->plan->n; i++) {
        if (w->state[i] == SN_UNIT_DONE)
            continue;
        char *dir = sn_plan_file(w->plan, "out", i), *file = sn_xformat("%s/snag.db", dir);
        if (sn_file_exists(file) && sn_work_look_at(w, i))
            sn_work_progress(w);
        free(file);
        free(dir);
    }
}

void sn_work_tidy(const struct sn_work *w)
{
    char *path = sn_xformat("%s/out", w->plan->dir);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strstr(e->d_name, ".part-"))
            continue;
        size_t unit = strtoul(e->d_name, NULL, 10);
        if (unit && unit <= w->plan->n && w->state[unit - 1] == SN_UNIT_DONE) {
            char *part = sn_xformat("%s/%s", path, e->d_name);
            sn_folder_remove(part);
            free(part);
        }
    }
    if (dir)
        closedir(dir);
    free(path);
}

char *sn_work_why(const struct sn_plan *p, size_t unit)
{
    char *path = sn_plan_file(p, "fail", unit), *text = NULL, *last = NULL;
    size_t bytes;
    if (sn_file_read(path, &text, &bytes) == 0) {
        while (bytes && text[bytes - 1] == '\n')
            text[--bytes] = 0;
        char *newline = strrchr(text, '\n');
        last = *text ? sn_xstrdup(newline ? newline + 1 : text) : NULL;
        free(text);
    }
    free(path);
    return last;
}
