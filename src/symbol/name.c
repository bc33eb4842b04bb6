/*
 * name.c: the names that people know things by. A C++ function is its demangled linkage name; where
 * the compiler gives none (gcc: static functions, unnamed namespaces) it is the name with its
 * enclosing namespaces and classes. A variable is the latter always; one inside a function is its
 * bare name, in C and in C++.
 */
#include "symbol/module.h"

#include <dlfcn.h>
#include <dwarf.h>

#include "store/source_path.h"
#include "store/xalloc.h"
#include "symbol/walk.h"

/* Of the C++ runtime library, the one demangler that is on every machine that has C++ programs. It
 * is loaded with the first C++ name: most commands meet none. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

static demangle_fn *find_demangler(void)
{
    void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    return lib ? (demangle_fn *)dlsym(lib, "__cxa_demangle") : NULL;
}

char *sn_demangle(const char *name)
{
    static demangle_fn *demangle;
    static bool asked;
    bool is_cxx = strncmp(name, "_Z", 2) == 0;
    if (is_cxx && !asked) {
        demangle = find_demangler();
        asked = true;
    }
    char *plain = is_cxx && demangle ? demangle(name, NULL, NULL, NULL) : NULL;
    return plain ? plain : sn_xstrdup(name);
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
}

static const char *linkage_name(Dwarf_Die *die)
{
    const char *name = string_of(die, DW_AT_linkage_name);
    if (!name)
        name = string_of(die, DW_AT_MIPS_linkage_name);
    return name && strncmp(name, "_Z", 2) == 0 ? name : NULL;
}

static bool is_cxx(Dwarf_Die *die)
{
    Dwarf_Die cu;
    if (!dwarf_diecu(die, &cu, NULL, NULL))
        return false;
    switch (dwarf_srclang(&cu)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_ObjC_plus_plus:
    case 0x2b: /* C++17 and C++20, which libdw's header does not name yet */
    case 0x2c:
        return true;
    default:
        return false;
    }
}

/* The DIE that stands where the thing was declared: in its namespace or class. */
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
    static const unsigned towards[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die at = *die, next;
    Dwarf_Attribute a;
    /* A sound chain has one of each kind; the bound stops a circle. */
    for (int i = 0; i < 4; i++) {
        if (dwarf_formref_die(dwarf_attr(&at, towards[i % 2], &a), &next))
            at = next;
    }
    return at;
}

/* The function of a lambda: gcc leaves its class without a name and calls the function artificial,
 * as nobody wrote it down. */
static bool is_lambda(Dwarf_Die *function, const char *name)
{
    return strcmp(name, "operator()") == 0 && dwarf_hasattr(function, DW_AT_artificial);
}

static void write_scope(Dwarf_Die *scope, bool lambda, FILE *out)
{
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        fprintf(out, "%s::", name ? name : "(anonymous namespace)");
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        fprintf(out, "%s::", name ? name : lambda ? "{lambda}" : "(anonymous class)");
        break;
    case DW_TAG_subprogram:
        if (name)
            fprintf(out, "%s::", name);
        break;
    default:
        break;
    }
}

static char *scoped_name(Dwarf_Die *die, const char *name)
{
    Dwarf_Die declared = declaration_of(die);
    Dwarf_Die *parents = sn_xcalloc(SN_WALK_DEPTH, sizeof *parents);
    char *text = NULL;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    bool lambda = is_lambda(&declared, name);
    int n = sn_walk_parents(&declared, parents);
    for (int i = 1; i < n; i++)
        write_scope(&parents[i], lambda && i == n - 1, out);
    fputs(name, out);
    fclose(out);
    free(parents);
    return text;
}

static char *make_function_name(Dwarf_Die *function)
{
    const char *linkage = linkage_name(function);
    if (linkage)
        return sn_demangle(linkage);
    const char *name = string_of(function, DW_AT_name);
    if (!name || !is_cxx(function))
        return sn_xstrdup(name);
    return scoped_name(function, name);
}

const char *sn_function_name(struct sn_module *m, Dwarf_Die *function)
{
    uint64_t key = (uintptr_t)function->addr;
    uint32_t at;
    if (sn_map_get(&m->name_cache, key, &at))
        return m->names[at];
    m->names = sn_xgrow(m->names, m->nnames, &m->names_cap, sizeof *m->names);
    m->names[m->nnames] = make_function_name(function);
    sn_map_put(&m->name_cache, key, m->nnames);
    return m->names[m->nnames++];
}

char *sn_variable_name(Dwarf_Die *variable, bool in_function)
{
    const char *name = string_of(variable, DW_AT_name);
    if (!name || in_function || !is_cxx(variable))
        return sn_xstrdup(name);
    return scoped_name(variable, name);
}

static const char *compile_dir(Dwarf_Die *cu)
{
    const char *name = string_of(cu, DW_AT_comp_dir);
    return name && *name == '/' ? name : NULL;
}

char *sn_source_path(Dwarf_Die *cu, const char *path)
{
    if (!path)
        return NULL;
    const char *from = *path == '/' ? NULL : compile_dir(cu);
    return sn_source_fold(sn_xformat("%s%s%s", from ? from : "", from ? "/" : "", path));
}

char *sn_die_file(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word index;
    Dwarf_Half version;
    Dwarf_Die cu;
    Dwarf_Files *files;
    size_t n;
    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &a), &index) != 0 ||
        dwarf_cu_info(a.cu, &version, NULL, &cu, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_getsrcfiles(&cu, &files, &n) != 0)
        return NULL;
    /* Before DWARF 5 the number 0 says that the file is not known. */
    if (index >= n || (index == 0 && version < 5))
        return NULL;
    return sn_source_path(&cu, dwarf_filesrc(files, index, NULL, NULL));
}

int sn_die_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word number;
    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &a), &number) != 0)
        return 0;
    return number <= INT32_MAX ? (int)number : 0;
}

void sn_names_free(struct sn_module *m)
{
    for (size_t i = 0; i < m->nnames; i++)
        free(m->names[i]);
    free(m->names);
    sn_map_free(&m->name_cache);
}
