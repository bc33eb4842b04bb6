/*
 * greeting.h: what the threads of these programs do first, and main after it has started them. They
 * leave their settings without a lock, and sign a book under one before and after. The lock orders
 * the settings by chance: who signs first is seen to be before. Neither happens-before nor
 * causally- precedes can look behind that, since both write into the book.
 */
#include <pthread.h>

static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;
int signed_by; /* nobody reads it: a static one would not be there */
static int banner, colour;

static void sign_book(int who)
{
    pthread_mutex_lock(&book_lock);
    signed_by = who;
    pthread_mutex_unlock(&book_lock);
}

static void greet(int who)
{
    sign_book(who);
    banner = who; /* no lock */
    colour = who; /* no lock */
    sign_book(who);
}

static int greeting(void)
{
    sign_book(-1);
    int all = banner + colour;
    sign_book(-1);
    return all;
}
