/* trace_test.c: both forms of a trace: what goes in comes out, and what is damaged is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/format.h"
#include "trace/stream.h"
#include "trace/text.h"
#include "trace/writer.h"

static uint64_t seed = 1;

static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static struct sn_trace *open_bytes(const void *data, size_t n, char **why)
{
    struct sn_trace *t = NULL;
    FILE *in = fmemopen((void *)data, n, "r");
    assert_non_null(in);
    sn_trace_open_stream(in, "test", &t, why);
    return t;
}

static struct sn_trace *open_text(const char *text)
{
    char *why = NULL;
    struct sn_trace *t = open_bytes(text, strlen(text), &why);
    assert_non_null(t);
    return t;
}

/* The binary form of everything in `t`. */
static char *pack(struct sn_trace *t, int level, size_t *bytes)
{
    char *data = NULL;
    struct sn_trace_writer *w;
    FILE *out = open_memstream(&data, bytes);
    assert_int_equal(sn_trace_writer_new(out, level, &w), 0);
    assert_int_equal(sn_trace_write_all(w, t), 0);
    assert_int_equal(sn_trace_writer_end(w), 0);
    fclose(out);
    return data;
}

static char *print_all(struct sn_trace *t)
{
    char *data = NULL;
    size_t bytes;
    struct sn_trace_event ev;
    FILE *out = open_memstream(&data, &bytes);
    int r;
    while ((r = sn_trace_next(t, &ev)) > 0)
        sn_trace_print_event(out, t, &ev);
    fclose(out);
    if (r < 0)
        fail_msg("%s", sn_trace_why(t));
    return data;
}

static const char sample[] =
    "module 0 base=0x400000 start=0x400000 end=0x500000 build=0aff /bin/a b\n"
    "name x 0x5000 8\n"
    "T0 create T1 @main(a.c:1)\n"
    "T1 start T0\n"
    "block q 32 +8->x +16->y\n"
    "T1 write x 4 =5 @a.c:3<main(a.c:9)\n"
    "T2 read x+4 2 @b.c:9\n"
    "T2 atomic-rmw n 8 acq_rel =1->18446744073709551615 @b.c:10\n"
    "T2 fence seq_cst\n"
    "T1 lock m try timed @a.c:7\n"
    "T1 unlock m cond=c\n"
    "T1 lock m cond\n"
    "T1 wake c\n"
    "T1 leave-code f D=x:8,y+8:16,T2:4096 @a.c:8\n"
    "T1 leave-code g R=q:4096 @a.c:9\n"
    "T1 enter-code g\n"
    "T1 enter-code f\n"
    "block q 32 +8->x +16->x\n" /* one pointer is another one */
    "block q 32 +16->y +8->x\n" /* not in order */
    "block r 8\n"
    "T1 leave-code g R=q:32,r:8 @a.c:9\n" /* calls like the last one from there, and nearly so */
    "T1 enter-code g @a.c:9\n"
    "T1 leave-code g R=q:32,r:8 @a.c:9\n"
    "T1 enter-code g @a.c:9\n"
    "T2 leave-code g R=q:32,r:8 @a.c:9\n"
    "T1 leave-code g D=q:32,r:8 @a.c:9\n"
    "T2 enter-code g @a.c:9\n"
    "T1 enter-code g @a.c:9\n"
    "T1 leave-code f D=q:32,r:8 @a.c:9\n"
    "T1 enter-code g @a.c:9\n"
    "T1 leave-code f D=q:32,r:8 @a.c:9\n"
    "T1 enter-code f @a.c:9\n"
    "T1 alloc p 64 @a.c:11\n"
    "T1 write 0x7fffffffe000 8 =81985529216486895 @a_b+0x1234\n"
    "T1 end\n"
    "T0 join T1 @a.c:12\n";

static void text_round_trip(void **state)
{
    (void)state;
    struct sn_trace *t = open_text(sample);
    char *once = print_all(t);
    assert_string_equal(once, strstr(sample, "T0 create"));
    free(once);
    sn_trace_close(t);
}

