/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces of NVIDIA GPUs. */
#include "gpu_spaces.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace tw_compiler
{

unsigned spacesOf(const Value *Address)
{
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Address, Objects);
    unsigned Spaces = 0;
    for (const Value *Object : Objects) {
        const unsigned Space = Object->getType()->getPointerAddressSpace();
        if (!isa<AllocaInst>(Object) && Space != 5) /* of the work-item */
            Spaces |= Space == 1 ? GlobalSpace : Space == 3 ? TeamSpace : UnknownSpace;
    }
    return Spaces;
}

} // namespace tw_compiler
