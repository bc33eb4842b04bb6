/* loss.c: the words of core/count.def, and for each loss what a user can do about it. */
#include "store/loss.h"

#include "store/xalloc.h"

enum { INFO, LOSS };

static const struct {
    const char *words;
    int class;
} counter[SN_C_COUNT] = {
#define SN_COUNT(id, name, class, words) [SN_C_##id] = {words, class},
#include "core/count.def"
#undef SN_COUNT
};

static const char *const advice[SN_C_COUNT] = {
    [SN_C_LOST_SINK] = "free some disk space, or raise ulimit -f, and run again",
    [SN_C_LOST_CONTEXT] = "stacks in the report may be shorter than they were",
    [SN_C_LOST_SHADOW] = "allow more memory (--memory-limit, ulimit -v, the container's limit) and run again",
    [SN_C_LOST_CELL] = "allow more memory and run again",
    [SN_C_LOST_SLOT] = "races between threads that shared one are not seen; start fewer at once",
    [SN_C_LOST_EPOCH] = "races across these moments are not seen; a shorter run has none",
    [SN_C_LOST_LOCK] = "the report may miss locks that were held",
    [SN_C_LOST_THREAD] = "start fewer threads at once",
    [SN_C_LOST_MEMORY] = "raise the memory limit and run again",
};

char *sn_loss_words(enum sn_count c, uint64_t n)
{
    if (!n || counter[c].class != LOSS)
        return NULL;
    return sn_xformat("something may have been missed: %llu %s%s%s", (unsigned long long)n,
                      counter[c].words, advice[c] ? "; " : "", advice[c] ? advice[c] : "");
}
