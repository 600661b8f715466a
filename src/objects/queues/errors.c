/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of asynchronous errors, from the failed command to the handler (spec 2.5.6). Knows no queues or commands. */
#include "errors.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/detail.h"
#include "base/failure.h"
#include "base/text.h"

#define DROPPED_BYTES 160

void tw_errors_init(struct tw_error_list *list)
{
    list->first = NULL;
    list->last = &list->first;
    list->count = 0;
}

/* Makes the error that is delivered in place of those that were not kept; `text` gets its message. */
static tw_error dropped_errors(const struct tw_error_list *list, char text[DROPPED_BYTES])
{
    snprintf(text, DROPPED_BYTES,
             "%zu errors that occurred later are lost: memory was exhausted, or %u others waited to be delivered",
             list->dropped, TW_MOST_ERRORS);
    return (tw_error){.status = TW_ERROR_OUT_OF_MEMORY, .message = text};
}

void tw_errors_add_locked(struct tw_error_list *list, const tw_error *error, uint64_t failure)
{
    const size_t text_bytes =
        tw_string_bytes(error->message) + tw_string_bytes(error->kernel) + tw_string_bytes(error->file);
    struct tw_error_record *record = list->count < TW_MOST_ERRORS ? malloc(sizeof *record + text_bytes) : NULL;
    if (!record) {
        ++list->dropped;
        return;
    }
    char *to = record->text;
    record->next = NULL;
    record->failure = failure;
    record->error = *error;
    record->error.message = tw_string_copy(&to, error->message);
    record->error.kernel = tw_string_copy(&to, error->kernel);
    record->error.file = tw_string_copy(&to, error->file);
    *list->last = record;
    list->last = &record->next;
    ++list->count;
}

bool tw_errors_have_locked(const struct tw_error_list *list, uint64_t failure)
{
    for (const struct tw_error_record *record = failure ? list->first : NULL; record; record = record->next)
        if (record->failure == failure)
            return true;
    return false;
}

void tw_errors_move_locked(struct tw_error_list *to, struct tw_error_list *from)
{
    to->dropped += from->dropped;
    from->dropped = 0;
    if (!from->first)
        return;
    *to->last = from->first;
    to->last = from->last;
    to->count += from->count;
    tw_errors_init(from);
}

static void free_records(tw_error **errors)
{
    free(*errors);
}

static void free_list(struct tw_error_list **list)
{
    tw_errors_free(*list);
}

/* If the handler throws an exception, all errors are freed as delivered. */
void tw_errors_deliver(struct tw_error_list *list, tw_error_handler handler, void *user)
{
    struct tw_error_list *delivered __attribute__((cleanup(free_list), unused)) = list;
    const size_t count = list->count + (list->dropped != 0);
    size_t i = 0;
    if (!count)
        return;
    char text[DROPPED_BYTES];
    const tw_error dropped = dropped_errors(list, text);
    tw_error *errors __attribute__((cleanup(free_records))) = malloc(count * sizeof *errors);
    if (errors) {
        for (const struct tw_error_record *record = list->first; record; record = record->next)
            errors[i++] = record->error;
        if (list->dropped)
            errors[i++] = dropped;
        handler(errors, count, user);
    } else { /* one at a time needs no memory */
        for (const struct tw_error_record *record = list->first; record; record = record->next)
            handler(&record->error, 1, user);
        if (list->dropped)
            handler(&dropped, 1, user);
    }
}

tw_status tw_errors_take_first_locked(struct tw_error_list *list)
{
    struct tw_error_record *record = list->first;
    if (!record) {
        if (!list->dropped)
            return TW_SUCCESS;
        char text[DROPPED_BYTES];
        const tw_error dropped = dropped_errors(list, text);
        list->dropped = 0;
        return tw_fail(dropped.status, "%s", dropped.message);
    }
    list->first = record->next;
    --list->count;
    if (!list->first)
        list->last = &list->first;
    const char *kernel = record->error.kernel;
    const bool is_named = !kernel || tw_names_kernel(record->text, kernel);
    const tw_status status = is_named ? tw_fail(record->error.status, "%s", record->text)
                                      : tw_fail(record->error.status, "kernel %s: %s", kernel, record->text);
    (void)tw_fail_native(status, record->error.native.api, record->error.native.code);
    free(record);
    return status;
}

void tw_errors_free(struct tw_error_list *list)
{
    while (list->first) {
        struct tw_error_record *next = list->first->next;
        free(list->first);
        list->first = next;
    }
    list->dropped = 0;
    tw_errors_init(list);
}
