/* finding_test.c: keys, titles, JSON and the union of findings. */
#include "store/finding.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "store/finding_sample.h"

static void swap_sites(struct sn_finding *f)
{
    struct sn_site t = f->sites[0];
    f->sites[0] = f->sites[1];
    f->sites[1] = t;
}

static void test_key_ignores_order_and_threads(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    sample_race(&all);
    struct sn_finding *b = sample_race(&all), *a = &all.f[0];
    swap_sites(b);
    b->sites[0].thread = 77;
    b->sites[1].stack.frame[0].offset = 0x9999;
    free(b->sites[1].stack.frame[0].file);
    b->sites[1].stack.frame[0].file = sn_xstrdup("/elsewhere/bank.c");
    sn_finding_finish(a);
    sn_finding_finish(b);
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->key, "data-race add@bank.c:12:3 report@bank.c:20:10");
    assert_string_equal(a->title, "data race on `counter` between add() and report()");
    assert_string_equal(b->title, a->title);
    sn_findings_free(&all);
}

static void test_key_tells_places_apart(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    sample_race(&all);
    struct sn_finding *b = sample_race(&all), *a = &all.f[0];
    b->sites[0].stack.frame[0].column = 9;
    sn_finding_finish(a);
    sn_finding_finish(b);
    assert_string_not_equal(a->key, b->key);
    sn_findings_free(&all);
}

static void test_key_of_one_line_with_itself(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    sample_site(f, 1, SN_OP_WRITE, "add", "/src/bank.c", 12, 3);
    sample_site(f, 2, SN_OP_READ, "add", "/src/bank.c", 12, 3);
    sn_finding_finish(f);
    assert_string_equal(f->key, "data-race add@bank.c:12:3 add@bank.c:12:3#1");
    assert_string_equal(f->title, "data race in add()");
    sn_findings_free(&all);
}

static void test_key_without_debug_information(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    sample_site(f, 1, SN_OP_WRITE, NULL, NULL, 5, 0);
    sample_site(f, 2, SN_OP_READ, "g", NULL, 6, 0);
    sn_finding_finish(f);
    assert_string_equal(f->key, "data-race ?@prog+0x1005 g@prog+0x1006");
    sn_findings_free(&all);
}

/* Two vectors that are pushed to in two places are two places, not one line of a header. */
static void test_system_headers_are_not_places(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    struct sn_site *s = sample_site(f, 1, SN_OP_WRITE, "std::vector<int>::push_back",
                                    "/usr/include/c++/12/bits/stl_vector.h", 1278, 4);
    sample_frame(&s->stack, "collect", "/src/collect.cc", 9, 2);
    sn_finding_finish(f);
    assert_string_equal(f->key, "data-race collect@collect.cc:9:2");
    sn_findings_free(&all);
}

static void test_deadlock_is_a_set_that_turns(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    f->kind = SN_KIND_DEADLOCK;
    sample_edge(f, 2, "g", 20, "b", "a");
    sample_edge(f, 1, "f", 10, "a", "b");
    sn_finding_finish(f);
    assert_string_equal(f->title, "deadlock: a -> b in f(), b -> a in g()");
    assert_string_equal(f->key, "deadlock f@bank.c:10:1[a->b] g@bank.c:20:1[b->a]");
    sn_findings_free(&all);
}

/* Key and title of a deadlock of n. */
static char *philosophers(int n)
{
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    f->kind = SN_KIND_DEADLOCK;
    for (int i = 0; i < n; i++) {
        char *from = sn_xformat("fork[%d]", i), *to = sn_xformat("fork[%d]", (i + 1) % n);
        sample_edge(f, i + 1, "eat", 10, from, to);
        free(from);
        free(to);
    }
    sn_finding_finish(f);
    char *both = sn_xformat("%s; %s", f->key, f->title);
    sn_findings_free(&all);
    return both;
}

static void test_philosophers_are_one_finding(void **state)
{
    (void)state;
    char *three = philosophers(3), *five = philosophers(5);
    assert_string_equal(three, five);
    assert_string_equal(three, "deadlock eat@bank.c:10:1[fork[]->fork[]]; "
                               "deadlock: fork[] -> fork[] in eat()");
    free(three);
    free(five);
}

