// The string functions.
// EXPECT: misuse END
#include "verify.h"
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    char a[32] = "hello", b[32];
    VERIFY(strlen(a) == 5 && strcmp(a, "hello") == 0 && strncmp(a, "help", 3) == 0 && strcmp(a, "help") < 0);
    strcat(strcpy(b, a), ", world");
    VERIFY(strcmp(b, "hello, world") == 0 && strstr(b, "wor") == b + 7 && strchr(b, 'o') == b + 4 && strrchr(b, 'o') == b + 8);
    VERIFY(memcmp(a, b, 5) == 0 && memchr(b, ',', 12) == b + 5 && strchr(a, 'z') == NULL);
    strncpy(b, "abcdef", 3);
    VERIFY(strncmp(b, "abclo", 5) == 0 && strspn(b, "abc") == 3 && strcspn(b, "l") == 3);
    memmove(a + 1, a, 5);
    VERIFY(strncmp(a, "hhello", 6) == 0);
    VERIFY(atoi("42x") == 42 && strtol("-0x1f", NULL, 16) == -31 && strtoul("777", NULL, 8) == 511 && strtod("2.5e1", NULL) == 25);
    VERIFY(toupper('q') == 'Q' && isdigit('7') && !isalpha('7') && isspace(' '));
    char *copy = strdup("one,two;three"), *save, *part = strtok_r(copy, ",;", &save);
    VERIFY(strcmp(part, "one") == 0 && strcmp(strtok_r(NULL, ",;", &save), "two") == 0);
    VERIFY(strcmp(strtok_r(NULL, ",;", &save), "three") == 0 && strtok_r(NULL, ",;", &save) == NULL);
    free(copy);
    int n = snprintf(b, sizeof b, "%d %5.2f|%-4s|%04x %c %s", -7, 3.14159, "ab", 255, 'z', "end");
    VERIFY(strcmp(b, "-7  3.14|ab  |00ff z end") == 0 && n == 24);
    VERIFY(snprintf(b, 4, "%s", "longer") == 6 && strcmp(b, "lon") == 0);
    REACHED(); // END
    return 0;
}
