/*
 * ingest_test.c: run files become findings with names. The module that the made-up run files speak
 * of is this program itself, so that the symboliser, debug information and all, is the real one.
 */
#include "store/ingest.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/runmake.h"

/* ---- what the run files point at ---- */

struct table {
    int count;
    pthread_mutex_t lock[4];
};

int test_counter;
struct table test_table;
pthread_mutex_t test_mutex;
void *volatile test_sink;

__attribute__((noinline)) void test_add(void)
{
    test_counter += 2;
    test_sink = &test_table;
}

__attribute__((noinline)) void test_report(void)
{
    test_sink = &test_counter;
}

__attribute__((noinline)) void test_make_node(void)
{
    test_sink = malloc(64);
}

/* ---- this program as a module ---- */

static uint64_t base, start, end;
static char exe[4096], root[64];

static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    base = info->dlpi_addr;
    start = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        if (base + p->p_vaddr < start)
            start = base + p->p_vaddr;
        end = base + p->p_vaddr + p->p_memsz;
    }
    return 1; /* the first one is the program */
}

static sn_frame_ref at(const void *address)
{
    return SN_FRAME(0, (uint64_t)(uintptr_t)address - base);
}

/* A return address in the function: past its first instructions. */
static sn_frame_ref in(void (*function)(void))
{
    return at((const char *)(uintptr_t)function + 8);
}

static struct runmake begin(void)
{
    struct runmake m = runmake_begin("race", exe);
    runmake_module(&m, 0, exe, NULL, 0, base, start, end);
    runmake_module(&m, 1, "/opt/snag/lib/libsnag-race.so", NULL, 0, 0x10, 0x10, 0x20);
    return m;
}

/* Writes m as NAME.run in the run folder and gives its memory back. */
static void keep(struct runmake *m, const char *name, size_t bytes)
{
    char *path = sn_xformat("%s/%s.run", root, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(m->data, 1, bytes, out), bytes);
    fclose(out);
    free(path);
    free(m->data);
}

static struct sn_findings found;
static struct sn_ingest_info info;

static void ingest(void)
{
    assert_int_equal(sn_ingest(root, &found, &info), 0);
}

static int forget(void **state)
{
    (void)state;
    sn_findings_free(&found);
    sn_ingest_info_free(&info);
    char *command = sn_xformat("rm -f %s/*", root);
    int status = system(command);
    free(command);
    return status;
}

static bool says(const char *words)
{
    for (size_t i = 0; info.messages && info.messages[i]; i++) {
        if (strstr(info.messages[i], words))
            return true;
    }
    return false;
}

/* add() writes test_counter holding test_mutex, report() reads it. */
static void put_race(struct runmake *m, bool turned)
{
    struct sn_rec_finding h = {.kind = SN_KIND_DATA_RACE,
                               .status = SN_OBSERVED,
                               .object_kind = SN_OBJ_GLOBAL,
                               .nsites = 2,
                               .obj_ref = at(&test_counter),
                               .access_addr = (uintptr_t)&test_counter};
    struct sn_rec_lock lock = {
        .addr = (uintptr_t)&test_mutex, .id = 3, .object = at(&test_mutex), .taken = in(test_add)};
    sn_frame_ref snag = SN_FRAME(1, 4);
    sn_frame_ref add[] = {snag, in(test_add), in(test_make_node)}, report[] = {in(test_report)};
    struct sn_rec_site a = {
        .thread = 1, .size = 4, .op = SN_OP_WRITE, .locks_known = 1, .creator_known = 1};
    struct sn_rec_site b = {.thread = 2, .size = 4, .op = SN_OP_READ};
    size_t r = runmake_finding(m, h, NULL, NULL, 0);
    if (turned)
        runmake_site(m, b, NULL, NULL, 0, report, 1, NULL, 0);
    runmake_site(m, a, NULL, &lock, 1, add, 3, report, 1);
    if (!turned)
        runmake_site(m, b, NULL, NULL, 0, report, 1, NULL, 0);
    runmake_end(m, r);
}

