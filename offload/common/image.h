/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Device images in the running program: the loaded objects that hold them, the offload binaries around them, and the
 * ELF files that they are.
 *
 * clang wraps each device image in an offload binary (llvm/Object/OffloadBinary.h) and puts these one after the other
 * into a section of the program or shared library. All functions read memory that others own and that may contain
 * anything: on invalid contents they find nothing. Knows no device and no driver.
 */
#ifndef TEAMWORK_OFFLOAD_IMAGE_H
#define TEAMWORK_OFFLOAD_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/lower/kernel/launch.h>

#define TW_IMAGE_LAUNCHER_BYTES 512

/* Bytes that others own. They stay valid as long as the object that contains them is loaded. */
struct tw_bytes {
    const unsigned char *at;
    size_t size;
};

/* Returns `size` bytes from `offset` on; none ({NULL, 0}) if `bytes` does not contain all of them. */
struct tw_bytes tw_bytes_slice(struct tw_bytes bytes, uint64_t offset, uint64_t size);
/* Returns the string at `offset`; NULL if it does not end within the bytes. */
const char *tw_bytes_string(struct tw_bytes bytes, uint64_t offset);

/* ---- loaded objects ---------------------------------------------------------------------------------------------- */

/* Returns the offload binaries of the program or shared library whose code is at `address`; none if it has none. Works
   for stripped files, since the section is loaded. If the file has no section headers, the loaded constants are
   searched. */
struct tw_bytes tw_image_binaries(uintptr_t address);

/* Calls `visit` for the program and each shared library that has kernels for offload devices, until it returns false.
   `binaries` is empty if the linker left them out. */
void tw_image_visit_objects(bool (*visit)(const char *file, struct tw_bytes binaries, void *user), void *user);

/* Returns the number of shared libraries that have been unloaded so far. Once it changes, what was remembered by an
   address is void. */
unsigned long long tw_image_unloads(void);

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

/* The image of one device. `triple` and `arch` are "" if the offload binary does not give them. An image without
   contents stands for images that cannot be read, since they are compressed. */
struct tw_image {
    const char *triple, *arch;
    struct tw_bytes contents;
};

/* Calls `visit` for each OpenMP image in a sequence of offload binaries, until it returns false. Skips bytes that are
   not an offload binary, and offload binaries that contradict themselves. */
void tw_image_visit(struct tw_bytes binaries, bool (*visit)(const struct tw_image *image, void *user), void *user);

/* Returns true if a symbol of a device image is a target region of function `launcher`. clang names such a region
   __omp_offloading_<device>_<file>_<function>_l<line>[_<number>]. */
bool tw_image_is_region(const char *name, const char *launcher);

/* Stores the name of the function around a kernel's region of a lowering ("simt", "teams") with so many words. Returns false
   if it is longer than that. */
bool tw_image_name_launcher(char launcher[TW_IMAGE_LAUNCHER_BYTES], const struct tw_internal_kernel *kernel,
                            const char *lowering, unsigned words);

/* Returns true if an image can have a target region of function `launcher`. Also true for an image without symbols,
   such as code that the driver compiles. */
bool tw_image_may_have_region(struct tw_bytes image, const char *launcher);

/* Returns the number in "sm_NN" if a device of compute capability `capability` can run images of this architecture:
   those of its generation that are not newer. Otherwise returns -1. */
int tw_image_sm_for(const char *arch, unsigned capability);

/* Returns the lanes of a warp of this architecture (a wave, of AMD's GPUs), or 0 for an unknown one. */
unsigned tw_image_warp(const char *arch);

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

struct tw_elf_symbols {
    struct tw_bytes table, names;
    size_t count;
};

/* Returns true if `file` is an ELF file with sections: less than 65280, those that its header can count. */
bool tw_elf_open(struct tw_elf *elf, struct tw_bytes file);
/* Stores section `index`. Returns false, and leaves `section` undefined, if there is none or it exceeds the file. */
bool tw_elf_section(const struct tw_elf *elf, size_t index, struct tw_elf_section *section);
/* Stores the first section with this name. Returns false if there is none. */
bool tw_elf_find(const struct tw_elf *elf, const char *name, struct tw_elf_section *section);
/* Stores the first table of symbols of a type, SHT_SYMTAB or SHT_DYNSYM. Returns false if there is none. */
bool tw_elf_symbols(const struct tw_elf *elf, uint32_t type, struct tw_elf_symbols *symbols);
/* Stores symbol `index` and returns its name, "" if it has none. Returns NULL if there is no such symbol. */
const char *tw_elf_symbol(const struct tw_elf_symbols *symbols, size_t index, Elf64_Sym *symbol);

#endif
