/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped memory of the cuda backend, on an imaginary driver that keeps count of addresses, memory and mappings: what is
 * put behind addresses is accessible and goes away again, what the driver refuses leaves nothing behind, and mapping
 * leaves some memory free. What memory of the program is follows from what the driver says of its first and last byte.
 * Textures live as long as the memory that they read. Needs the private headers cuda_memory.h and cuda_texture.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_memory.h"
#include "backends/cuda/cuda_texture.h"

enum { PAGE = 2 << 20, PAGES = 64, SPARE_PAGES = 32 };
static const uintptr_t base = (uintptr_t)1 << 40;

static struct tw_cuda_device device = {.page_bytes = PAGE};

static struct {
    size_t reserved;         /* bytes */
    size_t free_pages, kept; /* of the device; of them, in the pool */
    unsigned handles;        /* that are not released */
    bool mapped[PAGES], accessible[PAGES];
    unsigned calls, fails; /* of what maps; the one that fails, or 0 */
} driver;

static bool is_refused(void)
{
    return ++driver.calls == driver.fails;
}

static cu_result current_context(cu_context *context)
{
    *context = device.context;
    return 0;
}

static cu_result info(size_t *left, size_t *total)
{
    *left = driver.free_pages * PAGE;
    *total = 1000 * (size_t)PAGE;
    return 0;
}

static cu_result trim(cu_pool pool, size_t bytes)
{
    TW_CHECK(pool == device.pool && bytes == 0);
    driver.free_pages += driver.kept;
    driver.kept = 0;
    return 0;
}

static cu_result reserve(uintptr_t *address, size_t bytes, size_t alignment, uintptr_t wanted, unsigned long long flags)
{
    TW_CHECK(bytes % PAGE == 0 && !alignment && !wanted && !flags);
    if (is_refused())
        return CU_OUT_OF_MEMORY;
    driver.reserved += bytes;
    *address = base;
    return 0;
}

static cu_result free_address(uintptr_t address, size_t bytes)
{
    TW_CHECK(address == base);
    driver.reserved -= bytes;
    return 0;
}

static cu_result create(unsigned long long *handle, size_t bytes, const struct cu_memory_properties *properties,
                        unsigned long long flags)
{
    TW_CHECK(bytes % PAGE == 0 && properties->allocation_type == CU_ALLOCATION_PINNED && !flags);
    if (is_refused())
        return CU_OUT_OF_MEMORY;
    ++driver.handles;
    driver.free_pages -= bytes / PAGE;
    *handle = bytes;
    return 0;
}

static cu_result release(unsigned long long handle)
{
    TW_CHECK(handle);
    --driver.handles;
    bool is_mapped = false; /* memory without a handle and a mapping is gone */
    for (int i = 0; i < PAGES; ++i)
        is_mapped = is_mapped || driver.mapped[i];
    driver.free_pages += is_mapped ? 0 : handle / PAGE;
    return 0;
}

static cu_result map(uintptr_t address, size_t bytes, size_t offset, unsigned long long handle,
                     unsigned long long flags)
{
    TW_CHECK(address >= base && bytes == handle && !offset && !flags);
    if (is_refused())
        return 1;
    for (size_t i = 0; i < bytes / PAGE; ++i) {
        TW_CHECK(!driver.mapped[(address - base) / PAGE + i]);
        driver.mapped[(address - base) / PAGE + i] = true;
    }
    return 0;
}

static cu_result unmap(uintptr_t address, size_t bytes)
{
    for (size_t i = 0; i < bytes / PAGE; ++i) {
        TW_CHECK(driver.mapped[(address - base) / PAGE + i]);
        driver.mapped[(address - base) / PAGE + i] = driver.accessible[(address - base) / PAGE + i] = false;
    }
    driver.free_pages += bytes / PAGE;
    return 0;
}

static cu_result set_access(uintptr_t address, size_t bytes, const struct cu_access *access, size_t count)
{
    TW_CHECK(count == 1 && access->location.type == CU_LOCATION_DEVICE && access->rights == 3);
    if (is_refused())
        return 1;
    for (size_t i = 0; i < bytes / PAGE; ++i)
        driver.accessible[(address - base) / PAGE + i] = true;
    return 0;
}

