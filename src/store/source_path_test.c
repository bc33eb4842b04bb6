/* source_path_test.c: names of source files, with and without the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "store/source_path.h"

static void folds(const char *from, const char *to)
{
    char path[256];
    snprintf(path, sizeof path, "%s", from);
    assert_string_equal(sn_source_fold(path), to);
}

static void names_alone(void **state)
{
    (void)state;
    assert_null(sn_source_fold(NULL));
    folds("a.c", "a.c");
    folds("../a.c", "../a.c");
    folds("/x/./y/././a.c", "/x/y/a.c");
    folds("/usr/bin/../lib/gcc/x/12/../../../../include/c++/12/none.h", "/usr/include/c++/12/none.h");
    folds("/usr/../../../none.c", "/usr/../../../none.c"); /* not the system's any more */
    folds("/usr/a..b/../none.c", "/usr/none.c");
    folds("/nowhere/at/../all.c", "/nowhere/at/../all.c"); /* may be a link */
}

/* real/deep/a.c, and link -> real/deep */
static void files_and_links(void **state)
{
    char root[] = "/tmp/snag-path-XXXXXX", command[256], from[256], to[256];
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p real/deep other && touch real/a.c real/deep/b.c && ln -s real/deep link", root);
    assert_int_equal(system(command), 0);
    snprintf(from, sizeof from, "%s/other/../real/deep/../a.c", root);
    snprintf(to, sizeof to, "%s/real/a.c", root);
    folds(from, to);
    snprintf(from, sizeof from, "%s/link/../a.c", root); /* real/a.c, and not a.c */
    folds(from, from);
    snprintf(from, sizeof from, "%s/real//deep/.././a.c", root);
    snprintf(to, sizeof to, "%s/real//a.c", root);
    folds(from, to);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_alone),
        cmocka_unit_test(files_and_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
