/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The plugin of clang for kernels (docs/design.md, "The compiler component" and what follows it).
 *
 * The kernel macros, compiled with -DTW_SPLIT, make a function of one work-item, with calls of markers in it
 * (include/teamwork/lower/kernel/split.h): ids begin it, barriers divide it. What functions and variables are to the plugin, their
 * annotations say (contract.cpp). pipeline.cpp alone has the passes in their order; what follows are the files, by what they are for.
 *
 * Kernels with barriers become loops over work-items (kernels.cpp). Each step may refuse, with a reason: the kernel then goes by its
 * stacks, as without the plugin.
 *
 *     scope.cpp     finds breaches of the rules of group scope in hierarchical kernels, before anything is changed
 *     sizes.cpp     finds the size of groups that a kernel counts on, though it does not say it
 *     prepare.cpp   inlines what work-items call that has barriers, and simplifies them
 *     counters.cpp  takes what a work-item counts in loops around barriers apart
 *     regions.cpp   cuts the control flow into regions: none has a barrier inside, and all work-items leave it for the same place
 *     cuts.cpp      finds what only some work-items of a row do, as the halo of a tile, which becomes a region for these
 *     values.cpp    says which values are the same for all work-items, and which are cheaper computed again than kept
 *     strides.cpp   makes regions of loops in which work-items share out a range
 *     loops.cpp     makes a loop over the work-items of each region, with memory for what they keep from one to another
 *
 * Loops over work-items, which the macros and loops.cpp mark (marks.cpp), are taken apart into parts that vectors suit:
 *
 *     items.cpp     where these passes begin and end, and small ones of them
 *     math.cpp      lets functions of <math.h> leave errno alone
 *     rows.cpp      makes rows of work-items that divide an index by their width
 *     nests.cpp     makes a copy of the rows of a small group for where no border is
 *     masks.cpp     writes tests of bits of the index as comparisons
 *     narrow.cpp    lets unsigned counters of loops inside be as wide as an address, where they do not wrap around
 *     edges.cpp     divides a loop where conditions on the index change
 *     jam.cpp       takes several rows of a group together
 *
 * They become vectors, by LLVM's vectorizer or by the one of the plugin:
 *
 *     accesses.cpp  says what the rules of kernels allow, and tells LLVM's vectorizer that work-items are independent
 *     members.cpp   lets members of structures be loaded together
 *     vectorize.cpp the vectorizer of loops over work-items, with masks; its other parts are vectorize_*.cpp
 *     reductions.cpp finds what all work-items combine
 *     scalarize.cpp makes elements of the short vectors of one work-item
 *     divisions.cpp, wraps.cpp keep LLVM from what is wrong about divisions, and about indices that wrap around
 *     atomics.cpp   makes ordinary accesses of atomic operations that no other thread can see
 *     item_rows.cpp finds loops through memory that a work-item has for itself, which become vectors in place of work-items
 *     unrolling.cpp lets loops wait for vectors that LLVM would unroll before
 *
 * At the end:
 *
 *     frames.cpp    keeps the probes of large frames away from registers in use
 *
 * The library and the user are told:
 *
 *     effort.cpp    tells the library whether work-items have loops
 *     cliffs.cpp    tells both which kernels stay scalar or keep stacks, why, and what to change
 *     remarks.cpp   makes the remarks of all passes
 *     variables.cpp warns, in the host's pass, of target regions that read what the program assigns to in vain
 *     missing.cpp   warns of variables and functions that a GPU does not have
 *
 * For GPUs:
 *
 *     arguments.cpp lets the work-items of a team share the arrays among their arguments
 *     gpu.cpp       takes barriers out of loops that only read, and writes reciprocals so that they call nothing
 *     clamps.cpp    makes copies for where the bounds of clamps are in order, and for work-items inside of all borders
 *     places.cpp    makes a copy for where a place in many arrays does not fit 32 bits
 */
