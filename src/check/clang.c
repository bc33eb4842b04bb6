/*
 * clang.c: see clang.h. The flags: no optimisation, so that every access of the source is there, but
 * functions stay open to the passes that promote locals; debug info and variables' names.
 */
#include "check/clang.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/bitcode.h"
#include "cmd/capture.h"
#include "cmd/find_program.h"
#include "store/xalloc.h"

#define OLDEST 14

struct sn_source *sn_sources_add(struct sn_sources *all)
{
    all->u = sn_xgrow(all->u, all->n, &all->cap, sizeof *all->u);
    all->u[all->n] = (struct sn_source){0};
    return &all->u[all->n++];
}

void sn_sources_free(struct sn_sources *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->u[i].file);
        free(all->u[i].directory);
        free(all->u[i].output);
        free(all->u[i].bitcode);
        free(all->u[i].errors);
        sn_words_free(&all->u[i].flags);
    }
    free(all->u);
    *all = (struct sn_sources){0};
}

/* --- which clang --- */

/* Major version that the program names itself, 0 when it is no clang. */
static int version_of(const char *clang)
{
    char *argv[] = {(char *)clang, "--version", NULL}, *text;
    int status = sn_capture(argv, false, &text), version = 0;
    const char *at = status == 0 ? strstr(text, "clang version ") : NULL;
    if (at != NULL)
        version = atoi(at + strlen("clang version "));
    free(text);
    return version;
}

static char *named(const char *name)
{
    char path[PATH_MAX];
    return sn_find_program(name, path, sizeof path) == 0 ? sn_xstrdup(path) : NULL;
}

static char *chosen_by_user(const char *name, int llvm_version, char **why)
{
    char *path = named(name);
    int version = path ? version_of(path) : 0;
    if (version >= OLDEST && version <= llvm_version)
        return path;
    *why = path == NULL   ? sn_xformat("SNAG_CLANG=%s: there is no such program", name)
           : version == 0 ? sn_xformat("SNAG_CLANG=%s is no clang", name)
                          : sn_xformat("SNAG_CLANG=%s is version %d; this snag reads %d to %d", name,
                                       version, OLDEST, llvm_version);
    free(path);
    return NULL;
}

char *sn_clang_find(int llvm_version, char **why)
{
    const char *user = getenv("SNAG_CLANG");
    if (user != NULL && user[0])
        return chosen_by_user(user, llvm_version, why);
    for (int v = llvm_version; v >= OLDEST; v--) {
        char name[32];
        snprintf(name, sizeof name, "clang-%d", v);
        char *path = named(name);
        if (path != NULL)
            return path;
    }
    char *path = named("clang");
    int version = path ? version_of(path) : 0;
    if (version >= OLDEST && version <= llvm_version)
        return path;
    *why = sn_xformat("no clang between %d and %d found: install clang-%d, or name one by SNAG_CLANG", OLDEST,
                      llvm_version, llvm_version);
    free(path);
    return NULL;
}

/* --- compiling --- */

static const char *const our_flags[] = {
    "-c", "-emit-llvm", "-O0", "-Xclang", "-disable-O0-optnone", "-g",
    "-fno-discard-value-names", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-w", "-Wno-everything",
    "-Qunused-arguments", "-fno-sanitize=all", "-fno-lto", "-fno-color-diagnostics",
    "-ferror-limit=5", NULL,
};

/* Flags that matter for what the code means; used alone when clang refuses the whole line. */
static bool is_essential(const char *flag, bool *takes_next)
{
    static const char *const joined[] = {"-I", "-D", "-U", "-isystem", "-iquote", "-include", "-std=", "-x"};
    *takes_next = false;
    for (size_t k = 0; k < sizeof joined / sizeof *joined; k++) {
        size_t n = strlen(joined[k]);
        if (strncmp(flag, joined[k], n) != 0)
            continue;
        *takes_next = flag[n] == '\0';
        return true;
    }
    return strcmp(flag, "-pthread") == 0 || strcmp(flag, "-fopenmp") == 0;
}

static void add_flags(struct sn_words *w, const struct sn_source *u, bool essential_only)
{
    for (size_t k = 0; k < u->flags.n; k++) {
        bool takes_next = false;
        if (essential_only && !is_essential(u->flags.v[k], &takes_next))
            continue;
        sn_words_add(w, u->flags.v[k]);
        if (takes_next && k + 1 < u->flags.n)
            sn_words_add(w, u->flags.v[++k]);
    }
}

struct running {
    pid_t pid;
    struct sn_source *unit;
    char *log;
    char *kept; /* name in the cache, without ending; null: not kept */
    struct timespec begun;
    bool second_try;
};

struct batch {
    const char *clang;
    const struct sn_compiling *how;
    struct running *r;
    size_t n;
};

/* omp.h comes with a package of clang's that is often absent, and with every gcc. */
static void add_openmp_folder(struct sn_words *w, const struct sn_source *u)
{
    char *argv[] = {"gcc", "-print-file-name=include", NULL}, *text = NULL;
    bool wanted = false;
    for (size_t k = 0; k < u->flags.n; k++)
        wanted |= strncmp(u->flags.v[k], "-fopenmp", 8) == 0;
    if (wanted && sn_capture(argv, false, &text) == 0 && text[0] == '/') {
        text[strcspn(text, "\n")] = '\0';
        sn_words_add(w, "-D__malloc__(...)="); /* with arguments, an attribute that clang refuses */
        sn_words_add(w, "-idirafter");
        sn_words_add(w, text);
    }
    free(text);
}

