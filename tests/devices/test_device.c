/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** device.h: discovery, selectors, TW_DEVICES, device information, platforms, contexts, shutdown. */
#include "tw_test.h"

#include <dirent.h>
#include <sys/utsname.h>
#include <teamwork/image.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZER_HAS_A_THREAD 1
#endif
#endif

struct nothing {
    int *out;
};
static inline void nothing(const struct nothing *k)
{
    k->out[0] = 0;
}
TW_SINGLE_TASK(nothing);

static int threads_of_this_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    TW_CHECK(tasks != NULL);
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Runs first: a program that does not use a device pays for none. */
TW_TEST(nothing_starts_before_the_first_queue)
{
    const int at_start = threads_of_this_process();
    tw_platform *platforms[8];
    size_t count = 0;
#ifndef SANITIZER_HAS_A_THREAD
    const char *visible = getenv("TW_DEVICES");
    if (visible && (!strcmp(visible, "host") || !strcmp(visible, "sim")))
        TW_EQUAL(at_start, 1);
#endif
    setenv("TW_DEVICES", "host", 1);
    TW_EQUAL(tw_test_devices((tw_device *[1]){NULL}, 1), 1);
    TW_PASS(tw_get_platforms(platforms, 8, &count));
    TW_EQUAL(threads_of_this_process(), at_start);
}

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static tw_device_type type_of(const tw_device *device)
{
    tw_device_type type = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_TYPE, &type, sizeof type));
    return type;
}

TW_TEST(the_host_is_always_there)
{
    tw_device *device = NULL;
    TW_PASS(tw_select_device(tw_host_selector, NULL, &device));
    TW_CHECK(tw_device_is_host(device));
    TW_EQUAL(type_of(device), TW_DEVICE_HOST);
    tw_test_use_sim(1);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &device));
    TW_CHECK(tw_device_is_host(device));
}

TW_TEST(the_default_selector_takes_the_first_of_tw_devices)
{
    tw_device *device = NULL;
    if (!getenv("TW_DEVICES"))
        setenv("TW_DEVICES", "host", 1);
    TW_PASS(tw_select_device(NULL, NULL, &device));
    TW_CHECK(device == tw_test_device(0));
    TW_PASS(tw_select_device(tw_default_selector, NULL, &device));
    TW_CHECK(device == tw_test_device(0));
}

TW_TEST(typed_selectors_choose_their_type_or_nothing)
{
    tw_device *untouched = (tw_device *)&untouched, *device = untouched;
    size_t gpus = 0;
    TW_PASS(tw_get_devices(TW_DEVICE_GPU, NULL, 0, &gpus));
    if (gpus) {
        TW_PASS(tw_select_device(tw_gpu_selector, NULL, &device));
        TW_CHECK(tw_device_is_gpu(device));
    } else {
        TW_FAIL(tw_select_device(tw_gpu_selector, NULL, &device), TW_ERROR_NO_DEVICE);
        TW_CHECK(device == untouched);
    }
    TW_PASS(tw_shutdown());
    setenv("TW_DEVICES", "host", 1);
    TW_PASS(tw_select_device(tw_cpu_selector, NULL, &device));
    TW_CHECK(tw_device_is_host(device));
    device = untouched;
    TW_FAIL(tw_select_device(tw_sim_selector, NULL, &device), TW_ERROR_NO_DEVICE);
    TW_CHECK(device == untouched);
    tw_test_use_sim(2);
    TW_PASS(tw_select_device(tw_sim_selector, NULL, &device));
    TW_EQUAL(type_of(device), TW_DEVICE_SIM);
}

struct scores {
    int scores[8];
    const tw_device *asked[8];
    size_t count;
};

static int score(const tw_device *device, void *user)
{
    struct scores *s = user;
    TW_CHECK(s->count < 8);
    s->asked[s->count] = device;
    return s->scores[s->count++];
}

TW_TEST(a_selector_is_asked_once_for_each_device_and_the_highest_score_wins)
{
    struct scores last = {{1, 2, 3}, {0}, 0}, first = {{7, 7, 7}, {0}, 0}, middle = {{-5, 0, -1}, {0}, 0};
    tw_device *devices[4], *device = NULL;
    tw_test_use_sim(3);
    TW_EQUAL(tw_test_devices(devices, 4), 3);
    TW_PASS(tw_select_device(score, &last, &device));
    TW_CHECK(last.count >= 3 && device == last.asked[2]);
    for (size_t i = 0; i < last.count; ++i)
        for (size_t j = 0; j < i; ++j)
            TW_CHECK(last.asked[i] != last.asked[j]);
    TW_PASS(tw_select_device(score, &first, &device));
    TW_CHECK(device == first.asked[0]);
    TW_PASS(tw_select_device(score, &middle, &device));
    TW_CHECK(device == middle.asked[1]);
}

TW_TEST(negative_scores_are_never_chosen)
{
    struct scores none = {{-1, -2, -3, -4, -5, -6, -7, -8}, {0}, 0}, again = none;
    tw_device *untouched = (tw_device *)&untouched, *device = untouched;
    tw_queue *queue = (tw_queue *)&untouched;
    tw_test_use_sim(3);
    TW_FAIL(tw_select_device(score, &none, &device), TW_ERROR_NO_DEVICE);
    TW_CHECK(device == untouched);
    TW_FAIL(tw_queue_create(score, &again, NULL, NULL, &queue), TW_ERROR_NO_DEVICE);
    TW_CHECK((void *)queue == (void *)&untouched);
    TW_FAIL(tw_select_device(NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
}

/* ---- TW_DEVICES and TW_SIM --------------------------------------------------------------------------------------- */

/* Simulated devices are told apart by their place in the list of all three. */
static void expect_devices(const char *setting, const char *expected)
{
    static char names[3][256];
    tw_device *devices[8];
    char got[64] = "";
    tw_test_use_sim(3);
    TW_EQUAL(tw_test_devices(devices, 8), 3);
    for (size_t i = 0; i < 3; ++i)
        snprintf(names[i], sizeof names[i], "%s", tw_device_name(devices[i]));
    TW_PASS(tw_shutdown());
    setenv("TW_DEVICES", setting, 1);
    const size_t count = tw_test_devices(devices, 8);
    for (size_t i = 0; i < count; ++i) {
        char one[2] = "?";
        if (tw_device_is_host(devices[i]))
            one[0] = 'h';
        for (size_t n = 0; n < 3; ++n)
            if (!strcmp(names[n], tw_device_name(devices[i])))
                one[0] = (char)('0' + n);
        strcat(got, one);
    }
    if (strcmp(got, expected) != 0)
        fprintf(stderr, "TW_DEVICES=%s gives \"%s\", not \"%s\"\n", setting, got, expected);
    TW_CHECK(strcmp(got, expected) == 0);
}

TW_TEST(tw_devices_filters_and_orders)
{
    expect_devices("sim", "012");
    expect_devices("sim:1", "1");
    expect_devices("sim:2,sim:0", "20");
    expect_devices("sim:2,sim", "201");
    expect_devices("host,sim", "h012");
    expect_devices("sim:1,host", "1h");
    expect_devices("sim,!sim:1", "02");
    expect_devices("sim,host,!sim", "h");
    expect_devices("sim:0,sim:0", "0");
    expect_devices("host", "h");
}

TW_TEST(a_filter_may_leave_nothing_but_the_host_selector)
{
    tw_device *device = NULL;
    size_t count = 99;
    tw_test_use_sim(2);
    setenv("TW_DEVICES", "sim:7", 1);
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
    TW_EQUAL(count, 0);
    TW_FAIL(tw_select_device(NULL, NULL, &device), TW_ERROR_NO_DEVICE);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &device));
    TW_CHECK(tw_device_is_host(device));
}

