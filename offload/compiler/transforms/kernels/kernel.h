/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A kernel that is divided at its barriers, and the steps of that, in their order (kernels.cpp). Each step may refuse, with a reason: the
 * kernel then goes by its stacks, as without the plugin.
 */
#ifndef TEAMWORK_COMPILER_KERNELS_KERNEL_H
#define TEAMWORK_COMPILER_KERNELS_KERNEL_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/IR/ValueMap.h>

namespace tw_compiler
{

constexpr uint64_t MostItems = 1u << 16; /* of a group, above all limits */

/* How a region begins. */
enum class Kind {
    Start,    /* where code of work-items begins */
    Barrier,  /* at a barrier */
    Once,     /* at a barrier too, and one work-item runs it for all */
    Join,     /* where ways from different regions meet, and behind decisions */
    Decision, /* a single branch, which the group takes as one: no loop */
    Exit      /* the return: no loop */
};

/* A range that the work-items of a group share out: a region runs for each of its elements, in place of the ids of a dimension. */
struct Stride {
    int Dimension;         /* -1: of all, together; -2: of the last two */
    llvm::Instruction *At; /* stands for the element */
    llvm::Value *Begin, *Past;
    bool Signed;
    llvm::BasicBlock *Front; /* where both are computed */

    /* The first dimension of those that are meant, and whether one is among them. */
    static unsigned first(int Dimension)
    {
        return unsigned(Dimension < 0 ? -Dimension - 1 : Dimension);
    }
    static bool has(int Dimension, unsigned D)
    {
        return Dimension < 0 ? D >= first(Dimension) : D == unsigned(Dimension);
    }
};

/* The work-items of one dimension that a region is for. */
struct Only {
    unsigned Dimension;
    uint64_t Begin, Past;
    llvm::BranchInst *Branch; /* which says so */
    bool Holds;               /* its condition, for these */
};

/* Where a part for some work-items begins, and what is behind it; both null: it was brought in front of a condition. */
struct Cut {
    llvm::BasicBlock *At, *Behind;
    Only Items;
};

struct Region {
    Kind Is;
    llvm::BasicBlock *Head;
    int Line = 0; /* of the barrier */
    llvm::SmallVector<llvm::BasicBlock *, 8> Blocks;
    llvm::BasicBlock *End = nullptr; /* its last block, which goes on to `Next` and nowhere else */
    llvm::BasicBlock *Next =
        nullptr; /* the head that comes after it; null: no work-item ever leaves, or Decision and Exit */

    llvm::SmallVector<Stride, 2> Strides;
    std::optional<Only> Items; /* none: all */
    bool Rare = false;         /* hardly ever runs: its loop is left as it is */

    /* the loop, by loops.cpp */
    llvm::BasicBlock *Before = nullptr; /* once a group */
    llvm::BasicBlock *Item = nullptr;   /* where a work-item begins; goes on to Head */
    llvm::Value *Id[3] = {nullptr, nullptr, nullptr};
    llvm::Value *Linear = nullptr;

    bool hasLoop() const
    {
        return Is != Kind::Decision && Is != Kind::Exit;
    }
};

/* Values, as long as they exist: what is erased leaves the set, for the next value may be at its address. */
struct KeepReplaced : llvm::ValueMapConfig<const llvm::Value *> {
    enum { FollowRAUW = false };
};
using ValueSet = llvm::ValueMap<const llvm::Value *, bool, KeepReplaced>;

/* A kernel on its way. */
struct Kernel {
    llvm::Function &F;
    llvm::DominatorTree DT; /* of the regions, before there are loops */
    llvm::CallInst *Begin = nullptr;
    llvm::CallInst *Id[3] = {nullptr, nullptr, nullptr};
    std::vector<Region> Regions;
    llvm::DenseMap<const llvm::BasicBlock *, unsigned> RegionOf; /* blocks before the ids have none */
    ValueSet Varying;                                            /* instructions whose value work-items may differ in */
    llvm::SmallVector<llvm::AllocaInst *, 8> Private;            /* variables that each work-item needs for itself */
    ValueSet Constant;                                           /* variables of the group that work-items only read */
    unsigned Barriers = 0;
    unsigned Shared = 0;         /* loops that share out a range */
    uint64_t Likely[2] = {0, 0}; /* the size of groups of two dimensions that it counts on */
    llvm::DebugLoc Where;        /* in the source */
    std::string Why;             /* it cannot be split; empty as long as it can */
    llvm::DebugLoc WhyAt;        /* in the source; null: not known */

    explicit Kernel(llvm::Function &F) : F(F)
    {
    }

    bool refuse(const char *Reason, const llvm::Instruction *At = nullptr)
    {
        Why = Reason;
        WhyAt = At ? At->getDebugLoc() : llvm::DebugLoc();
        return false;
    }
    /* The region of a block of work-items; null for what comes before the ids. */
    Region *regionOf(const llvm::BasicBlock *Block)
    {
        auto At = RegionOf.find(Block);
        return At == RegionOf.end() ? nullptr : &Regions[At->second];
    }
    /* The region where a value is used. */
    Region *regionOf(const llvm::Use &Use)
    {
        auto *User = llvm::cast<llvm::Instruction>(Use.getUser());
        if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(User))
            return regionOf(Phi->getIncomingBlock(Use));
        return regionOf(User->getParent());
    }
};

/* sizes.cpp finds the size of groups that a kernel counts on, though it does not say it, for which it gets a copy. */
using Sides = std::array<uint64_t, 3>; /* of a group: the turns of its three loops */
bool saysNoSize(llvm::Function &F);
/* Makes `Copy`, of the kernel before it was divided, one for the size; none: there is none, or the macros have made that copy. */
std::optional<Sides> giveSize(const Kernel &K, llvm::Function &Copy);
bool mayBeUsual(const Sides &Size);
/* The loops over a group, of so many turns, are left to the copy where it fits. */
bool chooseCopy(const Kernel &K, llvm::Function &Copy, const Sides &Size, const llvm::WeakTrackingVH Turns[3]);

/* prepare.cpp inlines what work-items call that has barriers, and simplifies them. */
bool prepare(Kernel &K, llvm::FunctionAnalysisManager &FAM);
void holdAccesses(llvm::Function &F);
void endHeldAccesses(llvm::Function &F);

/* counters.cpp takes what a work-item counts in loops around barriers apart. */
void splitCounters(llvm::Function &F);

/* regions.cpp cuts the control flow into regions: none has a barrier inside, and all work-items leave it for the same place. */
bool findRegions(Kernel &K);

/* cuts.cpp finds what only some work-items of a row do, as the halo of a tile, which becomes a region for these. */
std::optional<Cut> findCut(Kernel &K, const Region &R, llvm::DenseSet<const llvm::BranchInst *> &Seen);

/* values.cpp says which values are the same for all work-items, and which are cheaper computed again than kept. */
bool classify(Kernel &K);
bool isUniform(const Kernel &K, const llvm::Value *V);
bool canRecompute(const llvm::Instruction &I);
bool isRecomputed(const Kernel &K, const llvm::Value *V);

/* strides.cpp makes regions of loops in which work-items share out a range. */
enum class Keep { Candidates, Found, None };
void keepStrides(llvm::Function &F, Keep Which, uint64_t Likely[2]);
void shareLoops(Kernel &K);

/* loops.cpp makes a loop over the work-items of each region, with memory for what they keep from one to another. */
bool makeLoops(Kernel &K);

} // namespace tw_compiler

#endif
