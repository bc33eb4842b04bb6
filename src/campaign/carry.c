/* carry.c: programs, files and snag itself for other machines, see carry.h. */
#include "campaign/carry.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "cmd/command.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "store/xalloc.h"

int sn_call(char *const *argv)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct stage {
    const struct sn_work *w;
    char *dir;             /* DIR/carry */
    struct sn_words files; /* below home, without it */
    struct sn_words seen;  /* programs whose libraries are known */
    int status;
};

static bool has(const struct sn_words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->v[i], word) == 0)
            return true;
    return false;
}

/* The part of a path that is below home; null when it is not. */
static const char *below_home(const struct stage *s, const char *path)
{
    const char *home = s->w->plan->home;
    size_t n = strlen(home);
    return strncmp(path, home, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* A link is taken as it is, and what it points to as well. */
static void take_path(struct stage *s, const char *path)
{
    char *real = sn_path_real(path);
    const char *both[] = {below_home(s, path), below_home(s, real)};
    for (int i = 0; i < 2; i++)
        if (both[i] && !has(&s->files, both[i]))
            sn_words_add(&s->files, both[i]);
    free(real);
}

/* Shared libraries of the project itself; the system's are expected there. */
static void take_libraries(struct stage *s, const char *program)
{
    if (has(&s->seen, program))
        return;
    sn_words_add(&s->seen, program);
    char *quoted = sn_plan_quote(program, ""), *line = NULL;
    char *command = sn_xformat("ldd %s 2>/dev/null", quoted);
    FILE *in = popen(command, "r");
    size_t cap = 0;
    while (in && getline(&line, &cap, in) > 0) {
        char *path = strstr(line, "=> /");
        if (path) {
            path += 3;
            path[strcspn(path, " \n")] = 0;
            take_path(s, path);
        }
    }
    if (in)
        pclose(in);
    free(line);
    free(command);
    free(quoted);
}

static bool is_of_the_system(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/bin/", 5) == 0 ||
           strncmp(path, "/lib", 4) == 0 || strncmp(path, "/sbin/", 6) == 0;
}

static void take_program(struct stage *s, const char *path, const char *what)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) {
        s->status = sn_fail("%s: there is no program %s to carry along", what, path);
    } else if (below_home(s, path)) {
        take_path(s, path);
        take_libraries(s, path);
    } else if (!is_of_the_system(path)) {
        s->status = sn_fail("%s is not below the campaign's folder %s, so it cannot be carried "
                            "along: set 'folder' in the campaign file",
                            path, s->w->plan->home);
    }
}

/* The program, and every argument that is a file below home. */
static void take_unit(struct stage *s, const struct sn_unit *u)
{
    bool program = false;
    for (size_t i = 1; i < u->command.n && !s->status; i++) {
        const char *word = u->command.v[i];
        if (!program && strcmp(word, "--") == 0) {
            program = true;
            if (i + 1 < u->command.n && strchr(u->command.v[i + 1], '/')) {
                char *below = sn_path_below(u->folder, u->command.v[++i]),
                     *real = sn_path_real(below);
                char *clean = below_home(s, real) ? NULL : sn_path_real(below);
                take_program(s, clean ? clean : real, u->what);
                free(clean);
                free(real);
                free(below);
            }
            continue;
        }
        char *path = sn_path_below(u->folder, word), *real = realpath(path, NULL);
        struct stat st;
        if (real && below_home(s, real) && stat(real, &st) == 0 && S_ISREG(st.st_mode))
            take_path(s, real);
        free(real);
        free(path);
    }
}

static void take_asked(struct stage *s)
{
    const struct sn_words *asked = &s->w->plan->carry;
    for (size_t i = 0; i < asked->n && !s->status; i++) {
        char *path = sn_path_below(s->w->plan->home, asked->v[i]), *real = realpath(path, NULL);
        if (!real || !below_home(s, real))
            s->status = sn_fail("'carry %s': there is no such file below %s", asked->v[i],
                                s->w->plan->home);
        else
            take_path(s, real);
        free(real);
        free(path);
    }
}

static int shell(const struct stage *s, char *script)
{
    int status = sn_call((char *[]){"sh", "-ec", script, NULL});
    if (status)
        sn_say("cannot make %s/carry.tar (status %d)", s->w->plan->dir, status);
    free(script);
    return status ? SN_EXIT_FAILED : 0;
}

/* Names go through a file: there may be many, with any characters but line breaks. */
static int copy_files(const struct stage *s)
{
    char *list = sn_xformat("%s/carry.files", s->w->plan->dir);
    FILE *out = fopen(list, "w");
    for (size_t i = 0; out && i < s->files.n; i++)
        fprintf(out, "%s\n", s->files.v[i]);
    if (!out || fclose(out))
        return sn_fail("cannot write %s: %s", list, strerror(errno));
    char *home = sn_plan_quote(s->w->plan->home, ""), *stage = sn_plan_quote(s->dir, "");
    char *from = sn_plan_quote(list, "");
    int status =
        shell(s, sn_xformat("mkdir -p %s/home; tar -C %s -cf - -T %s | tar -C %s/home -xf -", stage,
                            home, from, stage));
    remove(list);
    free(from);
    free(stage);
    free(home);
    free(list);
    return status;
}

