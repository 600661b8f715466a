/* SPDX-License-Identifier: Apache-2.0 */
/** What lanes.cpp makes lanes of work-items with. */
#ifndef TEAMWORK_COMPILER_LANES_H
#define TEAMWORK_COMPILER_LANES_H

#include "compiler.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace tw_compiler
{

constexpr unsigned MostInLanes = 1500;
constexpr unsigned MostLanes = 64, LeastLanes = 16;
constexpr unsigned MostKeptBytes = 128;                     /* of a work-item; above, the chunks are of LeastLanes */
constexpr unsigned MostWideLanes = 512, MostWideBytes = 16; /* where turns go through rows of memory */
constexpr unsigned LeastStride = 4096;                      /* in bytes, from row to row */
constexpr unsigned LeastSweep = 64;                         /* in bytes, from turn to turn: another line of the cache */
constexpr unsigned MostRebuilt = 40;                        /* operations of a value that is computed again */

/* A piece of a work-item's body. */
struct Piece {
    enum Kind {
        Segment, /* blocks with one entry and one end */
        Turns,   /* a loop */
        Some     /* blocks with loops that only some work-items come to */
    } Is = Segment;
    llvm::SmallVector<llvm::BasicBlock *, 8> Blocks; /* the first is the entry; of a loop: none */
    llvm::BasicBlock *End = nullptr;                 /* the last block of a segment */
    llvm::BasicBlock *Past = nullptr;                /* of Some: where all work-items go on */
    llvm::Value *Condition = nullptr;                /* of a segment: some work-items go on to what comes next */
    bool Inverted = false;                           /* those for which it is false */
    const llvm::SCEV *Grows = nullptr,
                     *Limit = nullptr; /* the condition compares this, more for each lane, with that */
    uint64_t By = 0;                   /* that much more */
    llvm::CmpInst::Predicate How = llvm::CmpInst::BAD_ICMP_PREDICATE;
    llvm::Loop *Inner = nullptr; /* of a loop */
    llvm::Value *Last = nullptr; /* of a loop: its turns but one; null: work-items differ */
    std::vector<Piece> Parts;    /* of a loop and of Some */
};

/* What all work-items combine, in any order: one of three kinds of operations. */
struct Reduction {
    llvm::PHINode *Phi = nullptr;                              /* what came before a work-item */
    llvm::Instruction *Next = nullptr;                         /* what goes on to the next one */
    unsigned Opcode = 0;                                       /* of two numbers; or 0 */
    llvm::Intrinsic::ID Call = llvm::Intrinsic::not_intrinsic; /* minimum or maximum of integers */
    llvm::CmpInst::Predicate Is =
        llvm::CmpInst::BAD_FCMP_PREDICATE; /* of floating-point numbers: such a new one is taken */
    llvm::SmallVector<llvm::Instruction *, 4> Operations;
    llvm::SmallPtrSet<const llvm::Value *, 8>
        Chain; /* all that has been combined at some point, Phi and Next among them */

    llvm::Constant *identity() const;
    llvm::Value *combine(llvm::IRBuilder<> &B, llvm::Value *All, llvm::Value *One) const;
};
std::optional<Reduction> findReduction(llvm::PHINode &Phi, const llvm::Loop &L);

/* A variable that each work-item has for itself, in memory. */
struct OwnArray {
    llvm::AllocaInst *Variable;
    uint64_t Bytes, Element; /* Element: the size of each access */
};

class Lanes
{
  public:
    Lanes(llvm::Function &F, llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::DominatorTree &DT, llvm::LoopInfo &LI,
          llvm::AAResults &AA, uint64_t Registers)
        : F(F), L(L), SE(SE), DT(DT), LI(LI), AA(AA), Registers(Registers), DL(F.getParent()->getDataLayout()),
          Apart(llvm::bit_floor(turnsApart(L))), Context(F.getContext()), Size(llvm::Type::getInt64Ty(Context)),
          At(L, SE), MostWidth(unsigned(std::min<uint64_t>(MostWideLanes, Apart)))
    {
    }
    bool run();
    std::string Why;                    /* it was not done */
    llvm::Instruction *Where = nullptr; /* because of this */

  private:
    llvm::Function &F;
    llvm::Loop &L;
    llvm::ScalarEvolution &SE;
    llvm::DominatorTree &DT;
    llvm::LoopInfo &LI;
    llvm::AAResults &AA;
    const uint64_t Registers; /* for vectors, in bytes */
    const llvm::DataLayout &DL;
    const uint64_t Apart; /* are turns of the same work-item at least: a power of two */
    llvm::LLVMContext &Context;
    llvm::IntegerType *Size;
    std::vector<Piece> Body;
    Accesses At;
    llvm::DenseMap<const llvm::BasicBlock *, const Piece *> SegmentOf;
    llvm::MapVector<llvm::Instruction *, llvm::AllocaInst *> Kept; /* values with an array */
    llvm::DenseSet<const llvm::BasicBlock *> Joins; /* where those who came to a piece and those who did not meet */
    llvm::DenseMap<llvm::Instruction *, llvm::PHINode *> InPhi; /* what a kept phi of a loop has after its last turn */
    llvm::SmallVector<Reduction, 2> Reductions;
    llvm::DenseMap<const llvm::Value *, llvm::Value *> Folded; /* what reductions come to, behind the chunks */
    llvm::SmallVector<OwnArray, 2> Arrays;
    llvm::SmallVector<llvm::AllocaInst *, 2> OfLanes; /* what such arrays have become */
    llvm::Instruction *Number = nullptr; /* stands for the lane in the addresses of elements of such arrays */
    unsigned Width = MostLanes, MostWidth;
    llvm::BasicBlock *Preheader = nullptr;
    const llvm::SCEV *Turns = nullptr;

    /* while a chunk is written */
    llvm::Value *Base = nullptr, *Length = nullptr;
    llvm::DenseMap<const llvm::Loop *, llvm::Value *> Counter;
    llvm::MDNode *Group = nullptr, *Scope = nullptr;
    llvm::MapVector<const llvm::SCEV *, llvm::Value *> Outside; /* values that no work-item changes */
    bool Writing = false;
    llvm::AllocaInst *GoesOn = nullptr; /* whether a lane goes on to the next piece, where that differs */
    llvm::Value *Going = nullptr;       /* how many go on, unless the first and the last lane tell */
    struct Lane {
        const Piece *Segment;
        llvm::Value *Index; /* in the chunk */
        llvm::Value *Turn;  /* of the loop over work-items */
        llvm::BasicBlock *Head;
        llvm::ValueToValueMapTy Map;
        llvm::DenseMap<llvm::Value *, llvm::Value *> Foreign;
    };

    bool refuse(const std::string &Reason, llvm::Instruction *I = nullptr)
    {
        Why = Reason;
        Where = I;
        return false;
    }
    bool analyse();
    bool isSuitable();
    bool isClearing(const llvm::Instruction &I) const;
    const char *addArray(llvm::AllocaInst &Variable);
    bool findArrays();
    llvm::SmallVector<llvm::AllocaInst *, 2> expandArrays(llvm::Value &Lane);
    struct Stop;
    bool addStop(llvm::Loop &Around, llvm::Loop &K, std::vector<Stop> &Stops, const llvm::BasicBlock *Final);
    bool findPast(llvm::Loop &Around, Stop &S);
    bool cutSegment(llvm::Loop &Around, std::vector<Piece> &Parts, llvm::BasicBlock *Entry, llvm::BasicBlock *End);
    bool cut(llvm::Loop &Around, llvm::ArrayRef<llvm::Loop *> Inner, std::vector<Piece> &Parts, llvm::BasicBlock *Entry,
             llvm::BasicBlock *Final);
    bool cutLoop(llvm::Loop &K, Piece &P);
    bool index(const std::vector<Piece> &Parts);
    bool canBuild(const llvm::SCEV *S, const llvm::BasicBlock *At, unsigned &Budget,
                  const llvm::Instruction *For = nullptr);
    bool canCompute(llvm::Instruction &I, const llvm::BasicBlock *At, unsigned &Budget);
    bool isBuilt(llvm::Value *V, const llvm::BasicBlock *At);
    bool isRebuilt(llvm::Instruction &I);
    void findLimit(Piece &P);
    bool collectKept();
    bool pays();
    bool combinesInOrder();
    bool isScattered(llvm::Instruction &I);
    bool sweeps();
    bool isOfGroup(const llvm::SCEV *Step);
    bool strides();
    llvm::Value *build(llvm::IRBuilder<> &B, const llvm::SCEV *S, Lane &At);
    llvm::Value *foreign(Lane &At, llvm::Value *V);
    llvm::Value *again(Lane &At, llvm::Value *V);
    llvm::Value *resolve(Lane &At, llvm::Value *V);
    llvm::Value *element(llvm::IRBuilder<> &B, Lane &At, llvm::Instruction *V);
    void annotate(llvm::Instruction &I, bool OfLanes = false);
    llvm::BasicBlock *emit(const std::vector<Piece> &Parts, llvm::BasicBlock *From);
    llvm::BasicBlock *emitSegment(const Piece &P, llvm::BasicBlock *From);
    llvm::BasicBlock *emitLoop(const Piece &P, llvm::BasicBlock *From);
    llvm::BasicBlock *emitSome(const Piece &P, const Piece &Deciding, llvm::BasicBlock *From);
    void emitAlone(const Piece &P, llvm::ArrayRef<llvm::BasicBlock *> Blocks, llvm::BasicBlock *From,
                   llvm::BasicBlock *To, bool IsRare = false);
    llvm::Value *compared(llvm::IRBuilder<> &B, const Piece &P, llvm::Value *Index);
    llvm::Value *limitOf(llvm::IRBuilder<> &B, const Piece &P);
    llvm::Value *compareEnds(llvm::IRBuilder<> &B, const Piece &P, llvm::Value *&First, llvm::Value *&Last);
    llvm::Value *turnsOfAll(llvm::IRBuilder<> &B, const Piece &P);
    llvm::BasicBlock *emitFlags(const Piece &P, llvm::BasicBlock *From, bool IsRare = false);
    llvm::Value *lanesThatGoOn(llvm::IRBuilder<> &B, const Piece &P, llvm::Value *&InOrder);
    void emitFewer(const Piece &P, llvm::BasicBlock *From, llvm::BasicBlock *Check, llvm::Value *Before,
                   llvm::BasicBlock *After);
    llvm::BasicBlock *emitChoice(const Piece &P, llvm::BasicBlock *From, llvm::BasicBlock *All, llvm::BasicBlock *None);
    bool isCarried(const llvm::PHINode &Phi) const;
    void storePhis(Lane &At, llvm::IRBuilder<> &B, llvm::BasicBlock *End);
    llvm::BasicBlock *emitChunk(llvm::BasicBlock *From, llvm::Value *First, llvm::Value *Count);
    const Reduction *reductionOf(const llvm::Value *V) const;
    void beginReductions(llvm::IRBuilder<> &B);
    void endReductions(llvm::IRBuilder<> &B);
    void forgetLifetimes();
    void emitAll();
};

} // namespace tw_compiler

#endif
