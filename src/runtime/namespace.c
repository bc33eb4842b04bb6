/*
 * namespace.c: the loader tells debuggers of its namespaces, through the program's dynamic section:
 * a list of lists since glibc 2.35 (version 2 of struct r_debug).
 */
#include "runtime/namespace.h"

#include "runtime/real.h"

enum { MOST = 16 }; /* of namespaces: the loader has no more */

struct debug_list { /* struct r_debug_extended of newer headers */
    struct r_debug first;
    struct debug_list *next;
};

/* A list names a module by its dynamic section; its headers stand where its mapping begins. */
static bool find_headers(const struct link_map *l, struct dl_phdr_info *info)
{
    struct dl_find_object found;
    if (sn_real._dl_find_object(l->l_ld, &found) != 0)
        return false;
    const ElfW(Ehdr) *head = found.dlfo_map_start;
    if (head->e_ident[0] != 0x7f || head->e_ident[1] != 'E' ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    *info = (struct dl_phdr_info){.dlpi_addr = l->l_addr,
                                  .dlpi_name = l->l_name,
                                  .dlpi_phdr = (const void *)((const char *)head + head->e_phoff),
                                  .dlpi_phnum = head->e_phnum};
    return true;
}

void sn_namespace_each(const struct sn_elf *program,
                       void (*visit)(const struct dl_phdr_info *info, int number))
{
    const struct r_debug *debug = program->debug;
    struct dl_phdr_info info;
    if (!debug || debug->r_version < 2 || !sn_real._dl_find_object)
        return;
    const struct debug_list *list = ((const struct debug_list *)debug)->next;
    for (int n = 1; list && n < MOST; n++, list = list->next)
        for (const struct link_map *l = list->first.r_map; l; l = l->l_next)
            if (l->l_ld && find_headers(l, &info))
                visit(&info, n);
}