static void test_race_gets_names(void **state)
{
    (void)state;
    struct runmake m = begin();
    put_race(&m, false);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_int_equal(found.n, 1);
    const struct sn_finding *f = &found.f[0];
    assert_string_equal(f->title,
                        "data race on `test_counter` between test_add() and test_report()");
    assert_string_equal(f->engine, "race");
    assert_int_equal(f->object.kind, SN_OBJ_GLOBAL);
    assert_int_equal(f->object.size, sizeof test_counter);
    assert_non_null(strstr(f->object.file, "ingest_test.c"));
    assert_true(f->object.line > 0);
    const struct sn_site *s = &f->sites[0];
    assert_int_equal(s->stack.n, 2); /* the runtime's own frame is gone */
    assert_string_equal(s->stack.frame[0].function, "test_add");
    assert_non_null(strstr(s->stack.frame[0].file, "ingest_test.c"));
    assert_true(s->stack.frame[0].line > 0);
    assert_int_equal(s->nlocks, 1);
    assert_string_equal(s->locks[0].name, "test_mutex");
    assert_string_equal(s->locks[0].taken.frame[0].function, "test_add");
    assert_int_equal(s->creator, 0);
    assert_string_equal(s->created.frame[0].function, "test_report");
    assert_false(f->sites[1].locks_known);
    assert_int_equal(f->sites[1].creator, -1);
    assert_null(info.messages);
}

static void test_equal_findings_of_processes_unite(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct runmake m = begin();
        char name[16];
        put_race(&m, i == 1);
        if (i == 2) {
            put_race(&m, true);
            runmake_header(&m)->state = SN_RUN_LIVE;
            runmake_header(&m)->instrumented = 0;
        }
        runmake_header(&m)->counters[SN_C_EVENTS] = 10;
        snprintf(name, sizeof name, "%d.0", i);
        keep(&m, name, runmake_file(&m));
    }
    ingest();
    assert_int_equal(found.n, 1);
    assert_int_equal(found.f[0].hits, 4);
    assert_int_equal(info.processes, 3);
    assert_int_equal(info.instrumented, 2);
    assert_int_equal(info.unfinished, 1);
    assert_int_equal(info.counters[SN_C_EVENTS], 30);
}

static void test_heap_block(void **state)
{
    (void)state;
    struct runmake m = begin();
    sn_frame_ref alloc[] = {SN_FRAME(1, 2), in(test_make_node)}, where[] = {in(test_add)};
    struct sn_rec_finding h = {.kind = SN_KIND_DATA_RACE,
                               .status = SN_OBSERVED,
                               .object_kind = SN_OBJ_HEAP,
                               .nsites = 1,
                               .obj_addr = 0x5000,
                               .obj_size = 64,
                               .access_addr = 0x5008,
                               .obj_freed = 1};
    size_t r = runmake_finding(&m, h, NULL, alloc, 2);
    runmake_site(&m, (struct sn_rec_site){.op = SN_OP_WRITE}, NULL, NULL, 0, where, 1, NULL, 0);
    runmake_end(&m, r);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    const struct sn_object *o = &found.f[0].object;
    assert_string_equal(o->name, "heap block of 64 bytes allocated in test_make_node()");
    assert_non_null(strstr(o->file, "ingest_test.c"));
    assert_int_equal(o->offset, 8);
    assert_true(o->freed);
    assert_int_equal(o->alloc.n, 1);
}

static struct sn_rec_lock global_lock(uint32_t id, const void *address)
{
    return (struct sn_rec_lock){.addr = (uintptr_t)address, .id = id, .object = at(address)};
}

static void put_edge(struct runmake *m, uint32_t thread, struct sn_rec_lock from,
                     struct sn_rec_lock to, void (*function)(void))
{
    sn_frame_ref where = in(function);
    struct sn_rec_lock_edge h = {.from = from,
                                 .to = to,
                                 .thread = thread,
                                 .slot = thread,
                                 .epoch = 4,
                                 .ngates = 1,
                                 .nfrom = 1,
                                 .nto = 1};
    runmake_edge(m, h, &from, &where, &where, NULL);
}

static void test_lock_order_with_names(void **state)
{
    (void)state;
    struct runmake m = begin();
    struct sn_rec_lock a = global_lock(1, &test_mutex), b = global_lock(2, &test_table.lock[3]);
    put_edge(&m, 1, a, b, test_add);
    put_edge(&m, 2, b, a, test_report);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_int_equal(found.n, 1);
    const struct sn_finding *f = &found.f[0];
    assert_int_equal(f->kind, SN_KIND_LOCK_ORDER);
    assert_int_equal(f->status, SN_CANDIDATE);
    assert_string_equal(f->title, "lock-order inversion: test_mutex -> test_table.lock[] in "
                                  "test_add(), test_table.lock[] -> test_mutex in test_report()");
    assert_string_equal(f->sites[0].wants, "test_table.lock[3]");
    assert_string_equal(f->sites[0].locks[0].name, "test_mutex");
    assert_string_equal(f->sites[0].locks[0].taken.frame[0].function, "test_add");
}

