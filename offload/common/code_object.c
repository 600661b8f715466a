/* SPDX-License-Identifier: Apache-2.0 */
/* The note of a code object (code_object.h). Checked with what clang 19 makes for gfx90a, gfx942, gfx1100 and gfx1200. */
#include "code_object.h"

#include <string.h>

#define MACHINE_AMDGPU 224 /* EM_AMDGPU */
#define NOTE_METADATA 32   /* NT_AMDGPU_METADATA */

/* ---- MessagePack ------------------------------------------------------------------------------------------------- */

/* Reads a number of 1, 2, 4 or 8 bytes, the highest one first. Returns false if they are not there. */
static bool read_number(struct tw_metadata *reader, size_t bytes, uint64_t *number)
{
    const struct tw_bytes from = tw_bytes_slice(reader->bytes, reader->at, bytes);
    *number = 0;
    for (size_t i = 0; from.at && i < bytes; ++i)
        *number = *number << 8 | from.at[i];
    reader->at += bytes;
    return from.at != NULL;
}

/* Reads a value of so many bytes, which are a text or not understood. */
static struct tw_metadata_value bytes_of(struct tw_metadata *reader, enum tw_metadata_kind kind, uint64_t bytes)
{
    const struct tw_bytes text = tw_bytes_slice(reader->bytes, reader->at, bytes);
    if (!text.at)
        return (struct tw_metadata_value){.kind = TW_METADATA_BROKEN};
    reader->at += bytes;
    return (struct tw_metadata_value){.kind = kind, .text = text};
}

/* Reads the value behind a first byte from 0xc0 to 0xdf. */
static struct tw_metadata_value long_value(struct tw_metadata *reader, unsigned first)
{
    enum {
        NUMBER = TW_METADATA_NUMBER,
        TEXT = TW_METADATA_TEXT,
        ARRAY = TW_METADATA_ARRAY,
        MAP = TW_METADATA_MAP,
        OTHER = TW_METADATA_OTHER
    };
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
        return bytes_of(reader, TW_METADATA_OTHER, fixed[form]);
    const bool is_known = form == 0 || forms[form].kind != TW_METADATA_NUMBER || forms[form].bytes;
    if (!is_known || (forms[form].bytes && !read_number(reader, forms[form].bytes, &number)))
        return (struct tw_metadata_value){.kind = TW_METADATA_BROKEN};
    const enum tw_metadata_kind kind = (enum tw_metadata_kind)forms[form].kind;
    return kind == TW_METADATA_TEXT || kind == TW_METADATA_OTHER
               ? bytes_of(reader, kind, number)
               : (struct tw_metadata_value){.kind = kind, .number = number};
}

struct tw_metadata_value tw_metadata_next(struct tw_metadata *reader)
{
    uint64_t first;
    if (!read_number(reader, 1, &first))
        return (struct tw_metadata_value){.kind = TW_METADATA_BROKEN};
    if (first < 0x80)
        return (struct tw_metadata_value){.kind = TW_METADATA_NUMBER, .number = first};
    if (first < 0x90)
        return (struct tw_metadata_value){.kind = TW_METADATA_MAP, .number = first & 0xf};
    if (first < 0xa0)
        return (struct tw_metadata_value){.kind = TW_METADATA_ARRAY, .number = first & 0xf};
    if (first < 0xc0)
        return bytes_of(reader, TW_METADATA_TEXT, first & 0x1f);
    return first < 0xe0 ? long_value(reader, (unsigned)first) : (struct tw_metadata_value){.kind = TW_METADATA_OTHER};
}

bool tw_metadata_skip(struct tw_metadata *reader)
{
    for (uint64_t left = 1; left; --left) {
        const struct tw_metadata_value value = tw_metadata_next(reader);
        if (value.kind == TW_METADATA_BROKEN)
            return false;
        left += value.kind == TW_METADATA_ARRAY ? value.number : value.kind == TW_METADATA_MAP ? 2 * value.number : 0;
    }
    return true;
}

bool tw_metadata_is_text(struct tw_metadata_value value, const char *text)
{
    return value.kind == TW_METADATA_TEXT && value.text.size == strlen(text)
           && memcmp(value.text.at, text, value.text.size) == 0;
}

bool tw_metadata_seek(struct tw_metadata *reader, const char *key)
{
    const struct tw_metadata_value map = tw_metadata_next(reader);
    for (uint64_t i = 0; map.kind == TW_METADATA_MAP && i < map.number; ++i) {
        const struct tw_metadata_value found = tw_metadata_next(reader);
        if (tw_metadata_is_text(found, key))
            return true;
        if (found.kind != TW_METADATA_TEXT || !tw_metadata_skip(reader))
            return false;
    }
    return false;
}

bool tw_metadata_number(struct tw_metadata reader, const char *key, size_t *number)
{
    if (!tw_metadata_seek(&reader, key))
        return false;
    const struct tw_metadata_value value = tw_metadata_next(&reader);
    *number = (size_t)value.number;
    return value.kind == TW_METADATA_NUMBER;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Moves a reader to the metadata. Returns false if the file has none. */
static bool find_metadata(const struct tw_elf *elf, struct tw_metadata *reader)
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
            *reader = (struct tw_metadata){.bytes = tw_bytes_slice(section.contents, text, note.n_descsz)};
            if (note.n_type == NOTE_METADATA && owner && strcmp(owner, "AMDGPU") == 0)
                return reader->bytes.at != NULL;
            at = (size_t)(text + (note.n_descsz + (uint64_t)3) / 4 * 4);
        }
    }
    return false;
}

bool tw_elf_is_code_object(const struct tw_elf *elf)
{
    return elf->header.e_machine == MACHINE_AMDGPU;
}

bool tw_metadata_of_kernel(const struct tw_elf *elf, const char *name, struct tw_metadata *reader)
{
    if (!tw_elf_is_code_object(elf) || !find_metadata(elf, reader) || !tw_metadata_seek(reader, "amdhsa.kernels"))
        return false;
    const struct tw_metadata_value kernels = tw_metadata_next(reader);
    for (uint64_t i = 0; kernels.kind == TW_METADATA_ARRAY && i < kernels.number; ++i) {
        struct tw_metadata found = *reader;
        if (tw_metadata_seek(&found, ".name") && tw_metadata_is_text(tw_metadata_next(&found), name))
            return true;
        if (!tw_metadata_skip(reader))
            return false;
    }
    return false;
}
