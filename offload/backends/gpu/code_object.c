/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a code object, the ELF file that LLVM makes for AMD GPUs (gpu_image.h). Their needs are in its note
 * (common/code_object.h). Checked with what clang 19 makes for gfx90a, gfx942, gfx1100 and gfx1200.
 */
#include "common/code_object.h"

#include <string.h>

#include "gpu_image.h"

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* Stores the bytes of the parameters: words one after the other. liboffload copies them to the beginning of the memory of
   a kernel's arguments, and fills in the hidden ones behind them. */
static bool read_parameters(struct tw_metadata reader, size_t *bytes)
{
    bool hidden = false;
    *bytes = 0;
    if (!tw_metadata_seek(&reader, ".args"))
        return false;
    const struct tw_metadata_value args = tw_metadata_next(&reader);
    for (uint64_t i = 0; args.kind == TW_METADATA_ARRAY && i < args.number; ++i) {
        struct tw_metadata kind = reader;
        size_t offset, size;
        if (!tw_metadata_number(reader, ".offset", &offset) || !tw_metadata_number(reader, ".size", &size)
            || !tw_metadata_seek(&kind, ".value_kind"))
            return false;
        const struct tw_metadata_value text = tw_metadata_next(&kind);
        if (text.kind != TW_METADATA_TEXT || !tw_metadata_skip(&reader))
            return false;
        const bool was_hidden = hidden;
        hidden = text.text.size > 7 && memcmp(text.text.at, "hidden_", 7) == 0;
        if ((!hidden || !was_hidden) && offset != *bytes)
            return false; /* there is a gap before it */
        if (hidden)
            continue;
        if (was_hidden || size != sizeof(uint64_t))
            return false;
        *bytes += size;
    }
    return args.kind == TW_METADATA_ARRAY;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool has_variables(const struct tw_elf *elf)
{
    static const char *const fixed[] = {".dynamic", ".got", ".data.rel.ro", ".relro_padding"}; /* once it is loaded */
    struct tw_elf_section section;
    for (size_t i = 0; i < elf->section_count; ++i) {
        if (!tw_elf_section(elf, i, &section))
            return true;
        bool is_fixed = !(section.header.sh_flags & SHF_WRITE);
        for (size_t j = 0; j < sizeof fixed / sizeof *fixed; ++j)
            is_fixed = is_fixed || strcmp(section.name, fixed[j]) == 0;
        if (!is_fixed && section.header.sh_size)
            return true;
    }
    return false;
}

/* Returns false if no instruction of a function can make an address within the image, be it of a variable or of another
   function: all of these begin with s_getpc_b64 (s_get_pc_i64 from gfx12 on). Other bytes may look like it. */
static bool has_addresses(const struct tw_elf *elf, const Elf64_Sym *function)
{
    struct tw_elf_section section;
    if (!tw_elf_section(elf, function->st_shndx, &section) || function->st_value < section.header.sh_addr)
        return true;
    const struct tw_bytes code =
        tw_bytes_slice(section.contents, function->st_value - section.header.sh_addr, function->st_size);
    if (!code.at)
        return true;
    for (size_t at = 0; at + 4 <= code.size; at += 4) {
        uint32_t word;
        memcpy(&word, code.at + at, sizeof word);
        word &= 0xff80ffffu;                           /* without the register */
        if (word == 0xbe801c00u || word == 0xbe801f00u /* gfx8 and gfx9; gfx6, gfx7 and gfx10 */
            || word == 0xbe804700u)                    /* from gfx11 on */
            return true;
    }
    return false;
}

bool tw_is_code_object(struct tw_bytes bytes)
{
    struct tw_elf elf;
    return tw_elf_open(&elf, bytes) && tw_elf_is_code_object(&elf);
}

const char *tw_code_object_find(struct tw_bytes bytes, const char *launcher, struct tw_gpu_image_kernel *kernel)
{
    struct tw_elf elf;
    struct tw_elf_symbols symbols;
    struct tw_metadata reader;
    Elf64_Sym symbol, function = {.st_size = 0};
    size_t most;
    *kernel = (struct tw_gpu_image_kernel){.name = NULL};
    if (!tw_elf_open(&elf, bytes) || !tw_elf_is_code_object(&elf) || !tw_elf_symbols(&elf, SHT_DYNSYM, &symbols))
        return "its device image is not a code object";
    for (size_t i = 1; i < symbols.count; ++i) {
        const char *name = tw_elf_symbol(&symbols, i, &symbol);
        if (!name || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !tw_image_is_region(name, launcher))
            continue;
        if (kernel->name)
            return "its device image has several regions that it may be";
        kernel->name = name;
        function = symbol;
    }
    if (!kernel->name)
        return "its device image does not have its region";
    if (!tw_metadata_of_kernel(&elf, kernel->name, &reader)
        || !tw_metadata_number(reader, ".group_segment_fixed_size", &kernel->static_bytes)
        || !tw_metadata_number(reader, ".private_segment_fixed_size", &kernel->private_bytes)
        || !tw_metadata_number(reader, ".vgpr_count", &kernel->registers)
        || !tw_metadata_number(reader, ".max_flat_workgroup_size", &kernel->max_items)
        || !tw_metadata_number(reader, ".kernarg_segment_size", &most))
        return "its device image does not tell what it needs";
    if (!read_parameters(reader, &kernel->parameter_bytes) || kernel->parameter_bytes > most)
        return "it has other parameters than expected";
    kernel->uses_globals = has_variables(&elf) && has_addresses(&elf, &function);
    return NULL;
}
