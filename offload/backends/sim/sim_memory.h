/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of simulated devices: allocations with red zones around them. */
#ifndef TEAMWORK_OFFLOAD_SIM_MEMORY_H
#define TEAMWORK_OFFLOAD_SIM_MEMORY_H

#include "backend.h"

/* Allocates poisoned memory with red zones around it. Returns NULL if there is not enough. */
void *tw_sim_memory_allocate(const struct tw_backend_device *device, size_t bytes);

/* The same for addresses without memory, which cannot be accessed until tw_sim_memory_back(). The memory is poisoned when
   it is put there, and taken away. */
#define TW_SIM_PAGE_BYTES ((size_t)4096)
void *tw_sim_memory_reserve(const struct tw_backend_device *device, size_t bytes);
bool tw_sim_memory_back(void *reserved, size_t at, size_t bytes);
void tw_sim_memory_unback(void *reserved, size_t at, size_t bytes);

/* Frees memory, or reserved addresses, and returns its size in bytes. Warns if a red zone was written to: there is no
   command to fail. */
size_t tw_sim_memory_free(void *memory);

/* Returns the allocation that contains an address, red zones included, and stores its device; NULL if there is none. */
void *tw_sim_memory_around(const void *address, const struct tw_backend_device **device);

/* Fails if memory does not lie in one allocation of a device. */
tw_status tw_sim_memory_examine(const struct tw_backend_device *device, const void *memory, size_t bytes);

/* A write beside memory. */
struct tw_sim_damage {
    bool before;     /* it is before the memory; otherwise behind it */
    size_t distance; /* in bytes, down from the first byte of the memory, or up from the first byte behind it */
};

/* Stores the damage nearest to a part of an allocation, counted from the part, and restores the red zones. From then on
   they have the pattern for elements of a size. Returns false if there is no damage; so it does for memory of the program
   without red zones. */
bool tw_sim_memory_find_damage(const void *part, size_t bytes, size_t element_bytes, struct tw_sim_damage *damage);

/* Fails if the red zones around the memory of a copy, on both sides, were written to, and restores them. */
tw_status tw_sim_memory_check_copy(const struct tw_backend_copy *copy);

/* The same for filled memory. */
tw_status tw_sim_memory_check_fill(const struct tw_backend_fill *fill);

#endif
