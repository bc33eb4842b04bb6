/* trace.c: `snag trace`: records, shows recorded traces, and turns them into text and back. */
#include "cmd/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/order_file.h"
#include "cmd/recording.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "store/xalloc.h"
#include "trace/text.h"
#include "trace/writer.h"

static const char *out_file;
static int64_t level = 3;
static struct sn_words excluded;
static const char *pairs = "graph";

const struct sn_option sn_options_trace[] = {
    SN_OPTION_TEXT("o", &out_file, "FILE", "where to write (record: snag.trace; stdout; pack needs it)"),
    SN_OPTION_NUMBER("level", &level, 0, 19, "N", "record, pack: zstd's, 0: not compressed (3)"),
    SN_OPTION_LIST("exclude", &excluded, "PATTERN", "record: functions to leave out"),
    SN_OPTION_CHOICE("pairs", &pairs, "none|graph|whole", "record: BarrierPairs (graph)"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

static int fail_free(char *why)
{
    int status = sn_fail("%s", why);
    free(why);
    return status;
}

static int open_trace(const char *path, struct sn_trace **t)
{
    char *why = NULL;
    return sn_trace_open(path, t, &why) < 0 ? fail_free(why) : 0;
}

static int damaged(const char *path, const struct sn_trace *t)
{
    return sn_fail("trace %s: %s", path, sn_trace_why(t));
}

/* What a trace holds, counted. */
struct facts {
    uint64_t events, by_op[SN_EV_COUNT], values, blocks;
    uint32_t threads;
};

static int count(const char *path, struct sn_trace *t, struct facts *f)
{
    struct sn_trace_event ev;
    int r;
    while ((r = sn_trace_next(t, &ev)) > 0) {
        f->by_op[ev.ev.op]++;
        if (ev.ev.op == SN_EV_NONE) {
            f->blocks++;
            continue;
        }
        f->events++;
        f->values += sn_trace_is_access(ev.ev.op) && ev.flags & SN_TRACE_VALUE;
        if (ev.thread >= f->threads)
            f->threads = ev.thread + 1;
    }
    return r < 0 ? damaged(path, t) : 0;
}

static void print_facts(FILE *out, const char *path, const struct sn_trace *t,
                        const struct facts *f)
{
    FILE *in = fopen(path, "re");
    long bytes = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : 0;
    if (in)
        fclose(in);
    fprintf(out, "# %" PRIu64 " events, %u threads, %u sites, %u modules", f->events, f->threads,
            sn_trace_sites(t), sn_trace_modules(t));
    if (bytes > 0 && f->events)
        fprintf(out, ", %ld bytes: %.2f an event", bytes, (double)bytes / (double)f->events);
    fputc('\n', out);
    for (int op = 1; op < SN_EV_COUNT; op++)
        if (f->by_op[op])
            fprintf(out, "# %10" PRIu64 " %s\n", f->by_op[op], sn_event_name((enum sn_event_op)op));
    if (f->blocks)
        fprintf(out, "# %10" PRIu64 " blocks of the object graph\n", f->blocks);
    if (sn_trace_why(t))
        fprintf(out, "# %s\n", sn_trace_why(t));
}

/* The tables of a trace are whole only at its end, so it is read twice. */
static int print_trace(FILE *out, const char *path, bool dump)
{
    struct sn_trace *whole = NULL, *t = NULL;
    struct sn_trace_event ev;
    struct facts f = {0};
    uint64_t number = 0;
    int status = open_trace(path, &whole);
    if (!status)
        status = count(path, whole, &f);
    if (!status)
        status = open_trace(path, &t);
    if (!status && dump)
        print_facts(out, path, whole, &f);
    if (!status)
        sn_trace_print_tables(out, whole);
    while (!status && sn_trace_next(t, &ev) > 0) {
        if (dump && ev.ev.op != SN_EV_NONE)
            fprintf(out, "%8" PRIu64 "  ", number++);
        sn_trace_print_event(out, whole, &ev);
    }
    for (uint32_t i = 0; !status && i < sn_trace_expects(whole); i++)
        fprintf(out, "# %s\n", sn_trace_expect(whole, i));
    sn_trace_close(t);
    sn_trace_close(whole);
    return status;
}

static int pack(FILE *out, const char *path)
{
    struct sn_trace *t = NULL;
    struct sn_trace_writer *w;
    int status = open_trace(path, &t);
    if (status)
        return status;
    int r = sn_trace_writer_new(out, (int)level, &w);
    if (r == 0) {
        r = sn_trace_write_all(w, t);
        int ended = sn_trace_writer_end(w);
        r = r < 0 ? r : ended;
    }
    if (r == -EBADMSG && sn_trace_why(t))
        status = damaged(path, t);
    else if (r < 0)
        status = sn_fail("%s cannot be written: %s", out_file, strerror(-r));
    sn_trace_close(t);
    return status;
}

static int to_output(const char *verb, const char *path)
{
    FILE *out = out_file && strcmp(out_file, "-") != 0 ? fopen(out_file, "we") : stdout;
    if (!out)
        return sn_fail("%s cannot be written: %s", out_file, strerror(errno));
    int status = strcmp(verb, "pack") == 0 ? pack(out, path)
                                           : print_trace(out, path, strcmp(verb, "dump") == 0);
    bool bad = fflush(out) != 0 || ferror(out);
    if (out != stdout)
        bad |= fclose(out) != 0;
    if (bad && !status)
        status = sn_fail("%s cannot be written: %s", out_file ? out_file : "the output",
                         strerror(errno));
    if (status && out_file && out != stdout)
        remove(out_file); /* nothing half-written */
    return status;
}

/* record */

static int before(const char *run_dir, struct sn_store *store, void *arg)
{
    (void)store;
    return sn_recording_prepare(arg, run_dir);
}

/* FILE is the program's own trace; those of processes that it started get a number. */
static int after(const char *run_dir, struct sn_store *store, void *arg)
{
    struct sn_words traces = {0};
    int status = 0;
    (void)store, (void)arg;
    sn_recording_traces(run_dir, &traces);
    for (size_t i = 0; i < traces.n && !status; i++) {
        char *to = i ? sn_xformat("%s.%zu", out_file, i) : sn_xstrdup(out_file);
        status = sn_recording_pack(traces.v[i], to, (int)level);
        if (!status && !sn_common.quiet)
            sn_say("trace: %s", to);
        free(to);
    }
    sn_words_free(&traces);
    return status;
}

static int record(int argc, char **argv)
{
    int first, status = sn_options_read(argc, argv, sn_options_trace, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag trace record [options] PROGRAM [ARGS…]");
    if (!out_file)
        out_file = "snag.trace";
    struct sn_recording r = {.program = argv[first], .excluded = &excluded};
    struct sn_session s = {.engine = "record",
                           .command = "trace",
                           .rt = sn_session_rt(),
                           .needs_instrumentation = true,
                           .argv = argv + first,
                           .before = before,
                           .after = after,
                           .arg = &r};
    s.rt.pairs = strcmp(pairs, "none") == 0 ? 0 : strcmp(pairs, "graph") == 0 ? 1 : 2;
    return sn_session(&s);
}

int sn_cmd_trace(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return record(argc - 1, argv + 1);
    struct sn_words rest = {0};
    int status = sn_options_read_mixed(argc, argv, sn_options_trace, &rest);
    const char *verb = rest.n ? rest.v[0] : "";
    bool known =
        strcmp(verb, "dump") == 0 || strcmp(verb, "text") == 0 || strcmp(verb, "pack") == 0;
    if (status)
        ;
    else if (!known || rest.n != 2)
        status =
            sn_fail("snag trace record PROGRAM, snag trace dump FILE, snag trace text FILE, or snag "
                    "trace pack FILE -o OUT");
    else if (strcmp(verb, "pack") == 0 && !out_file)
        status = sn_fail("snag trace pack %s: where to? -o OUT", rest.v[1]);
    else
        status = to_output(verb, rest.v[1]);
    sn_words_free(&rest);
    return status;
}

void sn_help_trace(void)
{
    sn_help_page(
        "snag trace record [options] [--] PROGRAM [ARGS…] · snag trace dump|text|pack FILE",
        "record runs PROGRAM, built with snag cc, and writes all that its threads did, in one\n"
        "order, with the values of memory; calls into code that is not recorded are in it as\n"
        "BarrierPairs. What a killed program did up to its end is in it too. dump shows what a trace holds: counts, tables, numbered events. text writes it in\n"
        "the text form, which snag reads too; pack makes the compact form of either.",
        sn_options_trace, true, "snag trace record -o run.trace ./prog && snag trace dump run.trace");
}
