/* runreader_test.c: what was written is read; what is damaged is skipped, and nothing is believed.
 */
#include "store/runreader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/runmake.h"

struct seen {
    unsigned modules, findings, edges, infos, messages, others;
};

static volatile uint64_t sum; /* so that no read is left out */

/* Reads all, touching every byte that the decoders promise. */
static struct seen read_all(struct sn_run_file *f)
{
    struct seen s = {0};
    const struct sn_rec *r;
    while ((r = sn_run_next(f))) {
        struct sn_run_module module;
        static struct sn_run_finding finding;
        struct sn_run_edge edge;
        struct sn_run_lock_info info;
        const char *text;
        size_t bytes;
        if (r->type == SN_REC_MODULE && !sn_run_module(r, &module)) {
            s.modules++;
            for (size_t i = 0; i < module.path_bytes; i++)
                sum += (uint8_t)module.path[i];
        } else if (r->type == SN_REC_FINDING && !sn_run_finding(r, &finding)) {
            s.findings++;
            for (unsigned i = 0; i < finding.head->nsites; i++) {
                for (unsigned k = 0; k < finding.site[i].head->nframes; k++)
                    sum += finding.site[i].frames[k];
                for (unsigned k = 0; k < finding.site[i].head->nlocks; k++)
                    sum += finding.site[i].locks[k].id;
            }
        } else if (r->type == SN_REC_LOCK_EDGE && !sn_run_edge(r, &edge)) {
            s.edges++;
            for (unsigned k = 0; k < edge.head->nclock; k++)
                sum += edge.clock[k];
        } else if (r->type == SN_REC_LOCK_INFO && !sn_run_lock_info(r, &info)) {
            s.infos++;
            for (unsigned k = 0; k < info.head->nframes; k++)
                sum += info.alloc[k];
        } else if (r->type == SN_REC_MESSAGE && !sn_run_text(r, &text, &bytes)) {
            s.messages++;
            for (size_t i = 0; i < bytes; i++)
                sum += (uint8_t)text[i];
        } else {
            s.others++;
        }
    }
    return s;
}

static void test_everything_is_read(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    struct sn_run_file f;
    assert_int_equal(sn_run_load_memory(m.data, runmake_file(&m), &f, NULL), 0);
    struct seen s = read_all(&f);
    assert_int_equal(s.modules, 1);
    assert_int_equal(s.findings, 1);
    assert_int_equal(s.edges, 2);
    assert_int_equal(s.infos, 1);
    assert_int_equal(s.messages, 1);
    assert_int_equal(s.others, 0);
    assert_int_equal(f.skipped, 0);
    assert_int_equal(f.pending, 0);
    assert_false(f.cut);
    sn_run_unload(&f);
    free(m.data);
}

static void test_finding_fields(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    struct sn_run_file f;
    const struct sn_rec *r;
    static struct sn_run_finding raw;
    assert_int_equal(sn_run_load_memory(m.data, runmake_file(&m), &f, NULL), 0);
    while ((r = sn_run_next(&f)) && r->type != SN_REC_FINDING)
        ;
    assert_non_null(r);
    assert_int_equal(sn_run_finding(r, &raw), 0);
    assert_memory_equal(raw.text, "words", 5);
    assert_int_equal(raw.head->text_bytes, 5);
    assert_int_equal(raw.head->nsites, 2);
    assert_int_equal(raw.alloc[1], SN_FRAME(0, 0x1100));
    assert_int_equal(raw.site[0].locks[0].id, 7);
    assert_int_equal(raw.site[0].head->nframes, 3);
    assert_int_equal(raw.site[0].created[0], SN_FRAME(0, 0x1010));
    assert_memory_equal(raw.site[1].name, "strtok", 6);
    assert_int_equal(raw.site[1].frames[0], SN_FRAME(0, 0x1100));
    sn_run_unload(&f);
    free(m.data);
}

/* A file that ends at any byte: an error or fewer records, never a byte beyond. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    size_t bytes = runmake_file(&m);
    unsigned most = 0;
    for (size_t cut = 0; cut < bytes; cut++) {
        uint8_t *copy = sn_xcalloc(cut, 1); /* exact size: a sanitizer sees one byte too many */
        struct sn_run_file f;
        char *why = NULL;
        memcpy(copy, m.data, cut);
        int err = sn_run_load_memory(copy, cut, &f, &why);
        if (err) {
            assert_int_equal(err, -EBADMSG);
            assert_non_null(why);
            assert_true(cut < sizeof(struct sn_run_header));
        } else {
            assert_true(f.cut);
            struct seen s = read_all(&f);
            unsigned n = s.modules + s.findings + s.edges + s.infos + s.messages;
            assert_true(n >= most && n <= 6);
            most = n;
        }
        free(why);
        free(copy);
        sn_run_unload(&f);
    }
    assert_int_equal(most, 5);
    free(m.data);
}

static void test_bytes_changed_anywhere(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    size_t bytes = runmake_file(&m);
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < bytes; at++) {
        if (at == sizeof(struct sn_run_header))
            at = SN_RUN_HEADER_BYTES;
        uint8_t old = m.data[at];
        for (size_t v = 0; v < sizeof values; v++) {
            struct sn_run_file f;
            m.data[at] = values[v];
            if (!sn_run_load_memory(m.data, bytes, &f, NULL))
                read_all(&f);
            sn_run_unload(&f);
        }
        m.data[at] = old;
    }
    free(m.data);
}

