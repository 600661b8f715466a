/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device images and kernels in a file (images.h).
 *
 * The readers of offload binaries and ELF files are the library's own (offload/common/image.c), which fuzzers test.
 * What the host knows about kernels is in the section tw_kernels: pointers to the structs that launches use.
 */
#define _GNU_SOURCE
#include "images.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <teamwork/lower/kernel/launch.h>

#include "common/code_object.h"
#include "common/image.h"

#define PROGRAM "teamwork-info"
#define MOST_NAME 256
#define UNKNOWN SIZE_MAX
#define RESERVED_BYTES 1024u /* of team memory */
#define MACHINE_CUDA 190

/* ---- kernels of an image ----------------------------------------------------------------------------------------- */

/* A kernel in a device image. A number that is not known is UNKNOWN. */
struct region {
    char name[MOST_NAME], lowering[16];
    size_t code_bytes, registers, private_bytes, local_bytes;
    size_t scalar_registers, accumulation_registers, spilled_registers, wave; /* of AMD GPUs */
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns true if the name of a target region ends so: LINE or LINE_NUMBER. Functions that clang makes of it go on. */
static bool is_end(const char *text)
{
    static const char digits[] = "0123456789";
    text += strspn(text, digits);
    if (*text == '_')
        text += 1 + strspn(text + 1, digits);
    return !*text;
}

/* Reads the name of a kernel and its lowering out of that of a target region:
   __omp_offloading_X_Y_NAME_tw_LOWERING_WORDS_ lLINE. A region that is not of Teamwork keeps its function's name.
   Returns false if it is no region. */
static bool read_region_name(const char *symbol, struct region *region)
{
    static const char prefix[] = "__omp_offloading_", hex[] = "0123456789abcdef", mark[] = "_tw_";
    if (!starts_with(symbol, prefix))
        return false;
    const char *at = symbol + sizeof prefix - 1;
    for (int part = 0; part < 2; ++part) {
        const size_t digits = strspn(at, hex);
        if (!digits || at[digits] != '_')
            return false;
        at += digits + 1;
    }
    const char *line = NULL, *lowering = NULL;
    for (const char *found = strstr(at, "_l"); found; found = strstr(found + 1, "_l"))
        if (found[2] >= '0' && found[2] <= '9')
            line = found;
    for (const char *found = strstr(at, mark); found; found = strstr(found + 1, mark))
        lowering = found;
    if (!line || !is_end(line + sizeof "_l" - 1))
        return false;
    const char *end = lowering && lowering < line ? lowering : line;
    snprintf(region->name, sizeof region->name, "%.*s", (int)(end - at), at);
    region->lowering[0] = '\0';
    if (end == lowering) {
        lowering += sizeof mark - 1;
        snprintf(region->lowering, sizeof region->lowering, "%.*s", (int)strcspn(lowering, "_"), lowering);
    }
    return true;
}

enum { NV_FORMAT_SIZED = 4, NV_MIN_STACK_SIZE = 0x12, NV_REGCOUNT = 0x2f };

/* Returns the number that a cubin's section .nv.info has about a symbol; 0 if it has none. Its entries are a format, an
   attribute, and two bytes, which are a value or the size of what follows: the index of a symbol and a number. */
static size_t nv_info(const struct tw_elf *elf, unsigned attribute, size_t symbol)
{
    struct tw_elf_section info;
    if (!tw_elf_find(elf, ".nv.info", &info))
        return 0;
    for (size_t at = 0; at + 4 <= info.contents.size;) {
        const unsigned char *entry = info.contents.at + at;
        const size_t bytes = entry[0] == NV_FORMAT_SIZED ? entry[2] + 256u * entry[3] : 0;
        uint32_t values[2];
        if (entry[0] == NV_FORMAT_SIZED && entry[1] == attribute && bytes >= sizeof values
            && tw_bytes_slice(info.contents, at + 4, sizeof values).at) {
            memcpy(values, entry + 4, sizeof values);
            if (values[0] == symbol)
                return values[1];
        }
        at += 4 + bytes;
    }
    return 0;
}

/* Returns the size of section PREFIX + NAME, which may have no contents in the file. */
static size_t section_bytes(const struct tw_elf *elf, const char *prefix, const char *name)
{
    struct tw_elf_section section;
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < elf->section_count; ++i)
        if (tw_elf_section(elf, i, &section) && starts_with(section.name, prefix)
            && strcmp(section.name + length, name) == 0)
            return section.header.sh_size;
    return 0;
}

