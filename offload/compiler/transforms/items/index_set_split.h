/* SPDX-License-Identifier: Apache-2.0 */
/** What index-set splitting divides loops with (index_set_split.cpp). */
#ifndef TEAMWORK_COMPILER_ITEMS_INDEX_SET_SPLIT_H
#define TEAMWORK_COMPILER_ITEMS_INDEX_SET_SPLIT_H

#include "parts.h"

#include <cstdint>
#include <memory>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tw_compiler
{

constexpr uint64_t LeastTurns = 32; /* below, the arithmetic costs more than it saves */
constexpr unsigned MostInShortRow = 1024;

/* A value as Start + Step * turn of the loop + steps of loops inside, modulo 2 to its width. */
struct Affine {
    const llvm::SCEV *Start = nullptr;
    int64_t Step = 0;
    llvm::SmallVector<std::pair<const llvm::SCEV *, int64_t>, 2>
        Inner; /* turns but one of a loop inside, and its step */
};

/* What is to be constant between Lo and Hi. */
struct Condition {
    llvm::Instruction *I;         /* is replaced there */
    Affine Of;                    /* that lies in 0 to Last, inclusively, after Shift was added */
    const llvm::SCEV *Shift;      /* of the width of Of */
    const llvm::SCEV *Last;       /* the same */
    const llvm::SCEV *NotZero;    /* if this is 0 the range is empty; may be null */
    bool Inside;                  /* whether that is what holds between Lo and Hi, or its contrary */
    llvm::Value *Then;            /* what stands for it there; null: an extension of an index */
    const llvm::SCEV *Positive;   /* must be greater than 0, or null */
    llvm::Value *Start = nullptr; /* of an extension: Of.Start */
    llvm::Value *Less = nullptr;  /* is subtracted from Then */
    bool FromZero = false;        /* an extension: from the first turn on, not from Lo */
    bool Signed = false;          /* an extension */
    bool IsClamped = false;       /* an extension of a clamped index */
    int64_t Plus = 0;             /* is added to an extension */
    int First = -1;               /* the condition of the extension that this one begins with; or -1 */
    int64_t Least = 0, Most = 0;  /* of an extension that others begin with: how far they are from it */
    int Guard = -1;               /* the condition that holds wherever an extension is used; or -1 */
    llvm::Value *From = nullptr;  /* the first turn for which a condition holds; null: not known */
};

/* A copy of a loop for where no condition is at its border. */
struct Inside {
    llvm::BasicBlock *Header;
    llvm::BranchInst *Choice; /* its first successor is in front of the copy, the other one in front of the loop */
    bool Settled;             /* conditions of the copy are constants */
};
std::optional<Inside> versionInside(llvm::Function &F, llvm::Loop &L, llvm::ScalarEvolution &SE,
                                    llvm::DominatorTree &DT, llvm::LoopInfo &LI, bool AnyTurns = false);

class Divider
{
  public:
    Divider(llvm::Function &F, llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::DominatorTree &DT, llvm::LoopInfo &LI,
            bool Nest = false)
        : F(F), L(L), SE(SE), DT(DT), LI(LI), DL(F.getParent()->getDataLayout()), Context(F.getContext()), Nest(Nest)
    {
    }
    bool run();
    std::optional<Inside> version(bool AnyTurns);

  private:
    llvm::Function &F;
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    llvm::DominatorTree &DT;
    llvm::LoopInfo &LI;
    const llvm::DataLayout &DL;
    llvm::LLVMContext &Context;
    const bool Nest; /* of rows: all of it, or nothing, is what the conditions hold for */
    llvm::SmallVector<Condition, 16> Conditions;
    llvm::SmallVector<std::pair<llvm::Value *, bool>, 8>
        Unchanging; /* conditions that the loop does not change, and their likely value */
    struct Clamped {
        llvm::Value *Inside; /* what it is between Lo and Hi */
        Affine Of;
    };
    llvm::DenseMap<const llvm::Value *, Clamped> Extremes; /* minima and maxima */
    const llvm::SCEV *Turns = nullptr;                     /* but one */
    std::optional<CountersOf> Counted;
    llvm::DenseMap<llvm::Value *, llvm::Value *> Frozen; /* values of the limits */
    llvm::Value *Exact = nullptr;                        /* whether all conditions hold nowhere but from Lo to Hi */
    llvm::BasicBlock *Preheader = nullptr;
    llvm::Value *Count = nullptr, *Lo = nullptr, *Hi = nullptr; /* Count: turns but one */

    const llvm::PHINode *carried(const llvm::Value *V) const;
    void leaveByPhis();
    bool isSuitable();
    bool isBefore(const llvm::SCEV *S) const;
    void note(const Condition &C);
    std::optional<Affine> affine(const llvm::SCEV *S);
    bool isPeriodic(const Affine &Of);
    uint64_t lowBits(const Affine &Of);
    std::optional<Affine> affine(llvm::Value *V, bool MayAssume = false);
    void addNoWrap(llvm::Instruction *I, const Affine &Of, bool Signed, bool FromZero, int64_t Plus = 0,
                   bool IsClamped = false);
    void joinNeighbour(Condition &C);
    unsigned weight(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
    std::optional<bool> likelyOf(const llvm::Value *Condition, const llvm::Value *Compared, unsigned Depth);
    void addCompare(llvm::ICmpInst &Compare);
    std::optional<Clamped> clamped(llvm::Value *V);
    void addExtreme(llvm::IntrinsicInst &Call);
    void addRemainder(llvm::BinaryOperator &Rest);
    void addExtension(llvm::Instruction &I);
    void collect();
    llvm::Value *frozen(llvm::IRBuilder<> &B, llvm::Value *V, unsigned Depth);
    llvm::Value *narrow(llvm::IRBuilder<> &B, Expander &Expand, const llvm::SCEV *S, llvm::Instruction *At);
    void limit(llvm::IRBuilder<> &B, Expander &Expand, Condition &C, llvm::Instruction *At);
    bool guards(const llvm::Value *Condition, bool Likely, const llvm::BasicBlock *Block, unsigned Depth) const;
    bool guardAll(const llvm::BasicBlock *Block) const;
    bool isOld(const llvm::Value *V, const llvm::Value *Address, unsigned Depth) const;
    bool guardsAll() const;
    void findGuards();
    void computeLimits();
    bool isWidened() const;
    void widen(llvm::IRBuilder<> &B);
    void settleExtension(Copy &Interior, const Condition &C, llvm::Instruction *I);
    void settle(Copy &Interior);
    void settleFirst(Copy &First);
    bool isWorthWhole() const;
    void keepWhole(const Copy &Whole) const;
    bool isFewVectors() const;
    Version makeVersion();
    void maskInterior(Copy &Interior);
    void divide();
};

} // namespace tw_compiler

#endif
