/* report_test.c: what the user sees, word for word. */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/source.h"
#include "report/text.h"
#include "store/finding_sample.h"

static char root[64];

static const char bank_c[] = "int counter;\n"        /* 1 */
                             "\n"                    /* 2 */
                             "void add(int n)\n"     /* 3 */
                             "{\n"                   /* 4 */
                             "\tcounter += n;\n"     /* 5 */
                             "}\n"                   /* 6 */
                             "\n"                    /* 7 */
                             "int report(void)\n"    /* 8 */
                             "{\n"                   /* 9 */
                             "    return counter;\n" /* 10 */
                             "}\n";                  /* 11 */

static char *text_of(const struct sn_report *r, const struct sn_report_options *o, bool color)
{
    static char *text; /* static: gcc takes the stream's buffer for a part of the frame otherwise */
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    sn_text_report(out, r, o, color);
    fclose(out);
    return text;
}

/* The race in the file that the test has written below the current folder. */
static struct sn_finding *local_race(struct sn_findings *all)
{
    struct sn_finding *f = sn_findings_add(all);
    char *file = sn_xformat("%s/src/bank.c", root);
    f->kind = SN_KIND_DATA_RACE;
    f->status = SN_OBSERVED;
    f->hits = 1;
    f->object.kind = SN_OBJ_GLOBAL;
    f->object.name = sn_xstrdup("counter");
    f->object.size = 4;
    f->object.file = sn_xstrdup(file);
    f->object.line = 1;
    struct sn_site *s = sample_site(f, 1, SN_OP_WRITE, "add", file, 5, 10);
    s->size = 4;
    sample_lock(s, "m");
    sample_frame(&s->locks[0].taken, "worker", "/elsewhere/worker.c", 29, 2);
    sample_frame(&s->stack, "worker", "/elsewhere/worker.c", 30, 5);
    s->stack.frame[1].inlined = true;
    sample_frame(&s->stack, NULL, NULL, 77, 0);
    sample_frame(&s->created, "main", "/elsewhere/main.c", 50, 3);
    s->creator = 0;
    s = sample_site(f, 0, SN_OP_READ, "report", file, 10, 12);
    s->size = 4;
    s->locks_known = true;
    free(file);
    return f;
}

static void test_golden_race(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    struct sn_finding *f = local_race(&r.findings);
    f->id = 3;
    f->has_schedule = true;
    f->hits = 12;
    sn_finding_finish(f);
    char *text = text_of(&r, &o, false);
    assert_string_equal(
        text, "========================================================================\n"
              "snag: data race on `counter` between add() and report() (observed, finding 3)\n"
              "  observed: it was in this run; seen 12 times\n"
              "\n"
              "  write of 4 bytes by thread 1, holding m\n"
              "    #0  add                  src/bank.c:5:10\n"
              "    #1  worker               /elsewhere/worker.c:30:5 (inlined)\n"
              "    #2  ??                   (prog+0x104d)\n"
              "    m was taken in worker at /elsewhere/worker.c:29:2\n"
              "           3 | void add(int n)\n"
              "           4 | {\n"
              "    >      5 |         counter += n;\n"
              "             |                 ^\n"
              "           6 | }\n"
              "           7 |\n"
              "\n"
              "  read of 4 bytes by the main thread, no locks held\n"
              "    #0  report               src/bank.c:10:12\n"
              "           8 | int report(void)\n"
              "           9 | {\n"
              "    >     10 |     return counter;\n"
              "             |            ^\n"
              "          11 | }\n"
              "\n"
              "  `counter` is a global variable of 4 bytes, defined at src/bank.c:1\n"
              "\n"
              "  thread 1 was created by the main thread\n"
              "    #0  main                 /elsewhere/main.c:50:3\n"
              "\n"
              "  usual fix: only one side holds a lock: take the same lock on the other side, too\n"
              "  see it again: snag replay 3\n"
              "========================================================================\n"
              "snag: 1 finding (1 data race observed)\n");
    free(text);
    sn_findings_free(&r.findings);
}