/* The text of a trace that went through the binary form is the text that it was made from. */
static void binary_round_trip(void **state)
{
    (void)state;
    for (int level = 0; level < 4; level += 3) {
        struct sn_trace *t = open_text(sample);
        size_t bytes;
        char *why = NULL, *data = pack(t, level, &bytes);
        sn_trace_close(t);
        struct sn_trace *names = open_bytes(data, bytes, &why), *again;
        free(print_all(names));
        char *tables = NULL, *events;
        size_t n;
        FILE *out = open_memstream(&tables, &n);
        sn_trace_print_tables(out, names);
        fclose(out);
        assert_non_null(strstr(tables, "build=0aff /bin/a b\n"));
        assert_non_null(strstr(tables, "name x 0x5000 8\n"));
        assert_null(sn_trace_why(names));
        /* Names come last in the file: print with the tables known. */
        again = open_bytes(data, bytes, &why);
        struct sn_trace_event ev;
        out = open_memstream(&events, &n);
        while (sn_trace_next(again, &ev) > 0)
            sn_trace_print_event(out, names, &ev);
        fclose(out);
        assert_string_equal(events, strstr(sample, "T0 create"));
        sn_trace_close(again);
        sn_trace_close(names);
        free(events);
        free(tables);
        free(data);
    }
}

static struct sn_trace_event random_event(void)
{
    struct sn_trace_event ev = {0};
    static const uint8_t ops[] = {SN_EV_READ, SN_EV_WRITE, SN_EV_ATOMIC_RMW, SN_EV_LOCK,
                                  SN_EV_JOIN};
    ev.ev.op = ops[roll() % sizeof ops];
    ev.thread = (uint32_t)(roll() % 3 ? roll() % 4 : roll() % 100000);
    ev.site = (uint32_t)(roll() % 2000);
    ev.ev.pc = ev.site;
    ev.ev.addr = roll() % 3 ? 0x1000 + 8 * (roll() % 50) : roll();
    ev.ev.size = roll() % 5 ? 4 : roll() % 1000;
    ev.ev.flags = roll() % 4 ? 0 : (uint8_t)(roll() & 31);
    ev.ev.order = roll() % 4 ? 0 : (uint8_t)(roll() % 6);
    bool access = sn_trace_is_access(ev.ev.op);
    if (!access || roll() % 8) {
        ev.flags = SN_TRACE_VALUE;
        ev.ev.value = roll() % 3 ? roll() % 7 : roll();
        ev.old = ev.ev.op == SN_EV_ATOMIC_RMW ? roll() % 3 ? roll() % 7 : roll() : 0;
    }
    return ev;
}

static void same_event(const struct sn_trace_event *a, const struct sn_trace_event *b)
{
    assert_memory_equal(&a->ev, &b->ev, sizeof a->ev);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->site, b->site);
    assert_int_equal(a->flags, b->flags);
    assert_true(a->old == b->old);
}

#define MANY 300000

static char *write_random(int level, size_t *bytes)
{
    char *data;
    struct sn_trace_writer *w;
    struct sn_trace_site site = {.module = SN_TRACE_NO_MODULE};
    FILE *out = open_memstream(&data, bytes);
    assert_int_equal(sn_trace_writer_new(out, level, &w), 0);
    for (uint32_t i = 1; i < 2000; i++)
        assert_int_equal(sn_trace_write_site(w, i, &site), 0);
    seed = 7;
    for (int i = 0; i < MANY; i++) {
        struct sn_trace_event ev = random_event();
        assert_int_equal(sn_trace_write(w, &ev), 0);
    }
    assert_int_equal(sn_trace_writer_end(w), 0);
    fclose(out);
    return data;
}

static void random_events_round_trip(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        size_t bytes;
        char *why, *data = write_random(level, &bytes);
        struct sn_trace *t = open_bytes(data, bytes, &why);
        struct sn_trace_event got;
        seed = 7;
        for (int i = 0; i < MANY; i++) {
            struct sn_trace_event want = random_event();
            assert_int_equal(sn_trace_next(t, &got), 1);
            same_event(&want, &got);
        }
        assert_int_equal(sn_trace_next(t, &got), 0);
        assert_null(sn_trace_why(t));
        sn_trace_close(t);
        free(data);
    }
}

/* A program that was killed: every length is readable up to the last full block. */
static void cut_file_is_read_to_the_last_block(void **state)
{
    (void)state;
    size_t bytes;
    char *why, *data = write_random(1, &bytes);
    size_t second = SN_TRACE_HEAD_BYTES;
    struct sn_block_head h;
    memcpy(&h, data + second, sizeof h);
    second += sizeof h + h.stored;
    uint32_t first_events = h.events;
    for (size_t cut = second; cut < second + 5000; cut += 97) {
        struct sn_trace *t = open_bytes(data, cut, &why);
        struct sn_trace_event ev;
        uint32_t n = 0;
        int r;
        while ((r = sn_trace_next(t, &ev)) > 0)
            n++;
        assert_int_equal(r, 0);
        assert_int_equal(n, first_events);
        assert_non_null(strstr(sn_trace_why(t), "was not finished"));
        sn_trace_close(t);
    }
    free(data);
}

