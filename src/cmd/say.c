/* say.c: messages of the command, see say.h. */
#include "cmd/say.h"

#include <stdarg.h>
#include <stdio.h>

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

int sn_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return SN_EXIT_FAILED;
}