TW_TEST(settings_that_cannot_be_read_are_errors)
{
    const char *const bad_devices[] = {"gpux", "sim:", "sim:x", "sim:-1", "sim:1x", ",", "sim,,host", "!", "sim;host"};
    const char *const bad_sim[] = {"x", "-1", "65", "1x"};
    static const struct {
        const char *name, *values[4], *good;
    } others[] = {
        {"TW_SIM_ASYNC", {"yes", "2", "01", "on"}, "0"},
        {"TW_SIM_CHECK", {"yes", "2", "01", "on"}, "1"},
        {"TW_WORK_ITEM_STACK_KB", {"abc", "15", "64k", "1048577"}, "64"},
        {"TW_BACKEND", {"CUDA", "offload", "1", "ol,omp"}, "omp"},
        {"TW_CUDA_LAUNCH", {"Driver", "cuda", "1", "driver "}, "driver"},
        {"TW_WARNINGS", {"no", "off", "-1", "2"}, "1"},
        {"TW_LOG", {"1", "Info", "trace", "info "}, "off"},
    };
    size_t count = 99;
    tw_queue *queue = NULL;
    for (size_t i = 0; i < sizeof bad_devices / sizeof *bad_devices; ++i) {
        TW_PASS(tw_shutdown());
        setenv("TW_DEVICES", bad_devices[i], 1);
        TW_FAIL(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_INVALID_CONFIGURATION);
        TW_EQUAL(count, 99);
        TW_FAIL(tw_get_platforms(NULL, 0, &count), TW_ERROR_INVALID_CONFIGURATION);
        TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, &queue), TW_ERROR_INVALID_CONFIGURATION);
    }
    setenv("TW_DEVICES", "host", 1);
    for (size_t i = 0; i < sizeof bad_sim / sizeof *bad_sim; ++i) {
        TW_PASS(tw_shutdown());
        setenv("TW_SIM", bad_sim[i], 1);
        TW_FAIL(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_INVALID_CONFIGURATION);
    }
    TW_PASS(tw_shutdown());
    setenv("TW_SIM", "1", 1);
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
    TW_EQUAL(count, 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            TW_PASS(tw_shutdown());
            setenv(others[i].name, others[i].values[k], 1);
            TW_FAIL(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_INVALID_CONFIGURATION);
            TW_CHECK(strstr(tw_error_detail(), others[i].name) && strstr(tw_error_detail(), others[i].values[k]));
        }
        setenv(others[i].name, "", 1);
        TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
        TW_PASS(tw_shutdown());
        setenv(others[i].name, others[i].good, 1);
        TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
        unsetenv(others[i].name);
    }
}

/* Fails the case unless no device is selected and the detail says both. */
static void expect_none(const char *devices, tw_device_selector selector, const char *first, const char *second)
{
    tw_device *device = NULL;
    TW_PASS(tw_shutdown());
    setenv("TW_DEVICES", devices, 1);
    TW_FAIL(tw_select_device(selector, NULL, &device), TW_ERROR_NO_DEVICE);
    if (!strstr(tw_error_detail(), first) || !strstr(tw_error_detail(), second))
        fprintf(stderr, "%s\n", tw_error_detail());
    TW_CHECK(strstr(tw_error_detail(), first) && strstr(tw_error_detail(), second));
}

TW_TEST(where_no_device_is_selected_it_is_said_what_there_is)
{
    TW_PASS(tw_shutdown());
    unsetenv("TW_SIM");
    expect_none("sim", NULL, "TW_DEVICES=\"sim\" lets no device through; there is host (", "TW_SIM=N");
    unsetenv("OMP_TARGET_OFFLOAD");
    expect_none("gpu", NULL, "TW_DEVICES=\"gpu\" lets no device",
                "no file of the program was compiled for an offload device");
    expect_none("host,omp", tw_gpu_selector, ": host (", "no file of the program was compiled for an offload device");
    expect_none("host", tw_sim_selector, "chose none of the devices: host (", "TW_SIM=N");
    expect_none("!host,!omp", NULL, "TW_DEVICES=\"!host,!omp\"", "host (");
    setenv("TW_SIM", "2", 1);
    expect_none("sim:7", NULL, "\"sim:7\"", "sim (Simulated device 0), sim (Simulated device 1)");
    TW_CHECK(!strstr(tw_error_detail(), "TW_SIM=N"));
    expect_none("sim:1", tw_gpu_selector, ": sim (Simulated device 1)", "TW_DEVICES=\"sim:1\" lets no other through");
}

/* Returns why devices of a type are absent, of a name or "" for all; NULL if the list does not say so. */
static const char *why_absent(tw_device_type type, const char *name)
{
    tw_absent_device absent[8];
    size_t count = 0;
    TW_PASS(tw_get_absent_devices(type, absent, 8, &count));
    for (size_t i = 0; i < count; ++i) {
        TW_EQUAL(absent[i].type, type);
        if (strcmp(absent[i].name, name) == 0)
            return absent[i].reason;
    }
    return NULL;
}

