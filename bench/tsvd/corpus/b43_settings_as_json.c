// BUG: json_object_to_json_string json_object_* | json_object_object_add json_object_*
// LIB: libjson-c.so.5
// The settings are one JSON object: changed by commands, printed for every client.
#include "module.h"

void *json_object_new_object(void);
void *json_object_new_int(int n);
int json_object_object_add(void *o, const char *key, void *value);
const char *json_object_to_json_string(void *o);
int json_object_put(void *o);

static void *settings;

static void *command(void *x)
{
    for (int i = 0; i < 12; i++) {
        work(33);
        json_object_object_add(settings, i % 2 ? "level" : "size", json_object_new_int(i));
    }
    return x;
}

static void *client(void *x)
{
    size_t n = 0;
    for (int i = 0; i < 35; i++) {
        n += strlen(json_object_to_json_string(settings));
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
