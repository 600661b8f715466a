/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device images in the running program (image.h).
 *
 * The sizes and offsets in the files are untrusted 64-bit numbers: each is compared with the bytes that are left before
 * it is added to an address. Structs are copied out, since they may be unaligned.
 */
#define _GNU_SOURCE
#include "image.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

struct tw_bytes tw_bytes_slice(struct tw_bytes bytes, uint64_t offset, uint64_t size)
{
    const struct tw_bytes none = {NULL, 0};
    if (offset > bytes.size || size > bytes.size - offset)
        return none;
    return (struct tw_bytes){bytes.at + offset, (size_t)size};
}

const char *tw_bytes_string(struct tw_bytes bytes, uint64_t offset)
{
    if (offset >= bytes.size || !memchr(bytes.at + offset, 0, bytes.size - (size_t)offset))
        return NULL;
    return (const char *)bytes.at + offset;
}

static bool read_at(struct tw_bytes bytes, uint64_t offset, void *target, size_t size)
{
    const struct tw_bytes slice = tw_bytes_slice(bytes, offset, size);
    if (!slice.at)
        return false;
    memcpy(target, slice.at, size);
    return true;
}

/* Copies the first `size` bytes of an element of a table, whose elements have `stride` bytes each. */
static bool read_element(struct tw_bytes bytes, uint64_t table, uint64_t index, size_t stride, void *target,
                         size_t size)
{
    return table <= bytes.size && index <= bytes.size / stride && read_at(bytes, table + index * stride, target, size);
}

/* ---- ELF files --------------------------------------------------------------------------------------------------- */

static bool read_section_header(const struct tw_elf *elf, size_t index, Elf64_Shdr *header)
{
    return index < elf->section_count
           && read_element(elf->file, elf->header.e_shoff, index, sizeof *header, header, sizeof *header);
}

bool tw_elf_open(struct tw_elf *elf, struct tw_bytes file)
{
    static const unsigned char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    Elf64_Shdr names;
    memset(elf, 0, sizeof *elf);
    elf->file = file;
    if (!read_at(file, 0, &elf->header, sizeof elf->header) || memcmp(elf->header.e_ident, ident, sizeof ident) != 0
        || !elf->header.e_shoff || elf->header.e_shentsize != sizeof names)
        return false;
    elf->section_count = elf->header.e_shnum;
    if (!read_section_header(elf, elf->header.e_shstrndx, &names))
        return false;
    elf->names = tw_bytes_slice(file, names.sh_offset, names.sh_size);
    return elf->names.at != NULL;
}

bool tw_elf_section(const struct tw_elf *elf, size_t index, struct tw_elf_section *section)
{
    if (!read_section_header(elf, index, &section->header))
        return false;
    const uint64_t size = section->header.sh_type == SHT_NOBITS ? 0 : section->header.sh_size;
    section->name = tw_bytes_string(elf->names, section->header.sh_name);
    section->contents = tw_bytes_slice(elf->file, size ? section->header.sh_offset : 0, size);
    return section->name && section->contents.at;
}

bool tw_elf_find(const struct tw_elf *elf, const char *name, struct tw_elf_section *section)
{
    for (size_t i = 0; i < elf->section_count; ++i)
        if (tw_elf_section(elf, i, section) && strcmp(section->name, name) == 0)
            return true;
    return false;
}

bool tw_elf_symbols(const struct tw_elf *elf, uint32_t type, struct tw_elf_symbols *symbols)
{
    struct tw_elf_section table, names;
    for (size_t i = 0; i < elf->section_count; ++i)
        if (tw_elf_section(elf, i, &table) && table.header.sh_type == type
            && tw_elf_section(elf, table.header.sh_link, &names)) {
            *symbols = (struct tw_elf_symbols){table.contents, names.contents, table.contents.size / sizeof(Elf64_Sym)};
            return true;
        }
    return false;
}

const char *tw_elf_symbol(const struct tw_elf_symbols *symbols, size_t index, Elf64_Sym *symbol)
{
    if (index >= symbols->count)
        return NULL;
    memcpy(symbol, symbols->table.at + index * sizeof *symbol, sizeof *symbol);
    return tw_bytes_string(symbols->names, symbol->st_name);
}

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

enum { OFFLOAD_OPENMP = 1, METADATA_ONLY = 1, OFFLOAD_ALIGNMENT = 8, COMPRESSED = 99 /* in place of the version */ };

struct binary_header {
    unsigned char magic[4];
    uint32_t version;
    uint64_t size, entries_offset;
    uint64_t entries_count; /* in version 1: the size of the only entry */
};

