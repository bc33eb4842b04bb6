/* words_fixed.c: words.c without its bug: strtok_r() keeps its place with the caller. */
#include <pthread.h>
#include <string.h>

static void *count(void *arg)
{
    char line[400], *rest;
    size_t words = 0;
    for (int i = 0; i < 20000; i++) {
        memset(line, 0, sizeof line);
        strcpy(line, arg);
        for (char *w = strtok_r(line, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            words++;
    }
    return (void *)words;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, "one two three four five six seven");
    pthread_create(&b, NULL, count, "a b c d e f g h i j k l m n o p q");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