/* Returns the bytes of a cubin's kernel in TW_LOCAL variables, and others of team memory. From sm_90 on their section
   begins with what the system reserves, as another section's existence tells. */
static size_t shared_bytes(const struct tw_elf *elf, const char *name)
{
    struct tw_elf_section reserved;
    const size_t bytes = section_bytes(elf, ".nv.shared.", name);
    return bytes >= RESERVED_BYTES && tw_elf_find(elf, ".nv.shared.reserved.0", &reserved) ? bytes - RESERVED_BYTES
                                                                                           : bytes;
}

/* Stores a number that a code object has about a kernel; UNKNOWN if it has none. */
static void read_metadata(struct tw_metadata kernel, const char *key, size_t *number)
{
    if (!tw_metadata_number(kernel, key, number))
        *number = UNKNOWN;
}

/* Reads what a code object says of the kernel that is called `name` in it. Scalar registers are those of a wave. */
static void read_code_object(const struct tw_elf *elf, const char *name, struct region *region)
{
    struct tw_metadata kernel;
    size_t scalar;
    if (!tw_metadata_of_kernel(elf, name, &kernel))
        return;
    read_metadata(kernel, ".vgpr_count", &region->registers);
    read_metadata(kernel, ".sgpr_count", &region->scalar_registers);
    read_metadata(kernel, ".agpr_count", &region->accumulation_registers);
    read_metadata(kernel, ".private_segment_fixed_size", &region->private_bytes);
    read_metadata(kernel, ".group_segment_fixed_size", &region->local_bytes);
    read_metadata(kernel, ".wavefront_size", &region->wave);
    read_metadata(kernel, ".vgpr_spill_count", &region->spilled_registers);
    if (region->spilled_registers != UNKNOWN && tw_metadata_number(kernel, ".sgpr_spill_count", &scalar)
        && scalar < UNKNOWN - region->spilled_registers)
        region->spilled_registers += scalar;
}

