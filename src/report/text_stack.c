/* text_stack.c: stacks and source excerpts in the text report. */
#include "report/text.h"

#include <string.h>

#include "report/source.h"
#include "store/utf8.h"
#include "store/xalloc.h"

#define FRAMES_SHOWN 40
#define LINES_AROUND 2
#define NAME_WIDTH 20 /* so that short names stand above each other */

const struct sn_style *sn_style(bool color)
{
    static const struct sn_style plain = {"", "", "", "", "", ""};
    static const struct sn_style colored = {
        .head = "\033[1;31m",
        .strong = "\033[1m",
        .mark = "\033[1;33m",
        .dim = "\033[2m",
        .good = "\033[32m",
        .end = "\033[0m",
    };
    return color ? &colored : &plain;
}

void sn_text_put(FILE *out, const char *text)
{
    char *clean = sn_utf8_clean(text, strlen(text), true);
    fputs(clean, out);
    free(clean);
}

void sn_text_place(FILE *out, const struct sn_frame *f)
{
    if (f->file) {
        sn_text_put(out, sn_source_short(f->file));
        if (f->line > 0)
            fprintf(out, ":%d", f->line);
        if (f->line > 0 && f->column > 0)
            fprintf(out, ":%d", f->column);
    } else if (f->module) {
        fputc('(', out);
        sn_text_put(out, f->module);
        fprintf(out, "+0x%llx)", (unsigned long long)f->offset);
    } else {
        fputs("(unknown code)", out);
    }
}

/* How every thread and every program begins tells nothing: it is left out at the end of a stack,
 * and so is what std::thread and its kin put between. Without libc's debug information it has no
 * name; at the end of a stack libc does nothing else. */
static bool is_start_code(const struct sn_frame *f)
{
    static const char *const names[] = {"start_thread",
                                        "clone",
                                        "clone3",
                                        "__clone",
                                        "__clone3",
                                        "__libc_start_main",
                                        "__libc_start_call_main",
                                        "__libc_start_main_impl",
                                        "_start"};
    for (size_t i = 0; f->function && i < sizeof names / sizeof *names; i++) {
        if (!strcmp(f->function, names[i]))
            return true;
    }
    return !f->function && f->module && !strncmp(f->module, "libc.so.", strlen("libc.so."));
}

size_t sn_text_frames(const struct sn_stack *s)
{
    size_t n = s->n;
    while (n > 1 && is_start_code(&s->frame[n - 1]))
        n--;
    while (n > 1 && sn_frame_is_system(&s->frame[n - 1]))
        n--;
    return n;
}

void sn_text_stack(FILE *out, const struct sn_stack *s, const struct sn_style *c)
{
    size_t n = sn_text_frames(s);
    for (size_t i = 0; i < n && i < FRAMES_SHOWN; i++) {
        const struct sn_frame *f = &s->frame[i];
        char *name = sn_text_function(f->function);
        int room = NAME_WIDTH > strlen(name) ? (int)(NAME_WIDTH - strlen(name)) : 0;
        fprintf(out, "    #%-2zu %s%s%s%*s ", i, sn_frame_is_system(f) ? c->dim : c->strong, name,
                c->end, room, "");
        sn_text_place(out, f);
        fputs(f->inlined ? " (inlined)\n" : "\n", out);
        free(name);
    }
    if (n > FRAMES_SHOWN)
        fprintf(out, "    … and %zu more\n", n - FRAMES_SHOWN);
}

void sn_text_callers(FILE *out, const struct sn_stack *s, size_t from)
{
    size_t n = sn_text_frames(s);
    for (size_t i = from; i < n && i < FRAMES_SHOWN; i++) {
        char *name = sn_text_function(s->frame[i].function);
        fprintf(out, "      called by %s at ", name);
        sn_text_place(out, &s->frame[i]);
        fputc('\n', out);
        free(name);
    }
}

static void put_source_line(FILE *out, int number, const char *text, bool marked,
                            const struct sn_style *c)
{
    fprintf(out, "    %s%s %6d |%s%s%s\n", marked ? c->mark : c->dim, marked ? ">" : " ", number,
            *text ? " " : "", text, c->end);
}

void sn_text_excerpt(FILE *out, const struct sn_frame *f, const struct sn_style *c)
{
    int caret = 0;
    char *marked = f->file ? sn_source_line(f->file, f->line, f->column, &caret) : NULL;
    if (!marked)
        return;
    for (int line = f->line - LINES_AROUND; line <= f->line + LINES_AROUND; line++) {
        char *text = line == f->line ? marked : sn_source_line(f->file, line, 0, NULL);
        if (text)
            put_source_line(out, line, text, line == f->line, c);
        if (line == f->line && caret)
            fprintf(out, "    %s         | %*s^%s\n", c->mark, caret - 1, "", c->end);
        free(text);
    }
}