/* Many programs lock through one wrapper: the locks' names tell the places apart. */
static void test_wrapped_locks_stay_apart(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    for (int i = 0; i < 2; i++) {
        struct sn_finding *f = sn_findings_add(&all);
        f->kind = SN_KIND_LOCK_ORDER;
        sample_edge(f, 1, "my_lock", 3, "a", i ? "c" : "b");
        sample_edge(f, 2, "my_lock", 3, i ? "c" : "b", "a");
        sn_finding_finish(f);
    }
    assert_string_not_equal(all.f[0].key, all.f[1].key);
    sn_findings_free(&all);
}

static void test_misuse_title(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    f->kind = SN_KIND_MISUSE;
    f->text = sn_xstrdup("unlock of a mutex that another thread holds");
    sample_site(f, 1, SN_OP_LOCK, "drop", "/src/bank.c", 8, 2);
    sn_finding_finish(f);
    assert_string_equal(f->title, "unlock of a mutex that another thread holds in drop()");
    sn_findings_free(&all);
}

static void test_heap_title_has_no_size(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sample_race(&all);
    sn_object_clear(&f->object);
    f->object.kind = SN_OBJ_HEAP;
    f->object.name = sn_xstrdup("heap block of 64 bytes allocated in make_node()");
    sample_frame(&f->object.alloc, "make_node", "/src/bank.c", 3, 1);
    sn_finding_finish(f);
    assert_string_equal(f->title, "data race on heap block allocated in make_node() between add() "
                                  "and report()");
    sn_findings_free(&all);
}

static char *dump(const struct sn_finding *f)
{
    json_t *j = sn_finding_to_json(f);
    char *text = json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(j);
    return text;
}

static void fill_everything(struct sn_finding *f)
{
    f->id = 3;
    f->status = SN_CONFIRMED;
    f->harmful = 1;
    f->effect = sn_xstrdup("assertion failed: counter == 2 (bank.c:40)");
    f->text = sn_xstrdup("words");
    f->first_run = 1;
    f->hits = 12;
    f->has_schedule = true;
    f->object.member = sn_xstrdup("low");
    f->object.has_offset = true;
    f->object.freed = true;
    sample_frame(&f->object.alloc, "make", "/src/bank.c", 2, 2);
    f->sites[0].locks[0].shared = true;
    sample_frame(&f->sites[0].locks[0].taken, "add", "/src/bank.c", 11, 2);
    sample_frame(&f->sites[0].created, "main", "/src/bank.c", 50, 3);
    f->sites[0].creator = 0;
    f->sites[0].note = sn_xstrdup("a note");
    f->sites[1].op = SN_OP_CALL;
    f->sites[1].call = sn_xstrdup("strtok");
    f->sites[1].stack.frame[0].inlined = true;
    f->nsteps = 1;
    f->steps = sn_xcalloc(1, sizeof *f->steps);
    f->steps[0].thread = 2;
    f->steps[0].what = sn_xstrdup("write counter");
    f->steps[0].at.line = 12;
}

static void test_json_round_trip(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sample_race(&all), back;
    fill_everything(f);
    sn_finding_finish(f);
    json_t *j = sn_finding_to_json(f);
    assert_int_equal(sn_finding_from_json(j, &back), 0);
    char *a = dump(f), *b = dump(&back);
    assert_string_equal(a, b);
    assert_string_equal(json_string_value(json_object_get(j, "replay")), "snag replay 3");
    assert_true(json_is_true(json_object_get(j, "harmful")));
    json_t *sites = json_object_get(j, "sites");
    bool call = false;
    for (size_t i = 0; i < json_array_size(sites); i++)
        call = call || !strcmp(json_string_value(json_object_get(json_array_get(sites, i), "op")),
                               "call:strtok");
    assert_true(call);
    free(a);
    free(b);
    json_decref(j);
    sn_finding_clear(&back);
    sn_findings_free(&all);
}

