/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device images: offload binaries and cubins made byte by byte, whole and damaged, and those of the tests' own
 * programs. Needs the private headers image.h and cuda_cubin.h.
 */
#define _GNU_SOURCE
#include "tw_test.h"

#include <dlfcn.h>

#include "backends/cuda/cuda_cubin.h"
#include "common/image.h"

/* ---- bytes to read ----------------------------------------------------------------------------------------------- */

#define ROOM 8192

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

/* Hands every truncation of a blob, and every blob with one byte changed, to `read`: each in memory of its own size, so
   that sanitizers see what is read past the end. */
static void damage(const struct blob *blob, void (*read)(struct tw_bytes bytes))
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t size = 0; size <= blob->size; ++size) {
        unsigned char *copy = malloc(size + !size);
        TW_CHECK(copy != NULL);
        memcpy(copy, blob->at, size);
        read((struct tw_bytes){copy, size});
        free(copy);
    }
    unsigned char *copy = malloc(blob->size);
    TW_CHECK(copy != NULL);
    memcpy(copy, blob->at, blob->size);
    for (size_t i = 0; i < blob->size; ++i)
        for (size_t change = 0; change < sizeof changes; ++change) {
            copy[i] ^= changes[change];
            read((struct tw_bytes){copy, blob->size});
            copy[i] ^= changes[change];
        }
    free(copy);
}

TW_TEST(slices_and_strings_stay_within_their_bytes)
{
    unsigned char *text = malloc(8);
    TW_CHECK(text != NULL);
    memcpy(text, "one\0four", 8);
    const struct tw_bytes bytes = {text, 8};
    TW_CHECK(strcmp(tw_bytes_string(bytes, 1), "ne") == 0);
    TW_CHECK(tw_bytes_string(bytes, 4) == NULL && tw_bytes_string(bytes, 8) == NULL);
    TW_CHECK(tw_bytes_string(bytes, UINT64_MAX) == NULL);
    TW_CHECK(tw_bytes_slice(bytes, 3, 5).at == text + 3 && tw_bytes_slice(bytes, 8, 0).at == text + 8);
    TW_CHECK(!tw_bytes_slice(bytes, 4, 5).at && !tw_bytes_slice(bytes, 9, 0).at);
    TW_CHECK(!tw_bytes_slice(bytes, 4, UINT64_MAX - 2).at && !tw_bytes_slice(bytes, UINT64_MAX, 2).at);
    free(text);
}

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

/* One binary with one image. Versions 2 and 3 have longer strings entries, 3 has a longer header. */
static void append_binary(struct blob *blob, uint32_t version, uint16_t kind, uint32_t flags, const char *arch,
                          const char *contents)
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
    texts[0] = text, texts[1] = text + 7, texts[2] = texts[1] + 5, texts[3] = texts[2] + 5;
    const uint64_t image = (texts[3] + strlen(arch) + 8) / 8 * 8;
    const uint64_t numbers[] = {strings, 2, image, strlen(contents) + 1};
    append(&binary, &(uint16_t){1}, 2);
    append(&binary, &kind, 2);
    append(&binary, &flags, 4);
    append(&binary, numbers, sizeof numbers);
    for (unsigned i = 0; i < 2; ++i) {
        const uint64_t string[] = {texts[2 * i], texts[2 * i + 1], i ? strlen(arch) : 4};
        append(&binary, string, stride);
    }
    append_text(&binary, "triple"), append_text(&binary, "nvid");
    append_text(&binary, "arch"), append_text(&binary, arch);
    align(&binary);
    TW_EQUAL(binary.size, image);
    append_text(&binary, contents);
    align(&binary);
    header[0] = binary.size, header[1] = entry, header[2] = version == 1 ? 40 : 1;
    memcpy(binary.at + 8, header, 24);
    append(blob, binary.at, binary.size);
}

struct seen {
    char story[256];
    unsigned count, most;
};

static bool see(const struct tw_image *image, void *user)
{
    struct seen *seen = user;
    const size_t used = strlen(seen->story);
    snprintf(seen->story + used, sizeof seen->story - used, "%s/%s/%.*s ", image->triple, image->arch,
             (int)image->contents.size, (const char *)image->contents.at);
    return ++seen->count < seen->most;
}

static struct seen visit(struct tw_bytes bytes, unsigned most)
{
    struct seen seen = {.most = most};
    tw_image_visit(bytes, see, &seen);
    return seen;
}

