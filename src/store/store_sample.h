/*
 * store_sample.h: stores for unit tests, in a folder that the test group makes and removes.
 */
#ifndef SN_STORE_STORE_SAMPLE_H
#define SN_STORE_STORE_SAMPLE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "store/finding_sample.h"
#include "store/store.h"

static char root[64];
static int serial;

/* A fresh path for a store below the test's folder. malloc. */
static inline char *fresh_dir(void)
{
    return sn_xformat("%s/%d", root, serial++);
}

static inline struct sn_store *open_store(const char *dir, enum sn_store_mode mode)
{
    struct sn_store *s = NULL;
    char *why = NULL;
    int err = sn_store_open(dir, mode, &s, &why);
    if (err)
        fprintf(stderr, "%s\n", why);
    assert_int_equal(err, 0);
    return s;
}

/* Adds findings first … first + n - 1 in a run of their own. */
static inline void add_numbered(struct sn_store *s, int first, int n)
{
    int64_t run = 0;
    struct sn_findings fs = {0};
    assert_int_equal(sn_store_run_begin(s, "[\"snag\",\"race\"]", "race", &run), 0);
    assert_true(run > 0);
    for (int i = 0; i < n; i++)
        sample_numbered(&fs, first + i);
    assert_int_equal(sn_store_add(s, run, &fs), 0);
    assert_int_equal(sn_store_run_end(s, run, 0, 0.5), 0);
    sn_findings_free(&fs);
}

static inline void make_store(const char *dir, int findings)
{
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    add_numbered(s, 1, findings);
    sn_store_close(s);
}

static inline int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/snag-store-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state)
{
    (void)state;
    char *command = sn_xformat("rm -rf %s", root);
    int status = system(command);
    free(command);
    return status;
}

#endif
