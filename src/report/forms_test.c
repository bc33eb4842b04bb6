/* forms_test.c: the forms for other programs: JSON as CLI.md says, SARIF, JUnit XML; files appear
 * whole. */
#include "report/forms.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/report.h"
#include "store/finding_sample.h"

static char root[64];

/* The fields of CLI.md, by its example. */
static void test_json(void **state)
{
    (void)state;
    struct sn_report r = {.command = (char *[]){"snag", "race", "./prog", NULL},
                          .exit = 0,
                          .seconds = 0.12,
                          .runs = 1,
                          .stats = json_pack("{s:i}", "events", 123456)};
    struct sn_finding *f = sample_race(&r.findings);
    json_t *j;
    f->id = 3;
    sn_finding_finish(f);
    sn_report_json(&r, &j);
    const char *kind, *status, *engine, *title, *object, *name, *file, *op, *lock, *function;
    int exit, runs, id, size, line, thread, bytes, column, hits, events, inlined;
    double seconds;
    assert_int_equal(json_unpack(j, "{s:[sss],s:i,s:f,s:i,s:{s:i},s:[{s:i,s:s,s:s,s:s,s:s,s:i}]}",
                                 "command", &kind, &status, &engine, "exit", &exit, "seconds",
                                 &seconds, "runs", &runs, "stats", "events", &events, "findings",
                                 "id", &id, "kind", &kind, "status", &status, "engine", &engine,
                                 "title", &title, "hits", &hits),
                     0);
    assert_string_equal(kind, "data-race");
    assert_string_equal(status, "observed");
    assert_int_equal(id, 3);
    assert_int_equal(events, 123456);
    json_t *one = json_array_get(json_object_get(j, "findings"), 0);
    assert_int_equal(json_unpack(one, "{s:{s:s,s:s,s:i,s:s,s:i}}", "object", "kind", &object,
                                 "name", &name, "size", &size, "file", &file, "line", &line),
                     0);
    assert_string_equal(object, "global");
    json_t *site = json_array_get(json_object_get(one, "sites"), 0);
    assert_int_equal(json_unpack(site, "{s:i,s:s,s:i,s:[s],s:[{s:s,s:s,s:i,s:i,s:s,s:i,s:b}]}",
                                 "thread", &thread, "op", &op, "size", &bytes, "locks", &lock,
                                 "stack", "function", &function, "file", &file, "line", &line,
                                 "column", &column, "module", &name, "offset", &size, "inlined",
                                 &inlined),
                     0);
    assert_string_equal(op, "write");
    assert_string_equal(lock, "m");
    assert_string_equal(function, "add");
    assert_null(json_object_get(one, "harmful"));
    assert_null(json_object_get(one, "replay"));
    assert_string_equal(json_string_value(json_object_get(j, "snag")), SNAG_VERSION);
    json_decref(j);
    json_decref(r.stats);
    sn_findings_free(&r.findings);
}

static void test_junit(void **state)
{
    (void)state;
    struct sn_report r = {.seconds = 1.5};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    sn_report_junit(out, &r);
    fclose(out);
    assert_string_equal(text,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<testsuites tests=\"1\" failures=\"0\" errors=\"0\" time=\"1.500\">\n"
                        "  <testsuite name=\"snag\" tests=\"1\" failures=\"0\" errors=\"0\" "
                        "skipped=\"0\" time=\"1.500\">\n"
                        "    <testcase classname=\"snag\" name=\"no findings\" time=\"1.500\"/>\n"
                        "  </testsuite>\n</testsuites>\n");
    free(text);
    struct sn_finding *f = sn_findings_add(&r.findings);
    f->status = SN_OBSERVED;
    sample_site(f, 1, SN_OP_READ, "operator<\x01&\xff", "/src/a\"b.c", 4, 2);
    sn_finding_finish(f);
    sample_numbered(&r.findings, 1)->status = SN_CANDIDATE;
    out = open_memstream(&text, &bytes);
    sn_report_junit(out, &r);
    fclose(out);
    assert_non_null(strstr(text, "failures=\"1\""));
    assert_non_null(strstr(text, "name=\"data race in operator&lt;?&amp;?()\""));
    assert_non_null(strstr(text, "file=\"/src/a&quot;b.c\" line=\"4\""));
    assert_null(strchr(text, '\x01'));
    free(text);
    sn_findings_free(&r.findings);
}

