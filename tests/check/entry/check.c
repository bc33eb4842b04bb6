// The tests of a Check program. What its header says is written down here: the package need not be there.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

typedef struct TCase TCase;
typedef struct Suite Suite;
typedef struct SRunner SRunner;
typedef struct { const char *name; void (*fn)(int); const char *file; int line; } TTest;
Suite *suite_create(const char *name);
TCase *tcase_create(const char *name);
void suite_add_tcase(Suite *s, TCase *tc);
void _tcase_add_test(TCase *tc, const TTest *t, int signal, int status, int start, int end);
void tcase_add_checked_fixture(TCase *tc, void (*setup)(void), void (*teardown)(void));
SRunner *srunner_create(Suite *s);
void srunner_run_all(SRunner *r, int mode);
int srunner_ntests_failed(SRunner *r);
void srunner_free(SRunner *r);

static int *counter;

static void set_up(void)
{
    counter = calloc(1, sizeof *counter);
}

static void tear_down(void)
{
    free(counter);
}

static void *work(void *arg)
{
    FIX(LOCK());
    ++*counter; // WORK
    FIX(UNLOCK());
    return arg;
}

static void counts_fn(int i)
{
    (void)i;
    run_two(work, work);
}
static const TTest counts = {"counts", counts_fn, __FILE__, __LINE__};

int main(void)
{
    Suite *s = suite_create("all");
    TCase *tc = tcase_create("one");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    _tcase_add_test(tc, &counts, 0, 0, 0, 1);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, 0);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