/* The writer of the second record died before it wrote the length; the third is still found. */
static void test_gap_is_jumped_over(void **state)
{
    (void)state;
    struct runmake m = runmake_begin("race", "/bin/prog");
    struct sn_run_file f;
    runmake_message(&m, "first");
    for (int i = 0; i < 9; i++)
        runmake_put(&m, &(uint64_t){0}, 8);
    runmake_message(&m, "third");
    assert_int_equal(sn_run_load_memory(m.data, runmake_file(&m), &f, NULL), 0);
    assert_int_equal(read_all(&f).messages, 2);
    assert_int_equal(f.pending, 1);
    assert_int_equal(f.skipped, 0);
    sn_run_unload(&f);
    free(m.data);
}

static void test_damage_is_jumped_over_and_said(void **state)
{
    (void)state;
    struct runmake m = runmake_begin("race", "/bin/prog");
    struct sn_run_file f;
    runmake_message(&m, "first");
    size_t at = m.bytes;
    for (int i = 0; i < 5; i++)
        runmake_put(&m, &(uint64_t){0xfefefefefefefefe}, 8);
    runmake_message(&m, "third");
    assert_int_equal(sn_run_load_memory(m.data, runmake_file(&m), &f, NULL), 0);
    assert_int_equal(read_all(&f).messages, 2);
    assert_int_equal(f.skipped, 40);
    assert_int_equal(f.skipped_at, at);
    sn_run_unload(&f);
    free(m.data);
}

static void test_pending_records_are_skipped(void **state)
{
    (void)state;
    struct runmake m = runmake_begin("race", "/bin/prog");
    struct sn_run_file f;
    size_t at = runmake_record(&m, SN_REC_PENDING);
    runmake_put(&m, "half", 4);
    runmake_end(&m, at);
    runmake_message(&m, "whole");
    assert_int_equal(sn_run_load_memory(m.data, runmake_file(&m), &f, NULL), 0);
    struct seen s = read_all(&f);
    assert_int_equal(s.messages, 1);
    assert_int_equal(f.pending, 1);
    assert_int_equal(f.skipped, 0);
    sn_run_unload(&f);
    free(m.data);
}

static void expect_error(struct runmake *m, int err, const char *words)
{
    struct sn_run_file f;
    char *why = NULL;
    assert_int_equal(sn_run_load_memory(m->data, runmake_file(m), &f, &why), err);
    assert_non_null(strstr(why, words));
    free(why);
}

static void test_headers_that_are_refused(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    runmake_header(&m)->version = 9;
    expect_error(&m, -ENOTSUP, "different versions");
    runmake_header(&m)->version = SN_RUN_VERSION;
    runmake_header(&m)->header_bytes = 12;
    expect_error(&m, -EBADMSG, "damaged");
    runmake_header(&m)->header_bytes = 0xfffffff8;
    expect_error(&m, -EBADMSG, "damaged");
    runmake_header(&m)->header_bytes = SN_RUN_HEADER_BYTES;
    runmake_header(&m)->magic = 0;
    expect_error(&m, -EBADMSG, "not a run file");
    free(m.data);
}

static void test_huge_reserved_is_not_believed(void **state)
{
    (void)state;
    struct runmake m = runmake_sample("/bin/prog");
    struct sn_run_file f;
    size_t bytes = runmake_file(&m);
    runmake_header(&m)->reserved = UINT64_MAX;
    assert_int_equal(sn_run_load_memory(m.data, bytes, &f, NULL), 0);
    assert_true(f.cut);
    assert_int_equal(read_all(&f).findings, 1);
    sn_run_unload(&f);
    free(m.data);
}

static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/snag-runreader-XXXXXX";
    struct runmake m = runmake_sample("/bin/prog");
    struct sn_run_file f;
    char *why = NULL;
    size_t bytes = runmake_file(&m);
    int fd = mkstemp(path);
    assert_int_equal(write(fd, m.data, bytes), bytes);
    assert_int_equal(ftruncate(fd, 1 << 24), 0); /* room that was mapped and never used */
    assert_int_equal(sn_run_load(path, &f, &why), 0);
    assert_int_equal(f.bytes, bytes - SN_RUN_HEADER_BYTES);
    assert_int_equal(read_all(&f).edges, 2);
    sn_run_unload(&f);
    close(fd);
    unlink(path);
    assert_int_equal(sn_run_load(path, &f, &why), -ENOENT);
    free(why);
    assert_int_equal(sn_run_load("/tmp", &f, &why), -EBADMSG);
    free(why);
    free(m.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_read),
        cmocka_unit_test(test_finding_fields),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_bytes_changed_anywhere),
        cmocka_unit_test(test_gap_is_jumped_over),
        cmocka_unit_test(test_damage_is_jumped_over_and_said),
        cmocka_unit_test(test_pending_records_are_skipped),
        cmocka_unit_test(test_headers_that_are_refused),
        cmocka_unit_test(test_huge_reserved_is_not_believed),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
