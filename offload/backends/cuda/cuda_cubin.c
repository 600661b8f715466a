/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a cubin (cuda_cubin.h). Their names are in its symbols, and the variables that they use in its
 * relocations. Checked with cubins of CUDA 13 for sm_75 to sm_121.
 */
#include "cuda_cubin.h"

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

const char *tw_cubin_find(struct tw_bytes bytes, const char *launcher, struct tw_cubin_kernel *kernel)
{
    struct walk walk;
    Elf64_Sym symbol;
    size_t found = 0;
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
    return NULL;
}
