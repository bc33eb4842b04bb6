// LIB: libjson-c.so.5
// As b43; printing takes the lock as well, since it keeps its text in the object.
#include "module.h"

void *json_object_new_object(void);
void *json_object_new_int(int n);
int json_object_object_add(void *o, const char *key, void *value);
const char *json_object_to_json_string(void *o);
int json_object_put(void *o);

static void *settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *command(void *x)
{
    for (int i = 0; i < 12; i++) {
        work(33);
        LOCK(lock);
        json_object_object_add(settings, i % 2 ? "level" : "size", json_object_new_int(i));
        UNLOCK(lock);
    }
    return x;
}

static void *client(void *x)
{
    size_t n = 0;
    for (int i = 0; i < 35; i++) {
        LOCK(lock);
        n += strlen(json_object_to_json_string(settings));
        UNLOCK(lock);
        work(11);
    }
    return n ? 0 : x;
}

int main(void)
{
    settings = json_object_new_object();
    both(command, client);
    json_object_put(settings);
    return 0;
}
