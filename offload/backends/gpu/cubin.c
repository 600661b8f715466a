/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a cubin, the ELF file that NVIDIA's assembler makes (gpu_image.h). Their names are in its symbols, the
 * variables that they use in its relocations, and their needs in its sections .nv.info. Checked with cubins of CUDA 13
 * for sm_75 to sm_121.
 */
#include "gpu_image.h"

#include <stdlib.h>
#include <string.h>

#define MACHINE_CUDA 190 /* EM_CUDA */

/* A search for the variables that a kernel uses. It follows relocations through functions and constants. */
struct walk {
    struct tw_elf elf;
    struct tw_elf_symbols symbols;
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
    Elf64_Sym symbol;
    struct tw_elf_section section;
    if (!tw_elf_symbol(&walk->symbols, index, &symbol))
        return true;
    if (walk->seen[index])
        return false;
    walk->seen[index] = 1;
    if (symbol.st_shndx == SHN_UNDEF)
        return false; /* a function of the driver, such as vprintf */
    if (symbol.st_shndx >= SHN_LORESERVE || !tw_elf_section(&walk->elf, symbol.st_shndx, &section))
        return true;
    const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    const bool is_section = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION;
    if (starts_with(section.name, ".nv.shared"))
        return false;
    const bool is_constant = strcmp(section.name, ".nv.global.init") == 0 || starts_with(section.name, ".nv.constant");
    if (!starts_with(section.name, ".text.") && (!is_constant || !is_local || is_section))
        return true;
    walk->todo[walk->todo_count++] = (uint32_t)index;
    return false;
}

/* Returns true if relocations for section `target` concern a symbol: its own section, or its function's constants. */
static bool concerns(const struct tw_elf *elf, uint32_t target, const Elf64_Sym *symbol)
{
    struct tw_elf_section section;
    if (target == symbol->st_shndx)
        return true;
    return tw_elf_section(elf, target, &section) && section.header.sh_info == symbol->st_shndx
           && starts_with(section.name, ".nv.constant");
}

/* Calls note_use() for the symbols that a symbol uses by one section of relocations. Returns true if a call did. */
static bool note_relocations(struct walk *walk, const struct tw_elf_section *relocations, const Elf64_Sym *symbol)
{
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    const size_t entry = relocations->header.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t at = 0; at + entry <= relocations->contents.size; at += entry) {
        Elf64_Rel relocation; /* the common beginning of both kinds */
        memcpy(&relocation, relocations->contents.at + at, sizeof relocation);
        const uint64_t start = symbol->st_value;
        const bool within = relocation.r_offset >= start && relocation.r_offset - start < symbol->st_size;
        /* a function is alone in its sections */
        if ((is_function || within) && note_use(walk, ELF64_R_SYM(relocation.r_info)))
            return true;
    }
    return false;
}

static bool walk_uses(struct walk *walk)
{
    struct tw_elf_section section;
    Elf64_Sym symbol;
    while (walk->todo_count) {
        if (!tw_elf_symbol(&walk->symbols, walk->todo[--walk->todo_count], &symbol))
            return true;
        for (size_t i = 0; i < walk->elf.section_count; ++i) {
            if (!tw_elf_section(&walk->elf, i, &section)
                || (section.header.sh_type != SHT_REL && section.header.sh_type != SHT_RELA)
                || !concerns(&walk->elf, section.header.sh_info, &symbol))
                continue;
            if (note_relocations(walk, &section, &symbol))
                return true;
        }
    }
    return false;
}

static bool uses_globals(struct walk *walk, size_t kernel)
{
    walk->seen = calloc(walk->symbols.count, 1);
    walk->todo = malloc(walk->symbols.count * sizeof *walk->todo);
    walk->todo_count = 0;
    const bool found = !walk->seen || !walk->todo || note_use(walk, kernel) || walk_uses(walk);
    free(walk->seen);
    free(walk->todo);
    return found;
}

/* ---- needs ------------------------------------------------------------------------------------------------------- */

/* Entries of .nv.info sections: a format and an attribute, a byte each, and 16 bits, which are the value or the number
   of the bytes behind them. Numbers of a kernel in the section of all kernels follow its symbol's number. */
