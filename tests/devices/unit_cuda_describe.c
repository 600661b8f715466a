/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the CUDA backend says of a device, on an imaginary driver: each fact comes from the attribute with its number, and
 * what the driver refuses is not known. Needs the private header cuda_driver.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_driver.h"

static bool refuses;
static struct cu_context *const the_context = (struct cu_context *)&refuses;

/* Each attribute is told by its number, but for those whose values mean something. */
static cu_result attribute_of(int *value, int attribute, cu_device device)
{
    TW_EQUAL(device, 3);
    *value = attribute == CU_CAPABILITY_MAJOR   ? 9
             : attribute == CU_CAPABILITY_MINOR ? 1
             : attribute == CU_INTEGRATED       ? 0
                                                : 1000000 + attribute;
    return refuses ? CU_INVALID_VALUE : 0;
}

static cu_result name_of(char *name, int bytes, cu_device device)
{
    TW_EQUAL(device, 3);
    if (!refuses)
        snprintf(name, (size_t)bytes, "Imaginary 9");
    return refuses;
}

static cu_result pci_address_of(char *text, int bytes, cu_device device)
{
    (void)device;
    snprintf(text, (size_t)bytes, "0000:3b:00.0"); /* what a refusal leaves is not used */
    return refuses;
}

static cu_result uuid_of(unsigned char uuid[16], cu_device device)
{
    (void)device;
    for (unsigned i = 0; i < 16; ++i)
        uuid[i] = (unsigned char)(0x10 * i + 1);
    return refuses;
}

static cu_result version_of(int *version)
{
    *version = 12040;
    return refuses;
}

static cu_result memory_of(size_t *bytes, cu_device device)
{
    (void)device;
    if (!refuses)
        *bytes = (size_t)80 << 30;
    return refuses;
}

static cu_result free_memory(size_t *unused, size_t *total)
{
    *unused = 4096;
    *total = 8192;
    return refuses;
}

static cu_result limit_of(size_t *value, int limit)
{
    TW_EQUAL(limit, 1);
    *value = 1 << 20;
    return refuses;
}

static cu_result current(cu_context *context)
{
    *context = the_context;
    return 0;
}

static struct tw_cuda_device *imaginary_device(void)
{
    static struct tw_cuda_device device = {.device = 3};
    device.context = the_context;
    tw_cuda.device_attribute = attribute_of;
    tw_cuda.device_name = name_of;
    tw_cuda.device_pci_address = pci_address_of;
    tw_cuda.device_uuid = uuid_of;
    tw_cuda.driver_version = version_of;
    tw_cuda.device_memory = memory_of;
    tw_cuda.memory_info = free_memory;
    tw_cuda.context_limit = limit_of;
    tw_cuda.context_current = current;
    return &device;
}

TW_TEST(facts_are_the_drivers_attributes)
{
    struct tw_device_facts facts = {.name = ""};
    refuses = false;
    tw_cuda_describe(imaginary_device(), &facts);
    TW_CHECK(!strcmp(facts.name, "Imaginary 9") && !strcmp(facts.vendor, "NVIDIA"));
    TW_CHECK(!strcmp(facts.driver_version, "12.4") && !strcmp(facts.architecture, "sm_91"));
    TW_CHECK(!strcmp(facts.uuid, "01112131-4151-6171-8191-a1b1c1d1e1f1"));
    TW_CHECK(!strcmp(facts.pci_address, "0000:3b:00.0"));
    TW_EQUAL(facts.vendor_id, 0x10de);
    TW_EQUAL(facts.compute_capability, 91);
    TW_EQUAL(facts.max_work_group_size, 1000001);
    TW_EQUAL(facts.sub_group_size, 1000010);
    TW_EQUAL(facts.registers, 1000012);
    TW_EQUAL(facts.clock_mhz, 1000);
    TW_EQUAL(facts.compute_units, 1000016);
    TW_EQUAL(facts.memory_clock_mhz, 1000);
    TW_EQUAL(facts.memory_bus_bits, 1000037);
    TW_EQUAL(facts.l2_bytes, 1000038);
    TW_EQUAL(facts.cache_bytes, 1000038);
    TW_EQUAL(facts.max_unit_items, 1000039);
    TW_EQUAL(facts.unit_local_mem_bytes, 1000081);
    TW_EQUAL(facts.local_mem_bytes, 1000097);
    TW_EQUAL(facts.global_mem_bytes, (size_t)80 << 30);
    TW_EQUAL(facts.printf_bytes, 1 << 20);
    TW_CHECK(facts.has_error_correction && facts.has_shared_memory && facts.uses_system_memory);
    TW_CHECK(facts.atomic_host_memory && facts.sub_groups_progress && !facts.unified_memory);
    TW_EQUAL(facts.half_vector_bytes, 4);
    TW_EQUAL(facts.half_config & TW_FP_SOFT_FLOAT, 0);
}

TW_TEST(what_the_driver_refuses_is_not_known)
{
    struct tw_device_facts facts = {.name = ""};
    refuses = true;
    tw_cuda_describe(imaginary_device(), &facts);
    TW_CHECK(!*facts.name && !*facts.driver_version && !*facts.uuid && !*facts.pci_address);
    TW_EQUAL(facts.compute_units, 0);
    TW_EQUAL(facts.global_mem_bytes, 0);
    TW_EQUAL(facts.printf_bytes, 0);
    TW_CHECK(!facts.has_shared_memory && !facts.has_error_correction && !facts.sub_groups_progress);
    refuses = false;
    struct tw_cuda_device *device = imaginary_device();
    tw_cuda.device_uuid = NULL; /* an older driver */
    facts = (struct tw_device_facts){.name = ""};
    tw_cuda_describe(device, &facts);
    TW_CHECK(!*facts.uuid && *facts.pci_address);
}

TW_TEST(the_state_is_of_the_moment)
{
    struct tw_device_state state = {.free_bytes = 0};
    struct tw_cuda_device *device = imaginary_device();
    refuses = false;
    tw_cuda_observe(&device->omp.base, &state);
    TW_EQUAL(state.free_bytes, 4096);
    TW_CHECK(!state.lost);
    atomic_store(&device->omp.loss.is_set, true);
    state = (struct tw_device_state){.free_bytes = 0};
    tw_cuda_observe(&device->omp.base, &state);
    TW_EQUAL(state.free_bytes, 0); /* the driver is not asked any more */
    TW_CHECK(state.lost);
}

TW_TEST_LIST = {TW_CASE(facts_are_the_drivers_attributes), TW_CASE(what_the_driver_refuses_is_not_known),
                TW_CASE(the_state_is_of_the_moment), TW_CASES_END};
