/* endless.c: computes for ever, as an execution may. */
int main(void)
{
    for (volatile unsigned long n = 0;; n++)
        ;
}