struct binary_entry {
    uint16_t image_kind, offload_kind;
    uint32_t flags;
    uint64_t strings_offset, string_count, image_offset, image_size;
};

struct string_entry {
    uint64_t key_offset, value_offset; /* since version 2 the value's size follows */
};

/* Returns true if the magic bytes are at `at`. Compares byte by byte, so that the library's constants do not contain
   them. */
__attribute__((no_sanitize("address"))) static bool is_magic(const unsigned char *at)
{
    return at[0] == 0x10 && at[1] == 0xff && at[2] == 0x10 && at[3] == 0xad;
}

/* Returns the first place where an offload binary may begin; `bytes.size` if there is none. Reads across the gaps that
   AddressSanitizer leaves between constants. */
__attribute__((no_sanitize("address"))) static size_t search_magic(struct tw_bytes bytes, size_t from)
{
    for (size_t at = from; at < bytes.size && bytes.size - at >= sizeof(struct binary_header); at += OFFLOAD_ALIGNMENT)
        if (is_magic(bytes.at + at))
            return at;
    return bytes.size;
}

/* Returns the offload binary that begins with the magic bytes at `at`; none if it cannot be read. */
static struct tw_bytes binary_at(struct tw_bytes bytes, size_t at, struct binary_header *header)
{
    const struct tw_bytes none = {NULL, 0};
    uint64_t inflated_size = 0;
    if (!read_at(bytes, at, header, sizeof *header) || header->size < sizeof *header || header->version < 1
        || header->version > 3)
        return none;
    const struct tw_bytes binary = tw_bytes_slice(bytes, at, header->size);
    if (header->version == 3 && !read_at(binary, sizeof *header, &inflated_size, sizeof inflated_size))
        return none;
    if (inflated_size)
        header->entries_count = 0, header->version = COMPRESSED;
    return binary;
}

static const char *lookup(struct tw_bytes binary, const struct binary_entry *entry, unsigned version, const char *key)
{
    const uint64_t stride = version == 1 ? sizeof(struct string_entry) : sizeof(struct string_entry) + sizeof(uint64_t);
    struct string_entry string;
    for (uint64_t i = 0; i < entry->string_count; ++i) {
        if (!read_element(binary, entry->strings_offset, i, stride, &string, sizeof string))
            break;
        const char *name = tw_bytes_string(binary, string.key_offset);
        const char *value = tw_bytes_string(binary, string.value_offset);
        if (name && value && strcmp(name, key) == 0)
            return value;
    }
    return "";
}

/* Visits the images of one offload binary. Returns false if the visitor did. */
static bool visit_binary(struct tw_bytes binary, const struct binary_header *header,
                         bool (*visit)(const struct tw_image *image, void *user), void *user)
{
    const uint64_t count = header->version == 1 ? 1 : header->entries_count;
    if (header->version == COMPRESSED)
        return visit(&(struct tw_image){"", "", {NULL, 0}}, user);
    struct binary_entry entry;
    for (uint64_t i = 0; i < count; ++i) {
        if (!read_element(binary, header->entries_offset, i, sizeof entry, &entry, sizeof entry))
            break;
        const struct tw_image image = {lookup(binary, &entry, header->version, "triple"),
                                       lookup(binary, &entry, header->version, "arch"),
                                       tw_bytes_slice(binary, entry.image_offset, entry.image_size)};
        const bool is_metadata = header->version > 1 && entry.flags & METADATA_ONLY;
        if (entry.offload_kind & OFFLOAD_OPENMP && !is_metadata && image.contents.size && !visit(&image, user))
            return false;
    }
    return true;
}

void tw_image_visit(struct tw_bytes binaries, bool (*visit)(const struct tw_image *image, void *user), void *user)
{
    struct binary_header header;
    for (size_t at = search_magic(binaries, 0); at < binaries.size;) {
        const struct tw_bytes binary = binary_at(binaries, at, &header);
        if (binary.at && !visit_binary(binary, &header, visit, user))
            return;
        const size_t past = at + (binary.at ? binary.size : 1);
        at = search_magic(binaries, past + (OFFLOAD_ALIGNMENT - past % OFFLOAD_ALIGNMENT) % OFFLOAD_ALIGNMENT);
    }
}

/* ---- symbols of an image ----------------------------------------------------------------------------------------- */

#define REGION_PREFIX "__omp_offloading_"

static const char *skip(const char *text, const char *allowed)
{
    const size_t length = strspn(text, allowed);
    return length ? text + length : NULL;
}

