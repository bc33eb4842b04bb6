/*
 * rewrite.c: see rewrite.h. What is new goes behind everything that is there, at addresses after
 * the last segment, with the same distance between address and file offset as the first segment
 * has: the kernel takes that for granted when it tells a program where its program headers are.
 */
#include "guard/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/image.h"
#include "guard/machine.h"
#include "store/xalloc.h"

enum { PAGE = 4096, LINE = 64, NEW_HEADERS = 8, NEW_NAMES = 8 };

struct job {
    struct sn_rewrite *r;
    struct sn_image out, runtime;
    size_t headers_at; /* new program headers, offset */
    Elf64_Phdr added[NEW_HEADERS];
    unsigned nadded;
    size_t stubs_at, stubs_end;
    uint64_t access, shared_read, light, before; /* of the runtime */
};

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* ---- which calls are what ---- */

static bool is_plain(const char *name)
{
    return starts(name, "__tsan_read") || starts(name, "__tsan_write") ||
           starts(name, "__tsan_unaligned_") || starts(name, "__tsan_volatile_") ||
           starts(name, "__tsan_vptr_");
}

static bool is_range(const char *name)
{
    return starts(name, "__tsan_read_range") || starts(name, "__tsan_write_range");
}

static bool is_erasable(const char *name)
{
    return is_plain(name) || strcmp(name, "__tsan_func_entry") == 0 ||
           strcmp(name, "__tsan_func_exit") == 0 || strcmp(name, "__tsan_init") == 0;
}

bool sn_rewrite_can(const struct sn_call_site *c, enum sn_sa_kind *kind)
{
    const char *name = starts(c->name, "__tsan_mem") ? c->name + 7 : c->name;
    *kind = SN_SA_FIXED;
    if (c->form != SN_CALL_DIRECT)
        return is_plain(c->name) && !is_range(c->name) && c->form == SN_CALL_SLOT;
    if (is_range(name))
        *kind = SN_SA_RANGE;
    else if (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0)
        *kind = SN_SA_COPY;
    else if (strcmp(name, "memset") == 0)
        *kind = SN_SA_SET;
    else if (strcmp(name, "free") == 0 || starts(name, "_ZdlPv") || starts(name, "_ZdaPv"))
        *kind = SN_SA_FREE;
    else
        return is_plain(name) || (starts(name, "__tsan_atomic") && !strstr(name, "_fence"));
    return true;
}

/* ---- the runtime's names ---- */

