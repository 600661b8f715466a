/* SPDX-License-Identifier: Apache-2.0 */
/** Programs that are run for their output. */
#ifndef TEAMWORK_TOOLS_PROCESS_H
#define TEAMWORK_TOOLS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#define MOST_WORDS_OF_COMMAND 96u

/* A command line. Words are copied. Those that do not fit are dropped, and `is_cut` is set. */
struct command {
    char text[8192];
    const char *words[MOST_WORDS_OF_COMMAND + 1]; /* ends in NULL */
    size_t count, used;
    bool is_cut;
};

/* Adds one word, formatted as by printf(). */
void command_add(struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the words of a string, which blanks separate. NULL has none. */
void command_add_words(struct command *command, const char *words);
/* Writes a command as a user types it, without quotes. Returns `text`. */
const char *command_show(const struct command *command, char *text, size_t bytes);

/* Runs a command and stores the beginning of what it writes to both streams. Returns its exit status; 127 if it cannot
   be run, 128 + the number of the signal that ended it, and 124 if it was ended since it took longer than a minute. */
int command_run(const struct command *command, char *output, size_t bytes);

/* Finds a program as a shell does, in `path`, or in PATH if that is NULL. Returns false if there is none. */
bool find_program(const char *name, const char *path, char *found, size_t bytes);

#endif
