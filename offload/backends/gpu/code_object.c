/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a code object, the ELF file that LLVM makes for AMD GPUs (gpu_image.h). Their needs are in a note, in
 * MessagePack ("Code Object Metadata" of LLVM's AMDGPU guide). Checked with what clang 19 makes for gfx90a, gfx942,
 * gfx1100 and gfx1200.
 */
#include "gpu_image.h"

#include <string.h>

#define MACHINE_AMDGPU 224 /* EM_AMDGPU */
#define NOTE_METADATA 32   /* NT_AMDGPU_METADATA */

/* ---- MessagePack ------------------------------------------------------------------------------------------------- */

enum kind { NUMBER, TEXT, ARRAY, MAP, OTHER, BROKEN };

/* A value. Those of an array or a map follow it. */
struct value {
    enum kind kind;
    uint64_t number; /* a number that is not negative, or how many elements or pairs follow */
    struct tw_bytes text;
};

/* Reads values one after the other. */
struct reader {
    struct tw_bytes bytes;
    size_t at;
};

/* Reads a number of 1, 2, 4 or 8 bytes, the highest one first. Returns false if they are not there. */
static bool read_number(struct reader *reader, size_t bytes, uint64_t *number)
{
    const struct tw_bytes from = tw_bytes_slice(reader->bytes, reader->at, bytes);
    *number = 0;
    for (size_t i = 0; from.at && i < bytes; ++i)
        *number = *number << 8 | from.at[i];
    reader->at += bytes;
    return from.at != NULL;
}

/* Reads a value of so many bytes, which are a text or not understood. */
static struct value bytes_of(struct reader *reader, enum kind kind, uint64_t bytes)
{
    const struct tw_bytes text = tw_bytes_slice(reader->bytes, reader->at, bytes);
    if (!text.at)
        return (struct value){.kind = BROKEN};
    reader->at += bytes;
    return (struct value){.kind = kind, .text = text};
}

/* Reads the value behind a first byte from 0xc0 to 0xdf. */
static struct value long_value(struct reader *reader, unsigned first)
{
    static const struct {
        unsigned char kind, bytes; /* bytes of the number behind the first byte */
    } forms[32] = {
        [0x00] = {OTHER, 0},  [0x02] = {OTHER, 0},  [0x03] = {OTHER, 0}, /* nil, false, true */
        [0x04] = {OTHER, 1},  [0x05] = {OTHER, 2},  [0x06] = {OTHER, 4}, /* bytes */
        [0x0c] = {NUMBER, 1}, [0x0d] = {NUMBER, 2}, [0x0e] = {NUMBER, 4}, [0x0f] = {NUMBER, 8},
        [0x19] = {TEXT, 1},   [0x1a] = {TEXT, 2},   [0x1b] = {TEXT, 4},   [0x1c] = {ARRAY, 2},
        [0x1d] = {ARRAY, 4},  [0x1e] = {MAP, 2},    [0x1f] = {MAP, 4},
    };
    static const unsigned char fixed[32] = {[0x0a] = 4, [0x0b] = 8, [0x10] = 1, [0x11] = 2, [0x12] = 4, [0x13] = 8,
                                            [0x14] = 2, [0x15] = 3, [0x16] = 5, [0x17] = 9, [0x18] = 17};
    const unsigned form = first - 0xc0;
    uint64_t number = 0;
    if (fixed[form]) /* floats, signed numbers and extensions */
        return bytes_of(reader, OTHER, fixed[form]);
    const bool is_known = form == 0 || forms[form].kind != NUMBER || forms[form].bytes;
    if (!is_known || (forms[form].bytes && !read_number(reader, forms[form].bytes, &number)))
        return (struct value){.kind = BROKEN};
    const enum kind kind = (enum kind)forms[form].kind;
    return kind == TEXT || kind == OTHER ? bytes_of(reader, kind, number)
                                         : (struct value){.kind = kind, .number = number};
}

static struct value next(struct reader *reader)
{
    uint64_t first;
    if (!read_number(reader, 1, &first))
        return (struct value){.kind = BROKEN};
    if (first < 0x80)
        return (struct value){.kind = NUMBER, .number = first};
    if (first < 0x90)
        return (struct value){.kind = MAP, .number = first & 0xf};
    if (first < 0xa0)
        return (struct value){.kind = ARRAY, .number = first & 0xf};
    if (first < 0xc0)
        return bytes_of(reader, TEXT, first & 0x1f);
    return first < 0xe0 ? long_value(reader, (unsigned)first) : (struct value){.kind = OTHER};
}

/* Skips a value with all that it contains. Returns false if it is broken. */
static bool skip(struct reader *reader)
{
    for (uint64_t left = 1; left; --left) {
        const struct value value = next(reader);
        if (value.kind == BROKEN)
            return false;
        left += value.kind == ARRAY ? value.number : value.kind == MAP ? 2 * value.number : 0;
    }
    return true;
}

static bool is_text(struct value value, const char *text)
{
    return value.kind == TEXT && value.text.size == strlen(text) && memcmp(value.text.at, text, value.text.size) == 0;
}

/* Moves a reader from a map to the value of a key. Returns false if there is none. */
static bool seek(struct reader *reader, const char *key)
{
    const struct value map = next(reader);
    for (uint64_t i = 0; map.kind == MAP && i < map.number; ++i) {
        const struct value found = next(reader);
        if (is_text(found, key))
            return true;
        if (found.kind != TEXT || !skip(reader))
            return false;
    }
    return false;
}

/* Stores the number of a key in the map where a reader is. */
static bool number_of(struct reader reader, const char *key, size_t *number)
{
    if (!seek(&reader, key))
        return false;
    const struct value value = next(&reader);
    *number = (size_t)value.number;
    return value.kind == NUMBER;
}

/* ---- needs ------------------------------------------------------------------------------------------------------- */

/* Moves a reader to the metadata. Returns false if the file has none. */
static bool find_metadata(const struct tw_elf *elf, struct reader *reader)
{
    struct tw_elf_section section;
    for (size_t i = 0; i < elf->section_count; ++i) {
        if (!tw_elf_section(elf, i, &section) || section.header.sh_type != SHT_NOTE)
            continue;
        Elf64_Nhdr note;
        for (size_t at = 0; tw_bytes_slice(section.contents, at, sizeof note).at;) {
            memcpy(&note, section.contents.at + at, sizeof note);
            const uint64_t name = (uint64_t)at + sizeof note, text = name + (note.n_namesz + (uint64_t)3) / 4 * 4;
            const char *owner = tw_bytes_string(section.contents, name);
            *reader = (struct reader){.bytes = tw_bytes_slice(section.contents, text, note.n_descsz)};
            if (note.n_type == NOTE_METADATA && owner && strcmp(owner, "AMDGPU") == 0)
                return reader->bytes.at != NULL;
            at = (size_t)(text + (note.n_descsz + (uint64_t)3) / 4 * 4);
        }
    }
    return false;
}

/* Moves a reader from the metadata to the map of a kernel. */
static bool find_kernel(struct reader *reader, const char *name)
{
    if (!seek(reader, "amdhsa.kernels"))
        return false;
    const struct value kernels = next(reader);
    for (uint64_t i = 0; kernels.kind == ARRAY && i < kernels.number; ++i) {
        struct reader found = *reader;
        if (seek(&found, ".name") && is_text(next(&found), name))
            return true;
        if (!skip(reader))
            return false;
    }
    return false;
}

/* Stores the bytes of the parameters: words one after the other. liboffload copies them to the beginning of the memory of
   a kernel's arguments, and fills in the hidden ones behind them. */
static bool read_parameters(struct reader reader, size_t *bytes)
{
    bool hidden = false;
    *bytes = 0;
    if (!seek(&reader, ".args"))
        return false;
    const struct value args = next(&reader);
    for (uint64_t i = 0; args.kind == ARRAY && i < args.number; ++i) {
        struct reader kind = reader;
        size_t offset, size;
        if (!number_of(reader, ".offset", &offset) || !number_of(reader, ".size", &size) || !seek(&kind, ".value_kind"))
            return false;
        const struct value text = next(&kind);
        if (text.kind != TEXT || !skip(&reader))
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
    return args.kind == ARRAY;
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
    return tw_elf_open(&elf, bytes) && elf.header.e_machine == MACHINE_AMDGPU;
}

const char *tw_code_object_find(struct tw_bytes bytes, const char *launcher, struct tw_gpu_image_kernel *kernel)
{
    struct tw_elf elf;
    struct tw_elf_symbols symbols;
    struct reader reader;
    Elf64_Sym symbol, function = {.st_size = 0};
    size_t most;
    *kernel = (struct tw_gpu_image_kernel){.name = NULL};
    if (!tw_elf_open(&elf, bytes) || elf.header.e_machine != MACHINE_AMDGPU
        || !tw_elf_symbols(&elf, SHT_DYNSYM, &symbols))
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
    if (!find_metadata(&elf, &reader) || !find_kernel(&reader, kernel->name)
        || !number_of(reader, ".group_segment_fixed_size", &kernel->static_bytes)
        || !number_of(reader, ".private_segment_fixed_size", &kernel->private_bytes)
        || !number_of(reader, ".vgpr_count", &kernel->registers)
        || !number_of(reader, ".max_flat_workgroup_size", &kernel->max_items)
        || !number_of(reader, ".kernarg_segment_size", &most))
        return "its device image does not tell what it needs";
    if (!read_parameters(reader, &kernel->parameter_bytes) || kernel->parameter_bytes > most)
        return "it has other parameters than expected";
    kernel->uses_globals = has_variables(&elf) && has_addresses(&elf, &function);
    return NULL;
}
