/* program.c: the kind of a program file, from the facts of elf.h. See program.h. */
#include "symbol/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf.h"

enum { HEAD = 128 };

/* Bytes that were read. */
static size_t read_head(const char *path, char head[HEAD])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    memset(head, 0, HEAD);
    ssize_t n = fd < 0 ? 0 : pread(fd, head, HEAD, 0);
    if (fd >= 0)
        close(fd);
    return n < 0 ? 0 : (size_t)n;
}

int sn_program_read(const char *path, struct sn_program *out)
{
    struct sn_elf_facts facts;
    int result = sn_elf_probe(path, &facts);
    *out = (struct sn_program){.kind = SN_PROGRAM_OTHER};
    if (result == -ENOEXEC) {
        char head[HEAD];
        size_t n = read_head(path, head);
        out->script = memcmp(head, "#!", 2) == 0;
        if (memcmp(head, ELFMAG, SELFMAG) == 0)
            out->kind = SN_PROGRAM_DAMAGED;
        else if (memchr(head, 0, n)) /* no shell could read it */
            out->kind = SN_PROGRAM_DATA;
        return 0;
    }
    if (result < 0)
        return result;
    if (!facts.x86_64)
        out->kind = SN_PROGRAM_FOREIGN;
    else /* what is no program is the loader itself, run with a program as its argument */
        out->kind = facts.is_static ? SN_PROGRAM_STATIC : SN_PROGRAM_DYNAMIC;
    out->musl = facts.needs_musl;
    out->tsan_inside = facts.own_tsan;
    out->wants_asan_first = facts.needs_libasan;
    return 0;
}
