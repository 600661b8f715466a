/* SPDX-License-Identifier: Apache-2.0 */
/** How loops in which the work-items of a group share out a range are found (strides.cpp). */
#ifndef TEAMWORK_COMPILER_KERNELS_STRIDES_H
#define TEAMWORK_COMPILER_KERNELS_STRIDES_H

#include "kernel.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

constexpr unsigned MostDepth = 16; /* steps from a value to what it is computed from */

/* A sum of products of values, modulo 2 to the 64. The order is that in which they were found, so that the same program gives the
   same code each time. */
using Product = llvm::SmallVector<llvm::Value *, 2>;

struct Sum {
    llvm::SmallVector<std::pair<Product, uint64_t>, 4>
        Terms; /* no product twice, whatever the order of its factors; none zero times */

    uint64_t times(const Product &P) const
    {
        const auto *At = llvm::find_if(Terms, [&](auto &Term) { return isSame(Term.first, P); });
        return At == Terms.end() ? 0 : At->second;
    }
    void add(const Product &P, uint64_t Times)
    {
        auto *At = llvm::find_if(Terms, [&](auto &Term) { return isSame(Term.first, P); });
        if (At == Terms.end())
            At = Terms.insert(At, std::pair(P, uint64_t(0)));
        if ((At->second += Times) == 0)
            Terms.erase(At);
    }
    void add(const Sum &Other, uint64_t Times)
    {
        for (auto &Term : Other.Terms)
            add(Term.first, Term.second * Times);
    }
    /* What is left in so many bits. */
    Sum low(unsigned Bits) const
    {
        Sum Result;
        for (auto &Term : Terms)
            Result.add(Term.first, Bits >= 64 ? Term.second : Term.second & ((uint64_t(1) << Bits) - 1));
        return Result;
    }
    bool has(const llvm::Value *Atom) const
    {
        return llvm::any_of(Terms, [&](auto &Term) { return llvm::is_contained(Term.first, Atom); });
    }

  private:
    static bool isSame(const Product &A, const Product &B)
    {
        return A.size() == B.size() && std::is_permutation(A.begin(), A.end(), B.begin());
    }
};

Sum number(uint64_t N);
std::optional<Sum> product(const Sum &A, const Sum &B);
llvm::Value *write(llvm::IRBuilderBase &B, const Sum &S, llvm::Type *T, const llvm::Value *Element, llvm::Value *For);

struct Ids {
    llvm::CallInst *Id[3] = {nullptr, nullptr, nullptr};
    llvm::Value *Extent[3] = {nullptr, nullptr, nullptr};

    void add(unsigned D, llvm::CallInst &Call)
    {
        Id[D] = &Call;
        Extent[D] = Call.getArgOperand(1);
    }
    bool isId(const llvm::Value *V) const
    {
        return V == Id[0] || V == Id[1] || V == Id[2];
    }
    uint64_t most(unsigned D) const
    {
        const auto *Known = llvm::dyn_cast<llvm::ConstantInt>(Extent[D]);
        return Known ? std::min(Known->getZExtValue(), MostItems) : MostItems;
    }
    bool isOne(unsigned D) const
    {
        const auto *Known = llvm::dyn_cast<llvm::ConstantInt>(Extent[D]);
        return Known && Known->isOne();
    }
};

/* A loop that shares out a range. */
struct Shared {
    llvm::Loop *L = nullptr;
    llvm::PHINode *Counter = nullptr;
    llvm::BranchInst *Branch = nullptr;
    llvm::Value *Start = nullptr, *Bound = nullptr; /* of the counter */
    bool Signed = false;
    bool ByGroup = false; /* the counter is the same for all work-items, and their id is added to it in the loop */
    int Dimension = -1;   /* of the id, as in Stride */
    bool InOrder = true;  /* no work-item's counter begins below that of a work-item before it */
    llvm::MapVector<llvm::Instruction *, Sum> Elements; /* ByGroup: values that follow from the element */
};

class StrideFinder
{
  public:
    StrideFinder(const Ids &I, llvm::function_ref<bool(const llvm::Value *)> IsUniform,
                 llvm::ArrayRef<llvm::BasicBlock *> Around = {})
        : I(I), IsUniform(IsUniform), Around(Around)
    {
    }
    std::optional<Shared> find(llvm::Loop &L);
    std::optional<Sum> sum(llvm::Value *V, unsigned Depth = 0);
    Sum linear(int Dimension);
    bool dependsOn(const llvm::Value *V, int Dimension, unsigned Depth = 0);
    bool isOf(const llvm::Value *Id, int Dimension) const
    {
        for (unsigned D = 0; D < 3; ++D)
            if (Id == I.Id[D])
                return Stride::has(Dimension, D);
        return false;
    }

  private:
    const Ids &I;
    llvm::function_ref<bool(const llvm::Value *)> IsUniform;
    llvm::ArrayRef<llvm::BasicBlock *> Around; /* blocks of the same region that are repeated for each element */
    llvm::Value *Opaque = nullptr;             /* a counter, which is an atom */

    bool fits(const Sum &S, unsigned Bits);
    bool followsSize(llvm::Value *V, unsigned Bits);
    Sum size(unsigned D) /* one product of one value at most: those of all dimensions have few */
    {
        Sum Atom;
        Atom.add({I.Extent[D]}, 1);
        const std::optional<Sum> Of = sum(I.Extent[D]);
        return Of && Of->Terms.size() == 1 && Of->Terms[0].first.size() <= 1 ? *Of : Atom;
    }
    Sum extent(int Dimension);
    bool isAlone(Shared &S);
    uint64_t most(int Dimension) const;
    bool beginsInOrder(const Shared &S, const Sum &First);
};

} // namespace tw_compiler

#endif
