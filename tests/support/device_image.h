/* SPDX-License-Identifier: Apache-2.0 */
/** Offload binaries and cubins, made byte by byte, and code objects by clang. Needs the private header image.h. */
#ifndef TEAMWORK_TESTS_DEVICE_IMAGE_H
#define TEAMWORK_TESTS_DEVICE_IMAGE_H

#include "tw_test.h"

#include "common/image.h"

#define ROOM 16384

struct blob {
    unsigned char at[ROOM];
    size_t size;
};

static size_t append(struct blob *blob, const void *bytes, size_t size)
{
    const size_t at = blob->size;
    TW_CHECK(size <= ROOM - at);
    memcpy(blob->at + at, bytes, size);
    blob->size += size;
    return at;
}

static size_t append_text(struct blob *blob, const char *text)
{
    return append(blob, text, strlen(text) + 1);
}

static void align(struct blob *blob)
{
    while (blob->size % 8)
        append(blob, "", 1);
}

static struct tw_bytes whole(const struct blob *blob)
{
    return (struct tw_bytes){blob->at, blob->size};
}

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

/* One binary with one image. Versions 2 and 3 have longer strings entries, 3 has a longer header. */
static void append_binary_for(const char *triple, struct blob *blob, uint32_t version, uint16_t kind, uint32_t flags,
                              const char *arch, struct tw_bytes contents)
{
    static const unsigned char magic[4] = {0x10, 0xff, 0x10, 0xad};
    struct blob binary = {.size = 0};
    uint64_t header[4] = {0, 0, 1, 0}; /* size, entries, their count, inflated size */
    append(&binary, magic, sizeof magic);
    append(&binary, &version, sizeof version);
    append(&binary, header, version == 3 ? 32 : 24);
    uint64_t texts[4]; /* where the strings are, once they are there */
    const uint64_t entry = binary.size;
    const size_t stride = version == 1 ? 16 : 24;
    const uint64_t strings = entry + 40, text = strings + 2 * stride;
    texts[0] = text, texts[1] = text + 7, texts[2] = texts[1] + strlen(triple) + 1, texts[3] = texts[2] + 5;
    const uint64_t image = (texts[3] + strlen(arch) + 8) / 8 * 8;
    const uint64_t numbers[] = {strings, 2, image, contents.size};
    append(&binary, &(uint16_t){1}, 2);
    append(&binary, &kind, 2);
    append(&binary, &flags, 4);
    append(&binary, numbers, sizeof numbers);
    for (unsigned i = 0; i < 2; ++i) {
        const uint64_t string[] = {texts[2 * i], texts[2 * i + 1], strlen(i ? arch : triple)};
        append(&binary, string, stride);
    }
    append_text(&binary, "triple"), append_text(&binary, triple);
    append_text(&binary, "arch"), append_text(&binary, arch);
    align(&binary);
    TW_EQUAL(binary.size, image);
    append(&binary, contents.at, contents.size);
    align(&binary);
    header[0] = binary.size, header[1] = entry, header[2] = version == 1 ? 40 : 1;
    memcpy(binary.at + 8, header, 24);
    append(blob, binary.at, binary.size);
}

static inline void append_binary(struct blob *blob, uint32_t version, uint16_t kind, uint32_t flags, const char *arch,
                                 struct tw_bytes contents)
{
    append_binary_for("nvptx64", blob, version, kind, flags, arch, contents);
}

/* ---- cubins ------------------------------------------------------------------------------------------------------ */

/* What a sample cubin holds, in the order of its symbols from 1 on, each in a section of its own. */
enum { KERNEL = 1, HELPER, TABLE, PUBLIC_TABLE, VARIABLE, BANK, DRIVERS, NODES };

