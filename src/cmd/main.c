/* main.c: the entry of the snag command; the rest is in commands.c, so that tests can link it. */
#include "cmd/command.h"
#include "cmd/limits.h"

int main(int argc, char **argv)
{
    return sn_limits_run(sn_main, argc, argv);
}