static void test_lock_names_of_last_resort(void **state)
{
    (void)state;
    struct runmake m = begin();
    struct sn_rec_lock a = {.addr = 0x5000, .id = 41, .object = SN_FRAME(SN_NO_MODULE, 0x5000)};
    struct sn_rec_lock b = {.addr = 0x6000, .id = 42, .object = SN_FRAME(SN_NO_MODULE, 0x6000)};
    sn_frame_ref alloc = in(test_make_node);
    struct sn_rec_lock_info heap = {.id = 41, .object_kind = SN_OBJ_HEAP, .nframes = 1};
    put_edge(&m, 1, a, b, test_add);
    put_edge(&m, 2, b, a, test_report);
    size_t r = runmake_record(&m, SN_REC_LOCK_INFO);
    runmake_put(&m, &heap, sizeof heap);
    runmake_put(&m, &alloc, sizeof alloc);
    runmake_end(&m, r);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_int_equal(found.n, 1);
    assert_string_equal(found.f[0].sites[0].locks[0].name,
                        "lock in heap block from test_make_node()");
    assert_string_equal(found.f[0].sites[0].wants, "lock #42");
    assert_null(strstr(found.f[0].title, "#"));
    assert_null(strstr(found.f[0].key, "#"));
}

static void test_deadlock_knows_what_is_awaited(void **state)
{
    (void)state;
    struct runmake m = begin();
    struct sn_rec_lock a = global_lock(1, &test_mutex);
    struct sn_rec_lock b = {.addr = 0x6000, .id = 2, .object = SN_FRAME(SN_NO_MODULE, 0x6000)};
    sn_frame_ref add[] = {in(test_add)}, report[] = {in(test_report)};
    struct sn_rec_finding h = {.kind = SN_KIND_DEADLOCK, .status = SN_OBSERVED, .nsites = 2};
    struct sn_rec_site s = {.thread = 1, .op = SN_OP_LOCK, .locks_known = 1, .addr = b.addr};
    size_t r = runmake_finding(&m, h, NULL, NULL, 0);
    runmake_site(&m, s, "waits for", &a, 1, add, 1, NULL, 0);
    s.thread = 2;
    s.addr = a.addr;
    runmake_site(&m, s, "waits for", &b, 1, report, 1, NULL, 0);
    runmake_end(&m, r);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_int_equal(found.n, 1);
    assert_string_equal(found.f[0].sites[0].wants, "lock #2");
    assert_string_equal(found.f[0].sites[1].wants, "test_mutex");
    assert_string_equal(found.f[0].title, "deadlock: test_mutex -> a lock in test_add(), a lock -> "
                                          "test_mutex in test_report()");
}

static void test_struct_member(void **state)
{
    (void)state;
    struct runmake m = begin();
    sn_frame_ref where[] = {in(test_add)};
    struct sn_rec_finding h = {.kind = SN_KIND_DATA_RACE,
                               .status = SN_OBSERVED,
                               .object_kind = SN_OBJ_GLOBAL,
                               .nsites = 1,
                               .obj_ref = at(&test_table),
                               .access_addr = (uintptr_t)&test_table.count};
    size_t r = runmake_finding(&m, h, NULL, NULL, 0);
    runmake_site(&m, (struct sn_rec_site){.op = SN_OP_WRITE}, NULL, NULL, 0, where, 1, NULL, 0);
    runmake_end(&m, r);
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_string_equal(found.f[0].object.name, "test_table");
    assert_string_equal(found.f[0].object.member, "count");
    assert_string_equal(found.f[0].title, "data race on `test_table.count` in test_add()");
}

static void test_losses_and_messages_are_said_once(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct runmake m = begin();
        runmake_message(&m, "the runtime says something");
        runmake_header(&m)->counters[SN_C_LOST_SLOT] = 2;
        runmake_header(&m)->counters[SN_C_EVENTS] = 5;
        keep(&m, i ? "1.0" : "2.0", runmake_file(&m));
    }
    ingest();
    assert_true(says("the runtime says something"));
    assert_true(says("4 threads that had to share a clock slot"));
    assert_non_null(info.messages[1]);
    assert_null(info.messages[2]);
}

