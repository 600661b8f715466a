/* SPDX-License-Identifier: Apache-2.0 */
/** The vectorizer of loops over work-items (vectorize.cpp). */
#ifndef TEAMWORK_COMPILER_VECTORIZE_H
#define TEAMWORK_COMPILER_VECTORIZE_H

#include "compiler.h"
#include "reductions.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace tw_compiler
{

/* ---- vectorize_variables.cpp: what each work-item has for itself in memory ---------------------------------------- */

/* A variable of a work-item. Every lane of a vector has one. */
struct PrivateVariable {
    llvm::AllocaInst *Variable;
    uint64_t Bytes;
    uint64_t Element =
        0; /* the size of all accesses: element k of all lanes lies side by side; 0: the variable of one lane behind that
                             of another one */
    llvm::AllocaInst *OfLanes = nullptr;
};

/* Whether elements of a type lie behind each other without bits between them, as those of a vector do. */
bool hasOnlyBytes(llvm::Type *T, const llvm::DataLayout &DL);

/* What GEPOperator::collectOffset() gives: values by factors. */
#if LLVM_VERSION_MAJOR >= 22
using Offsets = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#else
using Offsets = llvm::MapVector<llvm::Value *, llvm::APInt>;
#endif

/* The place in a variable that an address is, in bytes: a constant and values by factors. */
struct PrivatePlace {
    llvm::SmallMapVector<llvm::Value *, int64_t, 4> Parts;
    int64_t Constant = 0;
};

class PrivateVariables
{
  public:
    PrivateVariables(llvm::Loop &L, llvm::DominatorTree &DT) : L(L), DT(DT)
    {
    }
    const char *add(llvm::AllocaInst &Variable);             /* why not; null: it is one */
    const PrivateVariable *find(const llvm::Value *V) const; /* that an address is computed from, or null */
    const PrivateVariable *
    interleaved(const llvm::Value *Address) const; /* whose elements of all lanes are side by side */
    std::optional<PrivatePlace> placeOf(llvm::Value *Address, const PrivateVariable &P) const;
    std::vector<PrivateVariable> All;

  private:
    llvm::Loop &L;
    llvm::DominatorTree &DT;
};

/* ---- vectorize_shapes.cpp: which values are the same for all work-items of a vector -------------------------------- */

/**
 * What work-items that are neighbours have of a value: the same, a multiple of a constant more for each, or anything. And which of them
 * are where: a branch whose condition they differ in makes all that depends on it partial.
 */
class Shapes
{
  public:
    Shapes(llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::LoopInfo &LI, const PrivateVariables &Private)
        : L(L), SE(SE), LI(LI), Private(Private)
    {
    }
    void run(llvm::ArrayRef<llvm::BasicBlock *> Order);
    /* By how much it grows from one work-item to the next, pointers in bytes; nothing: it varies. */
    std::optional<int64_t> step(const llvm::Value *V) const;
    bool isUniform(const llvm::Value *V) const
    {
        return step(V) == 0;
    }
    bool isPartial(const llvm::BasicBlock *Block) const /* some work-items of a vector may not be there */
    {
        return Partial.count(Block) != 0;
    }
    bool isDivergent(const llvm::Loop *K) const /* work-items leave it after different numbers of turns */
    {
        return Divergent.count(K) != 0;
    }
    bool comeTo(const llvm::BasicBlock *From, const llvm::BasicBlock *Goal) const;
    bool isNotNegative(const llvm::Value *Extended) const /* of any work-item that takes part */
    {
        return NotNegative.count(Extended) != 0;
    }
    /* Extensions of narrow numbers that grow by a constant as long as these do not wrap around, which has to be asked in front of the
       loop. */
    llvm::ArrayRef<const llvm::SCEV *> assumed() const
    {
        return Assumed.getArrayRef();
    }

  private:
    struct Shape {
        bool IsKnown = false, Varies = false;
        int64_t Step = 0;
    };
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    llvm::LoopInfo &LI;
    const PrivateVariables &Private;
    llvm::DenseMap<const llvm::Value *, Shape> Of;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Joins, Partial;
    llvm::SmallPtrSet<const llvm::Loop *, 8> Divergent;
    mutable llvm::SmallSetVector<const llvm::SCEV *, 4> Assumed;
    mutable llvm::SmallPtrSet<const llvm::Value *, 4> NotNegative; /* what zext makes of such */
    mutable llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, bool>
        ComeTo; /* known so far */

    Shape get(const llvm::Value *V) const;
    Shape ofPhi(const llvm::PHINode &Phi) const;
    Shape ofAddress(const llvm::GetElementPtrInst &Gep) const;
    Shape ofInstruction(llvm::Instruction &I) const;
    std::optional<int64_t> growth(const llvm::SCEV *S) const;
    bool changesInside(const llvm::SCEV *S) const;
    bool spread(llvm::ArrayRef<llvm::BasicBlock *> Order);
    bool findDivergence(llvm::ArrayRef<llvm::BasicBlock *> Order);
    void forSome(const llvm::BasicBlock *Branch,
                 llvm::function_ref<void(const llvm::BasicBlock *, bool AreAll)> Where) const;
};

/* ---- the vectorizer ------------------------------------------------------------------------------------------------ */

/* Which work-items of a vector take part: those of `Vector`, if `Scalar` holds. Null is all, or true. */
struct Mask {
    llvm::Value *Scalar = nullptr, *Vector = nullptr;
    bool isAll() const
    {
        return !Scalar && !Vector;
    }
};

class Vectorizer
{
  public:
    Vectorizer(llvm::Function &F, llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);
    bool run();
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

    /* vectorize.cpp: whether it is right, and pays */
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
    bool pays();
    llvm::DenseMap<const llvm::Instruction *, unsigned> ownVectors(llvm::BasicBlock &Block) const;
    llvm::InstructionCost costOfOne(llvm::Instruction &I) const;
    llvm::InstructionCost costOfAll(llvm::Instruction &I) const;
    llvm::InstructionCost costOfAccess(llvm::Instruction &I) const;

    /* vectorize_control.cpp: blocks, masks, and loops */
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
    void emitAll();
    void repair(llvm::ArrayRef<llvm::BasicBlock *> New);

    /* vectorize_values.cpp: instructions */
    llvm::DenseMap<const llvm::Value *, llvm::Value *> Scalars,
        Vectors; /* of uniform values, or of the first lane; of all */
    llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, llvm::Value *> Elements; /* of what gives several values */
    llvm::BasicBlock *VectorPreheader = nullptr;
    bool needsSomebody(const llvm::Instruction &I) const;
    bool isScalarized(const llvm::Instruction &I) const;
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
    void emitForEach(llvm::Instruction &I);
    llvm::Value *divide(llvm::Instruction &I);
    void emit(llvm::Instruction &I);
    void makePrivate();
    void set(llvm::Instruction &I, llvm::Value *V);
};

} // namespace tw_compiler

#endif