TW_TEST(absent_devices_are_listed_with_the_reason)
{
    size_t count = 99;
    tw_absent_device absent[2] = {{.name = NULL}, {.name = NULL}};
    TW_PASS(tw_shutdown());
    setenv("OMP_TARGET_OFFLOAD", "DISABLED", 1);
    unsetenv("TW_SIM");
    unsetenv("TW_DEVICES");
    TW_FAIL(tw_get_absent_devices(TW_DEVICE_ALL, NULL, 0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_get_absent_devices(TW_DEVICE_ALL, NULL, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(count, 99);
    TW_PASS(tw_get_absent_devices(TW_DEVICE_HOST, NULL, 0, &count));
    TW_EQUAL(count, 0);
    TW_CHECK(strcmp(why_absent(TW_DEVICE_GPU, ""), "OMP_TARGET_OFFLOAD hides all offload devices") == 0);
    TW_CHECK(strcmp(why_absent(TW_DEVICE_CPU, ""), "OMP_TARGET_OFFLOAD hides all offload devices") == 0);
    TW_CHECK(strstr(why_absent(TW_DEVICE_SIM, ""), "TW_SIM=N"));
    TW_PASS(tw_get_absent_devices(TW_DEVICE_ALL, absent, 1, &count));
    TW_CHECK(count == 3 && absent[0].name && !absent[1].name);
    TW_PASS(tw_shutdown());
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", "sim:1", 1);
    TW_CHECK(strcmp(why_absent(TW_DEVICE_SIM, "Simulated device 0"), "TW_DEVICES=\"sim:1\" does not let it through")
             == 0);
    TW_CHECK(!why_absent(TW_DEVICE_SIM, "") && !why_absent(TW_DEVICE_SIM, "Simulated device 1"));
    TW_CHECK(strstr(why_absent(TW_DEVICE_GPU, ""), "they were not looked for") && !why_absent(TW_DEVICE_CPU, ""));
    setenv("TW_DEVICES", "simulated", 1);
    TW_PASS(tw_shutdown());
    TW_FAIL(tw_get_absent_devices(TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_INVALID_CONFIGURATION);
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* What a program says that looks for devices, in an environment. */
static void say(const char *environment, char *said, size_t bytes)
{
    char command[1024], self[512];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    TW_CHECK(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof command, "TW_DEVICES=host TW_TEST_ONLY=the_host_is_always_there %s '%s' 2>&1", environment,
             self);
    FILE *program = popen(command, "r");
    TW_CHECK(program != NULL);
    said[fread(said, 1, bytes - 1, program)] = '\0';
    TW_EQUAL(pclose(program), 0);
}

TW_TEST(misspelt_variables_are_named_once)
{
    char said[2048];
    say("", said, sizeof said);
    TW_EQUAL(strlen(said), 0);
    say("TW_TEST_DEVICE=1 TW_OTHER=1 TW_LAG=1 TW_POOL=1 MY_DEVICES=1 TW_SIM_ASYNC=1 TW_WARNINGS=1", said, sizeof said);
    TW_EQUAL(strlen(said), 0);
    say("TW_DEVICE=host TW_SIMS=1", said, sizeof said); /* devices are looked for twice */
    const char *device = strstr(said, "TW_DEVICE: TW_DEVICES was probably meant\n");
    const char *sims = strstr(said, "TW_SIMS: TW_SIM was probably meant\n");
    TW_CHECK(device && sims);
    TW_CHECK(!strstr(device + 1, "TW_DEVICE:") && !strstr(sims + 1, "TW_SIMS:"));
    say("TW_work_item_stack=1 TW_CUDA_LAUNCHES=1", said, sizeof said);
    TW_CHECK(strstr(said, "TW_WORK_ITEM_STACK_KB was") && strstr(said, "TW_CUDA_LAUNCH was"));
    say("TW_LOGS=info TW_log=info", said, sizeof said);
    TW_CHECK(strstr(said, "TW_LOGS: TW_LOG was") && strstr(said, "TW_log: TW_LOG was"));
    say("TW_DEVICE=host TW_WARNINGS=0", said, sizeof said);
    TW_EQUAL(strlen(said), 0);
    say("TW_DEVICE=host TW_LOG=error", said, sizeof said);
    TW_EQUAL(strlen(said), 0);
    say("TW_DEVICE=host TW_LOG=warning", said, sizeof said);
    TW_CHECK(strncmp(said, "teamwork: warning: ", 19) == 0);
}

TW_TEST(the_log_says_which_devices_there_are)
{
    char said[8192];
    say("TW_LOG=info TW_SIM=2 TW_SYNTHETIC=1 OMP_TARGET_OFFLOAD=DISABLED", said, sizeof said);
    const char *const lines[] = {"version: ",
                                 "environment: TW_DEVICES=host\n",
                                 "environment: TW_LOG=info\n",
                                 "environment: OMP_TARGET_OFFLOAD=DISABLED\n",
                                 "environment: the library has no variable TW_SYNTHETIC\n",
                                 "device: host:0 (",
                                 "device: not sim (Simulated device 1): TW_DEVICES=\"host\" does not let it through\n",
                                 "device: no gpu: TW_DEVICES=\"host\" leaves offload devices out"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        char line[256];
        snprintf(line, sizeof line, "teamwork: info: %s", lines[i]);
        if (!strstr(said, line))
            fprintf(stderr, "no line \"%s\" in:\n%s", line, said);
        TW_CHECK(strstr(said, line));
    }
    TW_CHECK(!strstr(said, ": debug: "));
}

TW_TEST(lists_report_how_many_there_are)
{
    tw_device *devices[4] = {NULL, NULL, NULL, NULL};
    size_t count = 99;
    tw_test_use_sim(3);
    TW_FAIL(tw_get_devices(TW_DEVICE_ALL, devices, 4, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_get_devices(TW_DEVICE_ALL, NULL, 4, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(count, 99);
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, 2, &count));
    TW_EQUAL(count, 3);
    TW_CHECK(devices[0] && devices[1] && !devices[2]);
    TW_PASS(tw_get_devices(TW_DEVICE_HOST, devices, 4, &count));
    TW_EQUAL(count, 0);
    TW_PASS(tw_get_devices(0, devices, 4, &count));
    TW_EQUAL(count, 0);
}

/* ---- information ------------------------------------------------------------------------------------------------- */

static void check_info_sizes(const tw_device *device)
{
    unsigned char value[64];
#define ASK(question, type)                                                                                            \
    TW_PASS(tw_device_info(device, question, value, sizeof(type)));                                                    \
    TW_FAIL(tw_device_info(device, question, value, sizeof(type) + 1), TW_ERROR_INVALID_ARGUMENT);                     \
    TW_FAIL(tw_device_info(device, question, value, 0), TW_ERROR_INVALID_ARGUMENT);                                    \
    TW_FAIL(tw_device_info(device, question, NULL, sizeof(type)), TW_ERROR_INVALID_ARGUMENT);                          \
    TW_FAIL(tw_device_info(NULL, question, value, sizeof(type)), TW_ERROR_INVALID_ARGUMENT);
    TW_DEVICE_INFO_LIST(ASK)
#undef ASK
    TW_FAIL(tw_device_info(device, TW_DEVICE_INFO_COUNT, value, sizeof(size_t)), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_info(device, (tw_device_info_id)-1, value, sizeof(size_t)), TW_ERROR_INVALID_ARGUMENT);
}

static size_t size_info(const tw_device *device, tw_device_info_id question)
{
    size_t value = 0;
    TW_PASS(tw_device_info(device, question, &value, sizeof value));
    return value;
}

static const char *string_info(const tw_device *device, tw_device_info_id question)
{
    const char *value = NULL;
    TW_PASS(tw_device_info(device, question, &value, sizeof value));
    TW_CHECK(value != NULL);
    return value;
}

/* A device whose work-items are turns of loops in threads of this machine, and not made to look like a GPU. */
static bool has_own_threads(tw_device_type type)
{
    return type == TW_DEVICE_HOST || type == TW_DEVICE_CPU;
}

static void check_maker(const tw_device *device, tw_device_type type)
{
    const char *vendor = string_info(device, TW_DEVICE_INFO_VENDOR);
    const char *version = string_info(device, TW_DEVICE_INFO_DRIVER_VERSION);
    struct utsname system;
    TW_CHECK(uname(&system) == 0);
    if (type == TW_DEVICE_GPU) {
        TW_CHECK(!strcmp(vendor, "NVIDIA"));
        TW_CHECK(*version >= '1' && *version <= '9');
        return;
    }
    TW_CHECK(!strncmp(version, system.release, strlen(version)) && *version);
    if (type == TW_DEVICE_SIM) {
        TW_CHECK(!strcmp(vendor, "Teamwork"));
        TW_CHECK(strstr(tw_device_name(device), "Simulated device") != NULL);
    }
}

/* Every order and scope on every device, and nothing that does not exist. What runs on the host's processors and memory
   is atomic with its threads. */
static void check_memory_model(const tw_device *device)
{
    unsigned orders = 0, scopes = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES, &orders, sizeof orders));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES, &scopes, sizeof scopes));
    TW_EQUAL(orders, TW_ORDER_BIT(TW_ORDER_RELAXED) | TW_ORDER_BIT(TW_ORDER_ACQUIRE) | TW_ORDER_BIT(TW_ORDER_RELEASE)
                         | TW_ORDER_BIT(TW_ORDER_ACQ_REL) | TW_ORDER_BIT(TW_ORDER_SEQ_CST));
    TW_EQUAL(scopes, TW_SCOPE_BIT(TW_SCOPE_WORK_ITEM) | TW_SCOPE_BIT(TW_SCOPE_SUB_GROUP)
                         | TW_SCOPE_BIT(TW_SCOPE_WORK_GROUP) | TW_SCOPE_BIT(TW_SCOPE_DEVICE)
                         | TW_SCOPE_BIT(TW_SCOPE_SYSTEM));
    bool atomic = false;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, &atomic, sizeof atomic));
    if (!tw_device_is_gpu(device))
        TW_CHECK(atomic);
}

