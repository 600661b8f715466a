/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are run for their output (process.h). */
#define _GNU_SOURCE
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_SECONDS 60
#define NOT_RUN 127
#define TIMED_OUT 124

void command_add(struct command *command, const char *format, ...)
{
    char *word = command->text + command->used;
    const size_t room = sizeof command->text - command->used;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(word, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room || command->count == MOST_WORDS_OF_COMMAND) {
        command->is_cut = true;
        return;
    }
    command->used += (size_t)length + 1;
    command->words[command->count++] = word;
    command->words[command->count] = NULL;
}

void command_add_words(struct command *command, const char *words)
{
    static const char blanks[] = " \t\n";
    for (const char *at = words ? words + strspn(words, blanks) : ""; *at; at += strspn(at, blanks)) {
        const size_t length = strcspn(at, blanks);
        command_add(command, "%.*s", (int)length, at);
        at += length;
    }
}

const char *command_show(const struct command *command, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < command->count && used < bytes; ++i)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " " : "", command->words[i]);
    return text;
}

/* Reads what comes until the end, or until a minute has passed. Returns false then. */
static bool read_all(int file, char *output, size_t bytes)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t end = now.tv_sec + MOST_SECONDS;
    size_t used = 0;
    for (;;) {
        char dropped[4096];
        struct pollfd wait = {.fd = file, .events = POLLIN};
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec >= end || poll(&wait, 1, (int)(end - now.tv_sec) * 1000) == 0)
            return false;
        const bool is_full = used + 1 >= bytes;
        const ssize_t length =
            is_full ? read(file, dropped, sizeof dropped) : read(file, output + used, bytes - 1 - used);
        if (length <= 0)
            return true;
        used += is_full ? 0 : (size_t)length;
        output[used] = '\0';
    }
}

static int wait_for(pid_t child)
{
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        return NOT_RUN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int command_run(const struct command *command, char *output, size_t bytes)
{
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    output[0] = '\0';
    if (!command->count || command->is_cut || pipe2(ends, O_CLOEXEC) != 0)
        return NOT_RUN;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const int error = posix_spawnp(&child, command->words[0], &actions, NULL, (char *const *)command->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    int status = NOT_RUN;
    if (error) {
        snprintf(output, bytes, "%s: %s", command->words[0], strerror(error));
    } else if (read_all(ends[0], output, bytes)) {
        status = wait_for(child);
    } else {
        kill(child, SIGKILL);
        (void)wait_for(child);
        status = TIMED_OUT;
    }
    close(ends[0]);
    return status;
}

bool find_program(const char *name, const char *path, char *found, size_t bytes)
{
    const char *at = path ? path : getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(found, bytes, "%s", name);
        return access(name, X_OK) == 0;
    }
    while (at && *at) {
        const size_t length = strcspn(at, ":");
        snprintf(found, bytes, "%.*s/%s", (int)length, at, name);
        if (length && access(found, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    found[0] = '\0';
    return false;
}
