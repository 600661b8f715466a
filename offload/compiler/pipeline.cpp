/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The plugin of clang for kernels (docs/design.md, "The compiler component" and what follows it): its passes, in their order, and where
 * clang runs them.
 *
 * The kernel macros, compiled with -DTW_SPLIT, make a function of one work-item, with calls of markers in it
 * (include/teamwork/lower/kernel/split.h): ids begin it, barriers divide it. What functions and variables are to the plugin, their
 * annotations say (base/contract.cpp). Kernels with barriers become loops over work-items; these are taken apart, and become vectors. A
 * folder uses those in front of it, and no later one (tests/floors):
 *
 *     base/                   the contract with the headers, markers, and what passes tell each other
 *     analysis/               what is known of code
 *     diagnostics/            what the user and the library are told
 *     utilities/              what several passes change code with
 *     transforms/kernels/     divides kernels at their barriers, into loops over work-items
 *     transforms/items/       takes loops over work-items apart into parts that vectors suit
 *     transforms/vectorizer/  makes lanes of vectors of work-items
 *     transforms/targets/     what one kind of target needs: GPUs, or x86-64
 *
 * Each pass has a name. `opt -load-pass-plugin=PLUGIN -passes=NAME` runs it alone; with the plugin loaded early (`-fplugin=PLUGIN`)
 * `-mllvm -tw-disable=NAME,...` leaves passes out, and `-mllvm -tw-print-pipeline` prints all of them. They are ordinary passes
 * to -mllvm -opt-bisect-limit=N, -mllvm -print-after=NAME and -ftime-report. Some are required, as LLVM's pass manager calls it:
 * neither option leaves them out, since code without them may be wrong.
 */
#include "analysis/predicates.h"
#include "base/marks.h"
#include "diagnostics/cliffs.h"
#include "diagnostics/effort.h"
#include "transforms/items/passes.h"
#include "transforms/kernels/passes.h"
#include "transforms/targets/passes.h"
#include "transforms/vectorizer/passes.h"
#include "utilities/clean.h"

#include <array>
#include <string>
#include <utility>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

using namespace llvm;

