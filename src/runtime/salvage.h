/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What others still get of a copy that fails, or of whose elements some are lost.
 *
 * A copy that a command needs may be waited for by others, since the contents will be there. If it fails, its command
 * fails. For the others it runs once more: its source still has the contents, since later writers wait for it. If that
 * fails, too, it runs once from each other memory space that has them. If some of its elements are lost, it copies the rest. Then those dependants alone are cancelled that need what is lost.
 */
#ifndef TEAMWORK_RUNTIME_SALVAGE_H
#define TEAMWORK_RUNTIME_SALVAGE_H

#include "command.h"

enum tw_salvaged {
    TW_SALVAGE_NOTHING, /* the task is finished with its failure */
    TW_SALVAGE_RUNS,    /* the task will run, and be finished again */
    TW_SALVAGE_ENDS     /* the task is finished without a failure, as far as it was not lost */
};

/* Decides about a copy whose predecessors are finished, and which ends with a failure: its own, or one that cancelled it.
   Its command has noted the failure. If memory is exhausted, nothing is salvaged. */
enum tw_salvaged tw_salvage_locked(struct tw_copy_task *copy, struct tw_failure *failure, bool cancelled);
/* Copies what there is. Without the lock. */
tw_status tw_salvage_run(const struct tw_copy_task *copy);
/* Records what is lost where a copy has ended, after its node is finished. */
void tw_salvage_end_locked(struct tw_copy_task *copy, const struct tw_failure *failure);

#endif