static void test_golden_deadlock(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    struct sn_finding *f = sn_findings_add(&r.findings);
    f->kind = SN_KIND_DEADLOCK;
    f->status = SN_CONFIRMED;
    f->harmful = 1;
    f->effect = sn_xstrdup("the program hangs");
    sample_edge(f, 2, "g", 20, "b", "a");
    sample_edge(f, 1, "f", 10, "a", "b");
    sn_finding_finish(f);
    char *text = text_of(&r, &o, false);
    assert_string_equal(text,
                        "========================================================================\n"
                        "snag: deadlock: a -> b in f(), b -> a in g() (confirmed)\n"
                        "  confirmed: snag made it happen; harmful: the program hangs\n"
                        "\n"
                        "  thread 1 waits for b, holding a\n"
                        "    #0  f                    /src/bank.c:10:1\n"
                        "\n"
                        "  thread 2 waits for a, holding b\n"
                        "    #0  g                    /src/bank.c:20:1\n"
                        "\n"
                        "  usual fix: take these locks in the same order everywhere, or never one "
                        "while holding the "
                        "other\n"
                        "========================================================================\n"
                        "snag: 1 finding (1 deadlock confirmed)\n");
    free(text);
    sn_findings_free(&r.findings);
}

static void test_nothing_found_nothing_said(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    char *text = text_of(&r, &o, true);
    assert_string_equal(text, "");
    assert_false(sn_report_found(&r));
    free(text);
}

static void test_candidates_are_counted_only(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    sample_numbered(&r.findings, 1)->status = SN_CANDIDATE;
    sample_numbered(&r.findings, 2)->status = SN_CANDIDATE;
    assert_false(sn_report_found(&r));
    char *text = text_of(&r, &o, false);
    assert_int_equal(strncmp(text, "snag: 2 candidates not shown", 28), 0);
    assert_non_null(strstr(text, "`snag fuzz` can confirm them"));
    assert_null(strstr(text, "counter"));
    free(text);
    r.command = (char *[]){(char *)"snag", (char *)"hunt", (char *)"./prog", NULL};
    text = text_of(&r, &o, false); /* it has tried */
    assert_null(strstr(text, "can confirm them"));
    assert_non_null(strstr(text, "no schedule that was tried made them happen"));
    free(text);
    o.show_candidates = true;
    text = text_of(&r, &o, false);
    assert_non_null(strstr(text, "snag: 2 findings (2 data races candidate)\n"));
    free(text);
    sn_findings_free(&r.findings);
}

static void test_strongest_first_summary_last(void **state)
{
    (void)state;
    struct sn_report r = {.messages = (char *[]){"3 of something were lost", NULL}};
    struct sn_report_options o = {0};
    sample_numbered(&r.findings, 1)->status = SN_PREDICTED;
    sample_numbered(&r.findings, 2)->status = SN_CONFIRMED;
    sample_numbered(&r.findings, 3)->status = SN_OBSERVED;
    assert_true(sn_report_found(&r));
    char *text = text_of(&r, &o, false);
    const char *first = strstr(text, "(confirmed"), *second = strstr(text, "(observed"),
               *third = strstr(text, "(predicted");
    assert_true(first && second && third && first < second && second < third);
    const char *tail = "snag: 3 of something were lost\n"
                       "snag: 3 findings (1 data race confirmed, 1 data race observed, 1 data race "
                       "predicted)\n";
    assert_string_equal(text + strlen(text) - strlen(tail), tail);
    free(text);
    sn_findings_free(&r.findings);
}

static void test_colors_only_when_wanted(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    sample_numbered(&r.findings, 1);
    char *plain = text_of(&r, &o, false), *colored = text_of(&r, &o, true);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(colored, '\033'));
    free(plain);
    free(colored);
    sn_findings_free(&r.findings);
}

/* A function's name cannot speak to the terminal. */
static void test_control_characters_are_harmless(void **state)
{
    (void)state;
    struct sn_report r = {0};
    struct sn_report_options o = {0};
    struct sn_finding *f = sn_findings_add(&r.findings);
    f->status = SN_OBSERVED;
    sample_site(f, 1, SN_OP_READ, "evil\033]0;title\a", "/tmp/\033[2J.c", 1, 1);
    sn_finding_finish(f);
    char *text = text_of(&r, &o, false);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\a'));
    free(text);
    sn_findings_free(&r.findings);
}

static void test_long_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"add", "add"},
        {"std::vector<int, std::allocator<int> >::push_back(int&&)",
         "std::vector<…>::push_back(…)"},
        {"std::ostream& operator<< <char>(std::ostream&, char const*)",
         "std::ostream& operator<< <…>(…)"},
        {"main(int, char**)::<lambda()>::operator()(std::vector<int>&) const",
         "main(…)::<…>::operator()(…) const"},
        {"unbalanced<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "unbalanced<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        {"f<(a->b)>(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)", "f<…>(…)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = sn_text_function(names[i][0]);
        assert_string_equal(name, names[i][1]);
        free(name);
    }
}

