/* SPDX-License-Identifier: Apache-2.0 */
/** The pointers in argument blocks. */
#ifndef TEAMWORK_OFFLOAD_SIM_BLOCK_H
#define TEAMWORK_OFFLOAD_SIM_BLOCK_H

#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>

/* Is told of a pointer in a block, and of its member's name, as "grid.data". Returns whether that was enough. */
typedef bool (*tw_sim_pointer_visitor)(void *user, const char *name, const void *pointer);

/* Tells of the pointers in a block, until it is enough. Returns whether it was. */
bool tw_sim_block_visit(const struct tw_internal_kernel *kernel, const void *args, tw_sim_pointer_visitor found,
                        void *user);

/* Finds the member of a block that points to `address`, and stores its name. False: there is none. */
bool tw_sim_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                         size_t bytes);

#endif