struct sample {
    const char *name;    /* of the kernel */
    bool twice;          /* another kernel that could be it */
    const char *also;    /* another kernel; NULL: none */
    bool rel;            /* relocations without addends */
    unsigned uses[4][2]; /* relocations: in whom, and of what; in TABLE at its end */
    struct {
        uint16_t parameter_bytes;                          /* 0: the sections .nv.info are not there */
        uint32_t registers, private_bytes, max_threads[3]; /* the last are 0: not limited by the compiler */
        uint32_t shared_bytes;                             /* a multiple of 16 */
    } needs;                                               /* of the kernel */
};

struct section {
    const char *name;
    uint32_t type, link, info;
    size_t nobits_bytes; /* 0: 16 */
    struct blob contents;
};

static struct section sections[24];
static size_t section_count;

static struct section *add_section(const char *name, uint32_t type, uint32_t info)
{
    TW_CHECK(section_count < sizeof sections / sizeof sections[0]);
    struct section *section = &sections[section_count++];
    *section = (struct section){.name = name, .type = type, .info = info};
    return section;
}

static void add_symbol(struct blob *symbols, struct blob *names, const char *name, unsigned char info, uint16_t section,
                       uint64_t value)
{
    const Elf64_Sym symbol = {.st_name = (uint32_t)append_text(names, name),
                              .st_info = info,
                              .st_shndx = section,
                              .st_value = value,
                              .st_size = 16};
    append(symbols, &symbol, sizeof symbol);
}

static void add_relocations(const struct sample *sample)
{
    for (size_t i = 0; i < 4 && sample->uses[i][0]; ++i) {
        const unsigned from = sample->uses[i][0], to = sample->uses[i][1];
        const Elf64_Rela relocation = {.r_offset = from == TABLE ? 24 : 8, .r_info = ELF64_R_INFO((uint64_t)to, 56)};
        struct section *section = add_section(".rela", sample->rel ? SHT_REL : SHT_RELA, from);
        append(&section->contents, &relocation, sample->rel ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela));
    }
}

static void add_entry(struct blob *entries, unsigned char attribute, const uint32_t *words, size_t count)
{
    const uint16_t bytes = (uint16_t)(4 * count);
    append(entries, (unsigned char[]){4, attribute}, 2); /* with bytes behind it */
    append(entries, &bytes, sizeof bytes);
    append(entries, words, bytes);
}

/* Adds what the assembler says of the kernel, and of another one before it. */
static void add_needs(const struct sample *sample)
{
    static char own[160], shared[160];
    const uint32_t registers[][2] = {{HELPER, 99}, {KERNEL, sample->needs.registers}},
                   frames[][2] = {{KERNEL, sample->needs.private_bytes}, {HELPER, 1000}};
    struct blob *all = &add_section(".nv.info", SHT_PROGBITS, 0)->contents;
    for (size_t i = 0; i < 2; ++i) {
        add_entry(all, 0x2f, registers[i], 2);
        add_entry(all, 0x11, frames[i], 2);
    }
    snprintf(own, sizeof own, ".nv.info.%s", sample->name);
    struct blob *entries = &add_section(own, SHT_PROGBITS, KERNEL)->contents;
    append(entries, (unsigned char[]){3, 0x1b, 255, 0}, 4);
    append(entries, (unsigned char[]){3, 0x19}, 2);
    append(entries, &sample->needs.parameter_bytes, 2);
    if (sample->needs.max_threads[0])
        add_entry(entries, 0x05, sample->needs.max_threads, 3);
    snprintf(shared, sizeof shared, ".nv.shared.%s", sample->name);
    if (sample->needs.shared_bytes)
        add_section(shared, SHT_NOBITS, KERNEL)->nobits_bytes = sample->needs.shared_bytes;
}

