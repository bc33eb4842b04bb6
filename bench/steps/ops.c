/* ops.c: one operation of each kind between two traps; see steps.c. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK(name) __asm__ volatile("int3" : : "a"(name) : "memory")
/* The compiler does not know what it is, so it makes no copy of the code around it. */
#define HIDDEN(x)                                                                                  \
    __extension__({                                                                                \
        int hidden = (x);                                                                          \
        __asm__ volatile("" : "+r"(hidden));                                                       \
        hidden;                                                                                    \
    })

/* The eighth time that the same instruction does it; i counts. */
#define COUNT(name, operation)                                                                     \
    for (int i = 0; HIDDEN(i) < 8; i++) {                                                          \
        static const char text[] = name;                                                           \
        if (HIDDEN(i) == 7)                                                                        \
            MARK(text);                                                                            \
        operation;                                                                                 \
        if (HIDDEN(i) == 7)                                                                        \
            MARK(text);                                                                            \
    }

void __tsan_read4(void *);
void __tsan_read8(void *);
void __tsan_read16(void *);
void __tsan_write4(void *);
void __tsan_write8(void *);
void __tsan_write16(void *);
void __tsan_func_entry(void *);
void __tsan_func_exit(void);

static _Alignas(64) uint64_t data[64], table[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag, counter;

/* Everybody reads all of the table, nobody waits for anybody: it is read-shared. */
static void *reader(void *arg)
{
    for (int i = 0; i < 256; i++)
        __tsan_read8(&table[i]);
    return arg;
}

static void shared_reads(void)
{
    reader(NULL);
    COUNT("read of 8 bytes, read-shared", __tsan_read8(&table[7]))
    COUNT("read of 16 bytes, read-shared", __tsan_read16(&table[8]))
}

static void accesses(void)
{
    COUNT("write of 8 bytes, first", __tsan_write8(&data[i]))
    COUNT("write of 8 bytes, again", __tsan_write8(&data[0]))
    COUNT("read of 8 bytes that were written", __tsan_read8(&data[0]))
    COUNT("read of 4 bytes that were written", __tsan_read4(&data[0]))
    COUNT("read of 8 bytes, first", __tsan_read8(&data[20 + i]))
    COUNT("read of 8 bytes, again", __tsan_read8(&data[20]))
    COUNT("write of 4 bytes, again", __tsan_write4(&data[2]))
    COUNT("read of 16 bytes, again", __tsan_read16(&data[4]))
    COUNT("write of 16 bytes, again", __tsan_write16(&data[6]))
    COUNT("function entry and exit", (__tsan_func_entry(accesses), __tsan_func_exit()))
}

static void synchronisation(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        data[8]++;
        pthread_mutex_unlock(&lock);
    }
    COUNT("pthread_mutex_lock, pthread_mutex_unlock",
          (pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock)))
    COUNT("atomic load, acquire", atomic_load_explicit(&flag, memory_order_acquire))
    COUNT("atomic store, release", atomic_store_explicit(&flag, 1, memory_order_release))
    COUNT("atomic fetch-and-add, relaxed",
          atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed))
}

static void allocation(void)
{
    void *volatile block;
    COUNT("malloc, 32 bytes", block = malloc(32))
    COUNT("malloc and free, 32 bytes", (block = malloc(32), free(block)))
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    usleep(300000); /* they have read; nothing orders that with what follows */
    shared_reads();
    accesses();
    synchronisation();
    allocation();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
