/* SPDX-License-Identifier: Apache-2.0 */
/* The program teamwork-info: lists platforms, devices and what they answer, and the processors of the host. Device
   images and the topology are in files of their own. docs/man/teamwork-info.1 describes it. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/device.h>
#include <teamwork/version.h>

#include "check.h"
#include "images.h"
#include "report.h"
#include "toolchain.h"
#include "topology.h"

#define PROGRAM "teamwork-info"
#define SEE_HELP PROGRAM ": \"" PROGRAM " --help\" lists the options\n"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MOST_WORDS 32 /* that a set of bits has */

/* ---- what there is to ask ---------------------------------------------------------------------------------------- */

/* The C type of an answer. Enumerations are as unsigned. */
enum answer_type { TEXT, BOOL, SIZE, UNSIGNED, RANGE, DEVICE };

union answer {
    const char *text;
    bool truth;
    size_t size;
    unsigned number;
    tw_range range;
    tw_device *device;
};

struct question {
    const char *name;
    enum answer_type type;
    size_t bytes;
};

#define QUESTION(question, answer)                                                                                     \
    [question] = {#question,                                                                                           \
                  _Generic((answer){0},                                                                                \
                      const char *: TEXT,                                                                              \
                      bool: BOOL,                                                                                      \
                      size_t: SIZE,                                                                                    \
                      unsigned: UNSIGNED,                                                                              \
                      tw_range: RANGE,                                                                                 \
                      tw_device *: DEVICE),                                                                            \
                  sizeof(answer)},
static const struct question device_questions[] = {TW_DEVICE_INFO_LIST(QUESTION)};
static const struct question platform_questions[] = {TW_PLATFORM_INFO_LIST(QUESTION)};

/* A constant and its name. */
struct constant {
    unsigned value;
    const char *name;
};

#define CONSTANT(constant) {constant, #constant}
static const struct constant types[] = {CONSTANT(TW_DEVICE_HOST), CONSTANT(TW_DEVICE_CPU), CONSTANT(TW_DEVICE_GPU),
                                        CONSTANT(TW_DEVICE_ACCELERATOR), CONSTANT(TW_DEVICE_SIM)};
static const struct constant local_mem_types[] = {CONSTANT(TW_LOCAL_MEM_NONE), CONSTANT(TW_LOCAL_MEM_LOCAL),
                                                  CONSTANT(TW_LOCAL_MEM_GLOBAL)};
static const struct constant cache_types[] = {CONSTANT(TW_MEM_CACHE_NONE), CONSTANT(TW_MEM_CACHE_READ_ONLY),
                                              CONSTANT(TW_MEM_CACHE_READ_WRITE)};
