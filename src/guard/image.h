/* image.h: the file that is being made. Inside of the rewriting only. */
#ifndef SN_GUARD_IMAGE_H
#define SN_GUARD_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sn_image {
    uint8_t *data;
    size_t bytes, cap;
    uint64_t
        delta; /* virtual address minus file offset, of the first segment and of all that is new */
    uint64_t base;      /* first new address */
    uint64_t runtime;   /* where the guard runtime is */
    Elf64_Dyn *dynamic; /* offset into data is kept instead of this after growing */
    size_t dynamic_at, ndynamic;
};

/* Loads a file; grows with zeros. */
int sn_image_load(struct sn_image *i, const char *path);
void sn_image_grow(struct sn_image *i, size_t bytes);
void sn_image_free(struct sn_image *i);
/* Offset in the file of an address; 0: in no segment of the file. */
size_t sn_image_offset(const struct sn_image *i, uint64_t address);
static inline void *sn_image_at(const struct sn_image *i, size_t offset)
{
    return i->data + offset;
}
/* Value of a dynamic tag; 0: none. */
uint64_t sn_image_dynamic(const struct sn_image *i, int64_t tag);
void sn_image_set_dynamic(struct sn_image *i, int64_t tag, uint64_t value);

/* Is it a name by which src/fast, inside of programs, asks for something of libsnag? */
bool sn_image_is_fast(const char *name);

/* The number of dynamic symbols: the section header says it. 0: unknown. */
uint32_t sn_image_count_symbols(const struct sn_image *i);
/* Tools look at sections, not at the dynamic table: the one at `from` is elsewhere now. */
void sn_image_move_section(struct sn_image *i, uint64_t from, size_t at, size_t bytes);

struct sn_export {
    const char *name;
    uint64_t address;
    uint32_t string; /* filled by sn_image_rebind() */
};
/* exports.c: makes names known to everybody, and has the loader put the address of `import` (a
 * string) into `slot`. Appends. 0 or -errno. */
int sn_image_export(struct sn_image *i, const struct sn_export *e, uint32_t n, uint32_t import,
                    uint64_t slot);

/* dynamic.c: names, versions and needed libraries. `bind` gives the address that a name is bound to
 * inside of this module, 0: leave it. Appends what it needs at the end of the image. 0 or -errno.
 */
struct sn_rebind {
    uint64_t (*bind)(void *arg, const char *name, bool weak);
    void *arg;
    const char *run_path, *own_lib;
    struct sn_export *exports; /* null: none */
    uint32_t nexports;
    const char *import; /* its address is wanted */
    uint64_t slot;      /* in this place */
};
int sn_image_rebind(struct sn_image *i, const struct sn_rebind *r);

/* versions.c: the version that libc would choose for a name, when that is not what a reference
 * without version gets; null: nothing to do. The strings are the set's. */
struct sn_versions;
struct sn_versions *sn_versions_of_libc(void); /* null: libc cannot be read */
const char *sn_versions_find(const struct sn_versions *v, const char *name);
void sn_versions_free(struct sn_versions *v);

#endif