/* Reads the kernel that symbol `index` is. Returns false if it is none. */
static bool read_region(const struct tw_elf *elf, const struct tw_elf_symbols *symbols, size_t index,
                        struct region *region)
{
    Elf64_Sym symbol;
    const char *name = tw_elf_symbol(symbols, index, &symbol);
    *region = (struct region){.code_bytes = UNKNOWN,
                              .registers = UNKNOWN,
                              .private_bytes = UNKNOWN,
                              .local_bytes = UNKNOWN,
                              .scalar_registers = UNKNOWN,
                              .accumulation_registers = UNKNOWN,
                              .spilled_registers = UNKNOWN,
                              .wave = UNKNOWN};
    if (!name || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF
        || !read_region_name(name, region))
        return false;
    const bool is_cubin = elf->header.e_machine == MACHINE_CUDA, is_code_object = tw_elf_is_code_object(elf);
    if (is_cubin || is_code_object) /* a CPU's region calls others, which have the code */
        region->code_bytes = symbol.st_size;
    if (is_code_object)
        read_code_object(elf, name, region);
    if (is_cubin) {
        region->registers = nv_info(elf, NV_REGCOUNT, index);
        region->private_bytes = nv_info(elf, NV_MIN_STACK_SIZE, index);
        region->local_bytes = shared_bytes(elf, name);
    }
    return true;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static const char *kind_of(struct tw_bytes contents)
{
    struct tw_elf elf;
    if (!contents.size)
        return "compressed";
    if (tw_elf_open(&elf, contents))
        return elf.header.e_machine == MACHINE_CUDA ? "cubin" : tw_elf_is_code_object(&elf) ? "code object" : "ELF";
    if (contents.size >= 4
        && (memcmp(contents.at, "BC\xc0\xde", 4) == 0 || memcmp(contents.at, "\xde\xc0\x17\x0b", 4) == 0))
        return "LLVM bitcode";
    return contents.size >= 2 && memcmp(contents.at, "//", 2) == 0 ? "PTX" : "unknown";
}

static void write_number(size_t number, int width)
{
    if (number != UNKNOWN)
        printf(" %*zu", width, number);
    else
        printf(" %*s", width, "-");
}

static void report_if_known(struct report *report, const char *name, size_t number)
{
    if (number == UNKNOWN)
        report_text(report, name, NULL);
    else
        report_number(report, name, number, NULL);
}

static void report_title(bool is_code_object)
{
    printf("    %-40s %-8s %8s", "KERNEL", "LOWERING", "CODE");
    if (is_code_object)
        printf(" %5s %5s %5s %7s %4s", "VGPRS", "AGPRS", "SGPRS", "SPILLED", "WAVE");
    else
        printf(" %9s", "REGISTERS");
    printf(" %8s %8s\n", "PRIVATE", "LOCAL");
}

static void report_region(struct report *report, const struct region *region, bool is_code_object)
{
    if (report->json) {
        report_begin(report, '{', NULL, NULL);
        report_text(report, "name", region->name);
        report_text(report, "lowering", *region->lowering ? region->lowering : NULL);
        report_if_known(report, "code_bytes", region->code_bytes);
        report_if_known(report, "registers", region->registers);
        report_if_known(report, "private_bytes", region->private_bytes);
        report_if_known(report, "local_bytes", region->local_bytes);
        report_if_known(report, "scalar_registers", region->scalar_registers);
        report_if_known(report, "accumulation_registers", region->accumulation_registers);
        report_if_known(report, "spilled_registers", region->spilled_registers);
        report_if_known(report, "wave_size", region->wave);
        report_end(report, '}');
        return;
    }
    printf("    %-40s %-8s", region->name, *region->lowering ? region->lowering : "-");
    write_number(region->code_bytes, 8);
    write_number(region->registers, is_code_object ? 5 : 9);
    if (is_code_object) {
        write_number(region->accumulation_registers, 5);
        write_number(region->scalar_registers, 5);
        write_number(region->spilled_registers, 7);
        write_number(region->wave, 4);
    }
    write_number(region->private_bytes, 8);
    write_number(region->local_bytes, 8);
    printf("\n");
}

static void report_regions(struct report *report, struct tw_bytes image)
{
    struct tw_elf elf;
    struct tw_elf_symbols symbols;
    struct region region;
    if (!tw_elf_open(&elf, image)
        || (!tw_elf_symbols(&elf, SHT_SYMTAB, &symbols) && !tw_elf_symbols(&elf, SHT_DYNSYM, &symbols)))
        return;
    bool has_title = report->json;
    for (size_t i = 0; i < symbols.count; ++i) {
        if (!read_region(&elf, &symbols, i, &region))
            continue;
        if (!has_title)
            report_title(tw_elf_is_code_object(&elf));
        has_title = true;
        report_region(report, &region, tw_elf_is_code_object(&elf));
    }
}

struct image_visit {
    struct report *report;
    size_t count;
};

static bool report_image(const struct tw_image *image, void *user)
{
    struct image_visit *visit = user;
    struct report *report = visit->report;
    ++visit->count;
    report_begin(report, '{', NULL, NULL);
    if (report->json) {
        report_text(report, "triple", image->triple);
        report_text(report, "arch", image->arch);
        report_text(report, "kind", kind_of(image->contents));
        report_number(report, "bytes", image->contents.size, NULL);
    } else {
        printf("  image for %s%s%s: %s, %zu bytes\n", image->triple, *image->arch ? " " : "", image->arch,
               kind_of(image->contents), image->contents.size);
    }
    report_begin(report, '[', "kernels", NULL);
    report_regions(report, image->contents);
    report_end(report, ']');
    report_end(report, '}');
    return true;
}

/* ---- kernels of the host ----------------------------------------------------------------------------------------- */

/* A file as it is loaded: what is at its addresses, and the relocations of pointers. */
struct loaded {
    struct tw_elf elf;
    struct tw_bytes relocations; /* of type Elf64_Rela */
};

/* Returns what a loaded file has from an address on; none if nothing is there. */
static struct tw_bytes at_address(const struct loaded *loaded, uint64_t address, size_t bytes)
{
    struct tw_elf_section section;
    for (size_t i = 0; i < loaded->elf.section_count; ++i)
        if (tw_elf_section(&loaded->elf, i, &section) && section.header.sh_flags & SHF_ALLOC && section.contents.size
            && address >= section.header.sh_addr && address - section.header.sh_addr < section.contents.size)
            return tw_bytes_slice(section.contents, address - section.header.sh_addr, bytes);
    return (struct tw_bytes){NULL, 0};
}

/* Returns the pointer that a file has at an address, once it is loaded at address 0; 0 for one that leads elsewhere. */
static uint64_t pointer_at(const struct loaded *loaded, uint64_t address)
{
    Elf64_Rela relocation;
    uint64_t pointer = 0;
    for (size_t at = 0; at + sizeof relocation <= loaded->relocations.size; at += sizeof relocation) {
        memcpy(&relocation, loaded->relocations.at + at, sizeof relocation);
        if (relocation.r_offset != address)
            continue;
        if (!ELF64_R_SYM(relocation.r_info))
            return (uint64_t)relocation.r_addend;
        struct tw_elf_symbols symbols;
        Elf64_Sym symbol;
        return tw_elf_symbols(&loaded->elf, SHT_DYNSYM, &symbols)
                       && tw_elf_symbol(&symbols, ELF64_R_SYM(relocation.r_info), &symbol)
                   ? symbol.st_value + (uint64_t)relocation.r_addend
                   : 0;
    }
    const struct tw_bytes bytes = at_address(loaded, address, sizeof pointer);
    if (bytes.at)
        memcpy(&pointer, bytes.at, sizeof pointer);
    return pointer;
}

/* Returns the string that a pointer at an address leads to; "" if there is none. */
static const char *string_at(const struct loaded *loaded, uint64_t address)
{
    const uint64_t pointer = pointer_at(loaded, address);
    struct tw_elf_section section;
    for (size_t i = 0; pointer && i < loaded->elf.section_count; ++i)
        if (tw_elf_section(&loaded->elf, i, &section) && section.header.sh_flags & SHF_ALLOC
            && pointer >= section.header.sh_addr && pointer - section.header.sh_addr < section.contents.size) {
            const char *string = tw_bytes_string(section.contents, pointer - section.header.sh_addr);
            return string ? string : "";
        }
    return "";
}

static const char *form_name(unsigned form)
{
    switch (form) {
    case TW_INTERNAL_SINGLE_TASK:
        return "single task";
    case TW_INTERNAL_RANGE:
        return "range";
    case TW_INTERNAL_WORK_GROUP:
        return "work-group";
    case TW_INTERNAL_ND_RANGE:
        return "nd_range";
    default:
        return "reduction";
    }
}

/* Reports the kernel whose struct is at an address of the file. Returns false if it is of another version. */
static bool report_kernel(struct report *report, const struct loaded *loaded, uint64_t address)
{
    struct tw_internal_kernel kernel;
    const struct tw_bytes bytes = at_address(loaded, address, sizeof kernel);
    if (!bytes.at)
        return false;
    memcpy(&kernel, bytes.at, sizeof kernel); /* pointers in it are not relocated */
    if (kernel.abi != TW_INTERNAL_KERNEL_ABI)
        return false;
    const char *name = string_at(loaded, address + offsetof(struct tw_internal_kernel, name));
    const char *file = string_at(loaded, address + offsetof(struct tw_internal_kernel, file));
    if (report->json) {
        report_begin(report, '{', NULL, NULL);
        report_text(report, "name", name);
        report_text(report, "form", form_name(kernel.form));
        report_number(report, "dimensions", kernel.dims, NULL);
        report_number(report, "argument_bytes", kernel.args_bytes, NULL);
        report_numbers(report, "required_group", kernel.required_local, 3, NULL);
        report_text(report, "file", file);
        report_number(report, "line", (size_t)kernel.line, NULL);
        report_end(report, '}');
    } else {
        printf("    %-40s %-12s %4.0u %9zu  %s:%d\n", name, form_name(kernel.form), kernel.dims, kernel.args_bytes,
               file, kernel.line);
    }
    return true;
}

static size_t report_kernels(struct report *report, const struct tw_elf *elf)
{
    struct loaded loaded = {.elf = *elf};
    struct tw_elf_section list, relocations;
    if (!tw_elf_find(elf, "tw_kernels", &list))
        return 0;
    if (tw_elf_find(elf, ".rela.dyn", &relocations))
        loaded.relocations = relocations.contents;
    const size_t count = list.contents.size / sizeof(uint64_t);
    if (elf->header.e_type == ET_REL) /* what it points to is known once it is linked */
        return count;
    if (!report->json && count)
        printf("  kernels on the host\n    %-40s %-12s %4s %9s  %s\n", "KERNEL", "FORM", "DIMS", "ARGUMENTS", "FILE");
    size_t others = 0;
    for (size_t i = 0; i < count; ++i)
        others += !report_kernel(report, &loaded, pointer_at(&loaded, list.header.sh_addr + i * sizeof(uint64_t)));
    if (others && !report->json)
        printf("    %zu compiled for another version of Teamwork than this one\n", others);
    return count;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Maps a file. Returns none, with the reason, if that fails. */
static struct tw_bytes map_file(const char *path, const char **reason)
{
    struct tw_bytes bytes = {NULL, 0};
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* waits for nobody to write to a FIFO */
    *reason = file < 0 ? strerror(errno) : "no file with contents";
    if (file < 0)
        return bytes;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED)
            bytes = (struct tw_bytes){memory, (size_t)about.st_size};
    }
    close(file);
    return bytes;
}

