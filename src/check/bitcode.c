/* bitcode.c: see bitcode.h. */
#include "check/bitcode.h"

#include <ctype.h>
#include <sys/stat.h>

#include "store/xalloc.h"

static uint64_t hash(uint64_t h, const char *s)
{
    for (; s != NULL && *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
    return (h ^ 0xff) * 0x100000001b3ull;
}

char *sn_bitcode_name(const char *cache, const char *clang, const struct sn_source *u)
{
    uint64_t h = hash(hash(hash(0xcbf29ce484222325ull, clang), u->file), u->directory);
    for (size_t k = 0; k < u->flags.n; k++)
        h = hash(h, u->flags.v[k]);
    return sn_xformat("%s/%016llx", cache, (unsigned long long)h);
}

static bool after(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The last change of an open file, named as the compiler named it. */
static bool touched_since(const char *path, struct timespec made, const struct sn_compiling *how)
{
    for (size_t k = 0; k < how->ntouched; k++) {
        const struct sn_touched *t = &how->touched[k];
        if (!after(t->when, made) || strcmp(base_of(t->file), base_of(path)) != 0)
            continue;
        char *real = realpath(path, NULL);
        bool same = strcmp(real ? real : path, t->file) == 0;
        free(real);
        if (same)
            return true;
    }
    return false;
}

static bool changed(const char *dir, const char *file, struct timespec made,
                    const struct sn_compiling *how)
{
    struct stat st;
    char *path = file[0] == '/' || dir == NULL ? sn_xstrdup(file) : sn_xformat("%s/%s", dir, file);
    bool is = touched_since(path, made, how) || stat(path, &st) != 0 || after(st.st_mtim, made);
    free(path);
    return is;
}

/* The next word of a make rule: blanks and ends of lines separate, a backslash takes the next one.
 */
static bool next_word(FILE *f, char *word, size_t size)
{
    size_t n = 0;
    int c;
    while ((c = fgetc(f)) != EOF) {
        if (c == '\\') {
            c = fgetc(f);
            if (c == '\n')
                c = ' ';
        } else if (c == '$') {
            c = fgetc(f);
        } else if (isspace(c)) {
            if (n > 0)
                break;
            continue;
        }
        if (c != EOF && !(c == ' ' && n == 0) && n + 1 < size)
            word[n++] = (char)c;
    }
    word[n] = '\0';
    while (n > 0 && word[n - 1] == ' ')
        word[--n] = '\0';
    return n > 0;
}

bool sn_bitcode_fresh(const char *name, const struct sn_source *u, const struct sn_compiling *how)
{
    char word[4096], *bc = sn_xformat("%s.bc", name), *deps = sn_xformat("%s.d", name);
    struct stat st;
    FILE *f = stat(bc, &st) == 0 ? fopen(deps, "re") : NULL;
    bool fresh = f != NULL && next_word(f, word, sizeof word); /* the target */
    while (fresh && next_word(f, word, sizeof word))
        fresh = !changed(u->directory, word, st.st_mtim, how);
    if (f != NULL)
        fclose(f);
    free(bc);
    free(deps);
    return fresh;
}
