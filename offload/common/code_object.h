/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The note of a code object, the ELF file that LLVM makes for AMD GPUs: what its kernels need, in MessagePack ("Code Object
 * Metadata" of LLVM's AMDGPU guide).
 *
 * As image.h, all functions read memory that may contain anything, and find nothing there if it is invalid.
 */
#ifndef TEAMWORK_OFFLOAD_CODE_OBJECT_H
#define TEAMWORK_OFFLOAD_CODE_OBJECT_H

#include "image.h"

enum tw_metadata_kind {
    TW_METADATA_NUMBER,
    TW_METADATA_TEXT,
    TW_METADATA_ARRAY,
    TW_METADATA_MAP,
    TW_METADATA_OTHER,
    TW_METADATA_BROKEN
};

/* A value. Those of an array or a map follow it. */
struct tw_metadata_value {
    enum tw_metadata_kind kind;
    uint64_t number; /* a number that is not negative, or how many elements or pairs follow */
    struct tw_bytes text;
};

/* Reads values one after the other. A copy of it reads on from the same place. */
struct tw_metadata {
    struct tw_bytes bytes;
    size_t at;
};

/* Returns true if the file is a code object. */
bool tw_elf_is_code_object(const struct tw_elf *elf);

/* Makes a reader of what a code object says about the kernel with this name: a map. Returns false if it says nothing. */
bool tw_metadata_of_kernel(const struct tw_elf *elf, const char *name, struct tw_metadata *reader);

/* Returns the next value. */
struct tw_metadata_value tw_metadata_next(struct tw_metadata *reader);

/* Skips a value with all that it contains. Returns false if it is broken. */
bool tw_metadata_skip(struct tw_metadata *reader);

/* Moves a reader from a map to the value of a key. Returns false if there is none. */
bool tw_metadata_seek(struct tw_metadata *reader, const char *key);

/* Stores the number of a key in the map where a reader is. Returns false if there is none. */
bool tw_metadata_number(struct tw_metadata reader, const char *key, size_t *number);

bool tw_metadata_is_text(struct tw_metadata_value value, const char *text);

#endif
