/*
 * doctor.c: `snag doctor`, what works on this machine and what to change. Each check is a small
 * function that fills one line; the last ones build and watch a program with a race in it, because
 * nothing tells more than doing it.
 */
#include "cmd/command.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/capture.h"
#include "cmd/find_program.h"
#include "cmd/place.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "store/store.h"
#include "store/xalloc.h"

enum level { OK, WARN, FAIL };

static enum level worst;
static char *work; /* folder for the test programs; null: could not be made */

__attribute__((format(printf, 2, 3))) static void line(enum level level, const char *format, ...)
{
    static const char *const words[] = {"ok  ", "warn", "FAIL"};
    va_list args;
    va_start(args, format);
    printf("%s  ", words[level]);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    if (level > worst)
        worst = level;
}

/* The number in a file below /proc/sys; -1 when there is none. */
static long setting(const char *path)
{
    FILE *f = fopen(path, "re");
    long n = -1;
    if (f && fscanf(f, "%ld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static void check_kernel(void)
{
    struct utsname u;
    uname(&u);
    bool known = strcmp(u.machine, "x86_64") == 0;
    line(known ? OK : FAIL, "kernel %s on %s%s", u.release, u.machine,
         known ? "" : ": snag watches x86-64 programs only");
    if (access("/proc/self/maps", R_OK) != 0)
        line(FAIL, "/proc is not mounted: no program can be watched; mount -t proc proc /proc");
}

static void check_randomisation(void)
{
    line(OK, "address randomisation: mode %ld, %ld bits (any will do)",
         setting("/proc/sys/kernel/randomize_va_space"), setting("/proc/sys/vm/mmap_rnd_bits"));
}

static void check_overcommit(void)
{
    long mode = setting("/proc/sys/vm/overcommit_memory");
    if (mode == 2)
        line(WARN, "memory overcommit is off: shadow memory may be refused; sysctl "
                   "vm.overcommit_memory=0, or race --memory-limit MB");
    else
        line(OK, "memory overcommit: mode %ld", mode);
}

static void check_limit(int which, const char *name, rlim_t enough, const char *why)
{
    struct rlimit r;
    getrlimit(which, &r);
    if (r.rlim_cur == RLIM_INFINITY)
        line(OK, "ulimit %s: unlimited", name);
    else
        line(r.rlim_cur >= enough ? OK : WARN, "ulimit %s: %llu%s%s", name,
             (unsigned long long)r.rlim_cur, r.rlim_cur >= enough ? "" : ": ",
             r.rlim_cur >= enough ? "" : why);
}

static void check_limits(void)
{
    check_limit(RLIMIT_AS, "-v (address space, bytes)", RLIM_INFINITY,
                "shadow memory needs room; ulimit -v unlimited");
    check_limit(RLIMIT_FSIZE, "-f (file size, bytes)", (rlim_t)1 << 30,
                "run files may be cut; ulimit -f unlimited");
    check_limit(RLIMIT_STACK, "-s (stack, bytes)", (rlim_t)1 << 20,
                "threads may overflow; ulimit -s 8192");
    check_limit(RLIMIT_NOFILE, "-n (open files)", 64, "ulimit -n 1024");
}

static void check_ptrace(void)
{
    long scope = setting("/proc/sys/kernel/yama/ptrace_scope");
    if (scope >= 2 && geteuid() != 0)
        line(WARN, "ptrace is restricted: debuggers need root; sysctl kernel.yama.ptrace_scope=1");
    else
        line(OK, "ptrace: %s", scope < 0 ? "not restricted" : "own children may be debugged");
}

/* A container's system call filter may forbid what fixed addresses need. */
static void check_personality(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(personality(ADDR_NO_RANDOMIZE) < 0);
    int status = 1;
    waitpid(pid, &status, 0);
    if (status == 0)
        line(OK, "personality: address randomisation can be switched off for a run");
    else
        line(WARN, "personality: address randomisation cannot be switched off (container?); docker "
                   "run --security-opt seccomp=unconfined");
}

static void check_seccomp(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char text[256];
    int mode = 0;
    while (f && fgets(text, sizeof text, f))
        sscanf(text, "Seccomp: %d", &mode);
    if (f)
        fclose(f);
    line(OK, "system call filter: %s",
         mode ? "on (container); the checks below show what works" : "none");
}

static void check_library(void)
{
    const char *lib = sn_place_lib();
    if (!lib)
        line(FAIL, "libsnag: not found beside %s; build or install snag again", sn_place_exe());
    else if (strpbrk(lib, " :;"))
        line(FAIL,
             "libsnag: %s has a blank, colon or semicolon, which the loader cannot take; "
             "install snag elsewhere",
             lib);
    else
        line(OK, "libsnag: %s", lib);
}

static void check_preload(void)
{
    char *library = sn_place_lib() ? sn_place_engine("none") : NULL;
    if (!library)
        return;
    char *preload = sn_xformat("LD_PRELOAD=%s", library), *maps;
    char *argv[] = {"env", preload, "cat", "/proc/self/maps", NULL};
    int status = sn_capture(argv, false, &maps);
    if (status == 0 && strstr(maps, library))
        line(OK, "LD_PRELOAD works");
    else
        line(FAIL,
             "LD_PRELOAD does not bring %s into a program (status %d): is the loader glibc's, "
             "and is the file system mounted noexec?",
             library, status);
    free(maps);
    free(preload);
    free(library);
}

static const char racy_program[] = "#include <pthread.h>\n"
                                   "int counter;\n"
                                   "static void *add(void *arg) { counter++; return arg; }\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    pthread_t t;\n"
                                   "    if (pthread_create(&t, 0, add, 0)) return 2;\n"
                                   "    counter++;\n"
                                   "    return pthread_join(t, 0) ? 3 : 0;\n"
                                   "}\n";

static int write_program(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return -errno;
    fputs(racy_program, f);
    return fclose(f) == 0 ? 0 : -errno;
}

/* The last line that is not empty. */
static const char *last_line(char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n')
        text[--n] = 0;
    char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

/* Builds the program with `snag COMMAND` and that compiler; true when it runs by itself then. */
static bool builds(const char *command, const char *variable, const char *compiler,
                   const char *source, char *program)
{
    char *said, *setting_word = sn_xformat("%s=%s", variable, compiler);
    char *argv[] = {"env",           setting_word,   (char *)sn_place_exe(),
                    (char *)command, "-pthread",     "-o",
                    program,         (char *)source, NULL};
    char *alone[] = {program, NULL};
    int status = sn_capture(argv, true, &said);
    if (status)
        line(WARN,
             "snag %s with %s does not build a program: %s (set %s to a gcc or clang that "
             "has -fsanitize=thread)",
             command, compiler, last_line(said), variable);
    free(said);
    if (!status) {
        status = sn_capture(alone, true, &said);
        line(status ? FAIL : OK, "snag %s with %s: a program builds and %s", command, compiler,
             status ? "does not run by itself" : "runs");
        free(said);
    }
    free(setting_word);
    return status == 0;
}

/* True when some frame of some site has a line number. */
static bool has_lines(json_t *report)
{
    size_t i, j, k;
    json_t *finding, *site, *frame;
    json_array_foreach(json_object_get(report, "findings"), i, finding)
        json_array_foreach(json_object_get(finding, "sites"), j, site)
            json_array_foreach(json_object_get(site, "stack"), k,
                               frame) if (json_object_get(frame, "line")) return true;
    return false;
}

static void check_watching(char *program)
{
    char *argv[] = {"env",
                    "-u",
                    "SNAG_OPTIONS",
                    (char *)sn_place_exe(),
                    "race",
                    "--no-store",
                    "--quiet",
                    "--json",
                    "-",
                    program,
                    NULL};
    char *said;
    int status = sn_capture(argv, false, &said);
    json_t *report = json_loads(said, 0, NULL);
    if (status != SN_EXIT_FOUND)
        line(FAIL, "snag race does not find the race of a test program (status %d)", status);
    else
        line(OK, "snag race finds the race of a test program");
    if (status == SN_EXIT_FOUND && !has_lines(report))
        line(WARN, "debug information gives no line numbers: does the compiler write DWARF?");
    json_decref(report);
    free(said);
}

struct compiler {
    const char *command, *variable, *standard, *other;
};

/* The compiler that is set, or the standard one and clang. Returns whether one of them works. */
static bool check_compiler(const struct compiler *c, const char *source, char *program)
{
    const char *set = getenv(c->variable);
    char path[4096];
    bool works = builds(c->command, c->variable, set ? set : c->standard, source, program);
    if (!set && sn_find_program(c->other, path, sizeof path) == 0)
        works |= builds(c->command, c->variable, c->other, source, program);
    return works;
}

static void check_compilers(void)
{
    static const struct compiler c = {"cc", "SNAG_CC", "cc", "clang"};
    static const struct compiler cxx = {"c++", "SNAG_CXX", "c++", "clang++"};
    if (!work || !sn_place_lib())
        return;
    char *source = sn_xformat("%s/race.c", work), *program = sn_xformat("%s/race", work);
    int r = write_program(source);
    if (r < 0) {
        line(FAIL, "%s cannot be written: %s", source, strerror(-r));
    } else {
        check_compiler(&cxx, source, program);
        if (check_compiler(&c, source, program))
            check_watching(program);
        else
            line(WARN, "no compiler works with snag cc: programs built elsewhere with gcc "
                       "-fsanitize=thread can be watched");
    }
    free(source);
    free(program);
}

static void check_space(const char *folder)
{
    struct statvfs v;
    if (statvfs(folder, &v) < 0)
        return;
    unsigned long long mb = (unsigned long long)v.f_bavail * v.f_frsize >> 20;
    line(mb < 64 ? WARN : OK, "disk: %llu MB free for run files%s", mb,
         mb < 64 ? "; make room, or --store elsewhere" : "");
}

static void check_kept_runs(void)
{
    char *runs = sn_xformat("%s/runs", sn_common.store);
    DIR *dir = opendir(runs);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            line(WARN,
                 "run files in %s/%s: a run is going on, or was not stored; snag report --run "
                 "%s/%s takes them in",
                 runs, e->d_name, runs, e->d_name);
    if (dir)
        closedir(dir);
    free(runs);
}

static void check_store(void)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    if (!sn_common.store)
        return;
    if (access(sn_common.store, F_OK) != 0) {
        bool can = access(".", W_OK) == 0;
        line(can ? OK : WARN, "store: none yet in %s%s", sn_common.store,
             can ? "" : ", and this folder is not writable; --store DIR or --no-store");
        check_space(".");
        return;
    }
    if (sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0)
        line(FAIL, "store: %s", why);
    else if (access(sn_common.store, W_OK) != 0)
        line(FAIL, "store: %s is not writable; --store DIR or --no-store", sn_common.store);
    else
        line(OK, "store: %s", sn_common.store);
    sn_store_close(store);
    free(why);
    check_space(sn_common.store);
    check_kept_runs();
}

static void make_work_folder(void)
{
    char *why = NULL;
    if (sn_run_dir_make(NULL, &work, &why) < 0)
        line(FAIL, "%s; set TMPDIR to a folder that can be written", why);
    else
        chmod(work, 0700); /* programs are built and run in it */
    free(why);
}

int sn_cmd_doctor(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, NULL, &first);
    if (!status && first < argc)
        status = sn_fail("snag doctor takes options only, not '%s'", argv[first]);
    if (status)
        return status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_work_folder();
    check_kernel();
    check_randomisation();
    check_overcommit();
    check_limits();
    check_ptrace();
    check_personality();
    check_seccomp();
    check_library();
    check_preload();
    check_compilers();
    check_store();
    if (work)
        sn_run_dir_remove(work);
    free(work);
    return worst == FAIL ? SN_EXIT_FAILED : 0;
}

void sn_help_doctor(void)
{
    sn_help_page(
        "snag doctor [options]",
        "Looks at this machine: kernel settings, limits, the loader, compilers, the store;\n"
        "then builds and watches a small program. One line per check, with what to change.\n"
        "Exit status 125 when something is broken.",
        NULL, false, "snag doctor");
}
