// What the scanf family stores is written memory: numbers of each size, words, characters, an allocated
// word; not what was not stored, nor beside it. The text that sscanf reads is read.
// EXPECT: data-race SCAN/write NUMBER/read
// EXPECT-OBJECT: global number
// EXPECT: data-race SCAN/write BIG/read
// EXPECT-OBJECT: global big
// EXPECT: data-race SCAN/write REAL/read
// EXPECT-OBJECT: global real
// EXPECT: data-race SCAN/write WORD/read
// EXPECT-OBJECT: global word
// EXPECT: data-race SCAN/write LETTERS/read
// EXPECT-OBJECT: global letters
// EXPECT: data-race STREAM/write LINE/read
// EXPECT-OBJECT: global line
// EXPECT: data-race SCAN/read TEXT/write
// EXPECT-OBJECT: global text
#include <stdio.h>
#include <string.h>
#include "invisible.h"

short number[2];
long big;
double real;
char word[16], letters[8], line[16], text[] = "7 8000000000 2.5 word xyz 9 not-a-number";
int unused, missed;

static void first(void)
{
    int skipped;
    FILE *f = fmemopen("[line]", 6, "r");
    sscanf(text, "%hd %ld %lf %s %3c %*d %d", &number[0], &big, &real, word, letters, &missed); // SCAN
    if (fscanf(f, "[%15[a-z]]%n", line, &skipped) != 1) // STREAM
        unused++;
    fclose(f);
}

static void second(void)
{
    long sum = 0;
    BUG(sum += number[0];) // NUMBER
    BUG(sum += big;) // BIG
    BUG(sum += (long)real;) // REAL
    BUG(sum += word[4];) // WORD
    BUG(sum += letters[2];) // LETTERS
    BUG(sum += line[4];) // LINE
    BUG(text[0] = (char)sum;) // TEXT
    sum += number[1] + word[5] + letters[3] + line[5] + missed;
    unused = (int)sum;
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