static const struct constant fp_configs[] = {CONSTANT(TW_FP_DENORM),
                                             CONSTANT(TW_FP_INF_NAN),
                                             CONSTANT(TW_FP_ROUND_TO_NEAREST),
                                             CONSTANT(TW_FP_ROUND_TO_ZERO),
                                             CONSTANT(TW_FP_ROUND_TO_INF),
                                             CONSTANT(TW_FP_FMA),
                                             CONSTANT(TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
                                             CONSTANT(TW_FP_SOFT_FLOAT)};
static const struct constant partitions[] = {CONSTANT(TW_PARTITION_NONE), CONSTANT(TW_PARTITION_EQUALLY),
                                             CONSTANT(TW_PARTITION_BY_COUNTS),
                                             CONSTANT(TW_PARTITION_BY_AFFINITY_DOMAIN)};
static const struct constant affinity_domains[] = {CONSTANT(TW_AFFINITY_NONE),
                                                   CONSTANT(TW_AFFINITY_NUMA),
                                                   CONSTANT(TW_AFFINITY_L4_CACHE),
                                                   CONSTANT(TW_AFFINITY_L3_CACHE),
                                                   CONSTANT(TW_AFFINITY_L2_CACHE),
                                                   CONSTANT(TW_AFFINITY_L1_CACHE),
                                                   CONSTANT(TW_AFFINITY_NEXT_PARTITIONABLE)};
#define LISTED(constant) CONSTANT(constant),
static const struct constant aspects[] = {TW_ASPECT_LIST(LISTED)};

#define BIT(macro, constant) {macro(constant), #constant}
static const struct constant orders[] = {BIT(TW_ORDER_BIT, TW_ORDER_RELAXED), BIT(TW_ORDER_BIT, TW_ORDER_ACQUIRE),
                                         BIT(TW_ORDER_BIT, TW_ORDER_RELEASE), BIT(TW_ORDER_BIT, TW_ORDER_ACQ_REL),
                                         BIT(TW_ORDER_BIT, TW_ORDER_SEQ_CST)};
static const struct constant scopes[] = {BIT(TW_SCOPE_BIT, TW_SCOPE_WORK_ITEM), BIT(TW_SCOPE_BIT, TW_SCOPE_SUB_GROUP),
                                         BIT(TW_SCOPE_BIT, TW_SCOPE_WORK_GROUP), BIT(TW_SCOPE_BIT, TW_SCOPE_DEVICE),
                                         BIT(TW_SCOPE_BIT, TW_SCOPE_SYSTEM)};

/* What an answer of type UNSIGNED means: one of some constants, or a set of them. */
struct meaning {
    const struct constant *constants;
    size_t count;
    bool is_set;
};

#define ONE_OF(constants) {constants, COUNT(constants), false}
#define SET_OF(constants) {constants, COUNT(constants), true}
static const struct meaning device_meanings[TW_DEVICE_INFO_COUNT] = {
    [TW_DEVICE_INFO_TYPE] = ONE_OF(types),
    [TW_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES] = SET_OF(orders),
    [TW_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES] = SET_OF(scopes),
    [TW_DEVICE_INFO_HALF_FP_CONFIG] = SET_OF(fp_configs),
    [TW_DEVICE_INFO_SINGLE_FP_CONFIG] = SET_OF(fp_configs),
    [TW_DEVICE_INFO_DOUBLE_FP_CONFIG] = SET_OF(fp_configs),
    [TW_DEVICE_INFO_LOCAL_MEM_TYPE] = ONE_OF(local_mem_types),
    [TW_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE] = ONE_OF(cache_types),
    [TW_DEVICE_INFO_PARTITION_PROPERTIES] = SET_OF(partitions),
    [TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS] = SET_OF(affinity_domains),
    [TW_DEVICE_INFO_PARTITION_TYPE] = ONE_OF(partitions),
    [TW_DEVICE_INFO_PARTITION_TYPE_AFFINITY_DOMAIN] = ONE_OF(affinity_domains),
};
static const struct meaning platform_meanings[TW_PLATFORM_INFO_COUNT] = {
    [TW_PLATFORM_INFO_DEVICE_TYPE] = ONE_OF(types),
};

/* The units of numbers, by the ends of their questions' names; numbers of other questions count something. */
static const struct {
    const char *end;
    const char *unit;
} units[] = {
    {"_MEM_SIZE", "bytes"},
    {"_MEM_SIZE_PER_COMPUTE_UNIT", "bytes"},
    {"_FREE_MEMORY", "bytes"},
    {"_ALLOC_SIZE", "bytes"},
    {"_CONSTANT_BUFFER_SIZE", "bytes"},
    {"_ADDR_ALIGN", "bytes"},
    {"_CACHE_SIZE", "bytes"},
    {"_CACHELINE_SIZE", "bytes"},
    {"_PRINTF_BUFFER_SIZE", "bytes"},
    {"_PARAMETER_SIZE", "bytes"},
    {"_BITS", "bits"},
    {"_BUS_WIDTH", "bits"},
    {"_CLOCK_RATE", "MHz"},
    {"_CLOCK_FREQUENCY", "MHz"},
    {"_TIMER_RESOLUTION", "ns"},
    {"_MAX_WIDTH", "pixels"},
    {"_MAX_HEIGHT", "pixels"},
    {"_MAX_DEPTH", "pixels"},
    {"_MAX_BUFFER_SIZE", "pixels"},
    {"_ARRAY_SIZE", "images"},
    {"_WORK_ITEM_SIZES", "work-items"},
    {"_WORK_GROUP_SIZE", "work-items"},
    {"_SUB_GROUP_SIZE", "work-items"},
    {"_WORK_ITEMS_PER_COMPUTE_UNIT", "work-items"},
};

/* Kinds of devices as TW_DEVICES names them. */
static const struct kind {
    tw_device_type type;
    const char *name;
} kinds[] = {
    {TW_DEVICE_HOST, "host"}, {TW_DEVICE_GPU, "gpu"}, {TW_DEVICE_CPU, "cpu"}, {TW_DEVICE_ACCELERATOR, "accelerator"},
    {TW_DEVICE_SIM, "sim"},
};

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static const char *unit_of(const char *question)
{
    const size_t length = strlen(question);
    for (size_t i = 0; i < COUNT(units); ++i) {
        const size_t end = strlen(units[i].end);
        if (length > end && strcmp(question + length - end, units[i].end) == 0)
            return units[i].unit;
    }
    return NULL;
}

static void report_unsigned(struct report *report, const char *name, unsigned number, const struct meaning *meaning)
{
    const char *words[MOST_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < meaning->count; ++i) {
        const unsigned value = meaning->constants[i].value;
        if (meaning->is_set ? (value & number) != 0 : value == number)
            words[count++] = meaning->constants[i].name;
    }
    char digits[16];
    snprintf(digits, sizeof digits, "0x%04x", number);
    if (meaning->is_set)
        report_words(report, name, words, count);
    else
        report_text(report, name, count ? words[0] : digits);
}

/* A size of 0 is one that is not known: text shows it as empty. What only counts may be 0. */
static void report_size(struct report *report, const char *name, size_t size)
{
    const char *const unit = unit_of(name);
    if (!size && unit && !report->json)
        report_text(report, name, NULL);
    else
        report_number(report, name, size, unit);
}

static void report_answer(struct report *report, const struct question *question, const struct meaning *meaning,
                          const union answer *answer)
{
    switch (question->type) {
    case TEXT:
        report_text(report, question->name, answer->text);
        break;
    case BOOL:
        report_bool(report, question->name, answer->truth);
        break;
    case SIZE:
        report_size(report, question->name, answer->size);
        break;
    case UNSIGNED:
        report_unsigned(report, question->name, answer->number, meaning);
        break;
    case RANGE:
        report_numbers(report, question->name, answer->range.size, answer->range.dims, unit_of(question->name));
        break;
    case DEVICE:
        report_text(report, question->name, answer->device ? tw_device_name(answer->device) : NULL);
        break;
    }
}

/* Returns the answer to a question that every device has. */
static union answer ask(const tw_device *device, tw_device_info_id question)
{
    union answer answer = {0};
    (void)tw_device_info(device, question, &answer, device_questions[question].bytes);
    return answer;
}

/* ---- devices and platforms --------------------------------------------------------------------------------------- */

/* The visible devices, in order of preference. */
struct devices {
    tw_device **list;
    size_t count;
};

static const struct kind *kind_of_type(unsigned type)
{
    size_t i = 0;
    while (i + 1 < COUNT(kinds) && (unsigned)kinds[i].type != type)
        ++i;
    return &kinds[i];
}

static const struct kind *kind_of(const tw_device *device)
{
    return kind_of_type(ask(device, TW_DEVICE_INFO_TYPE).number);
}

/* Writes how TW_DEVICES selects a device, as "gpu:1"; its kind alone if TW_DEVICES hides others of that kind, perhaps.
   */
static void write_selection(const struct devices *devices, size_t index, char text[32])
{
    const struct kind *kind = kind_of(devices->list[index]);
    const char *filter = getenv("TW_DEVICES");
    size_t number = 0;
    for (size_t i = 0; i < index; ++i)
        number += kind_of(devices->list[i]) == kind;
    if (filter && *filter)
        snprintf(text, 32, "%s", kind->name);
    else
        snprintf(text, 32, "%s:%zu", kind->name, number);
}

static void report_device(struct report *report, const struct devices *devices, size_t index)
{
    const tw_device *device = devices->list[index];
    const char *words[COUNT(aspects)];
    char title[256], selection[32];
    size_t count = 0;
    write_selection(devices, index, selection);
    snprintf(title, sizeof title, "Device %s: %s", selection, tw_device_name(device));
    report_begin(report, '{', NULL, title);
    report_text(report, "selection", selection);
    report_text(report, "platform", tw_platform_name(tw_device_platform(device)));
    for (size_t i = 0; i < COUNT(device_questions); ++i) {
        const union answer answer = ask(device, (tw_device_info_id)i);
        report_answer(report, &device_questions[i], &device_meanings[i], &answer);
    }
    for (size_t i = 0; i < COUNT(aspects); ++i)
        if (tw_device_has(device, (tw_aspect)aspects[i].value))
            words[count++] = aspects[i].name;
    report_words(report, "aspects", words, count);
    report_end(report, '}');
}

static void report_platform(struct report *report, const tw_platform *platform)
{
    char title[128];
    snprintf(title, sizeof title, "Platform: %s", tw_platform_name(platform));
    report_begin(report, '{', NULL, title);
    for (size_t i = 0; i < COUNT(platform_questions); ++i) {
        union answer answer = {0};
        (void)tw_platform_info(platform, (tw_platform_info_id)i, &answer, platform_questions[i].bytes);
        report_answer(report, &platform_questions[i], &platform_meanings[i], &answer);
    }
    report_end(report, '}');
}

/* The devices that are not visible; the list is the caller's. Returns their number, 0 also if the library fails. */
static size_t list_absent(unsigned types, tw_absent_device **list)
{
    size_t count = 0;
    *list = NULL;
    if (tw_get_absent_devices(types, NULL, 0, &count) != TW_SUCCESS)
        return 0;
    *list = calloc(count + 1, sizeof **list);
    return *list && tw_get_absent_devices(types, *list, count, &count) == TW_SUCCESS ? count : 0;
}

static void report_absent(struct report *report)
{
    tw_absent_device *absent;
    const size_t count = list_absent(TW_DEVICE_ALL, &absent);
    report_begin(report, '[', "absent", "Devices that are not there");
    for (size_t i = 0; i < count; ++i) {
        const char *kind = kind_of_type((unsigned)absent[i].type)->name;
        report_begin(report, '{', NULL, NULL);
        if (report->json) {
            report_text(report, "kind", kind);
            report_text(report, "name", *absent[i].name ? absent[i].name : NULL);
            report_text(report, "reason", absent[i].reason);
        } else {
            char name[192];
            snprintf(name, sizeof name, "%s%s%s%s", kind, *absent[i].name ? " (" : "", absent[i].name,
                     *absent[i].name ? ")" : "");
            report_text(report, name, absent[i].reason);
        }
        report_end(report, '}');
    }
    report_end(report, ']');
    free(absent);
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

/* Shows the processors of each sub-device that an affinity domain makes: what the names of sub-devices end in. */
static tw_status report_domain(struct report *report, tw_device *host, const struct constant *domain)
{
    size_t count = 0;
    tw_status status =
        tw_device_create_sub_devices_by_affinity_domain(host, (tw_affinity_domain)domain->value, NULL, 0, &count);
    if (status != TW_SUCCESS)
        return status;
    tw_device **parts = calloc(count, sizeof *parts);
    const char **words = calloc(count, sizeof *words);
    status = parts && words ? tw_device_create_sub_devices_by_affinity_domain(host, (tw_affinity_domain)domain->value,
                                                                              parts, count, &count)
                            : TW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i) {
        const char *name = tw_device_name(parts[i]), *processors = strrchr(name, '[');
        words[i] = processors ? processors : name;
    }
    if (status == TW_SUCCESS)
        report_words(report, domain->name, words, count);
    free(parts);
    free(words);
    return status;
}

static tw_status report_host(struct report *report)
{
    tw_device *host;
    tw_status status = tw_select_device(tw_host_selector, NULL, &host);
    if (status != TW_SUCCESS)
        return status;
    const unsigned domains = ask(host, TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS).number;
    report_begin(report, '{', "host", "Processors of the host, by what they share");
    report_number(report, "processors", ask(host, TW_DEVICE_INFO_MAX_COMPUTE_UNITS).size, NULL);
    for (size_t i = 0; i < COUNT(affinity_domains) && status == TW_SUCCESS; ++i)
        if (affinity_domains[i].value & domains && affinity_domains[i].value != TW_AFFINITY_NEXT_PARTITIONABLE)
            status = report_domain(report, host, &affinity_domains[i]);
    report_end(report, '}');
    return status;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void write_version(char text[32])
{
    const unsigned version = tw_version();
    snprintf(text, 32, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
}

static tw_status report_all(bool json, const struct devices *devices)
{
    struct report report = {.file = stdout, .json = json};
    char version[32];
    size_t count = 0;
    tw_status status = tw_get_platforms(NULL, 0, &count);
    tw_platform **platforms = calloc(count + 1, sizeof(tw_platform *));
    if (status == TW_SUCCESS)
        status = platforms ? tw_get_platforms(platforms, count, &count) : TW_ERROR_OUT_OF_MEMORY;
    if (status == TW_SUCCESS) {
        write_version(version);
        report_begin(&report, '{', NULL, "Teamwork");
        report_text(&report, "version", version);
        report_begin(&report, '[', "platforms", NULL);
        for (size_t i = 0; i < count; ++i)
            report_platform(&report, platforms[i]);
        report_end(&report, ']');
        report_begin(&report, '[', "devices", NULL);
        for (size_t i = 0; i < devices->count; ++i)
            report_device(&report, devices, i);
        report_end(&report, ']');
        report_absent(&report);
        status = report_host(&report);
        (void)topology_report(&report); /* what hwloc cannot tell is left out */
        report_end(&report, '}');
    }
    free(platforms);
    return status;
}

/* One line for each device. A missing GPU has one too, since it is what users look for. */
static void print_table(const struct devices *devices)
{
    printf("%-10s %6s %10s %-8s %s\n", "DEVICE", "UNITS", "MEMORY", "ARCH", "NAME");
    for (size_t i = 0; i < devices->count; ++i) {
        const tw_device *device = devices->list[i];
        const size_t bytes = ask(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE).size;
        char selection[32], memory[16] = "-";
        write_selection(devices, i, selection);
        if (bytes)
            report_format_bytes(bytes, memory);
        printf("%-10s %6zu %10s %-8s %s\n", selection, ask(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS).size, memory,
               ask(device, TW_DEVICE_INFO_ARCHITECTURE).text, tw_device_name(device));
    }
    tw_absent_device *absent;
    const size_t count = list_absent(TW_DEVICE_GPU, &absent);
    for (size_t i = 0; i < count; ++i)
        printf("%-10s %s%s: %s\n", "gpu", *absent[i].name ? "not " : "none", absent[i].name, absent[i].reason);
    free(absent);
}

/* Lists the visible devices; fails if there is none. */
static tw_status list_devices(struct devices *devices)
{
    tw_device *any;
    tw_status status = tw_get_devices(TW_DEVICE_ALL, NULL, 0, &devices->count);
    if (status == TW_SUCCESS && !devices->count)
        status = tw_select_device(NULL, NULL, &any); /* says why */
    if (status != TW_SUCCESS)
        return status;
    devices->list = calloc(devices->count, sizeof(tw_device *));
    return devices->list ? tw_get_devices(TW_DEVICE_ALL, devices->list, devices->count, &devices->count)
                         : TW_ERROR_OUT_OF_MEMORY;
}

static const char help[] =
    "usage: " PROGRAM " [-aj] [-d SELECTION]\n"
    "       " PROGRAM " [-j] -t | -T\n"
    "       " PROGRAM " [-j] -c [-d KINDS]\n"
    "       " PROGRAM " [-j] FILE...\n"
    "Lists the devices that Teamwork sees, one a line; or the kernels and device images of programs, libraries\n"
    "and objects.\n"
    "\n"
    "  -a, --all               everything that platforms and devices tell, the reasons why there are\n"
    "                          no others, what the processors of the host share, and the topology\n"
    "  -t, --topology          the machine's processors, caches, memory and GPUs\n"
    "  -T, --toolchain         the tools and libraries for offload devices, what is missing, and what installs it\n"
    "  -c, --check             the same, and a kernel that is compiled, linked and run for each device\n"
    "  -j, --json              as JSON; without FILE, -t, -T and -c what -a shows\n"
    "  -d, --device SELECTION  these devices only: as the variable TW_DEVICES, such as gpu:1,host\n"
    "  -h, --help              this text\n"
    "  -V, --version           the version of the library\n"
    "\n"
    "Exit status: 0; 1 if there is no device, a file cannot be read, a check or the library fails; 2 for wrong\n"
    "options.\n";

struct options {
    bool json;
    char show;        /* the option: a, t, T or c; 0: none */
    const char *text; /* to print instead; or NULL */
    char **files;     /* ends in NULL */
};

/* Reads the options. Returns false, having said why on the standard error stream, if they are wrong. */
static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        {"all", no_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},
        {"device", required_argument, NULL, 'd'},
        {"topology", no_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {"toolchain", no_argument, NULL, 'T'},
        {"check", no_argument, NULL, 'c'},
        {NULL, 0, NULL, 0},
    };
    static char version[64] = PROGRAM " ";
    int option;
    while ((option = getopt_long(argc, argv, "ajd:tTchV", names, NULL)) != -1) {
        switch (option) {
        case 'a':
        case 't':
        case 'T':
        case 'c':
            options->show = (char)option;
            break;
        case 'j':
            options->json = true;
            break;
        case 'd':
            setenv("TW_DEVICES", optarg, 1);
            break;
        case 'h':
            options->text = help;
            break;
        case 'V':
            write_version(version + strlen(PROGRAM " "));
            options->text = strcat(version, "\n");
            break;
        default: /* getopt_long() has said what is wrong */
            fputs(SEE_HELP, stderr);
            return false;
        }
    }
    options->files = argv + optind;
    const char *const clash = *options->files && options->show ? "files go with no option but --json"
                              : options->text && options->json ? "--json goes with neither --help nor --version"
                                                               : NULL;
    if (clash)
        fprintf(stderr, PROGRAM ": %s\n" SEE_HELP, clash);
    return !clash;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

/* Returns false, having said why, if a file cannot be read. The others are reported. */
static bool report_files(bool json, char *const *files)
{
    struct report report = {.file = stdout, .json = json};
    bool are_read = true;
    report_begin(&report, '{', NULL, NULL);
    report_begin(&report, '[', "files", NULL);
    for (; *files; ++files)
        are_read = images_report(&report, *files) && are_read;
    report_end(&report, ']');
    report_end(&report, '}');
    return are_read;
}

/* Returns false if a kernel could not be compiled, linked or run. */
static bool report_toolchain(bool json, bool checks)
{
    static struct toolchain toolchain;
    struct report report = {.file = stdout, .json = json};
    toolchain_find(&toolchain);
    report_begin(&report, '{', NULL, NULL);
    toolchain_report(&report, &toolchain);
    const bool succeeds = !checks || check_report(&report, &toolchain, getenv("TW_DEVICES"));
    report_end(&report, '}');
    return succeeds;
}

static bool report_topology(bool json)
{
    struct report report = {.file = stdout, .json = json};
    report_begin(&report, '{', NULL, NULL);
    const bool is_known = topology_report(&report);
    report_end(&report, '}');
    if (!is_known)
        fprintf(stderr, PROGRAM ": hwloc cannot read the topology of this machine\n");
    return is_known;
}

/* Returns false, having said why, if there is no device or the library fails. */
static bool report_devices(const struct options *options)
{
    struct devices devices = {0};
    tw_status status = list_devices(&devices);
    if (status == TW_SUCCESS && (options->show || options->json))
        status = report_all(options->json, &devices);
    else if (status == TW_SUCCESS)
        print_table(&devices);
    free(devices.list);
    if (status != TW_SUCCESS) /* what this program has no memory for has no detail */
        fprintf(stderr, PROGRAM ": %s\n", *tw_error_detail() ? tw_error_detail() : tw_status_meaning(status));
    return status == TW_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    bool succeeds = true;
    if (!read_options(argc, argv, &options))
        return 2;
    if (options.text)
        fputs(options.text, stdout);
    else if (*options.files)
        succeeds = report_files(options.json, options.files);
    else if (options.show == 't')
        succeeds = report_topology(options.json);
    else if (options.show == 'T' || options.show == 'c')
        succeeds = report_toolchain(options.json, options.show == 'c');
    else
        succeeds = report_devices(&options);
    if (fflush(stdout) || ferror(stdout)) {
        perror(PROGRAM);
        succeeds = false;
    }
    return succeeds ? 0 : 1;
}
