// EXPECT: archive_write_data archive_write_data
// LIB: libarchive.so.13
#include <stddef.h>
#include <stdio.h>

#include "together.h"

void *archive_write_new(void);
int archive_write_set_format_ustar(void *a);
int archive_write_open_filename(void *a, const char *name);
void *archive_entry_new(void);
void archive_entry_set_pathname(void *e, const char *name);
void archive_entry_set_size(void *e, long long n);
void archive_entry_set_filetype(void *e, unsigned type);
int archive_write_header(void *a, void *e);
long archive_write_data(void *a, const void *data, size_t n);
int archive_write_free(void *a);

static void *fill(void *a)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        archive_write_data(a, "x", 1);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *a = archive_write_new(), *e = archive_entry_new();
    archive_write_set_format_ustar(a);
    archive_write_open_filename(a, "/dev/null");
    archive_entry_set_pathname(e, "x");
    archive_entry_set_size(e, 1 << 20);
    archive_entry_set_filetype(e, 0100000);
    archive_write_header(a, e);
    together(fill, fill, a);
    archive_write_free(a);
    puts("done");
    return 0;
}