static bool truth_info(const tw_device *device, tw_device_info_id question)
{
    bool value = false;
    TW_PASS(tw_device_info(device, question, &value, sizeof value));
    return value;
}

static unsigned set_info(const tw_device *device, tw_device_info_id question)
{
    unsigned value = 0;
    TW_PASS(tw_device_info(device, question, &value, sizeof value));
    return value;
}

/* The widths of vectors follow from the size of a register, except for scalar ones. */
static void check_widths(const tw_device *device, tw_device_type type)
{
    const size_t chars = size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR);
    const size_t floats = size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT);
    const size_t halves = size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF);
    const size_t preferred = size_info(device, TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR), chars);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE),
             size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE));
    TW_EQUAL(preferred, halves ? halves : floats);
    if (type == TW_DEVICE_GPU) {
        TW_EQUAL(chars, 1);
        TW_EQUAL(floats, 1);
        TW_EQUAL(halves, 2);
        return;
    }
#if defined(__x86_64__) || defined(__aarch64__)
    TW_CHECK(chars == 16 || chars == 32 || chars == 64);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT), chars / 2);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT), chars / 4);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG), chars / 8);
    TW_CHECK(floats >= chars / 4 && floats <= 16);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE), floats / 2);
    TW_CHECK(halves == 0 || halves == 2 * floats);
#endif
#if defined(__AVX512F__)
    TW_EQUAL(chars, 64); /* this program would not run on less */
#elif defined(__AVX2__)
    TW_CHECK(chars >= 32);
#endif
}

static void check_arithmetic(const tw_device *device)
{
    const unsigned exact =
        TW_FP_DENORM | TW_FP_INF_NAN | TW_FP_ROUND_TO_NEAREST | TW_FP_FMA | TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    TW_EQUAL(set_info(device, TW_DEVICE_INFO_SINGLE_FP_CONFIG), exact);
    TW_EQUAL(set_info(device, TW_DEVICE_INFO_DOUBLE_FP_CONFIG), exact);
    const bool has_halves = size_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF) != 0;
    TW_EQUAL(set_info(device, TW_DEVICE_INFO_HALF_FP_CONFIG), has_halves ? exact : exact | TW_FP_SOFT_FLOAT);
    const int one = 1;
    TW_EQUAL(truth_info(device, TW_DEVICE_INFO_ENDIAN_LITTLE), *(const char *)&one);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_ADDRESS_BITS), 8 * sizeof(size_t));
}

