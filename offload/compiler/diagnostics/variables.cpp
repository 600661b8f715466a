/* SPDX-License-Identifier: Apache-2.0 */
/* Warns where a target region reads a variable of the device that the program assigns to on the host, and the device never
   hears of it. Such are variables between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES, or of `declare target`:

       n = 8;
   #pragma omp target teams distribute parallel for
       for (int i = 0; i < n; ++i) ...              reads the device's n, where n as a scalar without these lines is firstprivate

   That is seen in the host's pass. Nothing is said if something else in the file has the variable's address, as `target update`
   and tw_copy_to_variable() have, or if code for the device writes it. A region that takes it as firstprivate does not read
   it. Nor is anything said where another file assigns: that one may bring the value to the device. */
#include "warnings.h"

#include "base/contract.h"

#include <string>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace tw_compiler
{

namespace
{

using FunctionSet = SmallPtrSet<const Function *, 32>;

/* Adds a function and all those of the file that it refers to. */
void addReached(const Function &From, FunctionSet &Reached)
{
    SmallVector<const Function *, 16> Left = {&From};
    while (!Left.empty()) {
        const Function *F = Left.pop_back_val();
        if (F->isDeclaration() || !Reached.insert(F).second)
            continue;
        for (const BasicBlock &BB : *F)
            for (const Instruction &I : BB)
                for (const Value *Operand : I.operands())
                    if (const auto *Other = dyn_cast<Function>(Operand->stripPointerCasts()))
                        Left.push_back(Other);
    }
}

/* Code that runs on devices: of regions alone, and of kernels too. */
struct DeviceCode {
    FunctionSet OfRegions, All;

    explicit DeviceCode(const Module &M)
    {
        for (const Function &F : M)
            if (isRegion(F))
                addReached(F, OfRegions);
        All = OfRegions;
        for (const Function &F : M)
            if (runsWorkItems(F))
                addReached(F, All);
    }
};

/* How a file uses a variable. */
struct Uses {
    const Instruction *ReadInRegion = nullptr, *HostStore = nullptr;
    bool MayReachDevice = false; /* its device's value may be another than the first */
};

/* Returns true if a constant is in nothing but what the compiler tells libomptarget, or keeps for the linker. */
bool isForTools(const Constant &C)
{
    return all_of(C.users(), [](const User *U) {
        const auto *V = dyn_cast<GlobalVariable>(U);
        return V && isTableOfTools(*V);
    });
}

/* Notes the uses of a variable, or of an address in it. */
void noteUses(const Value &Address, const DeviceCode &Code, Uses &Found)
{
    for (const User *U : Address.users()) {
        if (const auto *Load = dyn_cast<LoadInst>(U)) {
            if (!Found.ReadInRegion && Code.OfRegions.contains(Load->getFunction()))
                Found.ReadInRegion = Load;
        } else if (const auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == &Address) {
            if (Code.All.contains(Store->getFunction()) || Store->getValueOperand() == &Address)
                Found.MayReachDevice = true;
            else if (!Found.HostStore)
                Found.HostStore = Store;
        } else if (isa<GEPOperator>(U)) {
            noteUses(*U, Code, Found);
        } else if (const auto *C = dyn_cast<Constant>(U)) {
            Found.MayReachDevice |= isa<GlobalValue>(C) || !isForTools(*C);
        } else {
            Found.MayReachDevice = true;
        }
    }
}

/* The device's value of a static variable cannot be set: neither `target update` nor tw_copy_to_variable() takes it. A
   function that a region calls reads the device's in any case. */
void warn(const GlobalVariable &V, const Uses &Found)
{
    const DebugLoc &At = Found.HostStore->getDebugLoc();
    const Function &Reader = *Found.ReadInRegion->getFunction();
    const std::string Name = V.getName().str(), Line = At ? " in line " + std::to_string(At.getLine()) : "";
    const std::string Advice = isRegion(Reader) ? "add firstprivate(" + Name + ") to the region"
                                                : "let " + Reader.getName().str()
                                                      + "() take the value, and the region have it as firstprivate";
    const char *Update =
        V.hasLocalLinkage() ? "" : ", or `target update to` behind the assignment, unless another file does so";
    V.getContext().diagnose(DiagnosticInfoUnsupported(Reader,
                                                      Twine("a target region reads the device's '") + Name
                                                          + "', which the assignment" + Line
                                                          + " does not change: " + Advice + Update,
                                                      Found.ReadInRegion->getDebugLoc(), DS_Warning));
}

} // namespace

void reportOldVariables(const Module &M)
{
    const NamedMDNode *Entries = M.getNamedMetadata("omp_offload.info");
    if (!Entries)
        return;
    const DeviceCode Code(M);
    for (const MDNode *Entry : Entries->operands()) {
        /* {1, name, ...}: a variable */
        const auto *Kind = mdconst::dyn_extract<ConstantInt>(Entry->getOperand(0));
        const auto *Name = dyn_cast<MDString>(Entry->getOperand(1));
        const GlobalVariable *V =
            Kind && Kind->isOne() && Name ? M.getGlobalVariable(Name->getString(), true) : nullptr;
        if (!V || V->isConstant())
            continue;
        Uses Found;
        noteUses(*V, Code, Found);
        if (Found.ReadInRegion && Found.HostStore && !Found.MayReachDevice)
            warn(*V, Found);
    }
}

} // namespace tw_compiler