static void begin(size_t free_pages)
{
    memset(&driver, 0, sizeof driver);
    driver.free_pages = free_pages;
    tw_cuda.context_current = current_context;
    tw_cuda.memory_info = info;
    tw_cuda.pool_trim = trim;
    tw_cuda.address_reserve = reserve;
    tw_cuda.address_free = free_address;
    tw_cuda.memory_create = create;
    tw_cuda.memory_release = release;
    tw_cuda.memory_map = map;
    tw_cuda.memory_unmap = unmap;
    tw_cuda.memory_access = set_access;
}

TW_TEST(parts_are_backed_and_given_up)
{
    begin(SPARE_PAGES + 8);
    void *memory = tw_cuda_reserve(&device, 10 * PAGE - 5);
    TW_CHECK(memory);
    TW_EQUAL(driver.reserved, 10 * PAGE);
    TW_CHECK(tw_cuda_back(&device, memory, 2 * PAGE, 2 * PAGE));
    TW_CHECK(tw_cuda_back(&device, memory, 9 * PAGE, PAGE - 5));
    for (int i = 0; i < PAGES; ++i)
        TW_EQUAL(driver.accessible[i], i == 2 || i == 3 || i == 9);
    TW_EQUAL(driver.handles, 0);
    tw_cuda_unback(&device, memory, 2 * PAGE, 2 * PAGE);
    tw_cuda_unback(&device, memory, 9 * PAGE, PAGE - 5);
    tw_cuda_release(&device, memory, 10 * PAGE - 5);
    TW_EQUAL(driver.reserved, 0);
    TW_EQUAL(driver.free_pages, SPARE_PAGES + 8);
}

TW_TEST(some_memory_stays_free)
{
    begin(SPARE_PAGES + 3);
    void *memory = tw_cuda_reserve(&device, 10 * PAGE);
    TW_CHECK(!tw_cuda_back(&device, memory, 0, 4 * PAGE));
    TW_CHECK(tw_cuda_back(&device, memory, 0, 3 * PAGE));
    TW_CHECK(!tw_cuda_back(&device, memory, 3 * PAGE, PAGE));
    device.pool = (cu_pool)(uintptr_t)&driver;
    driver.kept = 2; /* the pool gives up what it keeps */
    TW_CHECK(tw_cuda_back(&device, memory, 3 * PAGE, 2 * PAGE));
    TW_EQUAL(driver.free_pages, SPARE_PAGES);
    device.pool = NULL;
}

TW_TEST(what_the_driver_refuses_leaves_nothing)
{
    for (unsigned n = 1; n <= 5; ++n) {
        begin(SPARE_PAGES + 8);
        driver.fails = n;
        void *memory = tw_cuda_reserve(&device, 10 * PAGE);
        TW_EQUAL(memory != NULL, n != 1);
        if (!memory)
            continue;
        TW_EQUAL(tw_cuda_back(&device, memory, 0, PAGE), n == 5);
        TW_EQUAL(driver.handles, 0);
        TW_EQUAL(driver.mapped[0], n == 5);
        TW_EQUAL(driver.free_pages, SPARE_PAGES + 8 - (n == 5));
    }
}

/* ---- memory of the program --------------------------------------------------------------------------------------- */

/* What the driver says of addresses from `first` on, before `past`. */
struct known {
    uintptr_t first, past;
    int memory_type, ordinal;
    bool managed;
};

static const struct known known[] = {
    {1000, 2000, CU_MEMORY_DEVICE, 1, false}, {2000, 3000, CU_MEMORY_DEVICE, 2, false},
    {3000, 4000, CU_MEMORY_DEVICE, 1, true},  {4000, 5000, CU_MEMORY_DEVICE, 2, true},
    {5000, 6000, CU_MEMORY_HOST, 1, false},
};
static int reaches_all;

static cu_result say(void *value, int attribute, uintptr_t pointer)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (pointer < known[i].first || pointer >= known[i].past)
            continue;
        if (attribute == 8) /* CU_POINTER_ATTRIBUTE_IS_MANAGED: a byte, as older drivers write it */
            *(unsigned char *)value = known[i].managed;
        else
            *(int *)value = attribute == 2 ? known[i].memory_type : known[i].ordinal;
        return 0;
    }
    return 1;
}

