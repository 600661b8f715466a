/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers <teamwork/lambda.h>: kernels that are function objects of C++.
 *
 * The macros of the lowerings write functions NAME_tw_host(), NAME_tw_simt_8() and so on for a kernel of file scope. Here
 * they stand in a class template, with `lambda` for the name: its arguments are the type of the function object, and a
 * number of the file and of the type's place in it. The block is the function object. What a region is called then is that
 * name as C++ mangles it, which the runtime finds (offload/common/image.h).
 *
 * Why the number: lambdas in static functions of two files may have one mangled name, and the linker of a device would take
 * either for both; and clang numbers such lambdas in the order in which a pass comes by them, which it promises to nobody. With
 * the number another one is never called, but not found.
 */
#ifndef TEAMWORK_LOWER_LAMBDA_H
#define TEAMWORK_LOWER_LAMBDA_H

#ifdef __cplusplus

#include <string.h>

#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <teamwork/kernel.h>

namespace tw
{
namespace internal
{

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The name of a type in messages: "lambda at main.cpp:8:42". */
template <typename F> constexpr std::string_view type_name()
{
    constexpr std::string_view pretty = __PRETTY_FUNCTION__, begin = "F = ", lambda = "(lambda at ";
    std::string_view name = pretty.substr(pretty.find(begin) + begin.size());
    name.remove_suffix(1);
    if (name.substr(0, lambda.size()) == lambda && name.back() == ')')
        name = name.substr(1, name.size() - 2);
    return name;
}

/* The same without the folders, as a string of its own. */
template <typename F> struct name_of {
    static constexpr std::string_view type = type_name<F>();
    struct text {
        char at[type.size() + 1];
    };
    static constexpr text make()
    {
        constexpr std::string_view lambda = "lambda at ";
        const bool is_lambda = type.substr(0, lambda.size()) == lambda;
        const std::size_t slash = is_lambda ? type.rfind('/') : std::string_view::npos;
        text made = {};
        std::size_t count = 0;
        for (std::size_t i = 0; i < type.size(); ++i)
            if (slash == std::string_view::npos || i < lambda.size() || i > slash)
                made.at[count++] = type[i];
        return made;
    }
    static constexpr text value = make();
};

/* The line of a lambda: what stands between the last two colons of its name. Of other types 0. */
template <typename F> constexpr int line_of()
{
    constexpr std::string_view name = type_name<F>();
    const std::size_t last = name.rfind(':'), before = last ? name.rfind(':', last - 1) : std::string_view::npos;
    int line = 0;
    for (std::size_t i = before + 1; before < last && i < last; ++i) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        line = 10 * line + (name[i] - '0');
    }
    return line;
}

constexpr unsigned long long hash(std::string_view text, unsigned long long from)
{
    for (const char c : text)
        from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return from;
}

/* The number of a type in the file that is compiled. */
template <typename F> constexpr unsigned long long number_of()
{
    return hash(type_name<F>(), hash(__BASE_FILE__, 0xcbf29ce484222325u));
}

/* Returns what the mangled names of a class's functions begin with; it stays. */
template <typename Class> const char *mangled()
{
    const char *const type = typeid(Class).name(); /* "N2tw...E": a name in a namespace */
    const std::size_t length = strlen(type);
    char *const name = new char[length + 2];
    memcpy(name, "_Z", 2);
    memcpy(name + 2, type, length - 1);
    name[length + 1] = '\0';
    return name;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Captures have no names: they are told as captures[0] and so on, in their order. */
struct captures {
    tw_internal_member_visitor visitor;
    void *user;
    unsigned count;
};

inline void visit_capture(void *user, const struct tw_internal_member *member)
{
    captures *const all = static_cast<captures *>(user);
    struct tw_internal_member named = *member;
    char name[] = "captures[     ]";
    if (member->format[0] == '%' && member->format[2] == '%' && !*member->name) {
        unsigned rest = all->count++ % 100000u;
        std::size_t digits = 1;
        for (unsigned more = rest / 10; more; more /= 10)
            ++digits;
        name[sizeof "captures[" - 1 + digits] = ']';
        name[sizeof "captures[" + digits] = '\0';
        for (std::size_t i = digits; i-- > 0; rest /= 10)
            name[sizeof "captures[" - 1 + i] = static_cast<char>('0' + rest % 10);
        named.name = name;
    }
    all->visitor(all->user, &named);
}

// clang-format off

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#pragma push_macro("TW_INTERNAL_FUNCTION")
#undef TW_INTERNAL_FUNCTION
#define TW_INTERNAL_FUNCTION(attributes, type, name, ...) static __attribute__((attributes)) type name(__VA_ARGS__)

/* In a device's pass nothing is launched, but the functions with regions are instantiated; the compiler emits those that
   the host's pass has. */
#ifdef TW_INTERNAL_DEVICE_PASS
#pragma push_macro("TW_INTERNAL_LAUNCHER")
#undef TW_INTERNAL_LAUNCHER
#define TW_INTERNAL_LAUNCHER(name, lowering, form)                                                                     \
    static void name##_tw_##lowering(const tw_internal_launch *)                                                       \
    {                                                                                                                  \
        name##_tw_##lowering##_8(nullptr);                                                                             \
        name##_tw_##lowering##_32(nullptr);                                                                            \
        TW_INTERNAL_INSTANTIATE_MORE_##lowering(name)                                                                  \
        name##_tw_##lowering##_1(nullptr);                                                                             \
    }
#define TW_INTERNAL_INSTANTIATE_MORE_teams(name)
#define TW_INTERNAL_INSTANTIATE_MORE_simt(name) name##_tw_simt_128(nullptr);
#define TW_INTERNAL_LAMBDA_TEAMS_REDUCTION lambda_tw_teams
#else
#define TW_INTERNAL_LAMBDA_TEAMS_REDUCTION lambda_tw_teams_reduction
#endif

TW_INTERNAL_CXX_BEGIN
TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wredeclared-class-member")

/* The blocks. A copy has no value at first. */
template <typename F> struct lambda_block {
    union {
        F function;
    };
    __attribute__((always_inline)) lambda_block()
    {
    }
};
template <typename F, typename R> struct lambda_reducing_block {
    union {
        F function;
    };
    R sum;
    __attribute__((always_inline)) lambda_reducing_block()
    {
    }
    lambda_reducing_block(const F &f, const R &to) : function(f), sum(to)
    {
    }
};

#ifndef TW_INTERNAL_DEVICE_PASS
TW_INTERNAL_PRAGMA(clang diagnostic push)
TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wdouble-promotion")
/* Members of the union would be told as ones that may be something else. */
template <typename F> __attribute__((no_sanitize("undefined"))) void visit_block(const lambda_block<F> &block, captures *all)
{
    TW_INTERNAL_VISIT_BLOCK(&block.function, visit_capture, all);
}
template <typename F, typename R>
__attribute__((no_sanitize("undefined"))) void visit_block(const lambda_reducing_block<F, R> &block, captures *all)
{
    TW_INTERNAL_VISIT_BLOCK(&block.function, visit_capture, all);
    TW_INTERNAL_VISIT_BLOCK(&block.sum, visit_capture, all);
}
TW_INTERNAL_PRAGMA(clang diagnostic pop)
#endif

/* What each class of kernels begins with: its block and its dimensions, and a work-item's call of the function. */
#define TW_INTERNAL_LAMBDA_CALL(dims, block, arguments, ...)                                                           \
    static_assert(std::is_trivially_copyable<F>::value, "what a kernel captures is copied byte by byte");              \
    typedef block lambda_tw_block;                                                                                     \
    enum { lambda_tw_dims = dims, lambda_tw_local_0 = 0, lambda_tw_local_1 = 0, lambda_tw_local_2 = 0 };               \
    TW_DEVICE_INLINE void lambda_tw_call(__VA_ARGS__ const lambda_tw_block *tw_args)                                   \
    {                                                                                                                  \
        TW_INTERNAL_INLINE_CALL(tw_args->function arguments)                                                           \
    }

/* And what they end with: the kernel as an object. */
#define TW_INTERNAL_LAMBDA_KERNEL(form_, teams, host_, end_, misfit_, merge_)                                          \
    static void offload(tw_internal_launch *tw_launch)                                                                 \
    {                                                                                                                  \
        TW_INTERNAL_OFFLOAD(lambda, teams, tw_launch)                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_LAMBDA_OBJECT(form_, host_, end_, misfit_, merge_)
#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_LAMBDA_OBJECT(form_, host_, end_, misfit_, merge_)                                                 \
    static const tw_kernel *kernel()                                                                                   \
    {                                                                                                                  \
        return (void)offload, nullptr;                                                                                 \
    }
#else
#define TW_INTERNAL_LAMBDA_OBJECT(form_, host_, end_, misfit_, merge_)                                                 \
    static __attribute__((no_sanitize("undefined"))) void visit(const void *tw_args,                                   \
                                                                tw_internal_member_visitor tw_visitor, void *tw_user)  \
    {                                                                                                                  \
        captures tw_all = {tw_visitor, tw_user, 0};                                                                    \
        visit_block(*static_cast<const lambda_tw_block *>(tw_args), &tw_all);                                          \
    }                                                                                                                  \
    static const tw_kernel *kernel()                                                                                   \
    {                                                                                                                  \
        static std::size_t tw_local_bytes;                                                                             \
        static tw_internal_pointer tw_pointers[1 + sizeof(lambda_tw_block) / sizeof(void *)];                          \
        static const tw_internal_kernel tw_object = {                                                                  \
            .abi = TW_INTERNAL_KERNEL_ABI, .form = form_, .dims = lambda_tw_dims, .lowerings = TW_INTERNAL_LOWERINGS,  \
            .kinds = TW_INTERNAL_FOR_ANY, .args_bytes = sizeof(lambda_tw_block), .host = host_, .host_end = end_,      \
            .offload = offload, .name = name_of<F>::value.at, .symbol = mangled<this_class>(),                         \
            .function = name_of<F>::value.at, .file = __BASE_FILE__, .line = line_of<F>(), .unit = __BASE_FILE__,      \
            .notes = __start_tw_local_notes, .past_notes = __stop_tw_local_notes, .local_bytes = &tw_local_bytes,      \
            .visit = visit, .pointers = tw_pointers, .misfit = misfit_, .merge = merge_};                              \
        return &tw_object;                                                                                             \
    }
#endif

template <typename F, unsigned long long Number> struct single_task_kernel {
    typedef single_task_kernel this_class;
    TW_INTERNAL_LAMBDA_CALL(0, lambda_block<F>, (), )
    TW_INTERNAL_HOST_TASK(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT_TASK(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT(lambda, task)
    TW_INTERNAL_TEAMS_TASK(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_TEAMS_ONE(lambda)
    TW_INTERNAL_LAMBDA_KERNEL(TW_INTERNAL_SINGLE_TASK, lambda_tw_teams, lambda_tw_host, nullptr, nullptr, nullptr)
};

template <typename F, unsigned long long Number> struct range_kernel {
    typedef range_kernel this_class;
    TW_INTERNAL_LAMBDA_CALL(0, lambda_block<F>, (tw_here), tw_item tw_here, )
    TW_INTERNAL_HOST_ROW(lambda, vectorize(enable))
    TW_INTERNAL_HOST_RANGE(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT_RANGE(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT(lambda, range)
    TW_INTERNAL_TEAMS_RANGE(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_TEAMS(lambda, range, items)
    TW_INTERNAL_LAMBDA_KERNEL(TW_INTERNAL_RANGE, lambda_tw_teams, lambda_tw_host, nullptr, nullptr, nullptr)
};

template <typename F, typename R, unsigned Dims, unsigned long long Number> struct reduction_kernel {
    static_assert(Dims >= 1 && Dims <= 3, "a range has 1 to 3 dimensions");
    typedef reduction_kernel this_class;
    typedef lambda_reducing_block<F, R> reducing_block;
    TW_INTERNAL_LAMBDA_CALL(Dims, reducing_block, (tw_here, tw_args->sum), tw_item tw_here, )
    TW_INTERNAL_REDUCED_MEMBERS_OF(lambda, sum)
    TW_INTERNAL_HOST_PART(lambda, vectorize(enable), TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_HOST_REDUCTION(lambda, false)
    TW_INTERNAL_SIMT_REDUCTION(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT(lambda, reduction)
    TW_INTERNAL_TEAMS_REDUCTION(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_TEAMS(lambda, reduction, items)
    TW_INTERNAL_TEAMS_REDUCTION_END(lambda, false)
    TW_INTERNAL_LAMBDA_KERNEL(TW_INTERNAL_REDUCTION, TW_INTERNAL_LAMBDA_TEAMS_REDUCTION, lambda_tw_host_reduction,
                              lambda_tw_host_end, lambda_tw_misfit, lambda_tw_merge)
};

template <typename F, unsigned long long Number> struct work_group_kernel {
    typedef work_group_kernel this_class;
    TW_INTERNAL_LAMBDA_CALL(0, lambda_block<F>, (tw_here), tw_group tw_here, )
    TW_INTERNAL_HOST_GROUP(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT_GROUP(lambda, group, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT(lambda, group)
    TW_INTERNAL_TEAMS_GROUP(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_TEAMS(lambda, group, groups)
    TW_INTERNAL_LAMBDA_KERNEL(TW_INTERNAL_WORK_GROUP, lambda_tw_teams, lambda_tw_host, nullptr, nullptr, nullptr)
};

template <typename F, unsigned long long Number> struct nd_range_kernel {
    typedef nd_range_kernel this_class;
    TW_INTERNAL_LAMBDA_CALL(0, lambda_block<F>, (tw_here), tw_nd_item tw_here, )
    TW_INTERNAL_HOST_ND_RANGE(lambda, vectorize(enable), TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT_GROUP(lambda, item, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_SIMT(lambda, group)
    TW_INTERNAL_TEAMS_ND_RANGE(lambda, TW_INTERNAL_ANY_VALUES)
    TW_INTERNAL_TEAMS(lambda, nd_range, groups)
    TW_INTERNAL_LAMBDA_KERNEL(TW_INTERNAL_ND_RANGE, lambda_tw_teams, lambda_tw_host, nullptr, nullptr, nullptr)
};

TW_INTERNAL_CXX_END

#pragma pop_macro("TW_INTERNAL_FUNCTION")
#ifdef TW_INTERNAL_DEVICE_PASS
#pragma pop_macro("TW_INTERNAL_LAUNCHER")
#endif
// clang-format on

} // namespace internal
} // namespace tw

#endif

#endif