/* Any one byte changed anywhere is noticed, with its position. */
static void damage_is_refused(void **state)
{
    (void)state;
    struct sn_trace *sound = open_text(sample);
    size_t bytes;
    char *data = pack(sound, 0, &bytes);
    sn_trace_close(sound);
    for (size_t i = 0; i < bytes; i++) {
        char *why = NULL;
        if (i >= 12 && i < SN_TRACE_HEAD_BYTES)
            continue; /* reserved */
        data[i] ^= 0x20;
        struct sn_trace *t = open_bytes(data, bytes, &why);
        struct sn_trace_event ev;
        int r = t ? 1 : -1;
        while (r > 0)
            r = sn_trace_next(t, &ev);
        const char *said = t ? sn_trace_why(t) : why;
        if (!said || !(strstr(said, "byte") || strstr(said, "line")))
            fail_msg("byte %zu changed: %s", i, said ? said : "not noticed");
        sn_trace_close(t);
        free(why);
        data[i] ^= 0x20;
    }
    free(data);
}

static void other_version_is_refused(void **state)
{
    (void)state;
    struct sn_trace *sound = open_text(sample);
    size_t bytes;
    char *data = pack(sound, 1, &bytes);
    sn_trace_close(sound);
    for (uint32_t version = 0; version < 6; version++) {
        char *why = NULL;
        memcpy(data + 8, &version, sizeof version);
        struct sn_trace *t = open_bytes(data, bytes, &why);
        assert_int_equal(t != NULL, version == SN_TRACE_VERSION);
        if (!t)
            assert_non_null(strstr(why, "at byte 8: version"));
        sn_trace_close(t);
        free(why);
    }
    free(data);
}

static void text_errors_name_the_line(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "T1 wrlte x 4",     "X1 write x",         "T1 write",           "T1 write x =z",
        "T1 write x 4 D=x", "T1 atomic-rmw x =1", "T1 lock m sideways", "block q",
        "name x 4",         "T1 write x 4 @",     "T1 create x",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[100];
        struct sn_trace_event ev;
        snprintf(text, sizeof text, "# a comment\n\n%s\n", wrong[i]);
        struct sn_trace *t = open_text(text);
        assert_true(sn_trace_next(t, &ev) < 0);
        assert_non_null(strstr(sn_trace_why(t), "line 3"));
        sn_trace_close(t);
    }
}

/* What a recorder sees in a loop over an array under a lock costs few bytes an event. */
static void loop_is_compact(void **state)
{
    (void)state;
    char *data;
    size_t bytes;
    struct sn_trace_writer *w;
    struct sn_trace_site site = {.module = 0, .offset = 0x1000};
    struct sn_trace_module module = {.path = "/bin/a"};
    FILE *out = open_memstream(&data, &bytes);
    assert_int_equal(sn_trace_writer_new(out, 3, &w), 0);
    sn_trace_write_module(w, 0, &module);
    for (uint32_t i = 1; i <= 4; i++)
        sn_trace_write_site(w, i, &site);
    const int rounds = 25000;
    for (int i = 0; i < rounds; i++) {
        struct sn_trace_event ev = {.thread = (uint32_t)(i / 7 % 4), .flags = SN_TRACE_VALUE};
        static const uint8_t ops[] = {SN_EV_LOCK, SN_EV_READ, SN_EV_WRITE, SN_EV_UNLOCK};
        for (uint32_t k = 0; k < 4; k++) {
            ev.ev.op = ops[k];
            ev.site = k + 1;
            bool access = sn_trace_is_access(ev.ev.op);
            ev.ev.addr = access ? 0x7f0000001000u + 4 * (uint64_t)(i % 1000) : 0x404040;
            ev.ev.size = access ? 4 : 0;
            ev.ev.value = access ? (uint64_t)(i / 1000 + (k == 2)) : 0;
            sn_trace_write(w, &ev);
        }
    }
    assert_int_equal(sn_trace_writer_end(w), 0);
    fclose(out);
    assert_true(bytes < 4 * rounds * 2);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_round_trip),
        cmocka_unit_test(binary_round_trip),
        cmocka_unit_test(random_events_round_trip),
        cmocka_unit_test(cut_file_is_read_to_the_last_block),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(other_version_is_refused),
        cmocka_unit_test(text_errors_name_the_line),
        cmocka_unit_test(loop_is_compact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
