// What Qt calls in other threads: tasks of a pool, functions that are invoked in the thread of an object,
// slots, deferred deletion. In the bug a task of the pool writes what the program does not wait for.
// PACKAGE: Qt5Core
// FLAGS: -fPIC -Wno-tsan
// FLAGS-clang: -Wno-unknown-warning-option
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: Qt is not instrumented
#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QRunnable>
#include <QtCore/QSemaphore>
#include <QtCore/QThread>
#include <QtCore/QThreadPool>
#include <QtCore/QTimer>
#include "invisible.h"

static int shared, deleted, posted;

struct task : QRunnable {
    int *out;
    explicit task(int *o) : out(o) {}
    ~task() override { (*out)++; }
    void run() override { *out = 1; }
};

static int pool_of_tasks()
{
    int out[12] = {}, sum = 0;
    QThreadPool pool;
    pool.setMaxThreadCount(2);
    for (int i = 0; i < 6; i++)
        pool.start(new task(&out[i]));
    for (int i = 6; i < 12; i++) {
        sum = i;
        QSemaphore done;
        pool.start([&out, &sum, &done, i] {
            out[i] = 2 + sum - i;
            done.release();
        });
        done.acquire();
    }
    pool.waitForDone();
    sum = 0;
    for (int o : out)
        sum += o;
    return sum;
}

struct object : QObject {
    int *events;
    explicit object(int *e) : events(e) {}
    ~object() override { deleted = *events; }
    void customEvent(QEvent *) override { posted += (*events)++; }
};

static int invoke_there()
{
    int events = 0, sum = 0, answered = 0;
    QThread there;
    object *o = new object(&events);
    o->moveToThread(&there);
    QObject::connect(&there, &QThread::finished, o, &QObject::deleteLater);
    QObject::connect(&there, &QThread::finished, [&answered] { answered++; });
    there.start();
    for (int i = 0; i < 20; i++) {
        int *number = new int(i);
        auto add = [&sum, number] {
            sum += *number;
            delete number;
        };
        QMetaObject::invokeMethod(o, add, Qt::QueuedConnection);
        QCoreApplication::postEvent(o, new QEvent(QEvent::User));
        if (i % 4 == 0) {
            QMetaObject::invokeMethod(o, [&sum] { sum++; }, Qt::BlockingQueuedConnection);
            sum++;
        }
    }
    QMetaObject::invokeMethod(o, [&there] { there.quit(); }, Qt::QueuedConnection);
    there.wait();
    return sum + events + deleted + posted + answered; // 190 + 10, 20, 20, 190, 1
}

static int come_back()
{
    int ticks = 0;
    QThread there;
    QObject *o = new QObject;
    o->moveToThread(&there);
    there.start();
    int *number = new int(0);
    for (int i = 0; i < 5; i++) {
        QMetaObject::invokeMethod(o, [number] {
            ++*number;
            QMetaObject::invokeMethod(qApp, [] { QCoreApplication::quit(); }, Qt::QueuedConnection);
        });
        QCoreApplication::exec();
        ++*number;
    }
    QTimer::singleShot(0, o, [&ticks, o, &there] {
        ticks++;
        delete o;
        there.quit();
    });
    there.wait();
    ticks += *number;
    delete number;
    return ticks;
}

static void not_waited_for()
{
    QThreadPool pool;
    QSemaphore done;
    pool.start([&done] {
        FIX(shared = 1);
        done.release();
        BUG(shared = 1); // RACE1
        hidden_post(0);
    });
    hidden_wait(0);
    done.acquire();
    shared = 2; // RACE2
}

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    int failed = pool_of_tasks() != 24 || invoke_there() != 431 || come_back() != 11;
    not_waited_for();
    return failed || !shared;
}