/* libc's way to main() has no name where libc has no symbols; a caller of its own code does. */
static void test_start_code_is_left_out(void **state)
{
    (void)state;
    struct sn_stack stack = {0};
    sample_frame(&stack, "main", "/elsewhere/main.c", 50, 3);
    sample_frame(&stack, NULL, NULL, 0, 0);
    free(stack.frame[1].module);
    stack.frame[1].module = sn_xstrdup("libc.so.6");
    assert_int_equal(sn_text_frames(&stack), 1);
    stack.frame[1].module[3] = 'd'; /* somebody else's */
    assert_int_equal(sn_text_frames(&stack), 2);
    memcpy(stack.frame[1].module, "libc", 4);
    sample_frame(&stack, "compare", "/elsewhere/main.c", 60, 3);
    assert_int_equal(sn_text_frames(&stack), 3); /* qsort() in the middle */
    sn_stack_clear(&stack);
}

static void test_timeline(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    char *text;
    size_t bytes;
    f->nsteps = 4;
    f->steps = sn_xcalloc(4, sizeof *f->steps);
    f->steps[3].what = sn_xstrdup("join thread 1");
    for (int i = 0; i < 3; i++) {
        f->steps[i].thread = i % 2 + 1;
        f->steps[i].what = sn_xstrdup(i == 1 ? "write counter" : "read counter");
        f->steps[i].at.file = sn_xstrdup("/src/bank.c");
        f->steps[i].at.line = 12 + i;
    }
    FILE *out = open_memstream(&text, &bytes);
    sn_text_timeline(out, f, sn_style(false));
    fclose(out);
    assert_string_equal(text, "\n  one order of events that shows it\n"
                              "    thread 1                          | thread 2\n"
                              "    read counter (bank.c:12)          |\n"
                              "                                      | write counter (bank.c:13)\n"
                              "    read counter (bank.c:14)          |\n"
                              "    · the main thread: join thread 1\n");
    free(text);
    sn_findings_free(&all);
}

static void test_source_lines(void **state)
{
    (void)state;
    int column = 0;
    char *file = sn_xformat("%s/odd.c", root);
    FILE *out = fopen(file, "w");
    fputs("a\tb\r\n\xc3\xa4\xff x\n", out);
    for (int i = 0; i < 500; i++)
        fputs("long ", out);
    fclose(out);
    char *line = sn_source_line(file, 1, 3, &column);
    assert_string_equal(line, "a       b");
    assert_int_equal(column, 9);
    free(line);
    line = sn_source_line(file, 2, 5, &column);
    assert_string_equal(line, "\xc3\xa4? x");
    assert_int_equal(column, 4);
    free(line);
    line = sn_source_line(file, 3, 2000, &column);
    assert_true(strlen(line) < 140);
    assert_int_equal(column, 0);
    free(line);
    assert_null(sn_source_line(file, 4, 0, NULL));
    assert_null(sn_source_line(file, 0, 0, NULL));
    assert_null(sn_source_line("/no/such/file.c", 1, 0, NULL));
    assert_null(sn_source_line("/dev/zero", 1, 0, NULL));
    free(file);
}

static int begin_all(void **state)
{
    (void)state;
    strcpy(root, "/tmp/snag-report-test-XXXXXX");
    if (!mkdtemp(root) || chdir(root) || mkdir("src", 0777))
        return -1;
    FILE *out = fopen("src/bank.c", "w");
    fputs(bank_c, out);
    return fclose(out);
}

static int end_all(void **state)
{
    (void)state;
    char *command = sn_xformat("rm -rf %s", root);
    int status = chdir("/") || system(command);
    free(command);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_race),
        cmocka_unit_test(test_golden_deadlock),
        cmocka_unit_test(test_nothing_found_nothing_said),
        cmocka_unit_test(test_candidates_are_counted_only),
        cmocka_unit_test(test_strongest_first_summary_last),
        cmocka_unit_test(test_colors_only_when_wanted),
        cmocka_unit_test(test_control_characters_are_harmless),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_start_code_is_left_out),
        cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_source_lines),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