static void test_sarif(void **state)
{
    (void)state;
    struct sn_report r = {.command = (char *[]){"snag", "race", NULL}};
    json_t *j;
    struct sn_finding *f = sn_findings_add(&r.findings);
    char *file = sn_xformat("%s/src/bank.c", root);
    f->status = SN_OBSERVED;
    sample_site(f, 1, SN_OP_WRITE, "add", file, 5, 10);
    sample_site(f, 2, SN_OP_READ, "report", "/else where/bank.c", 10, 12);
    free(file);
    f->nsteps = 2;
    f->steps = sn_xcalloc(2, sizeof *f->steps);
    f->steps[0].thread = 1;
    f->steps[1].thread = 2;
    sn_finding_finish(f);
    sample_numbered(&r.findings, 1)->status = SN_CANDIDATE;
    sn_report_sarif(&r, &j);
    const char *version, *rule, *level, *message, *uri, *uri_base, *key;
    int rule_index, line;
    json_t *results = NULL;
    assert_int_equal(
        json_unpack(j, "{s:s,s:[{s:o}]}", "version", &version, "runs", "results", &results), 0);
    assert_string_equal(version, "2.1.0");
    assert_int_equal(json_array_size(results), 1);
    assert_int_equal(json_unpack(json_array_get(results, 0),
                                 "{s:s,s:i,s:s,s:{s:s},s:[{s:{s:{s:s,s:s},s:{s:i}}}],s:{s:s}}",
                                 "ruleId", &rule, "ruleIndex", &rule_index, "level", &level,
                                 "message", "text", &message, "locations", "physicalLocation",
                                 "artifactLocation", "uri", &uri, "uriBaseId", &uri_base, "region",
                                 "startLine", &line, "partialFingerprints", "snagFindingKey/v1",
                                 &key),
                     0);
    assert_string_equal(rule, "data-race");
    assert_string_equal(level, "error");
    assert_string_equal(uri, "src/bank.c");
    assert_int_equal(line, 5);
    assert_string_equal(key, r.findings.f[0].key);
    json_t *related =
        json_array_get(json_object_get(json_array_get(results, 0), "relatedLocations"), 0);
    assert_int_equal(
        json_unpack(related, "{s:{s:{s:s}}}", "physicalLocation", "artifactLocation", "uri", &uri),
        0);
    assert_string_equal(uri, "file:///else%20where/bank.c");
    json_t *flows = json_object_get(
        json_array_get(json_object_get(json_array_get(results, 0), "codeFlows"), 0), "threadFlows");
    assert_int_equal(json_array_size(flows), 2);
    json_decref(j);
    sn_findings_free(&r.findings);
}

static void test_files_appear_whole(void **state)
{
    (void)state;
    struct sn_report r = {0};
    char *file = sn_xformat("%s/report.json", root), *sarif = sn_xformat("%s/r.sarif", root);
    struct sn_report_options o = {.json = file, .sarif = sarif, .quiet = true};
    struct stat st;
    assert_int_equal(sn_report_emit(&r, &o), 0);
    json_t *j = json_load_file(file, 0, NULL);
    assert_non_null(j);
    json_decref(j);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0600, 0600);
    assert_int_equal(access(sarif, F_OK), 0);
    free(file);
    free(sarif);
    file = sn_xformat("%s/no/such/folder/report.json", root);
    o = (struct sn_report_options){.json = file, .quiet = true};
    assert_int_equal(sn_report_emit(&r, &o), -ENOENT);
    o = (struct sn_report_options){.json = "/dev/full", .quiet = true};
    assert_int_equal(sn_report_emit(&r, &o), -ENOSPC);
    o = (struct sn_report_options){.html = "/dev/full", .quiet = true};
    assert_int_equal(sn_report_emit(&r, &o), -ENOSPC);
    free(file);
}

static int begin_all(void **state)
{
    (void)state;
    strcpy(root, "/tmp/snag-forms-test-XXXXXX");
    return mkdtemp(root) ? chdir(root) : -1;
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
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_sarif),
        cmocka_unit_test(test_files_appear_whole),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
