/*
 * work.h: what such programs do between two calls of a queue or a table: put some text together, look
 * through it, sum it up; all on memory of their own.
 */
static _Thread_local volatile unsigned worked;

static void do_work(unsigned item)
{
    static _Thread_local char text[40];
    unsigned sum = 0, words = 0;
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 7 == item % 7 ? ' ' : 'a' + (item + i) % 26);
    for (unsigned i = 0; i < sizeof text; i++) {
        words += text[i] == ' ';
        sum = sum * 31 + (unsigned char)text[i];
    }
    worked += sum + words;
}
