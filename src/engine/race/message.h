/*
 * message.h: the message clock: happens-before without lock edges: thread starts and joins,
 * condition variables, semaphores, barriers, once, annotations. What is ordered by it stays ordered
 * in every schedule in which the same messages are sent; so two lock acquisitions that it orders
 * cannot make a deadlock, whatever the locks do.
 *
 * An entry counts the messages of a slot. Objects carry it in a record of their own, beside the one
 * of the full clock.
 */
#ifndef SN_RACE_MESSAGE_H
#define SN_RACE_MESSAGE_H

#include <stdint.h>

#include "core/thread.h"

void sn_message_thread_new(struct sn_thread *t, struct sn_thread *parent);
void sn_message_send(struct sn_thread *t, uintptr_t object);
void sn_message_receive(struct sn_thread *t, uintptr_t object);
void sn_message_join(struct sn_thread *t, struct sn_thread *finished);
/* The thread gets another slot: whoever hears of it knows what it did under this one. */
void sn_message_leave_slot(struct sn_thread *t);
/* The count under which what the thread does now will be known. */
uint32_t sn_message_now(const struct sn_thread *t);

#endif
