/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a cubin (cuda_cubin.h). Their names are in its symbols, their parameters in the attributes that the
 * assembler writes for the driver, and the variables that they use in its relocations. Checked with cubins of CUDA 13
 * for sm_75 to sm_121.
 */
#include "cuda_cubin.h"

#include <stdlib.h>
#include <string.h>

#define MACHINE_CUDA 190 /* EM_CUDA */
#define CLAUSE_VALUES 3u /* the most parameters that clauses may add */

struct cubin {
    struct tw_elf elf;
    struct tw_bytes symbols, names;
    size_t symbol_count;
};

struct symbol {
    const char *name; /* "" if it has none */
    Elf64_Sym header;
};

static bool open_cubin(struct cubin *cubin, struct tw_bytes bytes)
{
    struct tw_elf_section section, names;
    if (!tw_elf_open(&cubin->elf, bytes) || cubin->elf.header.e_machine != MACHINE_CUDA)
        return false;
    for (size_t i = 0; i < cubin->elf.section_count; ++i) {
        if (!tw_elf_section(&cubin->elf, i, &section) || section.header.sh_type != SHT_SYMTAB)
            continue;
        if (!tw_elf_section(&cubin->elf, section.header.sh_link, &names))
            return false;
        cubin->symbols = section.contents;
        cubin->symbol_count = section.contents.size / sizeof(Elf64_Sym);
        cubin->names = names.contents;
        return true;
    }
    return false;
}

