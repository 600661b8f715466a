/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of asynchronous errors, from the command that failed to the handler that hears of it (spec 2.5.6). */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

void tw_errors_init(struct tw_error_list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

void tw_errors_add_locked(struct tw_error_list *list, tw_status status, const char *message, const char *kernel,
                          const char *file, int line)
{
    const size_t message_bytes = strlen(message) + 1, kernel_bytes = kernel ? strlen(kernel) + 1 : 0;
    struct tw_error_record *record = malloc(sizeof *record + message_bytes + kernel_bytes);
    if (!record) {
        ++list->dropped;
        return;
    }
    memcpy(record->text, message, message_bytes);
    if (kernel)
        memcpy(record->text + message_bytes, kernel, kernel_bytes);
    record->next = NULL;
    record->error = (tw_error){.status = status,
                               .message = record->text,
                               .kernel = kernel ? record->text + message_bytes : NULL,
                               .file = file,
                               .line = line};
    *list->last = record;
    list->last = &record->next;
}

void tw_errors_move_locked(struct tw_error_list *to, struct tw_error_list *from)
{
    to->dropped += from->dropped;
    from->dropped = 0;
    if (!from->first)
        return;
    *to->last = from->first;
    to->last = from->last;
    tw_errors_init(from);
}

void tw_errors_deliver(struct tw_error_list *list, tw_error_handler handler, void *user)
{
    size_t count = list->dropped != 0, i = 0;
    for (const struct tw_error_record *record = list->first; record; record = record->next)
        ++count;
    if (!count)
        return;
    const tw_error dropped = {.status = TW_ERROR_OUT_OF_MEMORY,
                              .message = "errors were lost because memory was exhausted when they occurred"};
    tw_error *errors = malloc(count * sizeof *errors);
    if (errors) {
        for (const struct tw_error_record *record = list->first; record; record = record->next)
            errors[i++] = record->error;
        if (list->dropped)
            errors[i++] = dropped;
        handler(errors, count, user);
        free(errors);
    } else { /* one at a time needs no memory */
        for (const struct tw_error_record *record = list->first; record; record = record->next)
            handler(&record->error, 1, user);
        if (list->dropped)
            handler(&dropped, 1, user);
    }
    tw_errors_free(list);
}

tw_status tw_errors_take_first_locked(struct tw_error_list *list)
{
    struct tw_error_record *record = list->first;
    if (!record) {
        if (!list->dropped)
            return TW_SUCCESS;
        list->dropped = 0;
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "errors were lost because memory was exhausted when they occurred");
    }
    list->first = record->next;
    if (!list->first)
        list->last = &list->first;
    const tw_status status = record->error.kernel
                                 ? tw_fail(record->error.status, "kernel %s: %s", record->error.kernel, record->text)
                                 : tw_fail(record->error.status, "%s", record->text);
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