static struct sn_words command_of(const struct batch *b, const struct running *r)
{
    struct sn_words w = {0};
    sn_words_add(&w, b->clang);
    add_flags(&w, r->unit, r->second_try);
    if (b->how->flags != NULL && b->how->flags->n > 0)
        sn_words_add_all(&w, b->how->flags->v);
    sn_words_add_all(&w, (char *const *)our_flags);
    add_openmp_folder(&w, r->unit);
    if (r->kept != NULL) {
        char *deps = sn_xformat("%s.d", r->kept);
        sn_words_add(&w, "-MD");
        sn_words_add(&w, "-MF");
        sn_words_add(&w, deps);
        free(deps);
    }
    sn_words_add(&w, "-o");
    sn_words_add(&w, r->unit->bitcode);
    sn_words_add(&w, r->unit->file);
    return w;
}

static pid_t start(char *const *argv, const char *directory, const char *log)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(fd >= 0 ? fd : null, 1);
    dup2(fd >= 0 ? fd : null, 2);
    if (directory == NULL || chdir(directory) == 0)
        execv(argv[0], argv);
    dprintf(2, "%s: %s\n", directory ? directory : argv[0], strerror(errno));
    _exit(127);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = sn_xcalloc(1, 65536);
    if (f != NULL) {
        size_t n = fread(text, 1, 65535, f);
        text[n] = '\0';
        fclose(f);
    }
    return text;
}

static void launch(struct batch *b, struct running *r)
{
    struct sn_words w = command_of(b, r);
    clock_gettime(CLOCK_REALTIME, &r->begun);
    r->pid = start(w.v, r->unit->directory, r->log);
    sn_words_free(&w);
}

/* What was compiled goes to the cache, as old as the moment when the compiler began to read. */
static void keep(struct running *r)
{
    char *to = sn_xformat("%s.bc", r->kept);
    struct timespec times[2] = {r->begun, r->begun};
    if (utimensat(AT_FDCWD, r->unit->bitcode, times, 0) == 0 && rename(r->unit->bitcode, to) == 0) {
        free(r->unit->bitcode);
        r->unit->bitcode = to;
        return;
    }
    free(to);
}

/* What the compiler said, and what ended it when that was a signal. */
static char *errors_of(const struct batch *b, const struct running *r, int status)
{
    char *said = read_file(r->log);
    if (!WIFSIGNALED(status))
        return said;
    char *all = sn_xformat("%s%s was ended by signal %d (%s); is it short of stack (ulimit -s) or "
                           "memory?\n",
                           said, b->clang, WTERMSIG(status), strsignal(WTERMSIG(status)));
    free(said);
    return all;
}

/* A compilation has ended. True: it was started again with the essential flags alone. */
static bool ended(struct batch *b, struct running *r, int status)
{
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(r->unit->bitcode, R_OK) == 0;
    if (!ok && !r->second_try && r->unit->flags.n > 0) {
        r->second_try = true;
        r->unit->errors = errors_of(b, r, status);
        launch(b, r);
        return true;
    }
    if (ok) {
        free(r->unit->errors);
        r->unit->errors = NULL;
        if (r->kept != NULL)
            keep(r);
    } else {
        if (r->unit->errors == NULL)
            r->unit->errors = errors_of(b, r, status);
        free(r->unit->bitcode);
        r->unit->bitcode = NULL;
    }
    unlink(r->log);
    free(r->log);
    free(r->kept);
    return false;
}

static void wait_for_one(struct batch *b)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    for (size_t i = 0; i < b->n; i++) {
        if (b->r[i].pid != pid)
            continue;
        if (!ended(b, &b->r[i], status))
            b->r[i] = b->r[--b->n];
        return;
    }
}

static bool is_ir(const char *file)
{
    size_t n = strlen(file);
    return n > 3 && (strcmp(file + n - 3, ".bc") == 0 || strcmp(file + n - 3, ".ll") == 0);
}

/* Sets the unit's bitcode, if it is there already. */
static bool is_there(const struct sn_compiling *how, struct sn_source *u, const char *kept)
{
    if (is_ir(u->file))
        u->bitcode = sn_xstrdup(u->file);
    else if (kept != NULL && sn_bitcode_fresh(kept, u, how))
        u->bitcode = sn_xformat("%s.bc", kept);
    return u->bitcode != NULL;
}

void sn_clang_compile(const char *clang, struct sn_sources *units, const char *dir, const struct sn_compiling *how)
{
    struct batch b = {clang, how, sn_xcalloc((size_t)how->jobs, sizeof *b.r), 0};
    for (size_t i = 0; i < units->n; i++) {
        struct sn_source *u = &units->u[i];
        char *kept = how->cache ? sn_bitcode_name(how->cache, clang, u) : NULL;
        if (is_there(how, u, kept)) {
            free(kept);
            continue;
        }
        u->bitcode = sn_xformat("%s/%zu.bc", dir, i);
        b.r[b.n] = (struct running){.unit = u, .log = sn_xformat("%s/%zu.log", dir, i), .kept = kept};
        launch(&b, &b.r[b.n]);
        if (b.r[b.n].pid > 0)
            b.n++;
        while (b.n == (size_t)how->jobs) /* one that ended may have been started again */
            wait_for_one(&b);
    }
    while (b.n > 0)
        wait_for_one(&b);
    free(b.r);
}