/* Reports a file: an ELF file, or with NULL a sequence of offload binaries. */
static void report_file(struct report *report, const char *path, struct tw_bytes file, const struct tw_elf *elf)
{
    struct image_visit visit = {.report = report};
    struct tw_elf_section section;
    const bool is_code_object = elf && tw_elf_is_code_object(elf);
    const struct tw_image alone = {
        .triple = is_code_object ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda", .arch = "", .contents = file};
    report_begin(report, '{', NULL, path);
    if (report->json)
        report_text(report, "file", path);
    report_begin(report, '[', "kernels", NULL);
    const size_t kernels = elf ? report_kernels(report, elf) : 0;
    report_end(report, ']');
    report_begin(report, '[', "images", NULL);
    if (is_code_object || (elf && elf->header.e_machine == MACHINE_CUDA))
        (void)report_image(&alone, &visit);
    else if (!elf)
        tw_image_visit(file, report_image, &visit);
    else if (tw_elf_find(elf, ".llvm.offloading", &section))
        tw_image_visit(section.contents, report_image, &visit);
    report_end(report, ']');
    report_end(report, '}');
    if (!report->json && !visit.count)
        printf("  no device images: %s\n",
               kernels ? "its kernels run on the host and on simulated devices" : "no kernels");
}

static bool count_image(const struct tw_image *image, void *user)
{
    (void)image;
    ++*(size_t *)user;
    return true;
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */

#define ARCHIVE "!<arch>\n" /* the format of ar(5), with GNU's long names */

struct archive_header {
    char name[16], date[12], user[6], group[6], mode[8], size[10], end[2];
};

/* Reads a header of an archive, and stores the contents of its member. Returns false if it is not all there. */
static bool read_member(struct tw_bytes file, size_t at, struct archive_header *header, struct tw_bytes *member)
{
    char digits[sizeof header->size + 1] = "";
    if (file.size - at < sizeof *header)
        return false;
    memcpy(header, file.at + at, sizeof *header);
    memcpy(digits, header->size, sizeof header->size);
    *member = tw_bytes_slice(file, at + sizeof *header, strtoull(digits, NULL, 10));
    return member->at && memcmp(header->end, "`\n", sizeof header->end) == 0;
}

/* Returns the place of the member behind one: it is even. */
static size_t next_member(size_t at, struct tw_bytes member)
{
    return at + sizeof(struct archive_header) + member.size + member.size % 2;
}

static bool is_whole_archive(struct tw_bytes file)
{
    struct archive_header header;
    struct tw_bytes member;
    size_t at = sizeof ARCHIVE - 1;
    while (at < file.size && read_member(file, at, &header, &member))
        at = next_member(at, member);
    return at >= file.size;
}

/* Writes the name of a member: up to a slash, or at a place in the archive's list of long names. */
static void read_member_name(const struct archive_header *header, struct tw_bytes names, char name[MOST_NAME])
{
    const char *text = header->name;
    size_t most = sizeof header->name;
    if (text[0] == '/' && text[1] >= '0' && text[1] <= '9') {
        char digits[sizeof header->name] = "";
        memcpy(digits, text + 1, sizeof header->name - 1);
        const size_t at = strtoul(digits, NULL, 10);
        most = at < names.size ? names.size - at : 0;
        text = most ? (const char *)names.at + at : "";
    }
    size_t length = 0;
    while (length < most && length + 1 < MOST_NAME && text[length] != '/' && text[length] != '\n')
        ++length;
    memcpy(name, text, length);
    name[length] = '\0';
}

static bool is_archive(struct tw_bytes file)
{
    return file.size >= sizeof ARCHIVE - 1 && memcmp(file.at, ARCHIVE, sizeof ARCHIVE - 1) == 0;
}

/* Reports the members that have kernels or device images, of a whole archive. */
static void report_archive(struct report *report, const char *path, struct tw_bytes file)
{
    struct tw_bytes names = {NULL, 0}, member;
    struct archive_header header;
    bool has_any = report->json;
    for (size_t at = sizeof ARCHIVE - 1; at < file.size && read_member(file, at, &header, &member);) {
        char name[MOST_NAME], title[PATH_MAX + MOST_NAME];
        struct tw_elf elf;
        struct tw_elf_section section;
        if (memcmp(header.name, "// ", 3) == 0)
            names = member;
        read_member_name(&header, names, name);
        snprintf(title, sizeof title, "%s(%s)", path, name);
        if (tw_elf_open(&elf, member)
            && (tw_elf_find(&elf, "tw_kernels", &section) || tw_elf_find(&elf, ".llvm.offloading", &section))) {
            report_file(report, title, member, &elf);
            has_any = true;
        }
        at = next_member(at, member);
    }
    if (!has_any)
        printf("%s\n  no member has kernels or device images\n", path);
}

/* Returns whether a file is one or more offload binaries, which begin with its first byte. */
static bool is_offload(struct tw_bytes file)
{
    static const unsigned char magic[] = {0x10, 0xff, 0x10, 0xad};
    size_t images = 0;
    if (file.size < sizeof magic || memcmp(file.at, magic, sizeof magic) != 0)
        return false;
    tw_image_visit(file, count_image, &images);
    return images > 0;
}

/* Reports a file whose contents are mapped. Returns NULL, or what is wrong with it. */
static const char *report_contents(struct report *report, const char *path, struct tw_bytes file)
{
    struct tw_elf elf;
    if (is_archive(file)) {
        if (!is_whole_archive(file))
            return "the archive is cut off, or damaged";
        report_archive(report, path, file);
        return NULL;
    }
    const bool is_elf = tw_elf_open(&elf, file);
    if (!is_elf && !is_offload(file))
        return "neither a program, library or object of this machine, nor an offload binary";
    report_file(report, path, file, is_elf ? &elf : NULL);
    return NULL;
}

bool images_report(struct report *report, const char *path)
{
    const char *reason;
    const struct tw_bytes file = map_file(path, &reason);
    if (file.at) {
        reason = report_contents(report, path, file);
        munmap((void *)(uintptr_t)file.at, file.size);
    }
    if (reason)
        fprintf(stderr, PROGRAM ": %s: %s\n", path, reason);
    return !reason;
}
