// Abseil's locks, in a library that is not instrumented: mutex, reader lock, conditions, condition
// variable, notification, counter, barrier, call_once. In the bug a reader lock does not keep another
// reader out.
// PACKAGE: absl_synchronization
// FLAGS: -Wno-tsan
// FLAGS-clang: -Wno-unknown-warning-option
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: Abseil is not instrumented
#include <absl/base/call_once.h>
#include <absl/synchronization/barrier.h>
#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>
#include <thread>
#include "invisible.h"

static absl::Mutex mutex;
static absl::CondVar cond;
static absl::once_flag once;
static int count, queue, table[4], shared, results[2], ends[2], round_sum[2], slot;
static bool full;

static void exclude()
{
    for (int i = 0; i < 200; i++) {
        absl::MutexLock hold(&mutex);
        count++;
    }
    for (int i = 0; i < 50; i++) {
        absl::ReaderMutexLock hold(&mutex);
        volatile int seen = count;
        (void)seen;
    }
    if (mutex.TryLock()) {
        count += 0;
        mutex.Unlock();
    }
    absl::call_once(once, [] { table[3] = 3; });
}

static void produce()
{
    for (int i = 0; i < 50; i++) {
        absl::MutexLock hold(&mutex);
        queue++;
    }
    for (int i = 0; i < 20; i++) {
        mutex.Lock();
        while (full)
            cond.Wait(&mutex);
        slot = i;
        full = true;
        cond.SignalAll();
        mutex.Unlock();
    }
}

static void consume()
{
    for (int i = 0; i < 50; i++) {
        mutex.LockWhen(absl::Condition(+[](int *q) { return *q > 0; }, &queue));
        queue--;
        mutex.Unlock();
    }
    for (int i = 0; i < 20; i++) {
        mutex.Lock();
        while (!full)
            cond.WaitWithTimeout(&mutex, absl::Seconds(60));
        slot = 0;
        full = false;
        cond.SignalAll();
        mutex.Unlock();
    }
}

static void meet(int which, absl::Barrier *barrier)
{
    results[which] = which + 1;
    bool last = barrier->Block();
    round_sum[which] = results[0] + results[1];
    if (last)
        delete barrier;
}

static void first(absl::Barrier *barrier, absl::Notification *told, absl::BlockingCounter *done)
{
    exclude();
    produce();
    meet(0, barrier);
    hidden_meet(1, 2);
    PICK(mutex.ReaderLock(), mutex.Lock());
    shared = 1; // RACE1
    PICK(mutex.ReaderUnlock(), mutex.Unlock());
    hidden_post(0);
    ends[0] = 5;
    told->Notify();
    done->DecrementCount();
}

static void second(absl::Barrier *barrier, absl::BlockingCounter *done)
{
    exclude();
    consume();
    meet(1, barrier);
    hidden_meet(1, 2);
    hidden_wait(0);
    PICK(mutex.ReaderLock(), mutex.Lock());
    shared = 2; // RACE2
    PICK(mutex.ReaderUnlock(), mutex.Unlock());
    ends[1] = 6;
    done->DecrementCount();
}

int main()
{
    absl::Notification told;
    absl::BlockingCounter done(2);
    auto *barrier = new absl::Barrier(2);
    std::thread a(first, barrier, &told, &done), b(second, barrier, &done);
    told.WaitForNotification();
    int sum = ends[0];
    done.Wait();
    sum += ends[1] + table[3];
    a.join();
    b.join();
    return !shared || sum != 14 || count != 400 || round_sum[0] != 3 || round_sum[1] != 3;
}
