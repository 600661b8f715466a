/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Device images in the running program: which loaded object holds them, the offload binaries around them, and the ELF
 * files that they are.
 *
 * clang wraps each device image in an offload binary (llvm/Object/OffloadBinary.h) and puts them one after the other
 * into a section of the program or shared library. Everything here reads memory that others own and that may hold
 * anything: no contents make it fail otherwise than by finding nothing. Knows no device and no driver.
 */
#ifndef TEAMWORK_OFFLOAD_IMAGE_H
#define TEAMWORK_OFFLOAD_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of others, which stay where they are as long as the object that they belong to is loaded. */
struct tw_bytes {
    const unsigned char *at;
    size_t size;
};

/* `size` bytes from `offset` on; none ({NULL, 0}) where they are not all there. */
struct tw_bytes tw_bytes_slice(struct tw_bytes bytes, uint64_t offset, uint64_t size);
/* The string at `offset`; NULL where it does not end within the bytes. */
const char *tw_bytes_string(struct tw_bytes bytes, uint64_t offset);

/* ---- loaded objects ---------------------------------------------------------------------------------------------- */

/* The offload binaries of the program or shared library whose code is at `address`; none if it has none. Works for
   stripped files, since the section is one that is loaded; without section headers the loaded constants are
   searched. */
struct tw_bytes tw_image_binaries(uintptr_t address);

/* Calls `visit` for the program and each shared library that has kernels for offload devices until it returns false.
   `binaries` are none where the linker left them out. */
void tw_image_visit_objects(bool (*visit)(const char *file, struct tw_bytes binaries, void *user), void *user);

/* How many shared libraries have been unloaded so far: what is remembered by an address is worth nothing once that
   has changed. */
unsigned long long tw_image_unloads(void);

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

/* The image of one device. `triple` and `arch` are "" where the offload binary does not give them. Without contents:
   images that cannot be read, since they are compressed. */
struct tw_image {
    const char *triple, *arch;
    struct tw_bytes contents;
};

/* Calls `visit` for each OpenMP image in a sequence of offload binaries until it returns false. What is not an offload
   binary, or one that contradicts itself, is passed over. */
void tw_image_visit(struct tw_bytes binaries, bool (*visit)(const struct tw_image *image, void *user), void *user);

/* Whether an entry of a device image is that of a target region of function `launcher`: clang names it
   __omp_offloading_<device>_<file>_<function>_l<line>[_<number>]. */
bool tw_image_is_region(const char *name, const char *launcher);

/* Whether an image can have a target region of function `launcher`. True as well for what has no symbols to look at,
   such as code that the driver compiles. */
bool tw_image_may_have_region(struct tw_bytes image, const char *launcher);

/* The number in "sm_NN" if a device of compute capability `capability` can run images of this architecture: those of
   its generation that are not newer. Else -1. */
int tw_image_sm_for(const char *arch, unsigned capability);

/* ---- ELF files --------------------------------------------------------------------------------------------------- */

/* A little-endian ELF64 file. */
struct tw_elf {
    struct tw_bytes file, names;
    Elf64_Ehdr header;
    size_t section_count;
};

struct tw_elf_section {
    const char *name;
    Elf64_Shdr header;
    struct tw_bytes contents; /* none for SHT_NOBITS */
};

/* Returns whether `file` is an ELF file with sections. */
bool tw_elf_open(struct tw_elf *elf, struct tw_bytes file);
/* Returns false, and leaves `section` undefined, if there is no such section or it lies outside of the file. */
bool tw_elf_section(const struct tw_elf *elf, size_t index, struct tw_elf_section *section);
/* The first section with this name. */
bool tw_elf_find(const struct tw_elf *elf, const char *name, struct tw_elf_section *section);

#endif
