/*
 * separate.c: finds the file with a module's debug information where Debian and gdb put it: by
 * build id below /usr/lib/debug/.build-id, or by the name in .gnu_debuglink beside the module, in
 * .debug beside it, and below /usr/lib/debug. A file counts only when it is of the same build: by
 * build id, or by the debuglink's checksum when there is none. The network (debuginfod) is never
 * asked.
 *
 * The files that such files name in turn (.gnu_debugaltlink of dwz, .dwo) are found by libdw.
 */
#include "symbol/module.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct search {
    const char *path;             /* the module's */
    const char *link;             /* name in .gnu_debuglink; null: none */
    GElf_Word checksum;           /* of the file that link names */
    const struct sn_build_id *id; /* n 0: the module has none */
    int fd;
    Elf *elf;
};

struct sn_build_id sn_build_id_of(Elf *elf)
{
    struct sn_build_id id = {.n = 0};
    const void *bytes;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);
    if (n <= 0 || n > SN_BUILD_ID_MAX)
        return id;
    memcpy(id.bytes, bytes, n);
    id.n = n;
    return id;
}

bool sn_build_id_same(const struct sn_build_id *a, const struct sn_build_id *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* The checksum of .gnu_debuglink: CRC-32 with the polynomial of Ethernet. */
static GElf_Word crc_byte(GElf_Word crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0);
    return crc;
}

static bool checksum_is(int fd, GElf_Word wanted)
{
    GElf_Word table[256], crc = ~0u;
    static uint8_t block[65536];
    off_t at = 0;
    ssize_t n;
    for (int i = 0; i < 256; i++)
        table[i] = crc_byte(0, i);
    while ((n = pread(fd, block, sizeof block, at)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            crc = table[(crc ^ block[i]) & 0xff] ^ (crc >> 8);
        at += n;
    }
    return n == 0 && ~crc == wanted;
}

static bool is_wanted(const struct search *s, int fd, Elf *elf)
{
    if (elf_kind(elf) != ELF_K_ELF)
        return false;
    if (!s->id->n)
        return s->link && checksum_is(fd, s->checksum);
    struct sn_build_id id = sn_build_id_of(elf);
    return sn_build_id_same(&id, s->id);
}

static bool is_module_itself(const struct search *s, int fd)
{
    struct stat a, b;
    return stat(s->path, &a) == 0 && fstat(fd, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static bool try_file(struct search *s, const char *candidate)
{
    int fd = open(candidate, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    Elf *elf = is_module_itself(s, fd) ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf && is_wanted(s, fd, elf)) {
        s->fd = fd;
        s->elf = elf;
        return true;
    }
    elf_end(elf);
    close(fd);
    return false;
}

static bool try_build_id(struct search *s)
{
    char path[sizeof DEBUG_ROOT "/.build-id//.debug" + (size_t)2 * SN_BUILD_ID_MAX + 1];
    if (s->id->n < 2)
        return false;
    int n = sprintf(path, DEBUG_ROOT "/.build-id/%02x/", s->id->bytes[0]);
    for (unsigned i = 1; i < s->id->n; i++)
        n += sprintf(path + n, "%02x", s->id->bytes[i]);
    strcpy(path + n, ".debug");
    return try_file(s, path);
}

static bool try_beside(struct search *s, const char *module)
{
    static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
    const char *slash = strrchr(module, '/');
    int dir = slash ? slash - module : 1;
    char path[2 * PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, sizeof path, places[i], dir, slash ? module : ".", s->link);
        if (n < (int)sizeof path && try_file(s, path))
            return true;
    }
    return false;
}

static bool try_link(struct search *s)
{
    char real[PATH_MAX];
    if (!s->link || !*s->link)
        return false;
    if (try_beside(s, s->path))
        return true;
    return realpath(s->path, real) && strcmp(real, s->path) != 0 && try_beside(s, real);
}

int sn_separate_debug(const char *path, Elf *elf, const struct sn_build_id *id, int *fd, Elf **out)
{
    struct search s = {.path = path, .id = id};
    if (elf)
        s.link = dwelf_elf_gnu_debuglink(elf, &s.checksum);
    if (!try_build_id(&s) && !try_link(&s))
        return -ENOENT;
    *fd = s.fd;
    *out = s.elf;
    return 0;
}
