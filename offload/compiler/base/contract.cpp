/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the headers say of functions and variables. TW_INTERNAL_ROLE("host=saxpy") in front of a function (lower/kernel/region.h) is an
 * annotation, which clang keeps in a table of the module:
 *
 *     @llvm.global.annotations = {ptr @saxpy_tw_host, ptr "teamwork.host=saxpy", ...}
 *     becomes
 *     define void @saxpy_tw_host(...) "teamwork.host"="saxpy"
 *
 * Attributes stay with a function and its copies, and end with it; the table would keep it alive. What is known by a name alone
 * is at the end of this file. The roles are in contract.h, and in docs/design.md.
 */
#include "contract.h"

#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace tw_compiler
{
namespace
{

/* ---- annotations ------------------------------------------------------------------------------------------------- */

constexpr const char *Annotations = "llvm.global.annotations"; /* {value, text, file, line, arguments} each */
constexpr unsigned ValueField = 0, TextField = 1, ArgumentsField = 4;

/* The text of an annotation of the headers; empty: it is one of the program. */
StringRef roleIn(const Constant &Annotation)
{
    StringRef Text;
    const Value *From = Annotation.getOperand(TextField)->stripPointerCasts();
    return getConstantStringInfo(From, Text) && Text.starts_with(RolePrefix) ? Text : "";
}

/* The number of TW_INTERNAL_ROLE_WITH(); empty: none. */
std::string numberIn(const Constant &Annotation)
{
    const auto *Arguments = dyn_cast<GlobalVariable>(Annotation.getOperand(ArgumentsField)->stripPointerCasts());
    const Constant *First =
        Arguments && Arguments->hasInitializer() ? Arguments->getInitializer()->getAggregateElement(0u) : nullptr;
    const auto *Number = dyn_cast_or_null<ConstantInt>(First);
    return Number ? std::to_string(Number->getZExtValue()) : "";
}

/* `Role`: KEY=NAME, or KEY, which may have a number. */
void addRole(GlobalValue &Of, StringRef Role, StringRef Number)
{
    const auto [Key, Name] = Role.split('=');
    const StringRef Value = Name.empty() ? Number : Name;
    if (auto *F = dyn_cast<Function>(&Of))
        F->addFnAttr(Key, Value);
    else if (auto *V = dyn_cast<GlobalVariable>(&Of))
        V->addAttribute(Key, Value);
}

/* Puts another table in the place of this one, or none. */
void replaceTable(GlobalVariable &Table, ArrayRef<Constant *> Kept)
{
    Module &M = *Table.getParent();
    if (!Kept.empty()) {
        auto *T = ArrayType::get(Kept.front()->getType(), Kept.size());
        auto *New = new GlobalVariable(M, T, Table.isConstant(), Table.getLinkage(), ConstantArray::get(T, Kept), "",
                                       &Table, GlobalValue::NotThreadLocal, Table.getAddressSpace());
        New->copyAttributesFrom(&Table);
        New->takeName(&Table);
    }
    Table.eraseFromParent();
}

/* Makes attributes of the annotations of the headers, and removes these. */
void takeAnnotations(Module &M)
{
    GlobalVariable *Table = M.getGlobalVariable(Annotations);
    auto *All = Table && Table->hasInitializer() ? dyn_cast<ConstantArray>(Table->getInitializer()) : nullptr;
    if (!All)
        return;
    SmallVector<Constant *, 16> Kept;
    SmallVector<GlobalValue *, 64> Used;
    for (const Use &Each : All->operands()) {
        auto *Annotation = cast<Constant>(Each);
        auto *Of = dyn_cast<GlobalValue>(Annotation->getOperand(ValueField)->stripPointerCasts());
        const StringRef Role = roleIn(*Annotation);
        if (!Of || Role.empty()) {
            Kept.push_back(Annotation);
            continue;
        }
        addRole(*Of, Role, numberIn(*Annotation));
        for (const Use &Operand : Annotation->operands())
            if (auto *V = dyn_cast<GlobalValue>(Operand.get()->stripPointerCasts()); V && !is_contained(Used, V))
                Used.push_back(V);
    }
    if (Used.empty())
        return;
    replaceTable(*Table, Kept);
    for (GlobalValue *V : Used) {
        V->removeDeadConstantUsers();
        if (auto *Text = dyn_cast<GlobalVariable>(V); Text && Text->hasPrivateLinkage() && Text->use_empty())
            Text->eraseFromParent();
    }
}

/* ---- roles of what clang makes ------------------------------------------------------------------------------------ */

/* The functions that call one of this role, and those that call these, have it too: the target region of a kernel. */
void giveToCallers(Module &M, const char *Role)
{
    SmallVector<Function *, 16> Open;
    for (Function &F : M)
        if (F.hasFnAttribute(Role))
            Open.push_back(&F);
    while (!Open.empty()) {
        const Function *Callee = Open.pop_back_val();
        for (const User *U : Callee->users()) {
            const auto *Call = dyn_cast<CallBase>(U);
            if (!Call || Call->getCalledFunction() != Callee)
                continue;
            auto *Caller = const_cast<Function *>(Call->getFunction());
            if (Caller->hasFnAttribute(Role))
                continue;
            Caller->addFnAttr(Callee->getFnAttribute(Role));
            Open.push_back(Caller);
        }
    }
}

} // namespace

void readContract(Module &M)
{
    takeAnnotations(M);
    giveToCallers(M, SimtRole);
    giveToCallers(M, LaunchBoundsRole);
}

/* ---- what the passes ask ----------------------------------------------------------------------------------------- */

bool calls(const Instruction &I, const char *Role)
{
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->hasFnAttribute(Role);
}

bool runsGroups(const Function &F)
{
    return F.hasFnAttribute(HostRole) || F.hasFnAttribute(SplitRole);
}

bool runsWorkItems(const Function &F)
{
    return runsGroups(F) || F.hasFnAttribute(WorkItemsRole);
}

StringRef kernelOf(const Function &F)
{
    for (const char *Role : {HostRole, SplitRole, WorkItemsRole, PartRole})
        if (const StringRef Name = F.getFnAttribute(Role).getValueAsString(); !Name.empty())
            return Name;
    return F.getName();
}

bool isLocalVariable(const Value *V)
{
    const auto *Variable = dyn_cast<GlobalVariable>(V);
    return Variable && Variable->hasAttribute(LocalRole);
}

/* ---- names: what no header can say ------------------------------------------------------------------------------- */

/* tw_ is what C has for a namespace: hundreds of functions of the library, and those that its macros define for a kernel. C++, and clang
   for overloaded functions of C, put something around a name. */
bool isOfLibrary(const Function &F)
{
    StringRef Name = F.getName();
    if (Name.consume_front("_Z")) {
        Name.consume_front("L");
        Name = Name.ltrim("0123456789");
    }
    return Name.starts_with("tw_") || Name.contains("_tw_");
}

/* Clang makes the function of a target region, under a name that libomptarget knows. */
bool isRegion(const Function &F)
{
    return F.getName().starts_with("__omp_offloading_");
}

/* Clang's tables for libomptarget and the linker. */
bool isTableOfTools(const GlobalVariable &V)
{
    return V.getName().starts_with(".offloading.entry") || V.getName().starts_with("llvm.");
}

/* The device's runtime and libraries of the vendor define such names. */
bool isReserved(const GlobalValue &V)
{
    return any_of(ArrayRef<StringRef>{"__", "llvm", "omp", "tw_internal"},
                  [&](StringRef Prefix) { return V.getName().starts_with(Prefix); });
}

} // namespace tw_compiler