TW_TEST(binaries_of_each_version_are_read)
{
    struct blob blob = {.size = 0};
    append_binary(&blob, 1, 1, 0, "sm_80", "one");
    append_binary(&blob, 2, 1, 0, "sm_90", "two");
    append_text(&blob, "something else between"), align(&blob);
    append_binary(&blob, 3, 1, 0, "sm_90a", "three");
    struct seen seen = visit(whole(&blob), 10);
    TW_CHECK(strcmp(seen.story, "nvid/sm_80/one nvid/sm_90/two nvid/sm_90a/three ") == 0);
    seen = visit(whole(&blob), 2);
    TW_CHECK(strcmp(seen.story, "nvid/sm_80/one nvid/sm_90/two ") == 0);
}

TW_TEST(binaries_without_an_openmp_image_are_passed_over)
{
    struct blob blob = {.size = 0};
    append_binary(&blob, 1, 2, 0, "sm_80", "of CUDA");
    append_binary(&blob, 2, 1, 1, "sm_90", "of metadata");
    append_binary(&blob, 4, 1, 0, "sm_90", "of a version to come");
    const size_t compressed = blob.size;
    append_binary(&blob, 3, 1, 0, "sm_90", "compressed");
    blob.at[compressed + 32] = 77; /* nothing is known of it but that it is there */
    append_binary(&blob, 1, 1, 0, "sm_90", "of OpenMP");
    TW_CHECK(strcmp(visit(whole(&blob), 10).story, "// nvid/sm_90/of OpenMP ") == 0);
}

static void read_binaries(struct tw_bytes bytes)
{
    (void)visit(bytes, 10);
}

TW_TEST(damaged_binaries_are_harmless)
{
    for (uint32_t version = 1; version <= 3; ++version) {
        struct blob blob = {.size = 0};
        append_binary(&blob, version, 1, 0, "sm_90", "one");
        append_binary(&blob, version, 1, 0, "sm_90", "two");
        TW_EQUAL(visit(whole(&blob), 10).count, 2);
        damage(&blob, read_binaries);
    }
}

/* A loaded section like clang's, with a binary that is made here as text: version 1, no strings, 3 bytes of image. */
__attribute__((used, section(".llvm.offloading"), aligned(8), no_sanitize("address"))) static const char embedded[] =
    "\x10\xff\x10\xad\x01\0\0\0"
    "\x50\0\0\0\0\0\0\0"
    "\x20\0\0\0\0\0\0\0"
    "\x28\0\0\0\0\0\0\0"
    "\x01\0\x01\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0"
    "\x48\0\0\0\0\0\0\0"
    "\x03\0\0\0\0\0\0\0"
    "own\0\0\0\0";

