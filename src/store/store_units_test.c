/* store_units_test.c: the stores of a campaign's units: 200 of them merged in random orders, units
 * that were run twice, sets and schedules that are united. */
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "store/blob_unite.h"
#include "store/finding_sample.h"
#include "store/store_sample.h"
#include "store/unit_id.h"

#define UNITS 200

static const char campaign[] = "00112233445566ff";

static void become_unit(int number)
{
    struct sn_unit_id id;
    char *text = sn_xformat("%s:%d:1700000000000000000", campaign, number);
    assert_int_equal(sn_unit_id_parse(text, &id), 0);
    sn_unit_id_set(&id);
    free(text);
}

static void leave_unit(void)
{
    sn_unit_id_set(&(struct sn_unit_id){0});
}

/* All that `snag list --json` shows, and the blobs. */
static int add_blob(void *arg, const char *key, const void *data, size_t bytes)
{
    char *text = sn_xformat("%s=%.*s", key, (int)bytes, (const char *)data);
    json_array_append_new(arg, json_string(text));
    free(text);
    return 0;
}

static char *content(const char *dir)
{
    static const char *const kinds[] = {"tsvd-pairs", "schedule"};
    struct sn_store *s = open_store(dir, SN_STORE_READ);
    struct sn_findings all;
    assert_int_equal(sn_store_all(s, &all), 0);
    json_t *list = json_array();
    for (size_t i = 0; i < all.n; i++)
        json_array_append_new(list, sn_finding_to_json(&all.f[i]));
    for (int i = 0; i < 2; i++)
        assert_int_equal(sn_store_each_blob(s, kinds[i], add_blob, list), 0);
    char *text = json_dumps(list, JSON_INDENT(1));
    json_decref(list);
    sn_findings_free(&all);
    sn_store_close(s);
    return text;
}

/* What a unit does depends on its number alone. */
static void work(const char *dir, int number)
{
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    char pair[64], schedule[64];
    add_numbered(s, number % 7, 1 + number % 3);
    add_numbered(s, number % 11, 1);
    snprintf(pair, sizeof pair, "{\"p%d\":{\"quiet\":%s,\"set\":[%d]}}", number % 5,
             number % 2 ? "true" : "false", number % 3);
    snprintf(schedule, sizeof schedule, "%.*s%d", number % 4, "eee", number);
    assert_int_equal(sn_store_put_blob(s, "tsvd-pairs", "prog", pair, strlen(pair)), 0);
    assert_int_equal(sn_store_put_blob(s, "schedule", "key", schedule, strlen(schedule)), 0);
    sn_store_close(s);
}

static char **make_units(void)
{
    char **dir = sn_xcalloc(UNITS, sizeof *dir);
    for (int i = 0; i < UNITS; i++) {
        dir[i] = fresh_dir();
        become_unit(i + 1);
        work(dir[i], i + 1);
    }
    leave_unit();
    return dir;
}

static void merge_all(const char *into, const char *const *dirs, size_t n)
{
    struct sn_store *s = open_store(into, SN_STORE_WRITE);
    assert_int_equal(sn_store_merge_many(s, dirs, n, NULL, NULL), 0);
    sn_store_close(s);
}

static uint32_t chance(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* A permutation, and a quarter of them once more somewhere. */
static size_t shuffle(char **dir, const char **to, uint32_t *state)
{
    size_t n = 0;
    for (int i = 0; i < UNITS; i++)
        to[n++] = dir[i];
    for (int i = 0; i < UNITS / 4; i++)
        to[n++] = dir[chance(state, UNITS)];
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = chance(state, (uint32_t)i + 1);
        const char *t = to[i];
        to[i] = to[k];
        to[k] = t;
    }
    return n;
}

static void test_any_order_any_number_of_times(void **state)
{
    (void)state;
    enum { ORDERS = 3, PARTS = 5 };
    char **dir = make_units(), *first = NULL;
    const char *order[UNITS + UNITS / 4];
    uint32_t seed = 4711;
    for (int o = 0; o < ORDERS; o++) {
        char *whole = fresh_dir(), *part[PARTS];
        size_t n = shuffle(dir, order, &seed);
        /* By way of stores in between, and those in any order, twice. */
        for (size_t p = 0; p < PARTS; p++) {
            part[p] = fresh_dir();
            size_t from = p * n / PARTS, to = (p + 1) * n / PARTS;
            merge_all(part[p], order + from, to - from);
        }
        for (uint32_t i = 0, at = chance(&seed, PARTS); i < 2 * PARTS; i++, at += 2)
            merge_all(whole, (const char *const *)&part[at % PARTS], 1);
        char *text = content(whole);
        if (!first)
            first = sn_xstrdup(text);
        assert_string_equal(first, text);
        free(text);
        free(whole);
        for (int p = 0; p < PARTS; p++)
            free(part[p]);
    }
    assert_non_null(strstr(first, "\"hits\""));
    free(first);
    for (int i = 0; i < UNITS; i++)
        free(dir[i]);
    free(dir);
}

