/* recording.c: before and after a recorded run, see recording.h. */
#include "cmd/recording.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/capture.h"
#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/say.h"
#include "store/xalloc.h"
#include "symbol/elf.h"
#include "symbol/objects.h"
#include "trace/pack.h"
#include "trace/tail.h"

/* The libraries that the loader would take, by its own word: "name => path (0x…)". */
static void add_libraries(const char *program, struct sn_words *out)
{
    char *argv[] = {"env", "LD_TRACE_LOADED_OBJECTS=1", (char *)program, NULL}, *text, *rest;
    sn_capture(argv, false, &text);
    rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *path = strstr(line, "=> /"), *end = path ? strstr(path, " (0x") : NULL;
        if (!end)
            continue;
        *end = '\0';
        sn_words_add(out, path + 3);
    }
    free(text);
}

static void modules_of(const char *program, struct sn_words *out)
{
    struct sn_elf_facts facts;
    struct sn_words libraries = {0};
    char path[PATH_MAX];
    if (sn_launch_check(program, path) != 0)
        return;
    char *real = realpath(path, NULL); /* the loader knows it by this name */
    if (!real || sn_elf_probe(real, &facts) != 0) {
        free(real);
        return; /* a script: its interpreter is not the program */
    }
    sn_words_add(out, real);
    if (!facts.is_static)
        add_libraries(real, &libraries);
    for (size_t i = 0; i < libraries.n; i++)
        if (sn_elf_probe(libraries.v[i], &facts) == 0 && facts.instrumented)
            sn_words_add(out, libraries.v[i]);
    sn_words_free(&libraries);
    free(real);
}

/* Every pattern for itself, so that one in vain is named. */
static int check_patterns(const struct sn_recording *r, const struct sn_words *modules)
{
    FILE *nowhere = fopen("/dev/null", "we");
    int status = 0;
    for (size_t i = 0; nowhere && !status && i < r->excluded->n; i++) {
        int found = 0;
        for (size_t m = 0; m < modules->n && found <= 0; m++)
            found = sn_symbol_objects(modules->v[m], &r->excluded->v[i], 1, nowhere);
        if (found <= 0)
            status = sn_fail("--exclude '%s': no instrumented function of %s has such a name",
                             r->excluded->v[i], r->program);
    }
    if (nowhere)
        fclose(nowhere);
    return status;
}

int sn_recording_prepare(const struct sn_recording *r, const char *run_dir)
{
    struct sn_words modules = {0};
    modules_of(r->program, &modules);
    int status = check_patterns(r, &modules);
    char *path = sn_xformat("%s/objects", run_dir);
    FILE *out = status ? NULL : fopen(path, "we");
    if (!status && !out)
        status = sn_fail("%s cannot be written: %s", path, strerror(errno));
    for (size_t i = 0; !status && i < modules.n; i++)
        sn_symbol_objects(modules.v[i], r->excluded->v, r->excluded->n, out);
    if (out && fclose(out) != 0 && !status)
        status = sn_fail("%s cannot be written: %s", path, strerror(errno));
    sn_words_free(&modules);
    free(path);
    return status;
}

static bool is_trace(const char *name)
{
    size_t n = strlen(name), tail = strlen(SN_TRACE_TAIL_SUFFIX),
           head = strlen(SN_TRACE_RUN_PREFIX);
    return strncmp(name, SN_TRACE_RUN_PREFIX, head) == 0 &&
           (n < tail || strcmp(name + n - tail, SN_TRACE_TAIL_SUFFIX) != 0);
}

static int by_name(const void *a, const void *b)
{
    const char *p = strrchr(*(char *const *)a, '/'), *q = strrchr(*(char *const *)b, '/');
    return strverscmp(p, q); /* process numbers grow */
}

void sn_recording_traces(const char *run_dir, struct sn_words *out)
{
    DIR *dir = opendir(run_dir);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (is_trace(e->d_name)) {
            char *path = sn_xformat("%s/%s", run_dir, e->d_name);
            sn_words_add(out, path);
            free(path);
        }
    if (dir)
        closedir(dir);
    if (out->n > 1)
        qsort(out->v, out->n, sizeof *out->v, by_name);
}

int sn_recording_pack(const char *trace, const char *to, int level)
{
    FILE *out = fopen(to, "we");
    if (!out)
        return sn_fail("%s cannot be written: %s", to, strerror(errno));
    int r = sn_trace_pack(trace, out, level);
    if (fclose(out) != 0 && !r)
        r = -errno;
    if (!r)
        return 0;
    remove(to); /* nothing half-written */
    if (r == -EBADMSG) /* not even its head */
        return sn_fail("the program could not begin its trace %s: is the disk full, or ulimit -f "
                       "small?",
                       trace);
    return sn_fail("the trace cannot be written to %s: %s", to, strerror(-r));
}
