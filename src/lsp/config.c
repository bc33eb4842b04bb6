/* config.c: see config.h. */
#include "lsp/config.h"

#include <string.h>

#include "store/xalloc.h"

void sn_lsp_config_init(struct sn_lsp_config *c)
{
    *c = (struct sn_lsp_config){.steps = 10000000,
                                .steps_per_run = 1000000,
                                .heap = 8 << 20,
                                .debounce_ms = 300,
                                .seed = 1,
                                .on_change = true,
                                .whole_program = true};
}

static void read_number(const json_t *j, const char *name, int64_t least, int64_t most,
                        int64_t *out)
{
    const json_t *v = json_object_get(j, name);
    if (json_is_integer(v) && json_integer_value(v) >= least && json_integer_value(v) <= most)
        *out = json_integer_value(v);
}

static void read_flag(const json_t *j, const char *name, bool *out)
{
    const json_t *v = json_object_get(j, name);
    if (json_is_boolean(v))
        *out = json_is_true(v);
}

/* An empty string unsets it. */
static void read_text(const json_t *j, const char *name, char **out)
{
    const char *v = json_string_value(json_object_get(j, name));
    if (v == NULL)
        return;
    free(*out);
    *out = v[0] ? sn_xstrdup(v) : NULL;
}

/* A list of words, or one string of them. */
static void read_words(const json_t *j, const char *name, struct sn_words *out)
{
    const json_t *v = json_object_get(j, name), *word;
    size_t i;
    if (!json_is_array(v) && !json_is_string(v))
        return;
    sn_words_free(out);
    if (json_is_string(v))
        sn_words_split(out, json_string_value(v));
    json_array_foreach(v, i, word) if (json_is_string(word))
        sn_words_add(out, json_string_value(word));
}

void sn_lsp_config_read(struct sn_lsp_config *c, const json_t *j)
{
    read_text(j, "entry", &c->entry);
    read_text(j, "compileCommands", &c->compile_commands);
    read_words(j, "flags", &c->flags);
    read_words(j, "program", &c->program);
    read_number(j, "steps", 1, INT64_MAX / 2, &c->steps);
    read_number(j, "stepsPerRun", 1, INT64_MAX / 2, &c->steps_per_run);
    read_number(j, "heap", 1, 400 << 20, &c->heap);
    read_number(j, "seed", 0, INT64_MAX, &c->seed);
    read_number(j, "debounce", 0, 60000, &c->debounce_ms);
    read_flag(j, "candidates", &c->candidates);
    read_flag(j, "checkWhileTyping", &c->on_change);
    read_flag(j, "wholeProgram", &c->whole_program);
}

void sn_lsp_config_free(struct sn_lsp_config *c)
{
    free(c->entry);
    free(c->compile_commands);
    sn_words_free(&c->flags);
    sn_words_free(&c->program);
}
