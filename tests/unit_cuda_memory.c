/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped memory of the cuda backend, on an imaginary driver that keeps count of addresses, memory and mappings: what is
 * put behind addresses is accessible and goes away again, what the driver refuses leaves nothing behind, and mapping
 * leaves some memory free. Needs the private header cuda_memory.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_memory.h"

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

TW_TEST_LIST = {
    TW_CASE(parts_are_backed_and_given_up),
    TW_CASE(some_memory_stays_free),
    TW_CASE(what_the_driver_refuses_leaves_nothing),
    TW_CASES_END,
};