/* Puts the sections one after the other, and headers around them. */
static void link_sections(struct blob *cubin)
{
    struct blob names = {.size = 0};
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, 0x41},
                         .e_machine = 190,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = (uint16_t)section_count,
                         .e_shstrndx = (uint16_t)(section_count - 1)};
    Elf64_Shdr headers[sizeof sections / sizeof sections[0]] = {{.sh_type = SHT_NULL}};
    *cubin = (struct blob){.size = 0};
    append(cubin, &header, sizeof header);
    for (size_t i = 0; i < section_count; ++i) {
        headers[i].sh_name = (uint32_t)append_text(&names, sections[i].name);
        if (i + 1 == section_count)
            sections[i].contents = names; /* the names of sections are the last one */
        const struct blob *contents = &sections[i].contents;
        headers[i].sh_type = sections[i].type;
        headers[i].sh_link = sections[i].link;
        headers[i].sh_info = sections[i].info;
        headers[i].sh_size = sections[i].type != SHT_NOBITS ? contents->size
                             : sections[i].nobits_bytes     ? sections[i].nobits_bytes
                                                            : 16;
        headers[i].sh_offset = append(cubin, contents->at, contents->size);
        align(cubin);
    }
    header.e_shoff = append(cubin, headers, section_count * sizeof headers[0]);
    memcpy(cubin->at, &header, sizeof header);
}

static void make_cubin(const struct sample *sample, struct blob *cubin)
{
    static const unsigned char local = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
                               global = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    static const unsigned char function = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
    char other[128];
    section_count = 0;
    add_section("", SHT_NULL, 0);
    add_section(".text.kernel", SHT_PROGBITS, KERNEL);
    add_section(".text.helper", SHT_PROGBITS, HELPER);
    add_section(".nv.global.init", SHT_PROGBITS, 0);
    add_section(".nv.global.init", SHT_PROGBITS, 0);
    add_section(".nv.global", SHT_NOBITS, 0);
    add_section(".nv.constant2.kernel", SHT_PROGBITS, KERNEL);
    struct blob *symbols = &add_section(".symtab", SHT_SYMTAB, 0)->contents;
    sections[section_count - 1].link = (uint32_t)section_count;
    struct blob *names = &add_section(".strtab", SHT_STRTAB, 0)->contents;
    add_symbol(symbols, names, "", 0, 0, 0);
    add_symbol(symbols, names, sample->name, function, KERNEL, 0);
    add_symbol(symbols, names, "helper", function, HELPER, 0);
    add_symbol(symbols, names, "table", local, TABLE, 16);
    add_symbol(symbols, names, "public_table", global, PUBLIC_TABLE, 0);
    add_symbol(symbols, names, "variable", local, VARIABLE, 0);
    add_symbol(symbols, names, "bank", local, BANK, 0);
    add_symbol(symbols, names, "vprintf", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), SHN_UNDEF, 0);
    snprintf(other, sizeof other, "%s_7", sample->name);
    if (sample->twice)
        add_symbol(symbols, names, other, function, HELPER, 0);
    if (sample->also)
        add_symbol(symbols, names, sample->also, function, HELPER, 0);
    add_relocations(sample);
    if (sample->needs.parameter_bytes)
        add_needs(sample);
    add_section(".shstrtab", SHT_STRTAB, 0);
    link_sections(cubin);
}

/* The entry of a target region in function life_tw_simt_8(). */
#define REGION "__omp_offloading_fe00_a7a086_life_tw_simt_8_l14"

/* ---- code objects ------------------------------------------------------------------------------------------------ */

/* Reads the code object of code_object/kernels.c for an AMD GPU. Returns false if there is none: not every clang can make
   it. */
static inline bool read_code_object(const char *arch, struct blob *blob)
{
    char path[4096];
    blob->size = 0;
#ifdef CODE_OBJECTS
    snprintf(path, sizeof path, "%s/%s", CODE_OBJECTS, arch);
    FILE *file = fopen(path, "rb");
    TW_CHECK(file);
    blob->size = fread(blob->at, 1, ROOM, file);
    TW_CHECK(blob->size && blob->size < ROOM);
    fclose(file);
#else
    (void)path, (void)arch;
#endif
    return blob->size != 0;
}

#endif
