/* SPDX-License-Identifier: Apache-2.0 */
/** The vectorizer of loops over work-items (vectorize.cpp). */
#ifndef TEAMWORK_COMPILER_VECTORIZER_VECTORIZE_H
#define TEAMWORK_COMPILER_VECTORIZER_VECTORIZE_H

#include "analysis/private_variables.h"
#include "analysis/reductions.h"
#include "analysis/shapes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/ADT/bit.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace tw_compiler
{

/* Which work-items of a vector take part: those of `Vector`, if `Scalar` holds. Null is all, or true. */
struct Mask {
    llvm::Value *Scalar = nullptr, *Vector = nullptr;
    bool isAll() const
    {
        return !Scalar && !Vector;
    }
};

llvm::BasicBlock *newBlock(llvm::Function &F, const llvm::Twine &Name);

class Vectorizer
{
  public:
    Vectorizer(llvm::Function &F, llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);
    bool isPossible(); /* and pays */
    bool hasBetterGroups() const;
    bool isScattered() const;
    void emitAll();
    std::string Why;                    /* it was not done */
    llvm::Instruction *Where = nullptr; /* because of this */

  private:
    llvm::Function &F;
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    llvm::DominatorTree &DT;
    llvm::LoopInfo &LI;
    const llvm::TargetTransformInfo &TTI;
    const llvm::TargetLibraryInfo &TLI;
    llvm::BlockFrequencyInfo &Often;
    llvm::LoopAccessInfoManager &Memory;
    const llvm::DataLayout &DL;
    llvm::LLVMContext &Context;
    PrivateVariables Private;
    Shapes Shape;
    llvm::SmallVector<Reduction, 2> Reductions;
    unsigned Width = 0;
    using Blocks = std::vector<llvm::BasicBlock *>;
    llvm::DenseMap<const llvm::Loop *, Blocks>
        Order;  /* entries of what is in a loop: its blocks, and headers of loops inside */
    Blocks All; /* of the loop over work-items, each behind what goes to it */

    /* vectorize.cpp: whether it is right; vectorize_costs.cpp: whether it pays */
    bool refuse(const std::string &Reason, llvm::Instruction *I = nullptr)
    {
        Why = Reason;
        Where = I;
        return false;
    }
    bool findOrder(llvm::Loop &K);
    bool isSuitable();
    bool canAsk();
    bool findVariables();
    bool combinesInPlace();
    uint64_t mostBits() const;
    void chooseWidth();
    bool isMasked(const llvm::BasicBlock *Block) const;
    double oftenBy(const llvm::BasicBlock *Block, const llvm::BasicBlock *Other) const;
    double oftenAsVector(const llvm::BasicBlock *Block) const;
    const llvm::SCEV *stepOfTurn(llvm::Value *Address, const llvm::Loop &K) const;
    unsigned turnsAtOnce(llvm::Loop &K) const;
    bool pays();
    llvm::DenseMap<const llvm::Instruction *, unsigned> ownVectors(llvm::BasicBlock &Block) const;
    llvm::InstructionCost costOfOne(llvm::Instruction &I) const;
    llvm::InstructionCost costOfAll(llvm::Instruction &I) const;
    llvm::InstructionCost costOfAccess(llvm::Instruction &I, bool ByLlvm = false) const;

    /* vectorize_groups.cpp: accesses that are done together */
    struct Apart { /* a distance between two accesses of a work-item: they meet if it is above -Below and below Above */
        const llvm::SCEV *By;
        int64_t Below, Above;
        bool operator==(const Apart &Other) const
        {
            return By == Other.By && Below == Other.Below && Above == Other.Above;
        }
    };
    struct Member {
        llvm::Instruction *Access;
        int64_t Slot; /* by elements, from the one with which the group is done */
        size_t At;    /* in Accessing */
    };
    struct Group {
        static constexpr unsigned MostSlots = 8; /* elements from one work-item to the next that are loaded together */
        bool IsStore;
        std::optional<int64_t> Step;          /* from one work-item to the next, in bytes; nothing: it varies */
        uint64_t Bytes;                       /* of an element */
        int64_t Low, High;                    /* slots that are accessed */
        llvm::SmallVector<Member, 4> Members; /* the first load or last store is in front, where all are done */
        llvm::SmallVector<Apart, 4> Asked;
        llvm::InstructionCost Cost; /* of each member */
        bool IsFilled = false;      /* with what was loaded: see fill() */
        bool isSideBySide() const   /* what one work-item has follows what its neighbour has */
        {
            return Step && *Step > 0 && *Step % int64_t(Bytes) == 0 && *Step / int64_t(Bytes) <= int64_t(MostSlots);
        }
        unsigned used() const
        {
            return unsigned(High - Low + 1);
        }
        bool hasAllSlots() const
        {
            llvm::SmallSet<int64_t, 8> Slots;
            for (const Member &M : Members)
                Slots.insert(M.Slot);
            return Slots.size() == slotsOfLane();
        }
        unsigned slotsOfLane() const
        {
            return isSideBySide() ? unsigned(*Step / int64_t(Bytes)) : llvm::bit_ceil(used());
        }
    };
    llvm::AAResults &AA;
    std::vector<llvm::Instruction *> Accessing; /* memory, in the order of All */
    std::vector<Group> Groups;
    llvm::DenseMap<const llvm::Instruction *, size_t> GroupOf;
    llvm::SmallVector<Apart, 8> Asked;
    const llvm::SCEV *distance(llvm::Instruction &From, llvm::Instruction &To);
    std::optional<int64_t> knownDistance(llvm::Instruction &From, llvm::Instruction &To);
    bool mayPass(llvm::Instruction &Moved, llvm::Instruction &Other, llvm::SmallVectorImpl<Apart> &Asked);
    bool mayMove(llvm::Instruction &Moved, size_t From, Group &G);
    bool mayBeInGroup(llvm::Instruction &I) const;
    bool join(Group &G, llvm::Instruction &I, size_t At);
    void fill(Group &G);
    void findGroups();
    void keepGroups(std::vector<Group> &Found);
    llvm::InstructionCost costOfGroup(const Group &G) const;
    llvm::Value *askApart();
    unsigned lanesAtOnce(const Group &G) const;
    llvm::Type *elementOf(const Group &G) const;
    llvm::Value *addressOf(const Group &G, unsigned Lane);
    llvm::Instruction *accessVector(const Group &G, llvm::Value *Address, llvm::Type *T, llvm::Value *Mask,
                                    llvm::Value *Stored);
    llvm::Value *loadLanes(const Group &G, unsigned First, unsigned Lanes, llvm::Value *Mask);
    void emitLoads(const Group &G);
    llvm::Value *interleave(llvm::ArrayRef<llvm::Value *> OfSlots, llvm::Type *T, unsigned First, unsigned Lanes);
    void emitStores(const Group &G);
    bool emitInGroup(llvm::Instruction &I);

    /* vectorize_control.cpp, vectorize_masks.cpp and vectorize_loops.cpp */
    llvm::IRBuilder<> B;
    Mask Current;                                          /* of the block that is written */
    bool IsSure = false;                                   /* at least one work-item takes part */
    llvm::DenseMap<const llvm::BasicBlock *, Mask> MaskOf; /* of blocks that dominate what is written */
    llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, Mask> EdgeMask;
    llvm::DenseMap<std::pair<const llvm::PHINode *, const llvm::BasicBlock *>, llvm::Value *> LeftWith;
    llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, 16> Edges; /* in their order */

    llvm::VectorType *widened(llvm::Type *T) const
    {
        return llvm::VectorType::get(T, Width, false);
    }
    llvm::Value *asVector(const Mask &M);
    llvm::Value *any(llvm::Value *Vector);
    llvm::Value *bits(llvm::Value *Vector);
    llvm::Value *logicalAnd(llvm::Value *A, llvm::Value *C);
    Mask either(llvm::ArrayRef<Mask> Masks);
    Mask maskOfBlock(llvm::BasicBlock *Block);
    void setEdge(llvm::BasicBlock *From, llvm::BasicBlock *To, Mask M);
    void setEdges(llvm::BasicBlock *Block);
    void forgetEdges(size_t First, llvm::function_ref<bool(const llvm::BasicBlock *)> IsInside);
    bool isGuarded(llvm::ArrayRef<llvm::BasicBlock *> Entries, const Mask &M) const;
    void emitSequence(llvm::Loop &Around, llvm::ArrayRef<llvm::BasicBlock *> Entries);
    void emitGuarded(llvm::Loop &Around, llvm::ArrayRef<llvm::BasicBlock *> Entries, Mask M);
    void emitEntry(llvm::Loop &Around, llvm::BasicBlock *Entry);
    using HeaderPhis = llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 8>; /* the old one, the new one */
    struct Together {
        llvm::BasicBlock *Apart, *Behind;           /* where somebody leaves the loop; where nobody is left in it */
        llvm::Value *GoesOn;                        /* who is not among them */
        llvm::SmallVector<llvm::Value *, 8> Firsts; /* what they go on with */
        llvm::SmallVector<llvm::Value *, 4> Left;   /* what those have who leave */
    };
    bool isFirstTogether(const llvm::Loop &K) const;
    HeaderPhis makePhis(llvm::Loop &K, llvm::BasicBlock *Body, llvm::ArrayRef<llvm::Value *> Firsts);
    llvm::SmallVector<llvm::Value *, 8> nextOf(const llvm::Loop &K, const HeaderPhis &Phis);
    llvm::SmallVector<llvm::PHINode *, 4> leftWith(const llvm::Loop &K, llvm::BasicBlock *From,
                                                   llvm::BasicBlock *To) const;
    Together emitTogether(llvm::Loop &K);
    void emitLoop(llvm::Loop &K);
    void emitJoin(llvm::PHINode &Phi);
    llvm::Value *askAssumed();
    void repair(llvm::ArrayRef<llvm::BasicBlock *> New);

    /* vectorize_lanes.cpp: what is done for one lane after the other */
    llvm::SmallPtrSet<const llvm::Instruction *, 8> OfEachLane; /* done with atomic operations */
    void findOfEachLane();
    bool isScalarized(const llvm::Instruction &I) const;
    bool isForEach(const llvm::Instruction &I) const;
    llvm::Value *ofLane(llvm::Value *V, llvm::Value *Lane);
    void emitForEach(llvm::ArrayRef<llvm::Instruction *> Operations);

    /* vectorize_values.cpp: instructions */
    llvm::DenseMap<const llvm::Value *, llvm::Value *> Scalars,
        Vectors; /* of uniform values, or of the first lane; of all */
    llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, llvm::Value *> Elements; /* of what gives several values */
    llvm::BasicBlock *VectorPreheader = nullptr;
    bool needsSomebody(const llvm::Instruction &I) const;
    llvm::Value *scalar(llvm::Value *V);
    llvm::Value *vector(llvm::Value *V);
    llvm::Value *addressOfPlace(llvm::Value *Address, const PrivateVariable &P, bool &IsSideBySide);
    void emitScalar(llvm::Instruction &I);
    struct Lanes {
        llvm::Value *At; /* the address of the first one in memory, or all addresses */
        llvm::Align Known;
        bool IsSideBySide, IsReversed;
    };
    Lanes lanesOf(llvm::Instruction &Access);
    void emitLastStore(llvm::StoreInst &Store);
    void emitLoad(llvm::LoadInst &Load);
    void emitStore(llvm::StoreInst &Store);
    std::pair<llvm::StringRef, unsigned> vectorFunction(const llvm::CallInst &Call) const;
    void emitVectorFunction(llvm::CallInst &Call, llvm::StringRef Name, unsigned Lanes);
    void emitCall(llvm::CallInst &Call);
    llvm::Value *divide(llvm::Instruction &I);
    void emit(llvm::Instruction &I);
    void makePrivate();
    void set(llvm::Instruction &I, llvm::Value *V);
};

bool isScalarArgument(llvm::Intrinsic::ID Id, unsigned I);

} // namespace tw_compiler

#endif