static void test_json_leaves_out_what_is_unknown(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    sample_site(f, -1, SN_OP_READ, NULL, NULL, 0, 0);
    json_t *j = sn_finding_to_json(f);
    static const char *const absent[] = {"id",   "harmful",   "effect", "object", "replay",
                                         "hits", "first_run", "text",   "steps",  "engine"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_null(json_object_get(j, absent[i]));
    json_t *site = json_array_get(json_object_get(j, "sites"), 0);
    assert_null(json_object_get(site, "thread"));
    assert_null(json_object_get(site, "size"));
    assert_null(json_object_get(site, "locks"));
    json_t *frame = json_array_get(json_object_get(site, "stack"), 0);
    assert_null(json_object_get(frame, "function"));
    assert_null(json_object_get(frame, "line"));
    json_decref(j);
    sn_findings_free(&all);
}

static void test_json_of_bytes_that_are_no_text(void **state)
{
    (void)state;
    struct sn_findings all = {0};
    struct sn_finding *f = sn_findings_add(&all);
    sample_site(f, 1, SN_OP_READ, "f\xff\xfe", "/src/\xc3\x28.c", 1, 1);
    sn_finding_finish(f);
    char *text = dump(f);
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    json_decref(j);
    free(text);
    sn_findings_free(&all);
}

static void test_json_refuses_nonsense(void **state)
{
    (void)state;
    static const char *const bad[] = {"{}",
                                      "[]",
                                      "{\"kind\":\"no-such-kind\"}",
                                      "{\"kind\":\"deadlock\",\"status\":\"maybe\"}",
                                      "{\"kind\":\"deadlock\",\"sites\":[{\"op\":\"fly\"}]}",
                                      "{\"kind\":\"deadlock\",\"sites\":[7]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sn_finding f;
        json_t *j = json_loads(bad[i], 0, NULL);
        assert_int_equal(sn_finding_from_json(j, &f), -EINVAL);
        json_decref(j);
    }
}

/* Three records of one finding, in the given order, united. */
static char *unite_in_order(const int order[3])
{
    struct sn_findings all = {0};
    for (int i = 0; i < 3; i++) {
        struct sn_finding *f = sample_race(&all);
        if (order[i] == 0) {
            f->status = SN_CONFIRMED;
            free(f->engine);
            f->engine = sn_xstrdup("fuzz");
            sn_stack_clear(&f->sites[1].created);
        } else if (order[i] == 1) {
            sample_frame(&f->sites[1].created, "main", "/src/bank.c", 50, 3);
            f->harmful = 0;
        } else {
            f->sites[0].thread = 9;
            f->harmful = 1;
            f->effect = sn_xstrdup("crash");
        }
    }
    sn_findings_unite(&all);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.f[0].hits, 3);
    assert_int_equal(all.f[0].status, SN_CONFIRMED);
    assert_string_equal(all.f[0].engine, "fuzz");
    assert_int_equal(all.f[0].harmful, 1);
    assert_string_equal(all.f[0].effect, "crash");
    char *text = dump(&all.f[0]);
    sn_findings_free(&all);
    return text;
}

static void test_union_does_not_depend_on_order(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char *first = unite_in_order(orders[0]);
    assert_non_null(strstr(first, "\"created\""));
    for (int i = 1; i < 6; i++) {
        char *other = unite_in_order(orders[i]);
        assert_string_equal(first, other);
        free(other);
    }
    free(first);
}

static void test_names_parse_back(void **state)
{
    (void)state;
    for (int i = 0; i < SN_KIND_COUNT; i++) {
        enum sn_kind k;
        assert_int_equal(sn_kind_parse(sn_kind_name((enum sn_kind)i), &k), 0);
        assert_int_equal(k, i);
    }
    for (int i = 0; i < SN_STATUS_COUNT; i++) {
        enum sn_status s;
        assert_int_equal(sn_status_parse(sn_status_name((enum sn_status)i), &s), 0);
        assert_int_equal(s, i);
    }
    enum sn_kind k;
    assert_int_equal(sn_kind_parse("race", &k), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_ignores_order_and_threads),
        cmocka_unit_test(test_key_tells_places_apart),
        cmocka_unit_test(test_key_of_one_line_with_itself),
        cmocka_unit_test(test_key_without_debug_information),
        cmocka_unit_test(test_system_headers_are_not_places),
        cmocka_unit_test(test_deadlock_is_a_set_that_turns),
        cmocka_unit_test(test_philosophers_are_one_finding),
        cmocka_unit_test(test_wrapped_locks_stay_apart),
        cmocka_unit_test(test_misuse_title),
        cmocka_unit_test(test_heap_title_has_no_size),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_leaves_out_what_is_unknown),
        cmocka_unit_test(test_json_of_bytes_that_are_no_text),
        cmocka_unit_test(test_json_refuses_nonsense),
        cmocka_unit_test(test_union_does_not_depend_on_order),
        cmocka_unit_test(test_names_parse_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
