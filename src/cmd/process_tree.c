/* process_tree.c: descendants by /proc/PID/stat, see process_tree.h. */
#include "cmd/process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/xalloc.h"

struct process {
    int pid, parent;
    uint64_t start; /* clock ticks since boot */
    char state;
    bool below; /* descends from snag */
};

struct table {
    struct process *p;
    size_t n, cap;
};

uint64_t sn_tree_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)t.tv_sec * ticks + (uint64_t)t.tv_nsec * ticks / 1000000000;
}

static bool read_process(const char *pid, struct process *p)
{
    char path[300], text[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *rest = strrchr(text, ')'); /* the name before it may have blanks and brackets */
    unsigned long long start;
    if (!rest || sscanf(rest + 1,
                        " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                        "%*d %*d %*d %llu",
                        &p->state, &p->parent, &start) != 3)
        return false;
    p->pid = atoi(pid);
    p->start = start;
    p->below = false;
    return true;
}

static void read_all(struct table *t)
{
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        t->p = sn_xgrow(t->p, t->n, &t->cap, sizeof *t->p);
        t->n += read_process(e->d_name, &t->p[t->n]);
    }
    if (proc)
        closedir(proc);
}

/* Parents may come after their children in the table: again until nothing changes. */
static void mark(struct table *t, uint64_t since)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < t->n; i++) {
            struct process *p = &t->p[i];
            bool below = p->parent == getpid();
            for (size_t j = 0; j < t->n && !below; j++)
                below = t->p[j].below && t->p[j].pid == p->parent;
            if (!p->below && below && p->start >= since)
                p->below = changed = true;
        }
    }
}

/* As a subreaper snag is the parent of every orphan below it: without children nobody is there. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

unsigned sn_tree_kill(uint64_t since, int sig)
{
    struct table t = {0};
    unsigned alive = 0;
    if (!has_children())
        return 0;
    read_all(&t);
    mark(&t, since);
    for (size_t i = 0; i < t.n; i++) {
        if (!t.p[i].below || t.p[i].state == 'Z')
            continue;
        alive++;
        if (sig)
            kill(t.p[i].pid, sig);
    }
    free(t.p);
    return alive;
}
