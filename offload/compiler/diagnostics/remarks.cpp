/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The remarks of all passes, for -Rpass=teamwork-... and -Rpass-missed=teamwork-... Loops over work-items have many copies, for sizes of
 * groups and at edges. So passes only note what they have to say, and at the end each is said once, with how many copies it is about.
 */
#include "remarks.h"

#include "base/contract.h"

#include <map>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>

using namespace llvm;

namespace tw_compiler
{

static constexpr const char *RemarksNote = "teamwork.remarks"; /* of the module */

/* Where the user wrote what is at a location: not in the library's headers. */
const DILocation *placeOf(const DILocation *At)
{
    while (At && At->getInlinedAt() && At->getFilename().contains("include/teamwork/"))
        At = At->getInlinedAt();
    return At;
}

std::string nameOf(const DILocation *At)
{
    return At ? (At->getFilename() + ":" + Twine(At->getLine())).str() : "";
}

void tellRemark(Function &F, const Remark &What, const Twine &Text)
{
    LLVMContext &C = F.getContext();
    const auto Word = [&](const Twine &T) { return MDString::get(C, T.str()); };
    const DILocation *Of = placeOf(What.Of.get());
    Metadata *Parts[] = {Word(What.Pass),
                         Word(What.Name),
                         Word(kernelOf(F) + " " + nameOf(Of) + ":" + Twine(Of ? Of->getColumn() : 0)),
                         Word(Text),
                         Word(F.getName()),
                         What.Missed ? Word("missed") : nullptr,
                         What.Where ? What.Where.get() : What.Of.get()};
    F.getParent()->getOrInsertNamedMetadata(RemarksNote)->addOperand(MDNode::get(C, Parts));
}

/* Makes the remarks that passes have noted. */
void emitRemarks(Module &M)
{
    NamedMDNode *Notes = M.getNamedMetadata(RemarksNote);
    if (!Notes)
        return;
    const auto Word = [](const MDNode *Note, unsigned I) { return cast<MDString>(Note->getOperand(I))->getString(); };
    std::map<std::pair<StringRef, StringRef>, unsigned> Copies;               /* of a pass and a loop */
    MapVector<const MDString *, std::pair<const MDNode *, unsigned>> Remarks; /* by what they say, and where */
    for (const MDNode *Note : Notes->operands()) {
        ++Copies[{Word(Note, 0), Word(Note, 2)}];
        const auto *Where = placeOf(cast_or_null<DILocation>(Note->getOperand(6).get()));
        auto &Said = Remarks[MDString::get(M.getContext(),
                                           (Word(Note, 0) + Word(Note, 2) + Word(Note, 3) + nameOf(Where)).str())];
        Said = {Said.first ? Said.first : Note, Said.second + 1};
    }
    for (const auto &[Key, Said] : Remarks) {
        const auto &[Note, Count] = Said;
        Function *F = M.getFunction(Word(Note, 4));
        for (auto Any = M.begin(); (!F || F->isDeclaration()) && Any != M.end(); ++Any)
            F = &*Any; /* that one was inlined */
        if (!F || F->isDeclaration())
            continue;
        const unsigned All = Copies[{Word(Note, 0), Word(Note, 2)}];
        const std::string Text = (Word(Note, 3)
                                  + (All == 1       ? ""
                                     : Count == All ? " (" + Twine(All) + " copies)"
                                                    : " (" + Twine(Count) + " of " + Twine(All) + " copies)"))
                                     .str();
        const DebugLoc Where(placeOf(cast_or_null<DILocation>(Note->getOperand(6).get())));
        OptimizationRemarkEmitter Emitter(F);
        const char *Pass = Word(Note, 0).data();
        if (Note->getOperand(5))
            Emitter.emit(OptimizationRemarkMissed(Pass, Word(Note, 1), Where, &F->getEntryBlock()) << Text);
        else
            Emitter.emit(OptimizationRemark(Pass, Word(Note, 1), Where, &F->getEntryBlock()) << Text);
    }
    Notes->eraseFromParent();
}

} // namespace tw_compiler
