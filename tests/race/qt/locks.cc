// Qt's locks, in a library that is not instrumented: mutexes, reader lock, condition variable, semaphore,
// thread. In the bug a reader lock does not keep another reader out.
// PACKAGE: Qt5Core
// FLAGS: -fPIC -Wno-tsan
// FLAGS-clang: -Wno-unknown-warning-option
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: Qt is not instrumented
#include <QtCore/QMutex>
#include <QtCore/QReadWriteLock>
#include <QtCore/QSemaphore>
#include <QtCore/QThread>
#include <QtCore/QWaitCondition>
#include "invisible.h"

static QMutex mutex;
static QRecursiveMutex recursive;
static QReadWriteLock lock;
static QWaitCondition turned;
static QSemaphore full, room(2);
static int count, depth, table, turn, ring[2], sum, shared, ends[2];

static void exclude()
{
    for (int i = 0; i < 100; i++) {
        QMutexLocker hold(&mutex);
        count++;
    }
    for (int i = 0; i < 20; i++) {
        while (!mutex.tryLock(i % 2 ? 0 : 50))
            QThread::yieldCurrentThread();
        count++;
        mutex.unlock();
        recursive.lock();
        recursive.lock();
        depth++;
        recursive.unlock();
        depth++;
        recursive.unlock();
    }
}

static void read_and_write()
{
    for (int i = 0; i < 30; i++) {
        {
            QWriteLocker hold(&lock);
            table++;
        }
        QReadLocker hold(&lock);
        volatile int seen = table;
        (void)seen;
    }
}

static void take_turns(int mine)
{
    for (int i = 0; i < 20; i++) {
        QMutexLocker hold(&mutex);
        while (turn % 2 != mine)
            turned.wait(&mutex);
        turn++;
        turned.wakeAll();
    }
}

static void hand_over(int mine)
{
    for (int i = 0; i < 40; i++) {
        if (mine) {
            room.acquire();
            ring[i % 2] = i;
            full.release();
        } else {
            while (!full.tryAcquire(1, 50))
                ;
            sum += ring[i % 2];
            room.release();
        }
    }
}

__attribute__((noinline)) static void write_first()
{
    shared = 1; // RACE1
}

__attribute__((noinline)) static void write_second()
{
    shared = 2; // RACE2
}

struct worker : QThread {
    int mine;
    explicit worker(int n) : mine(n) {}
    void run() override
    {
        exclude();
        read_and_write();
        take_turns(mine);
        hand_over(mine);
        hidden_meet(1, 2);
        if (mine)
            hidden_wait(0);
        PICK(lock.lockForRead(), lock.lockForWrite());
        if (mine)
            write_second();
        else
            write_first();
        lock.unlock();
        if (!mine)
            hidden_post(0);
        ends[mine] = mine + 1;
    }
};

int main()
{
    worker a(0), b(1);
    a.start();
    b.start();
    a.wait();
    while (!b.isFinished())
        QThread::msleep(1);
    int failed = !shared || ends[0] + ends[1] != 3;
    b.wait();
    return failed || count != 240 || depth != 80 || table != 60 || turn != 40 || sum != 780;
}