static cu_result say_of_device(int *value, int attribute, cu_device asked)
{
    TW_CHECK(attribute == CU_PAGEABLE_MEMORY && asked == device.device);
    *value = reaches_all;
    return 0;
}

/* Examines memory of which the program says nothing, or that the host uses it too. */
static void examine(uintptr_t memory, size_t bytes, tw_status expected, bool is_shared)
{
    for (int said = 0; said < 2; ++said) {
        bool shared = said;
        const tw_status status = tw_cuda_examine(&device.omp.base, (const void *)memory, bytes, &shared);
        TW_EQUAL(status, expected);
        if (status == TW_SUCCESS)
            TW_EQUAL(shared, is_shared);
    }
}

TW_TEST(memory_of_the_program_is_known_by_the_driver)
{
    tw_cuda.pointer_attribute = say;
    tw_cuda.device_attribute = say_of_device;
    device.ordinal = 1;
    reaches_all = 0;
    examine(1000, 1000, TW_SUCCESS, false);
    examine(1999, 1, TW_SUCCESS, false);
    examine(1000, 1001, TW_ERROR_INVALID_RANGE, false); /* ends in another device's */
    examine(2000, 1000, TW_ERROR_INVALID_ARGUMENT, false);
    examine(3000, 1000, TW_SUCCESS, true);
    examine(4000, 1000, TW_SUCCESS, true); /* managed memory goes to any device */
    examine(5000, 1000, TW_SUCCESS, true); /* page-locked */
    examine(5000, 1001, TW_ERROR_INVALID_RANGE, true);
    examine(9000, 1, TW_ERROR_INVALID_ARGUMENT, false); /* pageable, and the device does not reach that */
    reaches_all = 1;
    examine(9000, 1, TW_SUCCESS, true);
    device.ordinal = 0;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static struct {
    unsigned made, living; /* textures */
    bool refuses;
    struct cu_texture_memory memory; /* of the last one */
    struct cu_texture_reading reading;
} textures;

static cu_result make_texture(uint64_t *texture, const struct cu_texture_memory *memory,
                              const struct cu_texture_reading *reading, const void *view)
{
    TW_CHECK(!view);
    if (textures.refuses)
        return CU_INVALID_VALUE;
    textures.memory = *memory;
    textures.reading = *reading;
    ++textures.living;
    *texture = ++textures.made;
    return 0;
}

static cu_result destroy_texture(uint64_t texture)
{
    TW_CHECK(texture && texture <= textures.made);
    --textures.living;
    return 0;
}

/* An image of 64 x 48 bytes, and a request to sample it that a GPU can serve. */
static struct tw_backend_texture texture_at(size_t offset)
{
    return (struct tw_backend_texture){.pixels = (const void *)(base + offset), /* NOLINT(performance-no-int-to-ptr) */
                                       .width = 64,
                                       .height = 48,
                                       .pitch = 64,
                                       .order = TW_R,
                                       .type = TW_UNORM_INT8,
                                       .sampler = tw_sampler_make(true, TW_ADDRESS_REPEAT, TW_FILTER_LINEAR)};
}

static uint64_t number_of(struct tw_backend_texture texture)
{
    return tw_cuda_texture(&device.omp.base, (const void *)base, &texture); /* NOLINT(performance-no-int-to-ptr) */
}

static void begin_textures(void)
{
    memset(&textures, 0, sizeof textures);
    tw_cuda.context_current = current_context;
    tw_cuda.texture_create = make_texture;
    tw_cuda.texture_destroy = destroy_texture;
    device.texture_limits = (struct tw_cuda_texture_limits){512, 32, 1024, 1000, 4096};
    pthread_mutex_init(&device.texturing, NULL);
}

static void end_textures(void)
{
    tw_cuda_close_textures(&device);
    TW_EQUAL(textures.living, 0u);
    pthread_mutex_destroy(&device.texturing);
}

TW_TEST(a_texture_is_kept_as_long_as_its_memory)
{
    const void *const memory = (const void *)base; /* NOLINT(performance-no-int-to-ptr) */
    struct tw_backend_texture nearest = texture_at(0);
    begin_textures();
    nearest.sampler = tw_sampler_make(true, TW_ADDRESS_REPEAT, TW_FILTER_NEAREST);
    const uint64_t first = number_of(texture_at(0)), second = number_of(nearest), third = number_of(texture_at(8192));
    TW_CHECK(first && second && third && first != second && second != third);
    TW_CHECK(number_of(texture_at(0)) == first && number_of(nearest) == second);
    TW_EQUAL(textures.made, 3u);
    tw_cuda_drop_textures(&device, (const void *)(base + 512), 0, SIZE_MAX); /* NOLINT(performance-no-int-to-ptr) */
    tw_cuda_drop_textures(&device, memory, 64 * 48, 512);
    TW_EQUAL(textures.living, 3u);
    tw_cuda_drop_textures(&device, memory, 8192 + 64, 512);
    TW_EQUAL(textures.living, 2u);
    tw_cuda_drop_textures(&device, memory, 0, SIZE_MAX);
    TW_EQUAL(textures.living, 0u);
    TW_CHECK(number_of(texture_at(0)) == 4);
    end_textures();
}

TW_TEST(a_texture_reads_as_the_sampler_does)
{
    struct tw_backend_texture texture = texture_at(512);
    begin_textures();
    TW_CHECK(number_of(texture));
    TW_CHECK(textures.memory.type == CU_RESOURCE_PITCH_2D && textures.memory.pixels == base + 512);
    TW_CHECK(textures.memory.format == 1 && textures.memory.channels == 1 && textures.memory.pitch == 64);
    TW_CHECK(textures.memory.width == 64 && textures.memory.height == 48);
    TW_CHECK(textures.reading.filter == 1 && textures.reading.flags == CU_TEXTURE_NORMALIZED);
    TW_CHECK(textures.reading.addressing[0] == 0 && textures.reading.addressing[1] == 0);
    texture.type = TW_SIGNED_INT32; /* integers are never interpolated */
    texture.pitch = 256;
    texture.sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_LINEAR);
    TW_CHECK(number_of(texture));
    TW_CHECK(textures.reading.filter == 0 && textures.reading.flags == CU_TEXTURE_INTEGERS);
    TW_CHECK(textures.reading.addressing[0] == 3 && textures.memory.format == 10);
    end_textures();
}