static int copy_snag(const struct stage *s)
{
    const char *lib = sn_place_lib(), *contracts = sn_place_contracts();
    if (!lib || !contracts)
        return SN_EXIT_FAILED;
    char *exe = sn_plan_quote(sn_place_exe(), ""), *stage = sn_plan_quote(s->dir, "");
    char *from_lib = sn_plan_quote(lib, ""), *from_contracts = sn_plan_quote(contracts, "");
    char *units = sn_plan_quote(s->w->plan->dir, "");
    int status = shell(s, sn_xformat("cp %s %s/snag; cp -a %s %s/lib; cp -rL %s %s/contracts; "
                                     "cp -r %s/units %s/units; mkdir -p %s/out %s/log %s/fail",
                                     exe, stage, from_lib, stage, from_contracts, stage, units,
                                     stage, stage, stage, stage));
    if (!status && s->w->carry_libraries)
        status =
            shell(s, sn_xformat("mkdir %s/deps; ldd %s | sed -n 's/.*=> \\(\\/[^ ]*\\).*/\\1/p' |"
                                " grep -v '/lib\\(c\\|m\\|dl\\|pthread\\|rt\\)\\.so' |"
                                " while read -r l; do cp -L \"$l\" %s/deps/; done",
                                stage, exe, stage));
    free(units);
    free(from_contracts);
    free(from_lib);
    free(stage);
    free(exe);
    return status;
}

/* Folders of the project's own libraries, for programs that look for them at their old place. */
static char *library_path(const struct stage *s)
{
    char *text;
    size_t bytes;
    struct sn_words dirs = {0};
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (size_t i = 0; i < s->files.n; i++) {
        const char *file = s->files.v[i];
        if (!strstr(file, ".so"))
            continue;
        char *copy = sn_xstrdup(file), *quoted = sn_plan_quote(dirname(copy), "");
        if (!has(&dirs, quoted)) {
            sn_words_add(&dirs, quoted);
            fprintf(out, "\"$here\"/home/%s:", quoted);
        }
        free(quoted);
        free(copy);
    }
    sn_words_free(&dirs);
    fclose(out);
    return text;
}

/*
 * carry-job N [DIR]: unpacks once, runs unit N, and with DIR delivers the store there. snag's own
 * libraries are used only where the machine has none: programs under test should see their own.
 */
static int write_job(const struct stage *s)
{
    char *path = sn_xformat("%s/carry-job", s->w->plan->dir), *libs = library_path(s);
    char *text = sn_xformat(
        "#!/bin/sh\n"
        "# carry-job N [DIR]: unit N of the campaign %s, in the folder that carry.tar is in.\n"
        "here=$(cd \"$(dirname \"$0\")\" && pwd -P) || exit 125\n"
        "unit=${1#0} unit=${unit#0} unit=${unit#0} unit=$(printf %%04d \"$unit\")\n"
        "cd \"$here\" || exit 125\n"
        "flock unpack.lock sh -ec '[ -e unpacked ] || { tar -xf carry.tar; : >unpacked; }' || exit "
        "125\n"
        "LD_LIBRARY_PATH=%s$LD_LIBRARY_PATH\n"
        "[ -d deps ] && ! ./snag --version >/dev/null 2>&1 && "
        "LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$here/deps\n"
        "[ -z \"$LD_LIBRARY_PATH\" ] || export LD_LIBRARY_PATH\n"
        "export SNAG=\"$here/snag\" SNAG_HOME=\"$here/home\"\n"
        "sh units/$unit >log/$unit 2>&1 </dev/null\n"
        "[ -f out/$unit/snag.db ] || { cat log/$unit; exit 1; }\n"
        "[ -n \"$2\" ] || exit 0\n"
        "cp log/$unit \"$2\"/log/$unit\n"
        "part=$2/out/$unit.part-$(uname -n)-$$\n"
        "cp -r out/$unit \"$part\" && mv -T \"$part\" \"$2\"/out/$unit\n",
        s->w->plan->name, libs);
    int err = sn_file_write(path, text, true);
    if (err)
        sn_say("cannot write %s: %s", path, strerror(-err));
    free(text);
    free(libs);
    free(path);
    return err ? SN_EXIT_FAILED : 0;
}

static int pack(const struct stage *s)
{
    char *stage = sn_plan_quote(s->dir, ""), *dir = sn_plan_quote(s->w->plan->dir, "");
    int status =
        shell(s, sn_xformat("tar -C %s -cf %s/carry.tar . ; rm -rf %s", stage, dir, stage));
    free(dir);
    free(stage);
    return status;
}

int sn_carry_make(const struct sn_work *w)
{
    struct stage s = {.w = w, .dir = sn_xformat("%s/carry", w->plan->dir)};
    sn_folder_remove(s.dir);
    if (sn_folder_make(s.dir))
        s.status = sn_fail("cannot make %s: %s", s.dir, strerror(errno));
    for (size_t i = 0; i < w->plan->n && !s.status; i++)
        take_unit(&s, &w->plan->unit[i]);
    if (!s.status)
        take_asked(&s);
    if (!s.status)
        s.status = copy_files(&s);
    if (!s.status)
        s.status = copy_snag(&s);
    if (!s.status)
        s.status = write_job(&s);
    if (!s.status)
        s.status = pack(&s);
    sn_words_free(&s.files);
    sn_words_free(&s.seen);
    free(s.dir);
    return s.status;
}

int sn_job_make(const struct sn_work *w)
{
    char *path = sn_xformat("%s/job", w->plan->dir);
    int err =
        sn_file_write(path,
                      "#!/bin/sh\n"
                      "# job N: runs unit N; status 0 when its store is whole.\n"
                      "dir=$(cd \"$(dirname \"$0\")\" && pwd -P) || exit 125\n"
                      "unit=${1#0} unit=${unit#0} unit=${unit#0} unit=$(printf %04d \"$unit\")\n"
                      "sh \"$dir/units/$unit\" >\"$dir/log/$unit\" 2>&1 </dev/null\n"
                      "[ -f \"$dir/out/$unit/snag.db\" ]\n",
                      true);
    if (err)
        sn_say("cannot write %s: %s", path, strerror(-err));
    free(path);
    return err ? SN_EXIT_FAILED : 0;
}
