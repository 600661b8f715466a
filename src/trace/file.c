/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is written through mapped memory (file.h). Knows nothing of what is in it. */
#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPACE_BYTES ((size_t)64 << 10)
#define LEAST_PAGE 4096u
#define PART_BYTES TW_TRACE_PART_BYTES /* a multiple of SPACE_BYTES */

/* Writes spaces to a part of the file. So it has room on the disk: a store to a mapped page that has none would end the
   program. Returns 0 or an errno value. */
static int write_spaces(int descriptor, size_t at)
{
    char spaces[SPACE_BYTES];
    memset(spaces, ' ', sizeof spaces);
    for (size_t done = 0; done < PART_BYTES;) {
        const size_t left = PART_BYTES - done;
        const ssize_t now = pwrite(descriptor, spaces, left < SPACE_BYTES ? left : SPACE_BYTES, (off_t)(at + done));
        if (now < 0 && errno != EINTR)
            return errno;
        done += now > 0 ? (size_t)now : 0;
    }
    return 0;
}

/* The same, where a limit on the size of files does not end the program either (SIGXFSZ): it is EFBIG alone. */
static int fill(int descriptor, size_t at)
{
    static const struct timespec at_once = {0, 0};
    sigset_t too_large, before, pending;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    const int error = write_spaces(descriptor, at);
    if (error == EFBIG && !sigismember(&pending, SIGXFSZ))
        while (sigtimedwait(&too_large, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Makes and maps a part of the file. Returns NULL and stores an errno value if that is impossible. */
static char *map_part(int descriptor, size_t at, int *error)
{
    *error = fill(descriptor, at);
    if (*error)
        return NULL;
    char *part = mmap(NULL, PART_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)at);
    *error = errno;
    if (part == MAP_FAILED)
        return NULL;
    for (size_t i = 0; i < PART_BYTES; i += LEAST_PAGE) /* the page faults are here, and not where text is appended */
        ((volatile char *)part)[i] = ' ';
    return part;
}

/* The thread that maps parts. */
static void *map_parts(void *argument)
{
    struct tw_trace_file *file = argument;
    for (;;) {
        while (sem_wait(&file->wanted) != 0)
            continue;
        if (atomic_load(&file->ends))
            return NULL;
        if (file->old)
            munmap(file->old, PART_BYTES);
        file->old = NULL;
        file->next = map_part(file->descriptor, file->next_at, &file->error);
        sem_post(&file->ready);
    }
}

/* Starts the thread, which takes no signals of the program. Without it parts are mapped when they are needed. */
static void start_thread(struct tw_trace_file *file)
{
    sigset_t all, before;
    sem_init(&file->wanted, 0, 0);
    sem_init(&file->ready, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    file->has_thread = pthread_create(&file->thread, NULL, map_parts, file) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (file->has_thread)
        (void)pthread_setname_np(file->thread, "tw-trace");
}

/* Has the next part mapped, and the one before the present one unmapped. */
static void want_next(struct tw_trace_file *file, char *old)
{
    file->old = old;
    file->next_at = file->at + PART_BYTES;
    if (file->has_thread) {
        sem_post(&file->wanted);
    } else {
        if (old)
            munmap(old, PART_BYTES);
        file->next = NULL;
    }
}

bool tw_trace_file_open(struct tw_trace_file *file, const char *path)
{
    int error = 0;
    *file = (struct tw_trace_file){.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    if (file->descriptor < 0)
        return false;
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 || ftruncate(file->descriptor, 0) != 0)
        error = errno;
    else
        file->part = map_part(file->descriptor, 0, &error);
    if (file->part) {
        start_thread(file);
        want_next(file, NULL);
        return true;
    }
    close(file->descriptor);
    file->descriptor = -1;
    errno = error;
    return false;
}

bool tw_trace_file_advance(struct tw_trace_file *file)
{
    if (file->has_thread)
        while (sem_wait(&file->ready) != 0)
            continue;
    else
        file->next = map_part(file->descriptor, file->next_at, &file->error);
    if (!file->next) {
        errno = file->error;
        return false;
    }
    char *old = file->part;
    file->part = file->next;
    file->at = file->next_at;
    file->used = 0;
    want_next(file, old);
    return true;
}

void tw_trace_file_close(struct tw_trace_file *file)
{
    if (file->descriptor < 0)
        return;
    if (file->has_thread) {
        atomic_store(&file->ends, true);
        sem_post(&file->wanted);
        pthread_join(file->thread, NULL);
        if (file->old)
            munmap(file->old, PART_BYTES);
        if (file->next && file->next != file->part)
            munmap(file->next, PART_BYTES);
    }
    sem_destroy(&file->wanted);
    sem_destroy(&file->ready);
    munmap(file->part, PART_BYTES);
    (void)!ftruncate(file->descriptor, (off_t)(file->at + file->used));
    close(file->descriptor);
    file->descriptor = -1;
}