TW_TEST(the_programs_own_section_is_found)
{
    const struct tw_bytes bytes = tw_image_binaries((uintptr_t)the_programs_own_section_is_found);
    TW_CHECK(bytes.at <= (const unsigned char *)embedded
             && bytes.at + bytes.size >= (const unsigned char *)embedded + 80);
    TW_CHECK(strcmp(visit(bytes, 10).story, "//own ") == 0);
    TW_CHECK(tw_image_binaries((uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version")).at == NULL); /* libc has none */
    int variable = 0;
    TW_CHECK(tw_image_binaries((uintptr_t)&variable).at == NULL);
}

TW_TEST(unloading_a_library_is_noticed)
{
    const unsigned long long before = tw_image_unloads();
    void *library = dlopen("libanl.so.1", RTLD_NOW);
    if (!library)
        TW_SKIP();
    TW_EQUAL(tw_image_unloads(), before);
    dlclose(library);
    TW_CHECK(tw_image_unloads() > before);
}

/* ---- cubins ------------------------------------------------------------------------------------------------------ */

/* What a sample cubin holds, in the order of its symbols from 1 on, each in a section of its own. */
enum { KERNEL = 1, HELPER, TABLE, PUBLIC_TABLE, VARIABLE, BANK, DRIVERS, NODES };

struct sample {
    const char *name;    /* of the kernel */
    unsigned parameters; /* of 8 bytes */
    uint16_t total;      /* what the cubin says of their bytes, if not 8 each */
    uint32_t shape;      /* of the last parameter, if not that of 8 bytes */
    uint8_t kind;        /* of the parameters' attributes, if not 0x17 */
    bool environment;    /* the kernel is not bare */
    bool twice;          /* another kernel that could be it */
    bool rel;            /* relocations without addends */
    unsigned uses[4][2]; /* relocations: in whom, and of what; in TABLE at its end */
};

struct section {
    const char *name;
    uint32_t type, link, info;
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

/* The attributes of a kernel: one that does not matter, the parameters, their bytes. */
static void add_attributes(const struct sample *sample, const char *name)
{
    static char names[2][128];
    static unsigned turn;
    char *full = names[turn++ % 2];
    snprintf(full, sizeof names[0], ".nv.info.%s", name);
    struct blob *contents = &add_section(full, 0x70000000, 0)->contents;
    append(contents, (const unsigned char[]){4, 0x36, 4, 0, 8, 0, 0, 0, 2, 0x50, 1, 0}, 12);
    for (unsigned i = sample->parameters; i-- > 0;) {
        const uint8_t kind = sample->kind ? sample->kind : 0x17;
        const uint16_t place[] = {(uint16_t)i, (uint16_t)(8 * i)};
        const uint32_t usual = kind == 0x17 ? 8u << 18 | 0x1f000 : 8;
        append(contents, (const unsigned char[]){4, kind, 12, 0, 0, 0, 0, 0}, 8);
        append(contents, place, sizeof place);
        append(contents, i + 1 == sample->parameters && sample->shape ? &sample->shape : &usual, 4);
    }
    const uint16_t total = sample->total ? sample->total : (uint16_t)(8 * sample->parameters);
    append(contents, (const unsigned char[]){3, 0x19}, 2);
    append(contents, &total, sizeof total);
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
        headers[i].sh_size = sections[i].type == SHT_NOBITS ? 16 : contents->size;
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
    char environment[128], other[128];
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
    snprintf(environment, sizeof environment, "%s_kernel_environment", sample->name);
    if (sample->environment)
        add_symbol(symbols, names, environment, global, PUBLIC_TABLE, 0);
    add_attributes(sample, sample->name);
    snprintf(other, sizeof other, "%s_7", sample->name);
    if (sample->twice) {
        add_symbol(symbols, names, other, function, HELPER, 0);
        add_attributes(sample, other);
    }
    add_relocations(sample);
    add_section(".shstrtab", SHT_STRTAB, 0);
    link_sections(cubin);
}

#define REGION "__omp_offloading_fe00_a7a086_life_tw_simt_8_l14"
enum { WORDS = 19, PARAMETERS = 1 + WORDS };

static const char *find(const struct sample *sample, struct tw_cubin_kernel *kernel)
{
    static struct blob cubin;
    make_cubin(sample, &cubin);
    return tw_cubin_find(whole(&cubin), "life_tw_simt_8", WORDS, kernel);
}

static bool may_have_region(const struct sample *sample)
{
    static struct blob cubin;
    make_cubin(sample, &cubin);
    return tw_image_may_have_region(whole(&cubin), "life_tw_simt_8");
}

TW_TEST(kernels_are_found_by_name_and_parameters)
{
    struct tw_cubin_kernel kernel;
    static const char *const found[] = {REGION, REGION "_1", REGION "_12"};
    for (size_t i = 0; i < sizeof found / sizeof found[0]; ++i) {
        for (unsigned more = 0; more <= 3; ++more) {
            TW_CHECK(find(&(struct sample){.name = found[i], .parameters = PARAMETERS + more}, &kernel) == NULL);
            TW_CHECK(may_have_region(&(struct sample){.name = found[i], .parameters = PARAMETERS + more}));
            TW_CHECK(strcmp(kernel.name, found[i]) == 0);
            TW_EQUAL(kernel.parameters, PARAMETERS + more);
            TW_CHECK(!kernel.uses_globals);
        }
    }
    TW_CHECK(find(&(struct sample){.name = REGION, .parameters = PARAMETERS, .kind = 0x45}, &kernel) == NULL);
    TW_EQUAL(kernel.parameters, PARAMETERS);
}

TW_TEST(other_names_are_not_taken)
{
    struct tw_cubin_kernel kernel;
    static const char *const others[] = {
        "life_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_xlife_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_life_tw_simt_82_l14",
        "__omp_offloading_fe00_life_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_life_tw_simt_8_l",
        "__omp_offloading_fe00_a7a086_life_tw_simt_8_l14_",
        REGION "_1_debug__",
        REGION "x",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        TW_CHECK(find(&(struct sample){.name = others[i], .parameters = PARAMETERS}, &kernel) != NULL);
        TW_CHECK(!may_have_region(&(struct sample){.name = others[i], .parameters = PARAMETERS}));
    }
    const unsigned char code[] = "what the driver compiles";
    TW_CHECK(tw_image_may_have_region((struct tw_bytes){code, sizeof code}, "life_tw_simt_8"));
    TW_CHECK(tw_image_may_have_region((struct tw_bytes){NULL, 0}, "life_tw_simt_8"));
}

TW_TEST(architectures_run_on_their_generation)
{
    TW_EQUAL(tw_image_sm_for("sm_90", 90), 90);
    TW_EQUAL(tw_image_sm_for("sm_80", 89), 80);
    TW_EQUAL(tw_image_sm_for("sm_89", 80), -1);
    TW_EQUAL(tw_image_sm_for("sm_80", 90), -1);
    TW_EQUAL(tw_image_sm_for("sm_100", 103), 100);
    TW_EQUAL(tw_image_sm_for("sm_90a", 90), 90);
    TW_EQUAL(tw_image_sm_for("sm_100a", 103), -1);
    TW_EQUAL(tw_image_sm_for("gfx90a", 90), -1);
    TW_EQUAL(tw_image_sm_for("", 90), -1);
}

TW_TEST(kernels_with_other_parameters_are_not_taken)
{
    struct tw_cubin_kernel kernel;
    const struct sample others[] = {
        {.name = REGION, .parameters = PARAMETERS - 1},
        {.name = REGION, .parameters = PARAMETERS + 4},
        {.name = REGION, .parameters = 0},
        {.name = REGION, .parameters = PARAMETERS, .total = 8 * PARAMETERS + 8}, /* one is missing */
        {.name = REGION, .parameters = PARAMETERS, .shape = 4u << 18 | 0x1f000}, /* one has 4 bytes */
        {.name = REGION, .parameters = PARAMETERS, .kind = 0x45, .shape = 16},   /* one has 16 */
        {.name = REGION, .parameters = PARAMETERS, .kind = 0x46},                /* unknown */
        {.name = REGION, .parameters = PARAMETERS, .environment = true},         /* not bare */
        {.name = REGION, .parameters = PARAMETERS, .twice = true},               /* which one? */
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        TW_CHECK(find(&others[i], &kernel) != NULL);
}

TW_TEST(used_variables_are_found)
{
    static const struct {
        unsigned uses[4][2];
        bool found;
    } cases[] = {
        {{{KERNEL, DRIVERS}}, false},
        {{{KERNEL, KERNEL}, {KERNEL, HELPER}}, false}, /* recursive, and calls */
        {{{KERNEL, TABLE}}, false},
        {{{KERNEL, BANK}}, false},
        {{{KERNEL, VARIABLE}}, true},
        {{{KERNEL, PUBLIC_TABLE}}, true}, /* the host may write it by name */
        {{{KERNEL, HELPER}, {HELPER, VARIABLE}}, true},
        {{{HELPER, VARIABLE}}, false}, /* which nobody calls */
        {{{KERNEL, TABLE}, {TABLE, VARIABLE}}, true},
        {{{KERNEL, TABLE}, {TABLE, HELPER}, {HELPER, PUBLIC_TABLE}}, true},
        {{{BANK, VARIABLE}}, true},     /* the kernel's own constants */
        {{{KERNEL, NODES + 90}}, true}, /* no such symbol: not understood */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int rel = 0; rel < 2; ++rel) {
            struct tw_cubin_kernel kernel;
            struct sample sample = {.name = REGION, .parameters = PARAMETERS, .rel = rel};
            memcpy(sample.uses, cases[i].uses, sizeof sample.uses);
            TW_CHECK(find(&sample, &kernel) == NULL);
            TW_EQUAL(kernel.uses_globals, cases[i].found);
        }
}

static void read_cubin(struct tw_bytes bytes)
{
    struct tw_cubin_kernel kernel;
    const char *reason = tw_cubin_find(bytes, "life_tw_simt_8", WORDS, &kernel);
    TW_CHECK(reason ? *reason != 0 : kernel.parameters >= PARAMETERS && kernel.parameters <= PARAMETERS + 3);
    (void)tw_image_may_have_region(bytes, "life_tw_simt_8");
}

TW_TEST(damaged_cubins_are_harmless)
{
    static struct blob cubin;
    make_cubin(&(struct sample){.name = REGION,
                                .parameters = PARAMETERS,
                                .uses = {{KERNEL, HELPER}, {HELPER, TABLE}, {TABLE, BANK}}},
               &cubin);
    damage(&cubin, read_cubin);
}

/* ---- the tests' own programs ------------------------------------------------------------------------------------- */

/* Reads another program of this build into memory that the caller frees; none if there is no such program. */
static struct tw_bytes read_program(const char *variant, const char *name)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 128);
    TW_CHECK(length > 0);
    path[length] = 0;
    snprintf(strrchr(path, '/'), 128, "/../%s/%s", variant, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return (struct tw_bytes){NULL, 0};
    TW_CHECK(fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    unsigned char *contents = size > 0 ? malloc((size_t)size) : NULL;
    TW_CHECK(contents != NULL);
    rewind(file);
    TW_EQUAL(fread(contents, 1, (size_t)size, file), size);
    fclose(file);
    return (struct tw_bytes){contents, (size_t)size};
}

static bool keep(const struct tw_image *image, void *user)
{
    *(struct tw_image *)user = *image;
    return false;
}

/* The first image of a program; its strings are "" if there is none. */
static struct tw_image first_image(struct tw_bytes program)
{
    struct tw_image image = {"", "", {NULL, 0}};
    struct tw_elf elf;
    struct tw_elf_section section;
    TW_CHECK(tw_elf_open(&elf, program));
    if (tw_elf_find(&elf, ".llvm.offloading", &section))
        tw_image_visit(section.contents, keep, &image);
    return image;
}

TW_TEST(a_program_for_x86_64)
{
    const struct tw_bytes program = read_program("x86_64", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_elf elf;
    struct tw_cubin_kernel kernel;
    TW_CHECK(strncmp(image.triple, "x86_64", 6) == 0);
    TW_CHECK(tw_elf_open(&elf, image.contents));
    TW_CHECK(tw_cubin_find(image.contents, "life_tw_teams_8", WORDS, &kernel) != NULL); /* not a cubin */
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_teams_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_teams_8"));
    free((void *)(uintptr_t)program.at);
}

TW_TEST(a_program_for_gpus)
{
    const struct tw_bytes program = read_program("gpu-simt", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_cubin_kernel kernel;
    TW_CHECK(strcmp(image.triple, "nvptx64-nvidia-cuda") == 0 && strncmp(image.arch, "sm_", 3) == 0);
    /* each kernel has one region, that for the size of its block, and none of them uses variables */
    static const char *const regions[] = {"collatz_tw_simt_8", "mandelbrot_tw_simt_8", "life_tw_simt_8",
                                          "multiply_tw_simt_8", "sort_tw_simt_8"};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; ++i) {
        const char *reason = tw_cubin_find(image.contents, regions[i], WORDS, &kernel);
        if (reason)
            fprintf(stderr, "%s: %s\n", regions[i], reason);
        TW_CHECK(!reason && !kernel.uses_globals);
    }
    TW_CHECK(tw_cubin_find(image.contents, "collatz_tw_simt_32", WORDS, &kernel) != NULL);
    TW_CHECK(tw_cubin_find(image.contents, "collatz_tw_simt_8", 9, &kernel) != NULL);
    TW_CHECK(tw_cubin_find(image.contents, "no_such_tw_simt_8", WORDS, &kernel) != NULL);
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_simt_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "life_tw_teams_8")); /* nothing here is built for it */
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_simt_8"));
    free((void *)(uintptr_t)program.at);
}

TW_TEST(a_program_for_gpus_in_the_teams_lowering)
{
    const struct tw_bytes program = read_program("gpu-teams", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_cubin_kernel kernel;
    TW_CHECK(strcmp(image.triple, "nvptx64-nvidia-cuda") == 0);
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_teams_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_teams_8"));
    for (unsigned words = 1; words <= 43; ++words) /* no region is bare */
        TW_CHECK(tw_cubin_find(image.contents, "life_tw_teams_8", words, &kernel) != NULL);
    free((void *)(uintptr_t)program.at);
}

TW_TEST_LIST = {
    TW_CASE(slices_and_strings_stay_within_their_bytes),
    TW_CASE(binaries_of_each_version_are_read),
    TW_CASE(binaries_without_an_openmp_image_are_passed_over),
    TW_CASE(damaged_binaries_are_harmless),
    TW_CASE(the_programs_own_section_is_found),
    TW_CASE(unloading_a_library_is_noticed),
    TW_CASE(kernels_are_found_by_name_and_parameters),
    TW_CASE(other_names_are_not_taken),
    TW_CASE(architectures_run_on_their_generation),
    TW_CASE(kernels_with_other_parameters_are_not_taken),
    TW_CASE(used_variables_are_found),
    TW_CASE(damaged_cubins_are_harmless),
    TW_CASE(a_program_for_x86_64),
    TW_CASE(a_program_for_gpus),
    TW_CASE(a_program_for_gpus_in_the_teams_lowering),
    TW_CASES_END,
};
