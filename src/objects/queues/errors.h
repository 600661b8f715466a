/* SPDX-License-Identifier: Apache-2.0 */
/** Asynchronous errors, until they are delivered. */
#ifndef TEAMWORK_OBJECTS_ERRORS_H
#define TEAMWORK_OBJECTS_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/queue.h>

/* Largest number of undelivered errors in a list: a program that ignores its errors does not grow. */
#define TW_MOST_ERRORS 65536u

struct tw_error_list {
    struct tw_error_record *first, **last;
    size_t count;
    size_t dropped; /* errors that were not kept: memory was exhausted, or the list full */
};

struct tw_error_record {
    struct tw_error_record *next;
    tw_error error;
    uint64_t failure; /* its number; 0: not that of a command */
    char text[];      /* the message, the kernel's name and the file's */
};

void tw_errors_init(struct tw_error_list *list);
/* Appends a record, of the failure with a number or 0. Copies all strings, since the library that they are in may be closed before delivery. If memory is
   exhausted or the list is full, the error is only counted in `dropped`, and delivery says so. */
void tw_errors_add_locked(struct tw_error_list *list, const tw_error *error, uint64_t failure);
/* Returns true if a record is of the failure with this number. */
bool tw_errors_have_locked(const struct tw_error_list *list, uint64_t failure);
/* Moves all of `from` to the end of `to`. */
void tw_errors_move_locked(struct tw_error_list *to, struct tw_error_list *from);
/* Calls the handler with all records, and frees them. Without the lock. */
void tw_errors_deliver(struct tw_error_list *list, tw_error_handler handler, void *user);
/* Removes the first record, sets tw_error_detail() from it and returns its status; TW_SUCCESS if there is none. */
tw_status tw_errors_take_first_locked(struct tw_error_list *list);
void tw_errors_free(struct tw_error_list *list);

#endif