enum { WITH_HALFWORD = 3, WITH_BYTES = 4 };
enum { MAX_THREADS = 0x05, FRAME_BYTES = 0x11, PARAMETER_BYTES = 0x19, REGISTERS = 0x2f };

#define REGISTER_FILE 65536u /* registers that the threads of a group share */
#define WARP 32u
#define REGISTER_STEP 8u /* registers of a thread are allocated in such steps ... */
#define WARP_STEP 4u     /* ... and those of so many warps at once */
#define MOST_THREADS 1024u

/* Returns the most threads of a group, by the registers of each. */
static size_t threads_for(size_t registers)
{
    const size_t step = (registers + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
    const size_t warps = registers ? REGISTER_FILE / (step * WARP) / WARP_STEP * WARP_STEP : MOST_THREADS / WARP;
    return warps * WARP < MOST_THREADS ? warps * WARP : MOST_THREADS;
}

static void note_entry(unsigned attribute, const uint32_t words[3], size_t symbol, struct tw_gpu_image_kernel *kernel)
{
    if (attribute == REGISTERS && words[0] == symbol)
        kernel->registers = words[1];
    else if (attribute == FRAME_BYTES && words[0] == symbol)
        kernel->private_bytes = words[1];
    else if (attribute == MAX_THREADS)
        kernel->max_items = (size_t)words[0] * words[1] * words[2];
}

/* Reads a section of entries, up to one that exceeds it. */
static void read_entries(struct tw_bytes entries, size_t symbol, struct tw_gpu_image_kernel *kernel)
{
    for (size_t at = 0; at + 4 <= entries.size;) {
        const unsigned format = entries.at[at], attribute = entries.at[at + 1];
        uint32_t words[3] = {0, 0, 0};
        uint16_t value;
        memcpy(&value, entries.at + at + 2, sizeof value);
        at += 4;
        if (format == WITH_HALFWORD && attribute == PARAMETER_BYTES)
            kernel->parameter_bytes = value;
        if (format != WITH_BYTES)
            continue;
        const struct tw_bytes data = tw_bytes_slice(entries, at, value);
        if (!data.at)
            return;
        memcpy(words, data.at, data.size < sizeof words ? data.size : sizeof words);
        note_entry(attribute, words, symbol, kernel);
        at += value;
    }
}

/* Stores what a kernel needs. */
static void read_needs(const struct tw_elf *elf, size_t symbol, struct tw_gpu_image_kernel *kernel)
{
    struct tw_elf_section section;
    for (size_t i = 0; i < elf->section_count; ++i) {
        if (!tw_elf_section(elf, i, &section))
            continue;
        if (strcmp(section.name, ".nv.info") == 0
            || (starts_with(section.name, ".nv.info.") && strcmp(section.name + 9, kernel->name) == 0))
            read_entries(section.contents, symbol, kernel);
        else if (starts_with(section.name, ".nv.shared.") && strcmp(section.name + 11, kernel->name) == 0)
            kernel->static_bytes = section.header.sh_size;
    }
    const size_t fitting = threads_for(kernel->registers);
    if (!kernel->max_items || kernel->max_items > fitting)
        kernel->max_items = fitting;
}

const char *tw_cubin_find(struct tw_bytes bytes, const char *launcher, struct tw_gpu_image_kernel *kernel)
{
    struct walk walk;
    Elf64_Sym symbol;
    size_t found = 0;
    *kernel = (struct tw_gpu_image_kernel){.name = NULL};
    if (!tw_elf_open(&walk.elf, bytes) || walk.elf.header.e_machine != MACHINE_CUDA
        || !tw_elf_symbols(&walk.elf, SHT_SYMTAB, &walk.symbols))
        return "its device image is not a cubin";
    for (size_t i = 1; i < walk.symbols.count; ++i) {
        const char *name = tw_elf_symbol(&walk.symbols, i, &symbol);
        if (!name || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !tw_image_is_region(name, launcher))
            continue;
        if (found)
            return "its device image has several regions that it may be";
        kernel->name = name;
        found = i;
    }
    if (!found)
        return "its device image does not have its region";
    kernel->uses_globals = uses_globals(&walk, found);
    read_needs(&walk.elf, found, kernel);
    return NULL;
}