/* Of a function object of C++ (lower/kernel/lambda.h) the symbol is how the mangled names of a class's functions begin. */
bool tw_image_name_launcher(char launcher[TW_IMAGE_LAUNCHER_BYTES], const struct tw_internal_kernel *kernel,
                            const char *lowering, unsigned words)
{
    int length;
    if (strncmp(kernel->symbol, "_ZN", 3) == 0)
        length = snprintf(launcher, TW_IMAGE_LAUNCHER_BYTES, "%s%dlambda_tw_%s_%uEPK17tw_internal_entry",
                          kernel->symbol, snprintf(NULL, 0, "lambda_tw_%s_%u", lowering, words), lowering, words);
    else
        length = snprintf(launcher, TW_IMAGE_LAUNCHER_BYTES, "%s_tw_%s_%u", kernel->symbol, lowering, words);
    return length < TW_IMAGE_LAUNCHER_BYTES;
}

bool tw_image_is_region(const char *name, const char *launcher)
{
    static const char hex[] = "0123456789abcdef", digits[] = "0123456789";
    if (strncmp(name, REGION_PREFIX, sizeof REGION_PREFIX - 1) != 0)
        return false;
    const char *at = name + sizeof REGION_PREFIX - 1;
    for (int part = 0; part < 2; ++part) { /* the numbers of the file system and the file that held the source */
        at = skip(at, hex);
        if (!at || *at++ != '_')
            return false;
    }
    const size_t length = strlen(launcher);
    if (strncmp(at, launcher, length) != 0 || strncmp(at + length, "_l", 2) != 0)
        return false;
    at = skip(at + length + 2, digits);
    if (at && *at == '_')
        at = skip(at + 1, digits);
    return at && !*at;
}

bool tw_image_may_have_region(struct tw_bytes image, const char *launcher)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct tw_elf elf;
    struct tw_elf_symbols symbols;
    Elf64_Sym symbol;
    bool has_symbols = false;
    for (size_t type = 0; tw_elf_open(&elf, image) && type < 2; ++type) {
        if (!tw_elf_symbols(&elf, types[type], &symbols))
            continue;
        has_symbols = true;
        for (size_t i = 0; i < symbols.count; ++i) {
            const char *name = tw_elf_symbol(&symbols, i, &symbol);
            if (name && symbol.st_shndx != SHN_UNDEF && tw_image_is_region(name, launcher))
                return true;
        }
    }
    return !has_symbols;
}

int tw_image_sm_for(const char *arch, unsigned capability)
{
    char *end;
    if (strncmp(arch, "sm_", 3) != 0)
        return -1;
    const long number = strtol(arch + 3, &end, 10);
    if (number / 10 != (long)capability / 10 || number > (long)capability
        || (*end == 'a' && number != (long)capability))
        return -1;
    return (int)number;
}

unsigned tw_image_warp(const char *arch)
{
    if (strncmp(arch, "sm_", 3) == 0)
        return 32;
    if (strncmp(arch, "gfx", 3) != 0)
        return 0;
    const size_t digits = strcspn(arch + 3, ":-"); /* gfx90a is of generation 9, gfx1100 of 11 */
    return digits == 3 ? 64 : digits == 4 ? 32 : 0;
}

/* ---- loaded objects ---------------------------------------------------------------------------------------------- */

struct object {
    uintptr_t address; /* the address to look for */
    const char *name;  /* "" for the program; NULL: not found */
    uintptr_t base;
    const ElfW(Phdr) * segments;
    size_t segment_count;
};

static bool is_in_segment(const struct object *object, const ElfW(Phdr) * segment, uintptr_t address, size_t size)
{
    const uintptr_t start = object->base + segment->p_vaddr;
    return segment->p_type == PT_LOAD && segment->p_flags & PF_R && address >= start
           && address - start <= segment->p_memsz && size <= segment->p_memsz - (address - start);
}

static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    struct object *object = user;
    (void)size;
    const struct object candidate = {object->address, info->dlpi_name, info->dlpi_addr, info->dlpi_phdr,
                                     info->dlpi_phnum};
    for (size_t i = 0; i < candidate.segment_count; ++i)
        if (is_in_segment(&candidate, &candidate.segments[i], object->address, 1)) {
            *object = candidate;
            return 1;
        }
    return 0;
}

/* Maps the file of an object, to read its section headers, which are not loaded. Returns none if that fails. */
static struct tw_bytes map_file(const char *path)
{
    struct tw_bytes bytes = {NULL, 0};
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return bytes;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
        void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED)
            bytes = (struct tw_bytes){memory, (size_t)about.st_size};
    }
    close(file);
    return bytes;
}