namespace tw_compiler
{

namespace
{

/* ---- the passes -------------------------------------------------------------------------------------------------- */

/* What functions a pass is for. */
bool nowHasItems(Function &F, FunctionAnalysisManager &FAM)
{
    return hasItems(FAM.getResult<LoopAnalysis>(F));
}

/* Also where all loops over work-items are vectors by now. */
bool hadItems(Function &F, FunctionAnalysisManager &FAM)
{
    return F.hasFnAttribute(BudgetNote) || nowHasItems(F, FAM);
}

bool isOfGpu(Function &F, FunctionAnalysisManager &)
{
    return isForNvidia(*F.getParent());
}

bool isOfX86(Function &F, FunctionAnalysisManager &)
{
    return Triple(F.getParent()->getTargetTriple()).getArch() == Triple::x86_64;
}

bool hasItemsOfX86(Function &F, FunctionAnalysisManager &FAM)
{
    return isOfX86(F, FAM) && nowHasItems(F, FAM);
}

bool isAny(Function &, FunctionAnalysisManager &)
{
    return true;
}

enum class Need { Optional, Required };

/* A pass over functions. `Run` returns whether it changed anything; then `Then` follows, if there is one. */
struct FunctionStep {
    const char *Name;
    bool (*IsFor)(Function &, FunctionAnalysisManager &);
    bool (*Run)(Function &, FunctionAnalysisManager &);
    void (*Then)(Function &, FunctionAnalysisManager &);
    Need Is = Need::Optional;
};

struct ModuleStep {
    const char *Name;
    void (*Run)(Module &, ModuleAnalysisManager &);
    Need Is = Need::Optional;
};

/* Kernels are divided at their barriers, once everything is there and nothing was moved. The markers of the headers have no other
   meaning. */
constexpr ModuleStep First[] = {
    {"tw-kernels", takeKernels, Need::Required}, {"tw-gpu-bounds", setLaunchBounds}, {"tw-gpu-assembly", tellAssembly}};

/* In front of LLVM's vectorizer, where everything is inlined and simple. */
constexpr FunctionStep BeforeVectorizer[] = {
    {"tw-gpu-share-arguments", isOfGpu, shareArguments, nullptr},
    {"tw-gpu-addresses", isOfGpu, shortenGpuAddresses, nullptr},
    {"tw-gpu-barriers", isOfGpu, leaveGpuBarriers, nullptr},
    {"tw-gpu-unrolling", isOfGpu, decideGpuUnrolling, nullptr},
    {"tw-gpu-pointers", isOfGpu, advanceGpuPointers, nullptr},

    {"tw-x86-vectors", hasItemsOfX86, preferLargeVectors, nullptr},
    {"tw-begin-items", isAny, beginItems, nullptr},
    {"tw-simplify-counters", nowHasItems, simplifyCounters, clean},
    {"tw-scalarize", nowHasItems, scalarizeVectors, clean},
    {"tw-join-steps", nowHasItems, joinSteps, clean},
    {"tw-begins-with-first", nowHasItems, beginsWithFirst, clean},
    {"tw-no-errno", nowHasItems, leaveErrno, clean},
    {"tw-compare-bits", nowHasItems, compareForMasks, clean},
    {"tw-every-nth", nowHasItems, takeEveryNth, clean},
    {"tw-interchange", nowHasItems, interchangeStrides, clean},
    {"tw-delinearize", nowHasItems, delinearize, nullptr},
    {"tw-widen-nests", nowHasItems, widenNests, clean},
    {"tw-version-nests", nowHasItems, versionNests, clean},
    {"tw-widen-counters", nowHasItems, widenCounters, nullptr},
    {"tw-index-set-split", nowHasItems, divideAtEdges, clean},
    {"tw-unroll-and-jam", nowHasItems, jamRows, clean},
    {"tw-simplify-counters", nowHasItems, simplifyCounters, clean}, /* of the parts */
    {"tw-vectorize-in-place", nowHasItems, vectorizeInPlace, clean},
    {"tw-divisions", nowHasItems, hoistDivisions, nullptr, Need::Required},
    {"tw-count-members", nowHasItems, countMembers, nullptr},
    {"tw-independence", nowHasItems, tellIndependence, nullptr},
    {"tw-runtime-checks", nowHasItems, limitChecks, nullptr, Need::Required},
    {"tw-unroll-rows", nowHasItems, unrollRows, clean},
    {"tw-vectorize-items", nowHasItems, vectorizeItems, clean},
    {"tw-ordinary-atomics", hadItems, makeOrdinary, clean},
    {"tw-hide-wraps", nowHasItems, hideWraps, nullptr}, /* the last, since a freeze is simplified */
};

/* Behind all of LLVM's. */
constexpr FunctionStep AtEnd[] = {
    {"tw-forward-stores", hadItems, forwardStores, nullptr},
    {"tw-end-items", isAny, endItems, nullptr, Need::Required},
    {"tw-gpu-counters", isOfGpu, hideGpuCounters, nullptr},
    {"tw-gpu-sinking", isOfGpu, leaveGpuSums, nullptr},
    {"tw-x86-frames", isOfX86, useFrameAtEntry, nullptr, Need::Required},
};

constexpr ModuleStep Last[] = {
    {"tw-gpu-regions", leaveRegions}, {"tw-tell-loops", tellLoops}, {"tw-tell-cliffs", tellCliffs}};

/* What the pass manager asks a pass for, by the pass's `Name`. */
template <typename Pass> struct Named {
    static StringRef name()
    {
        return Pass::Name;
    }
    void printPipeline(raw_ostream &Out, function_ref<StringRef(StringRef)>)
    {
        Out << Pass::Name;
    }
};

template <const auto &Steps, size_t I> struct StepPass : Named<StepPass<Steps, I>> {
    static constexpr const char *Name = Steps[I].Name;
    PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM)
    {
        if (F.hasOptNone() || !Steps[I].IsFor(F, FAM) || !Steps[I].Run(F, FAM))
            return PreservedAnalyses::all();
        if (Steps[I].Then)
            Steps[I].Then(F, FAM);
        return PreservedAnalyses::none();
    }
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM)
    {
        Steps[I].Run(M, MAM);
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return Steps[I].Is == Need::Required;
    }
};

/* While LLVM unrolls short loops. */
struct DelayUnrollPass : Named<DelayUnrollPass> {
    static constexpr const char *Name = "tw-delay-unroll";
    PreservedAnalyses run(Loop &L, LoopAnalysisManager &, LoopStandardAnalysisResults &Results, LPMUpdater &)
    {
        delayUnrolling(L, Results);
        return PreservedAnalyses::all();
    }
};

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