static void test_damaged_files_do_not_stop_the_others(void **state)
{
    (void)state;
    struct runmake m = begin();
    put_race(&m, false);
    size_t good = m.bytes;
    put_race(&m, false);
    size_t bytes = runmake_file(&m);
    keep(&m, "1.0", good + 40); /* cut off in its second finding */
    assert_true(bytes > good + 40);
    m = begin();
    keep(&m, "2.0", 100);
    m = begin();
    runmake_header(&m)->magic = 1;
    keep(&m, "3.0", runmake_file(&m));
    m = begin();
    for (int i = 0; i < 4; i++)
        runmake_put(&m, &(uint64_t){0xabababababababab}, 8);
    put_race(&m, true);
    keep(&m, "4.0", runmake_file(&m));
    m = begin();
    keep(&m, "5.0", 0); /* killed before it wrote anything */
    m = begin();
    runmake_header(&m)->magic = 0; /* … or before it had written its header */
    keep(&m, "6.0", runmake_file(&m));
    ingest();
    assert_int_equal(info.damaged, 3);
    assert_int_equal(info.processes, 2);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.f[0].hits, 2);
    assert_true(says("1.0.run is cut off"));
    assert_true(says("2.0.run was skipped: it is cut off within its header"));
    assert_true(says("3.0.run was skipped: it is not a run file"));
    assert_true(says("4.0.run: 32 bytes from byte"));
    assert_false(says("5.0.run"));
    assert_false(says("6.0.run"));
}

static void test_wild_references(void **state)
{
    (void)state;
    struct runmake m = begin();
    sn_frame_ref wild[] = {SN_FRAME(700, 5), SN_FRAME(SN_NO_MODULE, 9), SN_FRAME(0, 0xffffffffffff),
                           0};
    struct sn_rec_lock lock = {.addr = ~0ull, .id = 9, .object = SN_FRAME(3, 3), .taken = wild[2]};
    for (int kind = SN_OBJ_UNKNOWN; kind <= SN_OBJ_LOCK; kind++) {
        struct sn_rec_finding h = {.kind = SN_KIND_DATA_RACE,
                                   .status = SN_OBSERVED,
                                   .object_kind = (uint8_t)kind,
                                   .nsites = 1,
                                   .obj_ref = wild[2],
                                   .access_addr = start + 1};
        size_t r = runmake_finding(&m, h, NULL, wild, 4);
        runmake_site(&m, (struct sn_rec_site){.op = SN_OP_CALL, .locks_known = 1}, NULL, &lock, 1,
                     wild, 4, wild, 4);
        runmake_end(&m, r);
    }
    keep(&m, "1.0", runmake_file(&m));
    ingest();
    assert_int_equal(found.n, 1);
    assert_string_equal(found.f[0].sites[0].locks[0].name, "lock #9");
}

static void test_no_folder(void **state)
{
    (void)state;
    assert_int_equal(sn_ingest("/no/such/folder", &found, &info), -ENOENT);
    ingest(); /* an empty one */
    assert_int_equal(found.n, 0);
    assert_int_equal(info.processes, 0);
}

static int begin_all(void **state)
{
    (void)state;
    dl_iterate_phdr(find_self, NULL);
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    strcpy(root, "/tmp/snag-ingest-test-XXXXXX");
    return n > 0 && mkdtemp(root) ? 0 : -1;
}

static int end_all(void **state)
{
    (void)state;
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_race_gets_names, forget),
        cmocka_unit_test_teardown(test_equal_findings_of_processes_unite, forget),
        cmocka_unit_test_teardown(test_heap_block, forget),
        cmocka_unit_test_teardown(test_lock_order_with_names, forget),
        cmocka_unit_test_teardown(test_lock_names_of_last_resort, forget),
        cmocka_unit_test_teardown(test_deadlock_knows_what_is_awaited, forget),
        cmocka_unit_test_teardown(test_struct_member, forget),
        cmocka_unit_test_teardown(test_losses_and_messages_are_said_once, forget),
        cmocka_unit_test_teardown(test_damaged_files_do_not_stop_the_others, forget),
        cmocka_unit_test_teardown(test_wild_references, forget),
        cmocka_unit_test_teardown(test_no_folder, forget),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