static bool read_symbol(const struct cubin *cubin, size_t index, struct symbol *symbol)
{
    const struct tw_bytes bytes =
        index < cubin->symbol_count
            ? tw_bytes_slice(cubin->symbols, index * sizeof symbol->header, sizeof symbol->header)
            : (struct tw_bytes){NULL, 0};
    if (!bytes.at)
        return false;
    memcpy(&symbol->header, bytes.at, sizeof symbol->header);
    symbol->name = tw_bytes_string(cubin->names, symbol->header.st_name);
    return symbol->name != NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Returns true if a kernel is bare. All others have a variable, named after them, for the device runtime. */
static bool is_bare(const struct cubin *cubin, const char *name)
{
    const size_t length = strlen(name);
    struct symbol symbol;
    for (size_t i = 0; i < cubin->symbol_count; ++i)
        if (read_symbol(cubin, i, &symbol) && strncmp(symbol.name, name, length) == 0
            && strcmp(symbol.name + length, "_kernel_environment") == 0)
            return false;
    return true;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* The attributes of a kernel, in section .nv.info.<kernel>. Each has a format, a kind, and 16 bits that are the value
   itself or the size of the value that follows. */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum { KIND_PARAMETER = 0x17, KIND_PARAMETER_BYTES = 0x19, KIND_PARAMETER_2 = 0x45 };

struct attribute {
    uint8_t format, kind;
    uint16_t value;
};

struct parameter {
    uint32_t index;
    uint16_t ordinal, offset;
    uint32_t shape; /* the upper 14 bits are the size in bytes; in KIND_PARAMETER_2, the lower 16 bits */
};

/* Marks one parameter as seen. Returns false if it is not a word at the offset of its ordinal. */
static bool note_parameter(struct tw_bytes value, unsigned kind, uint64_t *seen)
{
    struct parameter parameter;
    if (value.size != sizeof parameter)
        return false;
    memcpy(&parameter, value.at, sizeof parameter);
    const unsigned size = kind == KIND_PARAMETER ? parameter.shape >> 18 : parameter.shape & 0xffffu;
    if (parameter.ordinal >= TW_CUBIN_MAX_PARAMETERS || size != 8 || parameter.offset != 8 * parameter.ordinal)
        return false;
    *seen |= UINT64_C(1) << parameter.ordinal;
    return true;
}

/* Returns the number of a kernel's parameters if all are words without gaps; 0 if they are not, or that is unclear. */
static unsigned count_words(const struct cubin *cubin, const char *kernel)
{
    static const char prefix[] = ".nv.info.";
    struct tw_elf_section section;
    uint64_t seen = 0; /* one bit for each parameter */
    size_t total = 0, at = 0, i = 0;
    for (; i < cubin->elf.section_count; ++i)
        if (tw_elf_section(&cubin->elf, i, &section) && strncmp(section.name, prefix, sizeof prefix - 1) == 0
            && strcmp(section.name + sizeof prefix - 1, kernel) == 0)
            break;
    if (i == cubin->elf.section_count)
        return 0;
    while (at < section.contents.size) {
        const struct tw_bytes head = tw_bytes_slice(section.contents, at, sizeof(struct attribute));
        struct attribute attribute;
        if (!head.at)
            return 0;
        memcpy(&attribute, head.at, sizeof attribute);
        at += sizeof attribute;
        if (attribute.format < FORMAT_NONE || attribute.format > FORMAT_SIZED)
            return 0;
        if (attribute.format == FORMAT_HALF && attribute.kind == KIND_PARAMETER_BYTES)
            total = attribute.value;
        if (attribute.format != FORMAT_SIZED)
            continue;
        const struct tw_bytes value = tw_bytes_slice(section.contents, at, attribute.value);
        if (!value.at)
            return 0;
        at += value.size;
        if ((attribute.kind == KIND_PARAMETER || attribute.kind == KIND_PARAMETER_2)
            && !note_parameter(value, attribute.kind, &seen))
            return 0;
    }
    const unsigned count = (unsigned)__builtin_popcountll(seen);
    return total == 8 * (size_t)count ? count : 0; /* otherwise a parameter is missing */
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* A search for the variables that a kernel uses. It follows relocations through functions and constants. */
struct walk {
    const struct cubin *cubin;
    unsigned char *seen; /* one element for each symbol */
    uint32_t *todo;
    size_t todo_count;
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns true if a symbol is a variable that would exist twice: one that can change, or that the host can find by its
   name and change. Adds functions and constants to `todo`. Also returns true for a symbol that is not understood. */
static bool note_use(struct walk *walk, size_t index)
{
    struct symbol symbol;
    struct tw_elf_section section;
    if (!read_symbol(walk->cubin, index, &symbol))
        return true;
    if (walk->seen[index])
        return false;
    walk->seen[index] = 1;
    if (symbol.header.st_shndx == SHN_UNDEF)
        return false; /* a function of the driver, such as vprintf */
    if (symbol.header.st_shndx >= SHN_LORESERVE || !tw_elf_section(&walk->cubin->elf, symbol.header.st_shndx, &section))
        return true;
    const bool is_local = ELF64_ST_BIND(symbol.header.st_info) == STB_LOCAL;
    const bool is_section = ELF64_ST_TYPE(symbol.header.st_info) == STT_SECTION;
    if (starts_with(section.name, ".nv.shared"))
        return false;
    const bool is_constant = strcmp(section.name, ".nv.global.init") == 0 || starts_with(section.name, ".nv.constant");
    if (!starts_with(section.name, ".text.") && (!is_constant || !is_local || is_section))
        return true;
    walk->todo[walk->todo_count++] = (uint32_t)index;
    return false;
}

/* Returns true if relocations for section `target` concern a symbol: its own section, or its function's constants. */
static bool concerns(const struct cubin *cubin, uint32_t target, const struct symbol *symbol)
{
    struct tw_elf_section section;
    if (target == symbol->header.st_shndx)
        return true;
    return tw_elf_section(&cubin->elf, target, &section) && section.header.sh_info == symbol->header.st_shndx
           && starts_with(section.name, ".nv.constant");
}

/* Calls note_use() for the symbols that a symbol uses by one section of relocations. Returns true if a call did. */
static bool note_relocations(struct walk *walk, const struct tw_elf_section *relocations, const struct symbol *symbol)
{
    const bool is_function = ELF64_ST_TYPE(symbol->header.st_info) == STT_FUNC;
    const size_t entry = relocations->header.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t at = 0; at + entry <= relocations->contents.size; at += entry) {
        Elf64_Rel relocation; /* the common beginning of both kinds */
        memcpy(&relocation, relocations->contents.at + at, sizeof relocation);
        const uint64_t start = symbol->header.st_value;
        const bool within = relocation.r_offset >= start && relocation.r_offset - start < symbol->header.st_size;
        /* a function is alone in its sections */
        if ((is_function || within) && note_use(walk, ELF64_R_SYM(relocation.r_info)))
            return true;
    }
    return false;
}

static bool walk_uses(struct walk *walk)
{
    struct tw_elf_section section;
    struct symbol symbol;
    while (walk->todo_count) {
        if (!read_symbol(walk->cubin, walk->todo[--walk->todo_count], &symbol))
            return true;
        for (size_t i = 0; i < walk->cubin->elf.section_count; ++i) {
            if (!tw_elf_section(&walk->cubin->elf, i, &section)
                || (section.header.sh_type != SHT_REL && section.header.sh_type != SHT_RELA)
                || !concerns(walk->cubin, section.header.sh_info, &symbol))
                continue;
            if (note_relocations(walk, &section, &symbol))
                return true;
        }
    }
    return false;
}

static bool uses_globals(const struct cubin *cubin, size_t kernel)
{
    struct walk walk = {cubin, calloc(cubin->symbol_count, 1), malloc(cubin->symbol_count * sizeof(uint32_t)), 0};
    const bool found = !walk.seen || !walk.todo || note_use(&walk, kernel) || walk_uses(&walk);
    free(walk.seen);
    free(walk.todo);
    return found;
}

/* ---- lookup ------------------------------------------------------------------------------------------------------ */

const char *tw_cubin_find(struct tw_bytes bytes, const char *launcher, unsigned words, struct tw_cubin_kernel *kernel)
{
    struct cubin cubin;
    struct symbol symbol;
    size_t found = 0, regions = 0;
    if (!open_cubin(&cubin, bytes))
        return "its device image is not a cubin";
    for (size_t i = 0; i < cubin.symbol_count; ++i) {
        if (!read_symbol(&cubin, i, &symbol) || ELF64_ST_TYPE(symbol.header.st_info) != STT_FUNC
            || !tw_image_is_region(symbol.name, launcher))
            continue;
        ++regions;
        const unsigned parameters = count_words(&cubin, symbol.name);
        if (parameters < 1 + words || parameters > 1 + words + CLAUSE_VALUES || !is_bare(&cubin, symbol.name))
            continue;
        if (found)
            return "its device image has several regions that it may be";
        *kernel = (struct tw_cubin_kernel){symbol.name, parameters, false};
        found = i;
    }
    if (!found)
        return regions ? "its regions in the device image have other parameters than expected"
                       : "its device image does not have its regions";
    kernel->uses_globals = uses_globals(&cubin, found);
    return NULL;
}