/* Of these, code reads the images. */
TW_TEST(some_images_have_no_texture)
{
    const tw_sampler clamp = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_LINEAR);
    struct tw_backend_texture wrong[9];
    begin_textures();
    for (int i = 0; i < 9; ++i)
        wrong[i] = texture_at(0);
    wrong[0].pixels = (const void *)(base + 256); /* NOLINT(performance-no-int-to-ptr) */
    wrong[1].pitch = 80;
    wrong[2].pitch = 8192;
    wrong[3].width = 1025;
    wrong[4].height = 1001;
    wrong[5].type = TW_UNORM_SHORT_565, wrong[5].order = TW_RGB;
    wrong[6].sampler = tw_sampler_make(false, TW_ADDRESS_MIRRORED_REPEAT, TW_FILTER_NEAREST);
    wrong[7].order = TW_Rx, wrong[7].sampler = clamp;
    for (int i = 0; i < 8; ++i)
        TW_CHECK(!number_of(wrong[i]));
    textures.refuses = true;
    TW_CHECK(!number_of(wrong[8]));
    textures.refuses = false;
    tw_cuda.texture_create = NULL; /* an older driver */
    TW_CHECK(!number_of(wrong[8]));
    tw_cuda.texture_create = make_texture;
    TW_CHECK(number_of(wrong[8]));
    end_textures();
}

TW_TEST_LIST = {
    TW_CASE(parts_are_backed_and_given_up),
    TW_CASE(some_memory_stays_free),
    TW_CASE(what_the_driver_refuses_leaves_nothing),
    TW_CASE(memory_of_the_program_is_known_by_the_driver),
    TW_CASE(a_texture_is_kept_as_long_as_its_memory),
    TW_CASE(a_texture_reads_as_the_sampler_does),
    TW_CASE(some_images_have_no_texture),
    TW_CASES_END,
};