static void check_identity(const tw_device *device, tw_device_type type)
{
    const char *arch = string_info(device, TW_DEVICE_INFO_ARCHITECTURE),
               *uuid = string_info(device, TW_DEVICE_INFO_UUID);
    const unsigned vendor = set_info(device, TW_DEVICE_INFO_VENDOR_ID);
    struct utsname system;
    TW_CHECK(uname(&system) == 0);
    TW_CHECK(truth_info(device, TW_DEVICE_INFO_AVAILABLE));
    if (type == TW_DEVICE_GPU) {
        char expected[32];
        const size_t capability = size_info(device, TW_DEVICE_INFO_COMPUTE_CAPABILITY);
        snprintf(expected, sizeof expected, "sm_%zu", capability);
        TW_CHECK(capability >= 30 && !strcmp(arch, expected));
        TW_CHECK(strlen(uuid) == 36 && uuid[8] == '-' && uuid[13] == '-' && uuid[18] == '-' && uuid[23] == '-');
        TW_CHECK(strlen(string_info(device, TW_DEVICE_INFO_PCI_ADDRESS)) >= 12);
        TW_EQUAL(vendor, 0x10de);
        return;
    }
    TW_CHECK(!strcmp(arch, system.machine));
    TW_CHECK(!*uuid && !*string_info(device, TW_DEVICE_INFO_PCI_ADDRESS));
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_COMPUTE_CAPABILITY), 0);
    TW_CHECK(vendor == 0 || vendor == 0x8086 || vendor == 0x1022);
}

/* All of the machine's memory that a device has is at least what is free of it. */
static void check_memory(const tw_device *device, tw_device_type type)
{
    const size_t bytes = size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE);
    const size_t unused = size_info(device, TW_DEVICE_INFO_FREE_MEMORY);
    tw_mem_cache_type cache = TW_MEM_CACHE_READ_ONLY;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE, &cache, sizeof cache));
    TW_CHECK(unused > 0 && unused <= bytes);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MAX_MEM_ALLOC_SIZE), bytes);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE), bytes);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MEM_BASE_ADDR_ALIGN), 128);
    const size_t last = size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE);
    TW_EQUAL(cache, last ? TW_MEM_CACHE_READ_WRITE : TW_MEM_CACHE_NONE);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_L1_CACHE_SIZE) <= (last ? last : 0));
    TW_CHECK(size_info(device, TW_DEVICE_INFO_L2_CACHE_SIZE) <= last);
    if (has_own_threads(type))
        TW_CHECK(truth_info(device, TW_DEVICE_INFO_HOST_UNIFIED_MEMORY));
    if (type == TW_DEVICE_GPU)
        TW_CHECK(size_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT)
                 >= size_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE));
    TW_CHECK(truth_info(device, TW_DEVICE_INFO_IMAGE_SUPPORT));
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_IMAGE3D_MAX_DEPTH), TW_IMAGE_MAX_EXTENT);
    const size_t tick = size_info(device, TW_DEVICE_INFO_PROFILING_TIMER_RESOLUTION);
    TW_CHECK(tick >= 1 && tick <= 20000000);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_PRINTF_BUFFER_SIZE) != 0, type == TW_DEVICE_GPU);
}

static void check_work_items(const tw_device *device, tw_device_type type)
{
    const size_t most = size_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE);
    tw_range sizes = tw_range_1d(0);
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_ITEM_SIZES, &sizes, sizeof sizes));
    TW_EQUAL(sizes.dims, 3);
    for (unsigned d = 0; d < 3; ++d)
        TW_EQUAL(sizes.size[d], most);
    const size_t resident = size_info(device, TW_DEVICE_INFO_MAX_WORK_ITEMS_PER_COMPUTE_UNIT);
    TW_CHECK(type == TW_DEVICE_GPU ? resident >= most : resident == 0);
    TW_EQUAL(truth_info(device, TW_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
             type == TW_DEVICE_GPU && size_info(device, TW_DEVICE_INFO_COMPUTE_CAPABILITY) >= 70);
}

static void check_info_values(const tw_device *device)
{
    const tw_device_type type = type_of(device);
    const char *backend = string_info(device, TW_DEVICE_INFO_BACKEND);
    tw_local_mem_type local_type = TW_LOCAL_MEM_NONE;
    bool is_host = false;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_IS_HOST, &is_host, sizeof is_host));
    TW_EQUAL(is_host, type == TW_DEVICE_HOST);
    TW_EQUAL(tw_device_is_host(device), is_host);
    TW_EQUAL(tw_device_is_gpu(device), type == TW_DEVICE_GPU);
    TW_CHECK(tw_device_is_cpu(device) || type != TW_DEVICE_CPU);
    TW_CHECK(!strcmp(backend, type == TW_DEVICE_HOST ? "host" : type == TW_DEVICE_SIM ? "sim" : "omp"));
    TW_CHECK(*string_info(device, TW_DEVICE_INFO_NAME));
    TW_CHECK(!strcmp(tw_device_name(device), string_info(device, TW_DEVICE_INFO_NAME)));
    check_maker(device, type);
    check_identity(device, type);
    check_work_items(device, type);
    check_widths(device, type);
    check_arithmetic(device);
    check_memory(device, type);
    check_memory_model(device);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS), 3);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS) >= 1);
    const size_t most = size_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE);
    const size_t sub_group = size_info(device, TW_DEVICE_INFO_SUB_GROUP_SIZE);
    TW_EQUAL(most, has_own_threads(type) ? 8192 : 1024);
    TW_EQUAL(sub_group, type == TW_DEVICE_GPU ? 32 : 1);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS), most / sub_group);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_MAX_PARAMETER_SIZE), TW_INTERNAL_INLINE_ARGS_BYTES);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_MAX_CLOCK_FREQUENCY) < 100000);
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_TYPE, &local_type, sizeof local_type));
    TW_EQUAL(local_type, has_own_threads(type) ? TW_LOCAL_MEM_GLOBAL : TW_LOCAL_MEM_LOCAL);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE) >= 48 * 1024);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE) <= 1024 * 1024);
    const size_t line = size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE);
    TW_CHECK(line >= 32 && line <= 256 && (line & (line - 1)) == 0);
    if (type == TW_DEVICE_GPU) {
        TW_CHECK(size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE) > (size_t)1 << 28);
        TW_CHECK(size_info(device, TW_DEVICE_INFO_MAX_CLOCK_FREQUENCY) > 100);
        return;
    }
    /* all other devices are this machine */
    const size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE) > (size_t)1 << 24); /* some may belong to no node */
    TW_CHECK(size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE) <= 2 * bytes);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE) < bytes);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS) <= (size_t)sysconf(_SC_NPROCESSORS_CONF));
    TW_CHECK(size_info(device, TW_DEVICE_INFO_NUMA_NODES) >= 1);
    TW_CHECK(size_info(device, TW_DEVICE_INFO_NUMA_NODES) < 4096);
}