cl::list<std::string>
    Disabled("tw-disable", cl::CommaSeparated, cl::value_desc("pass,..."),
             cl::desc("Passes of Teamwork that are left out (-tw-print-pipeline prints their names)"));
cl::opt<bool> Prints("tw-print-pipeline", cl::desc("Print the passes of Teamwork in their order"));

bool isOn(StringRef Name)
{
    return !is_contained(Disabled, Name);
}

/* Adds the passes that `Wanted` names; whether there are any. */
template <const auto &Steps, typename Manager, typename Predicate, size_t... I>
bool addIf(Manager &Passes, Predicate Wanted, std::index_sequence<I...>)
{
    bool Any = false;
    ((Wanted(Steps[I].Name) ? (Passes.addPass(StepPass<Steps, I>()), void(Any = true)) : void()), ...);
    return Any;
}

template <const auto &Steps, typename Manager, typename Predicate> bool addIf(Manager &Passes, Predicate Wanted)
{
    return addIf<Steps>(Passes, Wanted, std::make_index_sequence<std::size(Steps)>());
}

/* Calls `Do` with the name of each pass, in their order, and whether it is required. */
template <typename Function> void forNames(Function Do)
{
    const auto DoEach = [&](const auto &Steps) {
        for (const auto &Step : Steps)
            Do(Step.Name, Step.Is);
    };
    DoEach(First);
    Do(DelayUnrollPass::Name, Need::Optional);
    DoEach(BeforeVectorizer);
    DoEach(AtEnd);
    DoEach(Last);
}

/* A misspelt name would turn off nothing. */
void checkDisabled()
{
    StringSet<> Optional;
    forNames([&](StringRef Name, Need Is) {
        if (Is == Need::Optional)
            Optional.insert(Name);
    });
    for (const std::string &Name : Disabled)
        if (!Optional.contains(Name))
            report_fatal_error(Twine("-tw-disable: \"") + Name
                                   + "\" is no pass that can be left out; -tw-print-pipeline prints their names",
                               false);
}

void registerPasses(PassBuilder &Builder)
{
    checkDisabled();
    if (Prints)
        forNames([](StringRef Name, Need) { errs() << Name << "\n"; });
    if (PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks()) /* -print-after=NAME */
        forNames([&](StringRef Name, Need) { Callbacks->addClassToPassName(Name, Name); });
    Builder.registerPipelineStartEPCallback(
        [](ModulePassManager &Passes, OptimizationLevel) { addIf<First>(Passes, isOn); });
    Builder.registerLateLoopOptimizationsEPCallback([](LoopPassManager &Passes, OptimizationLevel) {
        if (isOn(DelayUnrollPass::Name))
            Passes.addPass(DelayUnrollPass());
    });
    Builder.registerVectorizerStartEPCallback(
        [](FunctionPassManager &Passes, OptimizationLevel) { addIf<BeforeVectorizer>(Passes, isOn); });
    Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, auto &&...) {
        FunctionPassManager OfFunctions;
        addIf<AtEnd>(OfFunctions, isOn);
        Passes.addPass(createModuleToFunctionPassAdaptor(std::move(OfFunctions)));
        addIf<Last>(Passes, isOn);
    });
    Builder.registerPipelineParsingCallback(
        [](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
            const auto IsIt = [&](StringRef Step) { return Step == Name; };
            return addIf<First>(Passes, IsIt) || addIf<Last>(Passes, IsIt);
        });
    Builder.registerPipelineParsingCallback(
        [](StringRef Name, FunctionPassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
            const auto IsIt = [&](StringRef Step) { return Step == Name; };
            return addIf<BeforeVectorizer>(Passes, IsIt) || addIf<AtEnd>(Passes, IsIt);
        });
    Builder.registerPipelineParsingCallback(
        [](StringRef Name, LoopPassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
            if (Name == DelayUnrollPass::Name)
                Passes.addPass(DelayUnrollPass());
            return Name == DelayUnrollPass::Name;
        });
}

} // namespace
} // namespace tw_compiler

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "teamwork-compiler", "1", tw_compiler::registerPasses};
}
