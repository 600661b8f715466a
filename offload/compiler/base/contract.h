/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers say of functions and variables (docs/design.md has a table). */
#ifndef TEAMWORK_COMPILER_BASE_CONTRACT_H
#define TEAMWORK_COMPILER_BASE_CONTRACT_H

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instruction.h>

namespace tw_compiler
{

constexpr const char *RolePrefix = "teamwork.";

/* Functions that a macro defines for a kernel, whose name is the attribute's value. */
constexpr const char *HostRole = "teamwork.host";   /* runs a piece of a launch, or ends it */
constexpr const char *PartRole = "teamwork.part";   /* runs a part of a reduction */
constexpr const char *SplitRole = "teamwork.split"; /* one work-item of an nd_range kernel, which becomes its group */
constexpr const char *WorkItemsRole = "teamwork.work_items"; /* the work-items of a group: (group, first) */
constexpr const char *SimtRole = "teamwork.simt"; /* a work-item of a GPU; and what calls it, as the kernel */
constexpr const char *LaunchBoundsRole =
    "teamwork.launch_bounds"; /* the value is how many work-items of a GPU a group has, or 0; likewise */

/* Functions of the library. */
constexpr const char *DimsRole = "teamwork.dims";            /* of launches of so many dimensions */
constexpr const char *GroupSizeRole = "teamwork.group_size"; /* makes a group of (group, l0, l1, l2, dims) */
constexpr const char *SharingRole = "teamwork.sharing";      /* changes what a group shares, without a barrier */
constexpr const char *ScopeRole = "teamwork.scope";          /* the value is which argument is a tw_memory_scope */
constexpr const char *WritesRole = "teamwork.writes";        /* writes to memory where its caller says */
constexpr const char *PrivateAtRole = "teamwork.private_at"; /* the index of a work-item's private value */
constexpr const char *MarkerRole = "teamwork.marker";        /* stands for an intrinsic: see below */

/* Variables. */
constexpr const char *LocalRole = "teamwork.local";   /* local memory of the group that the thread runs */
constexpr const char *ObjectRole = "teamwork.object"; /* launches the kernel that is the value */
constexpr const char *HasLoopsRole =
    "teamwork.has_loops";                         /* the value is the byte of an object where its `has_loops` is */
constexpr const char *SlowRole = "teamwork.slow"; /* the same of its `slow` */

void readContract(llvm::Module &M); /* first of all */
bool calls(const llvm::Instruction &I, const char *Role);
bool runsGroups(const llvm::Function &F);          /* whole ones, on the host */
bool runsWorkItems(const llvm::Function &F);       /* the same, or some of a group */
llvm::StringRef kernelOf(const llvm::Function &F); /* the kernel's name; of any other function its own */
bool isLocalVariable(const llvm::Value *V);        /* of LocalRole */
bool isOfLibrary(const llvm::Function &F);
bool isRegion(const llvm::Function &F); /* a target region */
bool isTableOfTools(const llvm::GlobalVariable &V);
bool isReserved(const llvm::GlobalValue &V);

} // namespace tw_compiler

#endif
