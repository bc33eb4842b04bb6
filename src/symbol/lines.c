/*
 * lines.c: from a source position to code: the ranges of the line table that are of this line and
 * column. For what was learned about one build and is to be found again in another.
 */
#include "symbol/symbol.h"

#include <string.h>

#include "symbol/module.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_at(Dwarf_Line *row, const char *file, int line, int column)
{
    int have = 0;
    if (dwarf_lineno(row, &have) != 0 || have != line)
        return false;
    if (column && (dwarf_linecol(row, &have) != 0 || have != column))
        return false;
    const char *name = dwarf_linesrc(row, NULL, NULL);
    return name && strcmp(base_name(name), file) == 0;
}

static void each_row(Dwarf_Lines *rows, size_t n, const char *file, int line, int column,
                     void (*found)(void *arg, uint64_t low, uint64_t high), void *arg)
{
    for (size_t i = 0; i + 1 < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i), *next = dwarf_onesrcline(rows, i + 1);
        Dwarf_Addr low, high;
        if (is_at(row, file, line, column) && dwarf_lineaddr(row, &low) == 0 &&
            dwarf_lineaddr(next, &high) == 0 && low < high)
            found(arg, low, high);
    }
}

void sn_module_lines(struct sn_module *m, const char *file, int line, int column,
                     void (*found)(void *arg, uint64_t low, uint64_t high), void *arg)
{
    Dwarf_Off at = 0, next;
    size_t head;
    sn_module_need_dwarf(m);
    while (m->dwarf && dwarf_nextcu(m->dwarf, at, &next, &head, NULL, NULL, NULL) == 0) {
        Dwarf_Die cu;
        Dwarf_Lines *rows;
        size_t n;
        if (dwarf_offdie(m->dwarf, at + head, &cu) && dwarf_getsrclines(&cu, &rows, &n) == 0)
            each_row(rows, n, base_name(file), line, column, found, arg);
        at = next;
    }
}
