/* hidden.h: a library that snag does not see into: waiting for words, and saying so, without a
 * lock. */
#define hidden_export __attribute__((visibility("default")))

/* Sets *word. */
hidden_export void hidden_set(int *word, int value);
/* Waits until *word is value. */
hidden_export void hidden_wait(int *word, int value);
/* Waits until n threads have come here. */
hidden_export void hidden_meet(int *word, int n);
/* Says `say`, and goes on when the answer is `answer`. */
hidden_export void hidden_ask(int *word, int say, int answer);
/* Waits for `question`, answers, and stays until the word is `bye`. */
hidden_export void hidden_answer(int *word, int question, int answer, int bye);
/* Waits for *from, then sets *to. */
hidden_export void hidden_pass_on(int *from, int *to);
/* Calls back before it sets, after it has waited. */
hidden_export void hidden_call_then_set(int *word, void (*call)(void));
hidden_export void hidden_wait_then_call(int *word, void (*call)(void));
/* Sends the thread a signal before it sets. */
hidden_export void hidden_raise_then_set(int *word, int sig);
/* Sets the first word of the block that *box points to; and waits for it. */
hidden_export void hidden_set_inside(int **box);
hidden_export void hidden_wait_inside(int **box);
/* Through a word of the library's own. */
hidden_export void hidden_ring(void);
hidden_export void hidden_listen(void);
/* From HIDDEN_STEP(or, …) on the processor stops after each instruction: after n of them the thread
 * gets the signal, in the middle of whatever it does. */
#define HIDDEN_TRAP_FLAG 0x100
#define HIDDEN_STEP(how, flag)                                                                     \
    __asm__ volatile("pushfq; " #how "q %0, (%%rsp); popfq" : : "i"(flag) : "memory", "cc")
hidden_export void hidden_arm(int n, int sig);
hidden_export void hidden_step(void);
hidden_export void hidden_stop(void);
hidden_export void hidden_step_then_call(void (*call)(void));