/* Returns true if an object was loaded from this file: a newer file of the same name has other segments. */
static bool is_file_of(const struct object *object, const struct tw_elf *elf)
{
    const size_t size = object->segment_count * sizeof *object->segments;
    const struct tw_bytes segments = tw_bytes_slice(elf->file, elf->header.e_phoff, size);
    return elf->header.e_phnum == object->segment_count && elf->header.e_phentsize == sizeof *object->segments
           && segments.at && memcmp(segments.at, object->segments, size) == 0;
}

/* Returns true if an object is a device image for the host's processor, which libomptarget loads like a library: it
   exports its target regions. */
static bool is_device_image(const struct tw_elf *elf)
{
    struct tw_elf_symbols symbols;
    Elf64_Sym symbol;
    if (!tw_elf_symbols(elf, SHT_DYNSYM, &symbols))
        return false;
    for (size_t i = 0; i < symbols.count; ++i) {
        const char *name = tw_elf_symbol(&symbols, i, &symbol);
        if (name && strncmp(name, REGION_PREFIX, sizeof REGION_PREFIX - 1) == 0)
            return true;
    }
    return false;
}

/* Returns true if an object has a table of target regions, under its name in LLVM 19 or that in later versions. Every
   object with code that was compiled for offload devices has one, no matter which linker made it. */
static bool has_regions(const struct tw_elf *elf)
{
    struct tw_elf_section section;
    return (tw_elf_find(elf, "omp_offloading_entries", &section) || tw_elf_find(elf, "llvm_offload_entries", &section))
           && section.header.sh_size && !is_device_image(elf);
}

/* Stores the loaded section with offload binaries, if there is one, and whether the object has target regions. Returns
   true if the object's file could be read. */
static bool ask_file(const struct object *object, struct tw_bytes *binaries, bool *regions)
{
    const struct tw_bytes file = map_file(object->name[0] ? object->name : "/proc/self/exe");
    struct tw_elf elf;
    struct tw_elf_section section;
    const bool known = file.at && tw_elf_open(&elf, file) && is_file_of(object, &elf);
    if (known && tw_elf_find(&elf, ".llvm.offloading", &section) && section.header.sh_flags & SHF_ALLOC) {
        const uintptr_t at = object->base + section.header.sh_addr;
        for (size_t i = 0; i < object->segment_count; ++i)
            if (is_in_segment(object, &object->segments[i], at, (size_t)section.header.sh_size))
                *binaries = (struct tw_bytes){(const unsigned char *)at, (size_t)section.header.sh_size};
    }
    *regions = known && has_regions(&elf);
    if (file.at)
        munmap((void *)(uintptr_t)file.at, file.size);
    return known;
}

/* Returns the first offload binary in the loaded constants of an object, with all bytes that follow it. */
static struct tw_bytes search_segments(const struct object *object)
{
    const struct tw_bytes none = {NULL, 0};
    struct binary_header header;
    for (size_t i = 0; i < object->segment_count; ++i) {
        const ElfW(Phdr) *segment = &object->segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) || segment->p_flags & PF_W)
            continue;
        const struct tw_bytes bytes = {(const unsigned char *)(object->base + segment->p_vaddr), segment->p_memsz};
        size_t at = search_magic(bytes, -(uintptr_t)bytes.at % OFFLOAD_ALIGNMENT);
        for (; at < bytes.size; at = search_magic(bytes, at + OFFLOAD_ALIGNMENT))
            if (binary_at(bytes, at, &header).at)
                return tw_bytes_slice(bytes, at, bytes.size - at);
    }
    return none;
}

struct tw_bytes tw_image_binaries(uintptr_t address)
{
    struct object object = {.address = address};
    struct tw_bytes binaries = {NULL, 0};
    bool regions;
    if (dl_iterate_phdr(find_object, &object) && !ask_file(&object, &binaries, &regions))
        binaries = search_segments(&object);
    return binaries;
}

struct objects_visit {
    bool (*visit)(const char *file, struct tw_bytes binaries, void *user);
    void *user;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct objects_visit *visit = user;
    const struct object object = {0, info->dlpi_name, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
    struct tw_bytes binaries = {NULL, 0};
    bool regions = false;
    (void)size;
    if (!ask_file(&object, &binaries, &regions) || (!regions && !binaries.at))
        return 0;
    return !visit->visit(object.name[0] ? object.name : "the program", binaries, visit->user);
}

void tw_image_visit_objects(bool (*visit)(const char *file, struct tw_bytes binaries, void *user), void *user)
{
    struct objects_visit all = {visit, user};
    dl_iterate_phdr(visit_object, &all);
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *user)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *(unsigned long long *)user = info->dlpi_subs;
    return 1; /* the number is the same in all objects */
}

unsigned long long tw_image_unloads(void)
{
    unsigned long long unloads = 0;
    dl_iterate_phdr(read_unloads, &unloads);
    return unloads;
}
