/*
 * runfile_seed.c: writes the first corpus for fuzz/runfile.c: runfile_seed DIR
 */
#include <stdio.h>

#include "store/runmake.h"

static int write_seed(const char *dir, const char *name, const void *data, size_t bytes)
{
    char *path = sn_xformat("%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    free(path);
    if (!out)
        return 1;
    size_t done = fwrite(data, 1, bytes, out);
    return fclose(out) || done != bytes;
}

/* A short header keeps the inputs small, so that the fuzzer is quick. */
static size_t shorten(struct runmake *m)
{
    size_t bytes = runmake_file(m), header = (sizeof(struct sn_run_header) + 7) & ~(size_t)7;
    memmove(m->data + header, m->data + SN_RUN_HEADER_BYTES, bytes - SN_RUN_HEADER_BYTES);
    runmake_header(m)->header_bytes = (uint32_t)header;
    return bytes - SN_RUN_HEADER_BYTES + header;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: runfile_seed DIR\n", stderr);
        return 2;
    }
    struct runmake m = runmake_sample("/bin/prog");
    size_t bytes = shorten(&m);
    int bad = write_seed(argv[1], "whole", m.data, bytes);
    bad |= write_seed(argv[1], "cut", m.data, bytes - 100);
    bad |= write_seed(argv[1], "header", m.data, sizeof(struct sn_run_header));
    free(m.data);
    m = runmake_begin("race", "/bin/prog");
    runmake_message(&m, "words");
    runmake_put(&m, &(uint64_t){0}, 8);
    runmake_message(&m, "more words");
    bytes = shorten(&m);
    bad |= write_seed(argv[1], "gap", m.data, bytes);
    free(m.data);
    return bad;
}