/* What changes while a program runs. */
TW_TEST(free_memory_and_availability_are_of_the_moment)
{
    enum { BYTES = 1 << 20 };
    TW_PASS(tw_shutdown());
    setenv("TW_SIM_MEMORY", "4194304", 1);
    tw_test_use_sim(1);
    tw_device *device = tw_test_device(0);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE), 4 * BYTES);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_FREE_MEMORY), 4 * BYTES);
    void *memory = tw_malloc_device(device, BYTES);
    TW_CHECK(memory != NULL);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_FREE_MEMORY), 3 * BYTES);
    tw_free(memory);
    TW_EQUAL(size_info(device, TW_DEVICE_INFO_FREE_MEMORY), 4 * BYTES);
    TW_CHECK(truth_info(device, TW_DEVICE_INFO_AVAILABLE));
    tw_queue *queue = NULL;
    tw_buffer *buffer = tw_test_ints(1, 0);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queue));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_KERNEL, 1));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, nothing, .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(!truth_info(device, TW_DEVICE_INFO_AVAILABLE));
    TW_PASS(tw_sim_reset(device));
    TW_CHECK(truth_info(device, TW_DEVICE_INFO_AVAILABLE));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_shutdown());
    unsetenv("TW_SIM_MEMORY");
}

static void check_aspects(const tw_device *device)
{
    const tw_device_type type = type_of(device);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_HOST), type == TW_DEVICE_HOST);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_CPU), type == TW_DEVICE_CPU);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_GPU), type == TW_DEVICE_GPU);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_EMULATED), type == TW_DEVICE_SIM);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_HOST_DEBUGGABLE), type == TW_DEVICE_HOST || type == TW_DEVICE_SIM);
    const tw_aspect always[] = {TW_ASPECT_FP16,
                                TW_ASPECT_FP64,
                                TW_ASPECT_ATOMIC64,
                                TW_ASPECT_IMAGE,
                                TW_ASPECT_QUEUE_PROFILING,
                                TW_ASPECT_USM_DEVICE_ALLOCATIONS};
    const tw_aspect never[] = {TW_ASPECT_ACCELERATOR,   TW_ASPECT_ONLINE_COMPILER,
                               TW_ASPECT_ONLINE_LINKER, TW_ASPECT_USM_ATOMIC_SHARED_ALLOCATIONS,
                               TW_ASPECT_COUNT,         (tw_aspect)-1};
    for (size_t i = 0; i < sizeof always / sizeof *always; ++i)
        TW_CHECK(tw_device_has(device, always[i]) && !tw_device_has(NULL, always[i]));
    for (size_t i = 0; i < sizeof never / sizeof *never; ++i)
        TW_CHECK(!tw_device_has(device, never[i]));
    TW_EQUAL(tw_device_has(device, TW_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS),
             truth_info(device, TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS));
    if (has_own_threads(type))
        TW_CHECK(tw_device_has(device, TW_ASPECT_USM_SYSTEM_ALLOCATIONS));
    if (type == TW_DEVICE_SIM)
        TW_CHECK(!tw_device_has(device, TW_ASPECT_USM_SYSTEM_ALLOCATIONS));
    void *memory = tw_malloc_shared((tw_device *)(uintptr_t)device, 64);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_USM_SHARED_ALLOCATIONS), memory != NULL);
    tw_free(memory);
}

