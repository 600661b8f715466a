/* SPDX-License-Identifier: Apache-2.0 */
/** The pointers in argument blocks, and the members that hold them. */
#ifndef TEAMWORK_OFFLOAD_SIM_BLOCK_H
#define TEAMWORK_OFFLOAD_SIM_BLOCK_H

#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>

/* Called for a pointer in a block, with the name of its member, such as "grid.data". Returns true to end the visit. */
typedef bool (*tw_sim_pointer_visitor)(void *user, const char *name, const void *pointer);

/* Calls `found` for the pointers in a block until it returns true. Returns true if it did. */
bool tw_sim_block_visit(const struct tw_internal_kernel *kernel, const void *args, tw_sim_pointer_visitor found,
                        void *user);

/* Finds the member of a block that points to `address`, and stores its name. Returns false if there is none. */
bool tw_sim_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                         size_t bytes);

#endif
