/* say.c: messages of the command, see say.h. */
#include "cmd/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"

static void say(const char *format, va_list args)
{
    fflush(stdout);
    fputs("snag: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void sn_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

/* Does the message itself say what to do next: a command, an option, what something looks like? */
static bool has_advice(const char *text)
{
    static const char *const signs[] = {"snag ", " --", "; ", "install", "build ", "say ", "(-"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]))
            return true;
    return false;
}

static const char *command_name(void)
{
    const char *name = sn_command_line && sn_command_line[0] ? sn_command_line[1] : NULL;
    return name && sn_command_find(name) ? name : NULL;
}

int sn_fail(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    const char *name = command_name();
    fflush(stdout);
    if (n < 0)
        fprintf(stderr, "snag: %s\n", format);
    else if (has_advice(text) || !name)
        fprintf(stderr, "snag: %s\n", text);
    else
        fprintf(stderr,
                "snag: %s (snag help %s shows how it is called, snag doctor what works here)\n",
                text, name);
    if (n >= 0)
        free(text);
    return SN_EXIT_FAILED;
}