#ifndef TEAMWORK_COMPILER_H
#define TEAMWORK_COMPILER_H

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueMap.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace tw_compiler
{

/* ---- contract.cpp: what the headers say of functions and variables (docs/design.md has a table) ------------------ */

constexpr const char *RolePrefix = "teamwork.";

/* Functions that a macro defines for a kernel, whose name is the attribute's value. */
constexpr const char *HostRole = "teamwork.host";   /* runs a piece of a launch, or ends it */
constexpr const char *PartRole = "teamwork.part";   /* runs a part of a reduction */
constexpr const char *SplitRole = "teamwork.split"; /* one work-item of an nd_range kernel, which becomes its group */
constexpr const char *WorkItemsRole = "teamwork.work_items"; /* the work-items of a group: (group, first) */
constexpr const char *GroupsRole = "teamwork.groups";        /* groups: (launch, piece, pieces, l0, l1, l2, dims) */
constexpr const char *SimtRole = "teamwork.simt"; /* a work-item of a GPU; and what calls it, as the kernel */

/* Functions of the library. */
constexpr const char *DimsRole = "teamwork.dims";            /* of launches of so many dimensions */
constexpr const char *GroupSizeRole = "teamwork.group_size"; /* makes a group of (group, l0, l1, l2, dims) */
constexpr const char *IsTileRole = "teamwork.is_tile";       /* is the group of a launch of the usual size? */
constexpr const char *IsSizeRole = "teamwork.is_size";       /* or of this one: (launch, l0, l1, l2, dims) */
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
llvm::Function *functionOf(llvm::Module &M, const char *Role); /* the one of this role, or null */
bool runsGroups(const llvm::Function &F);                      /* whole ones, on the host */
bool runsWorkItems(const llvm::Function &F);                   /* the same, or some of a group */
llvm::StringRef kernelOf(const llvm::Function &F);             /* the kernel's name; of any other function its own */
bool isLocalVariable(const llvm::Value *V);                    /* of LocalRole */
bool isOfLibrary(const llvm::Function &F);
bool isRegion(const llvm::Function &F); /* a target region */
bool isTableOfTools(const llvm::GlobalVariable &V);
bool isReserved(const llvm::GlobalValue &V);

/* ---- markers, notes and marks of loops --------------------------------------------------------------------------- */

/* What a marker is called; it is a function that stands for an intrinsic, so its whole name says what it is. */
constexpr const char *BeginMarker = "tw_internal_marker_begin";
constexpr const char *IdMarker = "tw_internal_marker_id";
constexpr const char *BarrierMarker = "tw_internal_marker_barrier";
constexpr const char *OnceMarker = "tw_internal_marker_once";
constexpr const char *ExchangeCall = "tw_internal_split_exchange"; /* of the group; not a marker */
constexpr const char *DoneMarker = "tw_internal_marker_done";
constexpr const char *SizedMarker = "tw_internal_marker_sized";
constexpr const char *ItemsMarker = "tw_internal_marker_items";
constexpr const char *PointsMarker = "tw_internal_marker_points";
constexpr const char *AloneMarker = "tw_internal_marker_alone";
constexpr const char *SameMarker = "tw_internal_marker_same";
constexpr const char *LocalMarker = "tw_internal_marker_local"; /* of C: llvm.strip.invariant.group stands for it */
constexpr const char *EndMarker = "tw_internal_marker_end";

/* The note at a variable that the work-items of a group share. */
constexpr const char *SharedNote = "teamwork.shared";

/* The property of a function that combines values for reductions or has atomic operations of the group, itself or in what it calls. */
constexpr const char *CombinesNote = "teamwork.combines";

/* The property of a function that work-items run. */
constexpr const char *ItemNote = "teamwork.item";

/* The most instructions that a function may grow to while loops are copied: passes that make copies stop there. */
constexpr const char *BudgetNote = "teamwork.budget";

/* The property of a loop whose turns are work-items. */
constexpr const char *ItemsMark = "teamwork.items";
constexpr const char *RowsMark = "teamwork.items.rows";     /* of the loop over the rows of a group, around that */
constexpr const char *PlanesMark = "teamwork.items.planes"; /* of the loop over its planes, around that */
constexpr const char *ApartMark = "teamwork.items.apart";   /* see turnsApart() */
constexpr const char *JammedMark = "teamwork.items.jammed"; /* work-items of several rows */
constexpr const char *ParallelMark = "llvm.loop.parallel_accesses";

/* LLVM's, of a loop: how many elements a vector has, and how many vectors are on their way side by side. */
constexpr const char *AsksForVectors = "llvm.loop.vectorize.enable", *VectorWidth = "llvm.loop.vectorize.width",
                     *InterleaveCount = "llvm.loop.interleave.count";

/* The call of a marker, or null. */
llvm::CallInst *markerCall(llvm::Instruction &I, const char *Name);

/* Stands in a loop over the points of a range until it is known how many work-items share them out, which is the argument. */
constexpr const char *PointsNote = "teamwork.points";

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

bool hasLoopMark(const llvm::Loop &L, llvm::StringRef Name);
void leaveToCosts(llvm::Loop &L);
const llvm::Loop *itemsAround(const llvm::Loop *L);
void setBudget(llvm::Function &F);
void renewBudget(llvm::Function &F);
void takePointsNotes(llvm::Function &F, const llvm::LoopInfo *LI);
void addLoopMark(llvm::Loop &L, llvm::StringRef Name, llvm::Constant *Value = nullptr);
llvm::MDNode *loopId(llvm::LLVMContext &Context, llvm::ArrayRef<llvm::Metadata *> Properties);
bool hasItems(const llvm::LoopInfo &LI);
void identifyLoops(llvm::Function &F, const llvm::LoopInfo &LI);
uint64_t turnsApart(const llvm::Loop &L);
void setTurnsApart(llvm::Loop &L, uint64_t Apart);
bool areDistinct(llvm::Loop &L, llvm::ScalarEvolution &SE);
llvm::MDNode *loopMetadata(llvm::LLVMContext &Context, const char *Mark, uint64_t Apart = UINT64_MAX);
bool changeLoops(
    llvm::Function &F, llvm::FunctionAnalysisManager &FAM, llvm::StringRef Mark,
    llvm::function_ref<bool(llvm::Loop &)> Change,
    llvm::function_ref<llvm::Loop *(llvm::Loop &)> Of = [](llvm::Loop &Items) { return &Items; });

/* Writes what an analysis knows of a value as instructions. */
struct Expander : llvm::SCEVExpander {
    Expander(llvm::ScalarEvolution &SE, const llvm::DataLayout &DL, const char *Name)
#if LLVM_VERSION_MAJOR >= 22
        : SCEVExpander(SE, Name)
    {
        (void)DL;
    }
#else
        : SCEVExpander(SE, DL, Name)
    {
    }
#endif
};

/* A copy of a loop for where no condition is at its border. */
struct Version {
    llvm::BasicBlock *Header;
    llvm::BranchInst *Choice; /* its first successor is in front of the copy, the other one in front of the loop */
    bool Settled;             /* conditions of the copy are constants */
};

/* What a loop over work-items reads and writes. */
class Accesses
{
  public:
    /* `Wraps`: whether indices may wrap around before they are extended */
    Accesses(llvm::Loop &L, llvm::ScalarEvolution &SE, bool Wraps = true) : L(L), SE(SE), Wraps(Wraps)
    {
    }
    std::optional<int64_t> growth(const llvm::SCEV *S);
    bool isFar(llvm::Instruction &I);
    bool isIndirect(llvm::Instruction &I) const;
    llvm::Instruction *sharedVariable();
    bool keepsOrder(llvm::AAResults &AA);
    /* Loads and stores of an array where work-items combine values, for each array that may be one. */
    std::vector<llvm::SmallVector<llvm::Instruction *, 4>> combined();
    llvm::DenseSet<const llvm::AllocaInst *> Own; /* variables that each work-item has for itself */
    const llvm::Value *Lane = nullptr;            /* is one more for the next work-item, where that counts */

  private:
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    const bool Wraps;
};

bool isDropped(const llvm::Instruction &I);

/* Values, as long as they exist: what is erased leaves the set, for the next value may be at its address. */
class ValueSet
{
  public:
    void insert(const llvm::Value *V)
    {
        Map.insert({V, true});
    }
    bool count(const llvm::Value *V) const
    {
        return Map.count(V) != 0;
    }

  private:
    struct Config : llvm::ValueMapConfig<const llvm::Value *> {
        enum { FollowRAUW = false };
    };
    llvm::ValueMap<const llvm::Value *, bool, Config> Map;
};

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

using Sides = std::array<uint64_t, 3>; /* of a group */
std::optional<Sides> tileOf(llvm::Function &F, unsigned Dims);
llvm::BasicBlock *askForSize(llvm::CallInst &Call, const Sides &Size, unsigned Dims);
void copyForTiles(llvm::Module &M);
bool prepare(Kernel &K, llvm::FunctionAnalysisManager &FAM);
void holdAccesses(llvm::Function &F);
void endHeldAccesses(llvm::Function &F);
void splitCounters(llvm::Function &F);
void checkScopes(llvm::Module &M);
bool findRegions(Kernel &K);
std::optional<Cut> findCut(Kernel &K, const Region &R, llvm::DenseSet<const llvm::BranchInst *> &Seen);
bool classify(Kernel &K);
bool isUniform(const Kernel &K, const llvm::Value *V);
bool canRecompute(const llvm::Instruction &I);
bool isRecomputed(const Kernel &K, const llvm::Value *V);
enum class Keep { Candidates, Found, None };
void keepStrides(llvm::Function &F, Keep Which, uint64_t Likely[2]);
void shareLoops(Kernel &K);
bool makeLoops(Kernel &K);
std::optional<Version> versionInside(llvm::Function &F, llvm::Loop &L, llvm::ScalarEvolution &SE,
                                     llvm::DominatorTree &DT, llvm::LoopInfo &LI, bool AnyTurns = false);
bool isRowOfGroup(const llvm::Loop &Items);
bool isRowOfItem(llvm::Loop &L, llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI);
llvm::Loop *rowsOf(llvm::ScalarEvolution &SE, llvm::Loop &Items);
bool leaveErrno(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool makeRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, bool OfPlanes);
bool widenNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool versionNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool isLocal(const llvm::Value *Address); /* or in a variable of the function */
bool hasMasks(const llvm::Function &F);
bool isOrdinaryAtomic(const llvm::Instruction &I);
bool makeOrdinary(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool compareForMasks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool widenCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool divideAtEdges(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool jamRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool countMembers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool tellIndependence(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool limitChecks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* effort.cpp: notes that the work-items of a function have loops; and at the end, in the objects that launch its kernels */
void noteLoops(llvm::Function &F, const llvm::LoopInfo &LI);
void tellLoops(llvm::Module &M);
llvm::GlobalVariable *objectOf(const llvm::Function &F);
/* Sets a member that is 0 of the object that launches the kernel of a function, if this module has one: where a role says, or so many
   elements behind that. */
void tellKernel(const llvm::Function &F, const char *Role, unsigned Element, llvm::Constant *Value);

/* remarks.cpp. What a remark is about; `Where` is null where the source is not known. */
struct Remark {
    const char *Pass, *Name; /* -Rpass=Pass, or -Rpass-missed=Pass */
    bool Missed;
    llvm::DebugLoc Of, Where; /* the loop or kernel whose copies are counted; and where the remark stands */
};
void tellRemark(llvm::Function &F, const Remark &What, const llvm::Twine &Text);
const llvm::DILocation *placeOf(const llvm::DILocation *At);
std::string nameOf(const llvm::DILocation *At);

/* cliffs.cpp: keeps why a pass left the work-items of a loop one by one; and tells the library of a kernel that keeps stacks */
void noteRefusal(llvm::Loop &Items, llvm::StringRef Why, const llvm::Instruction *Where);
void tellStacks(llvm::Function &F, llvm::StringRef Why, const llvm::DebugLoc &Where);
/* What to change, for a reason, or nothing: the end of a remark. */
std::string adviceOn(llvm::StringRef Why);
std::string because(llvm::StringRef Why); /* the reason with it, behind what did not happen */
bool scalarizeVectors(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool vectorizeItems(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
void reportMissing(const llvm::Module &M);
void reportOldVariables(const llvm::Module &M);
bool isKernel(const llvm::Function &F);
bool shareArguments(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
llvm::BasicBlock *copyFrom(llvm::BasicBlock *First);
bool versionClamps(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool versionPlaces(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool hideGpuCounters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool shortenGpuAddresses(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool leaveGpuBarriers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool advanceGpuPointers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool hoistGpuRoots(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool writeGpuQuotients(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool writeGpuReciprocals(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace tw_compiler

#endif
