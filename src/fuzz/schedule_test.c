/* schedule_test.c: schedules as text and back; goals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/runfile.h"
#include "fuzz/goal.h"

static struct sn_schedule sample(void)
{
    static const struct sn_log_entry entry[] = {
        {.kind = SN_LOG_FORCED, .thread = 2, .count = 9, .next = 0, .site = SN_FRAME(3, 0x1200)},
        {.kind = SN_LOG_PREEMPT, .thread = 1, .count = 4, .next = 2, .site = SN_FRAME(3, 0x11f0)},
        {.kind = SN_LOG_CHOICE, .thread = 1, .count = 3, .next = 5},
    };
    struct sn_schedule like = {.points = "sites", .seed = 7};
    sn_schedule_add_site(&like, "prog", 0x11f0);
    sn_schedule_add_site(&like, "prog", 0x1200);
    sn_schedule_add_site(&like, "prog", 0x11f0); /* once is enough */
    struct sn_schedule s = sn_schedule_replay(&like, entry, 3);
    sn_schedule_clear(&like);
    return s;
}

static void text_and_back(void **state)
{
    (void)state;
    struct sn_schedule s = sample(), t = {0};
    char *text = sn_schedule_to_text(&s);
    /* sorted by thread and point, as the engine wants them */
    assert_string_equal(text, "strategy replay\npoints sites\nsite prog 11f0\nsite prog 1200\n"
                              "e 3 1 3 5 0\ne 1 1 4 2 11f0\ne 2 2 9 0 1200\n");
    assert_int_equal(sn_schedule_from_text(text, &t), 0);
    assert_int_equal(t.nentries, 3);
    assert_int_equal(t.nsites, 2);
    assert_int_equal(sn_schedule_preemptions(&t), 1);
    char *again = sn_schedule_to_text(&t);
    assert_string_equal(again, text);
    free(text);
    free(again);
    sn_schedule_clear(&s);
    sn_schedule_clear(&t);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct sn_schedule s = {0};
    assert_true(sn_schedule_from_text("strategy replay\ne 1 2\n", &s) < 0);
    sn_schedule_clear(&s);
    struct sn_saved saved;
    assert_true(sn_saved_from_text("{}", 2, &saved) < 0);
    assert_true(sn_saved_from_text("[1", 2, &saved) < 0);
}

static void saved_and_back(void **state)
{
    (void)state;
    char *argv[] = {(char *)"./prog", (char *)"a b", NULL};
    struct sn_saved s = {.program = (char *)"/x/prog",
                         .folder = (char *)"/x",
                         .argv = argv,
                         .goal = {.race = true,
                                  .a = {(char *)"prog", 0x11f0},
                                  .b = {(char *)"prog", 0x1200},
                                  .end = SN_END_SIGNAL,
                                  .status = 134},
                         .timeout_s = 5,
                         .build = (char *)"b",
                         .schedule = sample()},
                    t;
    char *text = sn_saved_to_text(&s);
    assert_int_equal(sn_saved_from_text(text, strlen(text), &t), 0);
    assert_string_equal(t.argv[1], "a b");
    assert_true(t.goal.race && t.goal.b.offset == 0x1200 && t.goal.status == 134);
    assert_int_equal(t.schedule.seed, 7);
    assert_int_equal(t.schedule.nentries, 3);
    free(text);
    sn_schedule_clear(&s.schedule);
    sn_saved_clear(&t);
}

/* The pair in either order; the end must be the same; another pair does not count. */
static void goals(void **state)
{
    (void)state;
    char *module[] = {(char *)"/x/prog"};
    struct sn_log_hit hit = {.site = {SN_FRAME(0, 0x1200), SN_FRAME(0, 0x11f0)}};
    struct sn_execution e = {.end = SN_END_SIGNAL,
                             .status = 134,
                             .hit = &hit,
                             .nhits = 1,
                             .module = module,
                             .nmodules = 1};
    struct sn_goal g = {.race = true, .a = {(char *)"prog", 0x11f0}, .b = {(char *)"prog", 0x1200}};
    assert_true(sn_goal_met(&g, &e));
    g.end = SN_END_SIGNAL;
    g.status = 139;
    assert_false(sn_goal_met(&g, &e));
    g.status = 134;
    assert_true(sn_goal_met(&g, &e));
    g.b.offset = 0x1300;
    assert_false(sn_goal_met(&g, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_back),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(saved_and_back),
        cmocka_unit_test(goals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