/* Address in the new module; 0: the runtime has no such name. */
static uint64_t runtime_symbol(const struct job *j, const char *name)
{
    const struct sn_image *m = &j->runtime;
    const Elf64_Ehdr *e = sn_image_at(m, 0);
    const Elf64_Shdr *sh = sn_image_at(m, e->e_shoff);
    for (unsigned i = 0; i < e->e_shnum; i++) {
        if (sh[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *sym = sn_image_at(m, sh[i].sh_offset);
        const char *strings = sn_image_at(m, sh[sh[i].sh_link].sh_offset);
        for (size_t k = 1; k < sh[i].sh_size / sizeof *sym; k++)
            if (sym[k].st_shndx && strcmp(strings + sym[k].st_name, name) == 0)
                return j->out.runtime + sym[k].st_value;
    }
    return 0;
}

static uint64_t bind(void *arg, const char *name, bool weak)
{
    const struct job *j = arg;
    bool ours = starts(name, "__tsan_") || starts(name, "__snag_") || starts(name, "Annotate") ||
                starts(name, "__sanitizer_syscall_") || starts(name, "__sanitizer_set_") ||
                sn_image_is_fast(name);
    uint64_t at = ours ? runtime_symbol(j, name) : 0;
    return at || !ours || weak ? at : runtime_symbol(j, "sn_sa_nothing");
}

/* ---- segments ---- */

static size_t page_up(size_t n)
{
    return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void add_segment(struct job *j, uint32_t type, uint32_t flags, size_t offset,
                        size_t file_bytes, size_t bytes)
{
    j->added[j->nadded++] = (Elf64_Phdr){.p_type = type,
                                         .p_flags = flags,
                                         .p_offset = offset,
                                         .p_vaddr = offset + j->out.delta,
                                         .p_paddr = offset + j->out.delta,
                                         .p_filesz = file_bytes,
                                         .p_memsz = bytes,
                                         .p_align = type == PT_LOAD ? PAGE : 8};
}

static void plan(struct job *j)
{
    struct sn_image *i = &j->out;
    const Elf64_Ehdr *e = sn_image_at(i, 0);
    const Elf64_Phdr *p = sn_image_at(i, e->e_phoff);
    uint64_t end = 0;
    bool first = true;
    for (unsigned k = 0; k < e->e_phnum; k++) {
        if (p[k].p_type != PT_LOAD)
            continue;
        if (first)
            i->delta = p[k].p_vaddr - p[k].p_offset;
        first = false;
        if (p[k].p_vaddr + p[k].p_memsz > end)
            end = p[k].p_vaddr + p[k].p_memsz;
    }
    size_t at = page_up(i->bytes > end - i->delta ? i->bytes : end - i->delta);
    i->base = at + i->delta;
    /* The runtime comes first: everything else refers to it. */
    i->runtime = i->base;
    sn_image_grow(i, at);
}

static void copy_runtime(struct job *j)
{
    const Elf64_Ehdr *e = sn_image_at(&j->runtime, 0);
    const Elf64_Phdr *p = sn_image_at(&j->runtime, e->e_phoff);
    size_t begin = j->out.bytes, end = begin;
    for (unsigned k = 0; k < e->e_phnum; k++) {
        if (p[k].p_type != PT_LOAD)
            continue;
        size_t page = p[k].p_vaddr & (PAGE - 1), at = begin + p[k].p_vaddr;
        /* zeros stand in the file: what follows needs its room in any case */
        end = page_up(at + p[k].p_memsz);
        sn_image_grow(&j->out, end);
        memcpy(sn_image_at(&j->out, at), sn_image_at(&j->runtime, p[k].p_offset), p[k].p_filesz);
        add_segment(j, PT_LOAD, p[k].p_flags, at - page, end - (at - page), end - (at - page));
    }
}

static size_t append(struct job *j, const void *data, size_t bytes)
{
    size_t at = (j->out.bytes + LINE - 1) & ~(size_t)(LINE - 1);
    sn_image_grow(&j->out, at + bytes);
    if (bytes)
        memcpy(sn_image_at(&j->out, at), data, bytes);
    return at;
}

/* In the index, counted from the configuration. */
static int64_t slot_of(uint64_t config, const struct sn_call_site *c)
{
    return (int64_t)(c->returns - config) >> SN_SA_CODE_BITS;
}

/* Which site is called from where; returns sn_sa_config's distance. */
static int64_t put_index(struct job *j, uint64_t config)
{
    const struct sn_calls *calls = j->r->calls;
    size_t bytes = j->r->rows ? sizeof(uint16_t) : sizeof(uint32_t), first = 0, last = calls->n;
    while (first < last && !j->r->id[first])
        first++;
    while (last > first && !j->r->id[last - 1])
        last--;
    if (first == last)
        return 0;
    int64_t low = slot_of(config, &calls->call[first]);
    size_t n = (size_t)(slot_of(config, &calls->call[last - 1]) - low) + 1;
    uint8_t *index = sn_xcalloc(n, bytes);
    for (size_t i = first; i < last; i++)
        if (j->r->id[i])
            memcpy(index + (size_t)(slot_of(config, &calls->call[i]) - low) * bytes, &j->r->id[i],
                   bytes);
    size_t at = append(j, index, n * bytes);
    free(index);
    return (int64_t)(at + j->out.delta - config) - low * (int64_t)bytes;
}

static void put_config(struct job *j, size_t sites, size_t more, size_t members, size_t strings)
{
    struct sn_rewrite *r = j->r;
    uint64_t at = runtime_symbol(j, "sn_sa_config") - j->out.delta;
    struct sn_sa_config c = {
        .index = put_index(j, at + j->out.delta),
        .rows = r->rows ? (int64_t)(append(j, r->rows, (size_t)r->nrows * SN_SA_ROW) - at) : 0,
        .sites = (int64_t)(sites - at),
        .more = (int64_t)(more - at),
        .members = (int64_t)(members - at),
        .strings = (int64_t)(strings - at),
        .nsites = r->nsites,
        .is_library = r->is_library,
        .step_us = r->step_us,
        .steps = r->steps,
        .budget_ms = r->budget_ms,
        .lib_folder = r->lib_folder,
    };
    memcpy(sn_image_at(&j->out, at), &c, sizeof c);
    if (!r->is_library)
        add_segment(j, SN_SA_PHDR, PF_R | PF_W, runtime_symbol(j, "sn_sa_own") - j->out.delta, 8,
                    8);
}

/* ---- calls ---- */

static uint8_t *code_at(struct job *j, uint64_t address)
{
    size_t offset = sn_image_offset(&j->out, address);
    return offset ? sn_image_at(&j->out, offset) : NULL;
}

static uint64_t target_of(struct job *j, const struct sn_call_site *c)
{
    int64_t target;
    enum sn_call_form form;
    uint32_t length;
    const uint8_t *code = code_at(j, c->at);
    size_t skip = c->bytes - 5;
    if (!sn_machine_target(code + skip, 5, 0, &target, &form, &length))
        return 0;
    return c->at + skip + (uint64_t)target;
}

static uint64_t access_of(const struct job *j, uint8_t kind)
{
    return kind == SN_SA_LIGHT ? j->light : kind == SN_SA_STAYS ? j->shared_read : j->access;
}

static bool is_access(const struct sn_call_site *c)
{
    return is_plain(c->name) && !is_range(c->name);
}

static uint64_t add_stub(struct job *j, const struct sn_call_site *c, uint32_t id)
{
    uint8_t *to = sn_image_at(&j->out, j->stubs_end);
    uint64_t at = j->stubs_end + j->out.delta, after;
    bool ours = starts(c->name, "__tsan_");
    after = !ours ? target_of(j, c) : is_range(c->name) ? 0 : runtime_symbol(j, c->name);
    if (!after)
        after = runtime_symbol(j, "sn_sa_nothing");
    j->stubs_end += sn_machine_stub_before(to, at, id, j->before, after);
    return at;
}

static int change_call(struct job *j, const struct sn_call_site *c, uint32_t id)
{
    uint8_t *code = code_at(j, c->at);
    if (!code)
        return -ENOEXEC;
    if (id) {
        uint64_t to = is_access(c) ? access_of(j, j->r->sites[id - 1].kind) : add_stub(j, c, id);
        j->r->guarded++;
        return sn_machine_redirect(code, c, to) ? 0 : -ERANGE;
    }
    if (is_erasable(c->name)) {
        sn_machine_erase(code, c);
        j->r->erased++;
    } else if (starts(c->name, "__tsan_")) {
        j->r->left++;
    }
    return 0;
}

static int change_calls(struct job *j)
{
    int r = 0;
    size_t room = j->r->calls->n * SN_STUB_BYTES;
    j->access = runtime_symbol(j, "sn_sa_access");
    j->shared_read = runtime_symbol(j, "sn_sa_shared_read");
    j->light = runtime_symbol(j, "sn_sa_light");
    j->before = runtime_symbol(j, "sn_sa_before");
    size_t at = page_up(j->out.bytes);
    sn_image_grow(&j->out, at + room);
    j->stubs_at = j->stubs_end = at;
    for (size_t i = 0; i < j->r->calls->n && !r; i++)
        r = change_call(j, &j->r->calls->call[i], j->r->id[i]);
    sn_image_grow(&j->out, page_up(j->stubs_end));
    add_segment(j, PT_LOAD, PF_R | PF_X, at, j->out.bytes - at, j->out.bytes - at);
    return r;
}

/* ---- program headers ---- */

static void put_headers(struct job *j, size_t at)
{
    Elf64_Ehdr *e = sn_image_at(&j->out, 0);
    Elf64_Phdr *to = sn_image_at(&j->out, at);
    memcpy(to, sn_image_at(&j->out, e->e_phoff), e->e_phnum * sizeof *to);
    memcpy(to + e->e_phnum, j->added, j->nadded * sizeof *to);
    e->e_phoff = at;
    e->e_phnum = (Elf64_Half)(e->e_phnum + j->nadded);
    for (unsigned k = 0; k < e->e_phnum; k++)
        if (to[k].p_type == PT_PHDR) {
            to[k].p_offset = at;
            to[k].p_vaddr = to[k].p_paddr = at + j->out.delta;
            to[k].p_filesz = to[k].p_memsz = e->e_phnum * sizeof *to;
        }
}

/* Addresses and offsets stay, so what goes leaves zeros, which take no room on the disk. */
static void drop_sections(struct job *j)
{
    Elf64_Ehdr *e = sn_image_at(&j->out, 0);
    const Elf64_Shdr *sh = sn_image_at(&j->out, e->e_shoff);
    if (!e->e_shoff)
        return;
    for (unsigned k = 0; k < e->e_shnum; k++)
        if (!(sh[k].sh_flags & SHF_ALLOC) && sh[k].sh_type != SHT_NOBITS)
            memset(sn_image_at(&j->out, sh[k].sh_offset), 0, sh[k].sh_size);
    memset(sn_image_at(&j->out, e->e_shoff), 0, (size_t)e->e_shnum * e->e_shentsize);
    e->e_shoff = 0;
    e->e_shnum = e->e_shstrndx = 0;
}

/* What forgets memory takes the allocator's names, what opens guarded libraries the loader's;
 * libraries find it there. */
static uint32_t list_exports(const struct job *j, struct sn_export *to)
{
    static const char *const names[][2] = {{"malloc", "sn_sa_malloc"},
                                           {"calloc", "sn_sa_calloc"},
                                           {"realloc", "sn_sa_realloc"},
                                           {"memalign", "sn_sa_memalign"},
                                           {"aligned_alloc", "sn_sa_aligned_alloc"},
                                           {"posix_memalign", "sn_sa_posix_memalign"},
                                           {"pthread_create", "sn_sa_create"},
                                           {"dlopen", "sn_sa_dlopen"}};
    if (j->r->is_library || !j->r->nsites)
        return 0;
    for (unsigned k = 0; k < NEW_NAMES; k++)
        to[k] = (struct sn_export){names[k][0], runtime_symbol(j, names[k][1]), 0};
    return NEW_NAMES;
}

static int build(struct job *j)
{
    struct sn_rewrite *r = j->r;
    struct sn_export exports[NEW_NAMES];
    struct sn_rebind rebind = {.bind = bind,
                               .arg = j,
                               .run_path = r->run_path,
                               .own_lib = r->own_lib,
                               .exports = exports,
                               .import = "dlsym"};
    plan(j);
    copy_runtime(j);
    int status = change_calls(j);
    if (status)
        return status;
    size_t begin = j->out.bytes; /* a page boundary */
    const Elf64_Ehdr *e = sn_image_at(&j->out, 0);
    sn_image_grow(&j->out, begin + (e->e_phnum + NEW_HEADERS) * sizeof(Elf64_Phdr));
    size_t sites = append(j, r->sites, r->nsites * sizeof *r->sites);
    size_t more = append(j, r->more, r->nsites * sizeof *r->more);
    size_t members = append(j, r->members, r->nmembers * sizeof *r->members);
    size_t strings = append(j, r->strings, r->string_bytes);
    rebind.nexports = list_exports(j, exports);
    rebind.slot = runtime_symbol(j, "sn_sa_dlsym");
    status = sn_image_rebind(&j->out, &rebind);
    if (status)
        return status;
    put_config(j, sites, more, members, strings);
    add_segment(j, PT_LOAD, PF_R, begin, j->out.bytes - begin, j->out.bytes - begin);
    put_headers(j, begin);
    if (r->strip)
        drop_sections(j);
    return 0;
}

/* ---- the file ---- */

static bool is_empty(const uint8_t *p, size_t n)
{
    return n == PAGE && !p[0] && memcmp(p, p + 1, n - 1) == 0;
}

static bool write_pages(FILE *f, const uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PAGE) {
        size_t n = bytes - at < PAGE ? bytes - at : PAGE;
        bool hole = is_empty(data + at, n) && at + n < bytes;
        if (hole ? fseek(f, PAGE, SEEK_CUR) != 0 : fwrite(data + at, 1, n, f) != n)
            return false;
    }
    return true;
}

static int write_out(struct job *j, char **why)
{
    struct stat st;
    char *draft = sn_xformat("%s.%d.tmp", j->r->out, (int)getpid());
    FILE *f = fopen(draft, "we");
    int r = f ? 0 : -errno;
    if (f && !write_pages(f, j->out.data, j->out.bytes))
        r = -EIO;
    if (f && fclose(f) != 0)
        r = -EIO;
    if (!r && (stat(j->r->in, &st) < 0 || chmod(draft, st.st_mode & 0777) < 0 ||
               rename(draft, j->r->out) < 0))
        r = -errno;
    if (r) {
        *why = sn_xformat("%s cannot be written: %s", j->r->out, strerror(-r));
        unlink(draft);
    }
    free(draft);
    return r;
}

int sn_rewrite(struct sn_rewrite *r, char **why)
{
    struct job j = {.r = r};
    *why = NULL;
    int status = sn_image_load(&j.runtime, r->runtime);
    if (status)
        *why = sn_xformat("%s cannot be read: build or install snag again", r->runtime);
    if (!status && (status = sn_image_load(&j.out, r->in)))
        *why = sn_xformat("%s cannot be rewritten: %s", r->in, strerror(-status));
    if (!status && (status = build(&j)))
        *why = sn_xformat("%s cannot be rewritten: %s", r->in,
                          status == -ERANGE ? "it is too large for direct calls"
                                            : "its code or its symbols are not as expected");
    if (!status)
        status = write_out(&j, why);
    sn_image_free(&j.out);
    sn_image_free(&j.runtime);
    return status;
}
