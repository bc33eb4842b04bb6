/* lsp.c: `snag lsp`, the language server: the static check while one types. */
#include <stdio.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "lsp/server.h"

int sn_cmd_lsp(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, NULL, &first);
    if (status)
        return status;
    if (first != argc)
        return sn_fail("snag lsp takes no arguments: an editor starts it and talks to it");
    const char *lib = sn_place_lib();
    return lib == NULL ? SN_EXIT_FAILED : sn_lsp_serve(STDIN_FILENO, stdout, lib);
}

void sn_help_lsp(void)
{
    sn_help_page("snag lsp",
                 "A language server on stdin and stdout: what snag check finds is shown in the "
                 "editor while\n"
                 "the text changes, saved or not. The editor starts it; doc/lsp.md says how to set "
                 "up VS Code,\n"
                 "Neovim, Emacs and Helix.",
                 NULL, false, "snag lsp");
}
