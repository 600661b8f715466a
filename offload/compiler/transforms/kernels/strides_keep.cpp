/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps loops in which work-items may share out a range from being unrolled until they are looked for. */
#include "strides.h"

#include "base/markers.h"
#include "base/marks.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

constexpr int64_t MostOfTile = 1024;

/* The global id less the local one is the first of the group: nothing of a work-item's own is left in that. */
bool cancelIds(Function &F, const Ids &I)
{
    const auto Any = [&](const Value *V) { return !I.isId(V); };
    StrideFinder Find(I, Any);
    const auto HasId = [&](const Sum &S) { return any_of(I.Id, [&](const Value *Id) { return S.has(Id); }); };
    bool Changed = false;
    for (Instruction &J : make_early_inc_range(instructions(F))) {
        if ((J.getOpcode() != Instruction::Add && J.getOpcode() != Instruction::Sub) || !J.getType()->isIntegerTy())
            continue;
        const std::optional<Sum> Left = Find.sum(J.getOperand(0)), Right = Find.sum(J.getOperand(1)), Of = Find.sum(&J);
        if (!Left || !Right || !Of || !HasId(*Left) || !HasId(*Right))
            continue;
        const Sum Rest = Of->low(J.getType()->getIntegerBitWidth());
        if (HasId(Rest) || Rest.has(&J)) /* itself, if its terms are too many */
            continue;
        IRBuilder<> B(&J);
        J.replaceAllUsesWith(write(B, Rest, J.getType(), nullptr, nullptr));
        J.eraseFromParent();
        Changed = true;
    }
    return Changed;
}

/* The size of groups of two dimensions with which a loop of constant steps would share out a range; 0: none. */
uint64_t likelyExtent(Loop &L, const Ids &I, StrideFinder &Find, unsigned D)
{
    for (PHINode &Phi : L.getHeader()->phis()) {
        BasicBlock *Latch = L.getLoopLatch(), *Preheader = L.getLoopPreheader();
        auto *Next = Latch && Preheader ? dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(Latch)) : nullptr;
        auto *Step = Next && Next->getOpcode() == Instruction::Add && Next->getOperand(0) == &Phi
                         ? dyn_cast<ConstantInt>(Next->getOperand(1))
                         : nullptr;
        if (!Step || Step->getValue().slt(2) || Step->getValue().sgt(MostOfTile))
            continue;
        const uint64_t By = Step->getZExtValue();
        SmallVector<Value *, 16> Elements{Phi.getIncomingValueForBlock(Preheader)};
        for (BasicBlock *Block : L.blocks())
            for (Instruction &J : *Block)
                if (J.getOpcode() == Instruction::Add || J.getOpcode() == Instruction::Or)
                    Elements.push_back(&J);
        for (Value *Element : Elements) {
            const std::optional<Sum> Of = Find.sum(Element);
            if (!Of)
                continue;
            const uint64_t Rows = Of->times({I.Id[1]}), Columns = Of->times({I.Id[2]});
            if (Rows > 1 && Columns == 1 && By % Rows == 0) /* first + row * width + column */
                return D == 2 ? Rows : By / Rows;
            if (Rows == (D == 1) && Columns == (D == 2)) /* of one dimension */
                return By;
        }
    }
    return 0;
}

} // namespace

/* Sees to it that such loops of constant length are not unrolled, up to the time when they are looked for. At first, where ids are
   still in memory, these are all loops with steps of more than one. `Likely` becomes the size that a group of two dimensions must
   have for loops of constant steps to be such. */
void keepStrides(Function &F, Keep Which, uint64_t Likely[2])
{
    constexpr const char *Mark = "teamwork.shared";
    Ids I;
    for (Instruction &J : instructions(F))
        if (CallInst *Call = markerCall(J, IdMarker))
            if (const auto *Level = dyn_cast<ConstantInt>(Call->getArgOperand(0)); Level && Level->getZExtValue() < 3)
                I.add(unsigned(Level->getZExtValue()), *Call);
    if (!I.Id[0] || !I.Id[1] || !I.Id[2])
        return;
    SmallPtrSet<const Value *, 32> Items; /* what follows from ids */
    const auto Follow = [&] {
        Items.clear();
        SmallVector<const Value *, 32> Open(I.Id, I.Id + 3);
        while (!Open.empty())
            for (const User *U : Open.pop_back_val()->users())
                if (Items.insert(U).second)
                    Open.push_back(U);
    };
    Follow();
    const auto Uniform = [&](const Value *V) { return !Items.count(V) && !I.isId(V); };
    const auto HasStep = [](const Loop &L) {
        for (PHINode &Phi : L.getHeader()->phis())
            for (Value *V : Phi.incoming_values())
                if (auto *Next = dyn_cast<BinaryOperator>(V); Next && Next->getOpcode() == Instruction::Add)
                    if (auto *Step = dyn_cast<ConstantInt>(Next->getOperand(1)))
                        return Step->getValue().sgt(1);
        return false;
    };
    DominatorTree DT(F);
    LoopInfo LI(DT);
    StrideFinder Find(I, Uniform);
    if (Which != Keep::None && cancelIds(F, I))
        Follow();
    const bool OfTile = I.isOne(0) && !isa<ConstantInt>(I.Extent[1]) && !isa<ConstantInt>(I.Extent[2]);
    for (Loop *L : LI.getLoopsInPreorder()) {
        for (unsigned D = 1; D < 3 && OfTile && Which == Keep::Found; ++D)
            if (const uint64_t Size = likelyExtent(*L, I, Find, D); Size && !Likely[D - 1])
                Likely[D - 1] = Size;
        LLVMContext &Context = F.getContext();
        const bool Is = Which == Keep::Candidates ? HasStep(*L) : Which == Keep::Found && Find.find(*L);
        if (!Is && hasLoopMark(*L, Mark))
            L->setLoopID(makePostTransformationMetadata(Context, L->getLoopID(), {NotUnrolled, Mark}, {}));
        else if (Is && !hasLoopMark(*L, NotUnrolled)) {
            addLoopMark(*L, NotUnrolled);
            addLoopMark(*L, Mark);
        }
    }
}

} // namespace tw_compiler