static void check_extensions(const tw_device *device)
{
    char all[1024];
    size_t count = 0;
    snprintf(all, sizeof all, "%s", string_info(device, TW_DEVICE_INFO_EXTENSIONS));
    for (char *rest = all, *name; (name = strtok_r(rest, " ", &rest)) != NULL; ++count)
        TW_CHECK(tw_device_has_extension(device, name) && !strncmp(name, "cl_", 3));
    TW_CHECK(count >= 5);
    TW_CHECK(tw_device_has_extension(device, "cl_khr_fp16"));
    const char *const others[] = {
        "", " ", "cl_khr_fp1", "cl_khr_fp16 ", "khr_fp16", "cl_khr_gl_sharing", "cl_khr_fp64 cl_khr_fp16"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        TW_CHECK(!tw_device_has_extension(device, others[i]));
    TW_CHECK(!tw_device_has_extension(device, NULL) && !tw_device_has_extension(NULL, "cl_khr_fp16"));
}

TW_TEST(aspects_and_extensions)
{
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    for (size_t i = 0; i < count; ++i) {
        check_aspects(devices[i]);
        check_extensions(devices[i]);
    }
    tw_test_use_sim(1);
    check_aspects(tw_test_device(0));
}

TW_TEST(device_information)
{
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    for (size_t i = 0; i < count; ++i) {
        check_info_sizes(devices[i]);
        check_info_values(devices[i]);
    }
    tw_test_use_sim(1);
    check_info_sizes(tw_test_device(0));
    check_info_values(tw_test_device(0));
}

TW_TEST(null_devices_answer_false_and_empty)
{
    TW_CHECK(!tw_device_is_host(NULL) && !tw_device_is_cpu(NULL) && !tw_device_is_gpu(NULL));
    TW_CHECK(!strcmp(tw_device_name(NULL), ""));
    TW_CHECK(tw_device_platform(NULL) == NULL);
    TW_CHECK(!strcmp(tw_platform_name(NULL), ""));
    TW_CHECK(!tw_platform_is_host(NULL));
    TW_CHECK(!tw_context_is_host(NULL));
}

/* ---- platforms --------------------------------------------------------------------------------------------------- */

TW_TEST(every_device_is_listed_by_its_platform)
{
    tw_device *devices[16], *of_platform[16];
    tw_platform *platforms[16];
    size_t platform_count = 0, count = 0, listed = 0, hosts = 0;
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", "*,sim,host", 1);
    const size_t all = tw_test_devices(devices, 16);
    TW_CHECK(all >= 3);
    TW_PASS(tw_get_platforms(platforms, 16, &platform_count));
    for (size_t p = 0; p < platform_count; ++p) {
        hosts += tw_platform_is_host(platforms[p]);
        TW_CHECK(*tw_platform_name(platforms[p]));
        TW_PASS(tw_platform_get_devices(platforms[p], of_platform, 16, &count));
        listed += count;
        for (size_t i = 0; i < count; ++i) {
            TW_CHECK(tw_device_platform(of_platform[i]) == platforms[p]);
            TW_EQUAL(tw_device_is_host(of_platform[i]), tw_platform_is_host(platforms[p]));
        }
        if (tw_platform_is_host(platforms[p]))
            TW_CHECK(count == 1 && !strcmp(tw_platform_name(platforms[p]), "Host"));
    }
    TW_EQUAL(hosts, 1);
    TW_EQUAL(listed, all);
    TW_CHECK(!strcmp(tw_platform_name(tw_device_platform(tw_test_device(all - 2))), "Simulation")
             || !strcmp(tw_platform_name(tw_device_platform(tw_test_device(all - 1))), "Simulation"));
    TW_FAIL(tw_get_platforms(platforms, 16, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_get_platforms(NULL, 16, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_get_devices(NULL, of_platform, 16, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_get_devices(platforms[0], NULL, 16, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_get_devices(platforms[0], of_platform, 16, NULL), TW_ERROR_INVALID_ARGUMENT);
}

static const char *platform_text(const tw_platform *platform, tw_platform_info_id question)
{
    const char *text = NULL;
    TW_PASS(tw_platform_info(platform, question, &text, sizeof text));
    TW_CHECK(text != NULL);
    return text;
}

static void check_platform(const tw_platform *platform)
{
    tw_device *devices[16], *same[16];
    size_t count = 0, told = 0;
    tw_device_type type = 0;
    TW_PASS(tw_platform_get_devices(platform, devices, 16, &count));
    TW_CHECK(!strcmp(platform_text(platform, TW_PLATFORM_INFO_NAME), tw_platform_name(platform)));
    TW_CHECK(!strcmp(platform_text(platform, TW_PLATFORM_INFO_VENDOR), string_info(devices[0], TW_DEVICE_INFO_VENDOR)));
    TW_CHECK(*platform_text(platform, TW_PLATFORM_INFO_VERSION));
    TW_CHECK(!strcmp(platform_text(platform, TW_PLATFORM_INFO_PROFILE), "FULL_PROFILE"));
    TW_CHECK(!strcmp(platform_text(platform, TW_PLATFORM_INFO_EXTENSIONS),
                     string_info(devices[0], TW_DEVICE_INFO_EXTENSIONS)));
    TW_CHECK(tw_platform_has_extension(platform, "cl_khr_fp64") && !tw_platform_has_extension(platform, "cl_khr_gl"));
    TW_PASS(tw_platform_info(platform, TW_PLATFORM_INFO_DEVICE_TYPE, &type, sizeof type));
    TW_PASS(tw_platform_info(platform, TW_PLATFORM_INFO_NUM_DEVICES, &told, sizeof told));
    TW_EQUAL(told, count);
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(type_of(devices[i]), type);
    TW_PASS(tw_platform_get_devices_of_type(platform, type, same, 16, &told));
    TW_CHECK(told == count && memcmp(same, devices, count * sizeof *same) == 0);
    TW_PASS(tw_platform_get_devices_of_type(platform, TW_DEVICE_ALL & ~(unsigned)type, same, 16, &told));
    TW_EQUAL(told, 0);
    TW_FAIL(tw_platform_info(platform, TW_PLATFORM_INFO_COUNT, &told, sizeof told), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_info(platform, TW_PLATFORM_INFO_NAME, &told, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_info(platform, TW_PLATFORM_INFO_NAME, NULL, sizeof(char *)), TW_ERROR_INVALID_ARGUMENT);
}

TW_TEST(platforms_answer_for_their_devices)
{
    tw_platform *platforms[16];
    size_t count = 0;
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", "*,sim,host", 1);
    TW_PASS(tw_get_platforms(platforms, 16, &count));
    for (size_t p = 0; p < count; ++p)
        check_platform(platforms[p]);
    TW_FAIL(tw_platform_info(NULL, TW_PLATFORM_INFO_NAME, &count, sizeof count), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!tw_platform_has_extension(NULL, "cl_khr_fp64") && !tw_platform_has_extension(platforms[0], NULL));
    TW_FAIL(tw_platform_get_devices_of_type(NULL, TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_platform_get_devices_of_type(platforms[0], TW_DEVICE_ALL, NULL, 0, NULL), TW_ERROR_INVALID_ARGUMENT);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

TW_TEST(a_context_holds_devices_of_one_platform)
{
    tw_device *sims[3], *got[3], *host = NULL;
    tw_context *context = NULL, *host_context = NULL;
    size_t count = 0;
    tw_test_use_sim(3);
    tw_test_devices(sims, 3);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    TW_PASS(tw_context_create(sims, 3, NULL, NULL, &context));
    TW_PASS(tw_context_create(&host, 1, NULL, NULL, &host_context));
    TW_CHECK(!tw_context_is_host(context) && tw_context_is_host(host_context));
    TW_PASS(tw_context_get_devices(context, got, 3, &count));
    TW_EQUAL(count, 3);
    TW_CHECK(memcmp(sims, got, sizeof got) == 0);
    TW_FAIL(tw_context_get_devices(NULL, got, 3, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_get_devices(context, NULL, 3, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_get_devices(context, got, 3, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_context_destroy(&context));
    TW_CHECK(context == NULL);
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_context_destroy(NULL));
    TW_PASS(tw_context_destroy(&host_context));
}

TW_TEST(a_context_is_refused_where_the_devices_do_not_fit)
{
    tw_device *mixed[2], *twice[2], *hole[2] = {NULL, NULL};
    tw_context *untouched = (tw_context *)&untouched, *context = untouched;
    tw_test_use_sim(2);
    mixed[0] = twice[0] = twice[1] = hole[0] = tw_test_device(0);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &mixed[1]));
    TW_FAIL(tw_context_create(mixed, 0, NULL, NULL, &context), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create(NULL, 1, NULL, NULL, &context), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create(mixed, 2, NULL, NULL, &context), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create(twice, 2, NULL, NULL, &context), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create(hole, 2, NULL, NULL, &context), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(context == untouched);
    TW_FAIL(tw_context_create(mixed, 1, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
}

TW_TEST(a_context_is_made_by_a_selector_or_of_a_platform)
{
    tw_device *got[3], *sims[3];
    tw_context *context = NULL, *untouched = (tw_context *)&untouched, *none = untouched;
    size_t count = 0;
    tw_test_use_sim(3);
    tw_test_devices(sims, 3);
    tw_platform *platform = tw_device_platform(sims[0]);
    TW_PASS(tw_context_create_by_selector(tw_host_selector, NULL, NULL, NULL, &context));
    TW_CHECK(tw_context_is_host(context));
    TW_PASS(tw_context_destroy(&context));
    struct scores middle = {{1, 3, 2}, {0}, 0}, no = {{-1, -1, -1}, {0}, 0};
    TW_PASS(tw_context_create_by_selector(score, &middle, NULL, NULL, &context));
    TW_PASS(tw_context_get_devices(context, got, 3, &count));
    TW_CHECK(count == 1 && got[0] == sims[1] && middle.count == 3);
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_context_create_on_platform(platform, NULL, NULL, &context));
    TW_PASS(tw_context_get_devices(context, got, 3, &count));
    TW_CHECK(count == 3 && memcmp(got, sims, sizeof got) == 0);
    TW_PASS(tw_context_destroy(&context));
    TW_FAIL(tw_context_create_by_selector(score, &no, NULL, NULL, &none), TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_context_create_by_selector(NULL, NULL, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create_on_platform(NULL, NULL, NULL, &none), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create_on_platform((tw_platform *)&untouched, NULL, NULL, &none), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_create_on_platform(platform, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(none == untouched);
}

static void refuse_shutdown(const char *text)
{
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    TW_CHECK(strstr(tw_error_detail(), text));
}

TW_TEST(a_context_has_handles_and_answers)
{
    tw_device *device = tw_test_device(0);
    tw_platform *platform = NULL;
    tw_context *context = NULL;
    size_t count = 0;
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    tw_context *other = tw_context_retain(context);
    TW_CHECK(other == context && tw_context_retain(NULL) == NULL);
    TW_PASS(tw_context_info(context, TW_CONTEXT_INFO_NUM_DEVICES, &count, sizeof count));
    TW_EQUAL(count, 1);
    TW_PASS(tw_context_info(context, TW_CONTEXT_INFO_REFERENCE_COUNT, &count, sizeof count));
    TW_EQUAL(count, 2);
    TW_PASS(tw_context_info(context, TW_CONTEXT_INFO_PLATFORM, &platform, sizeof(tw_platform *)));
    TW_CHECK(platform == tw_device_platform(device));
    TW_PASS(tw_context_destroy(&context));
    TW_CHECK(!context && tw_context_is_host(other) == tw_device_is_host(device));
    TW_PASS(tw_context_info(other, TW_CONTEXT_INFO_REFERENCE_COUNT, &count, sizeof count));
    TW_EQUAL(count, 1);
    refuse_shutdown("still: 1 context");
    TW_FAIL(tw_context_info(NULL, TW_CONTEXT_INFO_NUM_DEVICES, &count, sizeof count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_info(other, TW_CONTEXT_INFO_NUM_DEVICES, NULL, sizeof count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_info(other, TW_CONTEXT_INFO_NUM_DEVICES, &count, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_context_info(other, TW_CONTEXT_INFO_COUNT, &count, sizeof count), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_context_destroy(&other));
}

/* ---- shutdown ---------------------------------------------------------------------------------------------------- */

TW_TEST(shutdown_is_refused_while_an_object_exists)
{
    tw_device *device = tw_test_device(0);
    tw_context *context = NULL;
    tw_buffer *buffer = NULL;
    tw_event *event = NULL;
    tw_host_accessor *accessor = NULL;
    tw_queue *queue = tw_test_queue();
    tw_command_group *group = tw_queue_begin(queue);
    tw_command_graph *graph = NULL;
    refuse_shutdown("still: 1 queue (");
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit(queue, group, &event));
    TW_PASS(tw_queue_destroy(&queue));
    refuse_shutdown("1 queue (which events, and groups that are not submitted, keep), 1 command graph");
    tw_event_release(&event);
    refuse_shutdown("still: 1 command graph");
    tw_command_graph_destroy(&graph);
    void *memory = tw_malloc_device(device, 8);
    refuse_shutdown("still: 1 allocation of tw_malloc_device()");
    tw_free(memory);
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    refuse_shutdown("still: 1 context");
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_buffer_create(4, tw_range_1d(4), &buffer));
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    TW_PASS(tw_host_access(buffer, TW_WRITE, &accessor));
    refuse_shutdown("still: 1 buffer, 1 host accessor");
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_shutdown());
    TW_PASS(tw_shutdown());
}

/* Moves data to a device, whose operations are counted from its beginning. */
static void live_once(unsigned devices)
{
    char count[8];
    snprintf(count, sizeof count, "%u", devices);
    setenv("TW_SIM", count, 1); /* what the environment says counts anew, too */
    TW_EQUAL(tw_test_devices((tw_device *[8]){NULL}, 8), devices);
    tw_queue *queue = NULL;
    tw_device *device = tw_test_device(devices - 1);
    tw_buffer *buffer = tw_test_ints(100, 7);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    for (int i = 0; i < 2; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        (void)tw_read(cg, buffer);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1)); /* goes with the device */
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    tw_test_expect_ints(buffer, 7);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_shutdown());
}

TW_TEST(everything_starts_anew_after_shutdown)
{
    int after_first = 0;
    tw_test_use_sim(1);
    for (unsigned round = 1; round <= 5; ++round) {
        live_once(round);
        if (round == 1)
            after_first = threads_of_this_process();
        /* the workers are gone; one that has been joined is listed for a moment */
        while (threads_of_this_process() > after_first)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

TW_TEST_LIST = {TW_CASE(nothing_starts_before_the_first_queue),
                TW_CASE(the_host_is_always_there),
                TW_CASE(the_default_selector_takes_the_first_of_tw_devices),
                TW_CASE(typed_selectors_choose_their_type_or_nothing),
                TW_CASE(a_selector_is_asked_once_for_each_device_and_the_highest_score_wins),
                TW_CASE(negative_scores_are_never_chosen),
                TW_CASE(tw_devices_filters_and_orders),
                TW_CASE(a_filter_may_leave_nothing_but_the_host_selector),
                TW_CASE(settings_that_cannot_be_read_are_errors),
                TW_CASE(where_no_device_is_selected_it_is_said_what_there_is),
                TW_CASE(absent_devices_are_listed_with_the_reason),
                TW_CASE(misspelt_variables_are_named_once),
                TW_CASE(the_log_says_which_devices_there_are),
                TW_CASE(lists_report_how_many_there_are),
                TW_CASE(free_memory_and_availability_are_of_the_moment),
                TW_CASE(aspects_and_extensions),
                TW_CASE(device_information),
                TW_CASE(null_devices_answer_false_and_empty),
                TW_CASE(every_device_is_listed_by_its_platform),
                TW_CASE(platforms_answer_for_their_devices),
                TW_CASE(a_context_holds_devices_of_one_platform),
                TW_CASE(a_context_is_refused_where_the_devices_do_not_fit),
                TW_CASE(a_context_is_made_by_a_selector_or_of_a_platform),
                TW_CASE(a_context_has_handles_and_answers),
                TW_CASE(shutdown_is_refused_while_an_object_exists),
                TW_CASE(everything_starts_anew_after_shutdown),
                TW_CASES_END};