/* A unit that was run twice counts once; the same work outside of a campaign counts twice. */
static int64_t hits_of_two(bool unit)
{
    char *a = fresh_dir(), *b = fresh_dir(), *all = fresh_dir();
    struct sn_findings fs;
    if (unit)
        become_unit(7);
    work(a, 7);
    work(b, 7);
    leave_unit();
    merge_all(all, (const char *[]){a, b}, 2);
    struct sn_store *s = open_store(all, SN_STORE_READ);
    int64_t hits = 0;
    assert_int_equal(sn_store_all(s, &fs), 0);
    for (size_t i = 0; i < fs.n; i++)
        hits += fs.f[i].hits;
    sn_findings_free(&fs);
    sn_store_close(s);
    free(a);
    free(b);
    free(all);
    return hits;
}

static void test_a_unit_counts_once(void **state)
{
    (void)state;
    int64_t once = hits_of_two(true), twice = hits_of_two(false);
    assert_true(once > 0);
    assert_int_equal(twice, 2 * once);
}

static void test_new_since_the_last_campaign(void **state)
{
    (void)state;
    char *old = fresh_dir(), *unit = fresh_dir(), *all = fresh_dir();
    unsigned char id[SN_CAMPAIGN_BYTES];
    struct sn_findings fs;
    bool *is_new;
    struct sn_store *s;
    /* An earlier campaign found 7 and 8, this one 8 and 9. */
    struct sn_unit_id earlier;
    assert_int_equal(sn_unit_id_parse("ffffffffffffffff:1:1600000000000000000", &earlier), 0);
    sn_unit_id_set(&earlier);
    s = open_store(old, SN_STORE_WRITE);
    add_numbered(s, 7, 2);
    sn_store_close(s);
    become_unit(1);
    s = open_store(unit, SN_STORE_WRITE);
    add_numbered(s, 8, 2);
    sn_store_close(s);
    leave_unit();
    merge_all(all, (const char *[]){unit, old, unit}, 3);
    s = open_store(all, SN_STORE_READ);
    assert_int_equal(sn_campaign_id_parse(campaign, id), 0);
    assert_int_equal(sn_store_of_campaign(s, id, 1700000000000000000, &fs, &is_new), 0);
    assert_int_equal(fs.n, 2);
    assert_false(is_new[0]);
    assert_true(is_new[1]);
    free(is_new);
    sn_findings_free(&fs);
    sn_store_close(s);
    free(old);
    free(unit);
    free(all);
}

static void assert_unites(const char *a, const char *b, const char *wanted)
{
    json_t *x = json_loads(a, JSON_DECODE_ANY, NULL), *y = json_loads(b, JSON_DECODE_ANY, NULL);
    json_t *xy = sn_json_unite(x, y), *yx = sn_json_unite(y, x), *again = sn_json_unite(xy, y);
    char *text = json_dumps(xy, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    assert_string_equal(text, wanted);
    assert_true(json_equal(xy, yx));
    assert_true(json_equal(xy, again));
    free(text);
    json_decref(x);
    json_decref(y);
    json_decref(xy);
    json_decref(yx);
    json_decref(again);
}

static void test_sets_are_united(void **state)
{
    (void)state;
    assert_unites("{\"a\":[3,1]}", "{\"a\":[2,1],\"b\":1}", "{\"a\":[1,2,3],\"b\":1}");
    assert_unites("{\"a\":{\"n\":1}}", "{\"a\":{\"n\":2,\"q\":true}}",
                  "{\"a\":{\"n\":2,\"q\":true}}");
    assert_unites("{\"a\":[[2,1],[1,2]]}", "{\"a\":\"text\"}", "{\"a\":[[1,2]]}");
    assert_unites("[]", "{}", "{}");
    assert_unites("true", "false", "true");
}

static void test_unit_ids_are_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "x",
                                      "00112233445566ff",
                                      "00112233445566ff:0:1",
                                      "00112233445566ff:1:",
                                      "00112233445566ff:-1:1",
                                      "00112233445566ff:1:1x",
                                      "00112233445566fF:1:1",
                                      "00112233445566ff: 1:1",
                                      "00112233445566ff:99999999999999999999:1"};
    struct sn_unit_id id;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(sn_unit_id_parse(bad[i], &id), 0);
    assert_int_equal(sn_unit_id_parse("00112233445566ff:12:1", &id), 0);
    assert_int_equal(id.number, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order_any_number_of_times),
        cmocka_unit_test(test_a_unit_counts_once),
        cmocka_unit_test(test_new_since_the_last_campaign),
        cmocka_unit_test(test_sets_are_united),
        cmocka_unit_test(test_unit_ids_are_strict),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
