/*
 * recipe.c: the reader of campaign files against any bytes: it gives a recipe or a sentence with a
 * line, and what it gives can be given back.
 *
 * SOURCES: src/campaign/recipe.c src/cmd/words.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sn_recipe r;
    char *why = NULL;
    int err = sn_recipe_parse((const char *)data, size, &r, &why);
    if (err ? !why || strncmp(why, "line ", 5) != 0 : why != NULL || !r.nengines)
        abort();
    for (size_t i = 0; !err && i < r.nengines; i++)
        if (r.engine[i].last < r.engine[i].first || r.engine[i].by < 1)
            abort();
    free(why);
    if (!err)
        sn_recipe_clear(&r);
    return 0;
}
