/* SPDX-License-Identifier: Apache-2.0 */
/** Asynchronous errors, until they are delivered. */
#ifndef TEAMWORK_OBJECTS_ERRORS_H
#define TEAMWORK_OBJECTS_ERRORS_H

#include <stddef.h>

#include <teamwork/queue.h>

/* A list keeps so many errors that nobody takes: a program that goes on in spite of them does not grow. */
#define TW_MOST_ERRORS 65536u

struct tw_error_list {
    struct tw_error_record *first, **last;
    size_t count;
    size_t dropped; /* for want of memory, or beyond the most */
};

struct tw_error_record {
    struct tw_error_record *next;
    tw_error error;
    char text[]; /* the message, the kernel's name and the file's */
};

void tw_errors_init(struct tw_error_list *list);
/* Appends a record; all strings are copied, since the library that they are from may be closed before it is delivered.
   Drops it if memory is exhausted or the list is full; what is delivered later says so. */
void tw_errors_add_locked(struct tw_error_list *list, tw_status status, const char *message, const char *kernel,
                          const char *file, int line);
/* Moves all of `from` to the end of `to`. */
void tw_errors_move_locked(struct tw_error_list *to, struct tw_error_list *from);
/* Hands all records to the handler; without the lock. */
void tw_errors_deliver(struct tw_error_list *list, tw_error_handler handler, void *user);
/* Takes the first record, sets tw_error_detail() and returns its status; TW_SUCCESS if there is none. */
tw_status tw_errors_take_first_locked(struct tw_error_list *list);
void tw_errors_free(struct tw_error_list *list);

#endif
