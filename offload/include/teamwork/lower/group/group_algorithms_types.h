/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What macros make for a type: overloaded functions that call the algorithms. A part of group_algorithms.h.
 *
 * Parameters of the macros: `name` is the type's in names of functions. `kind` is `named` for operations of tw_operation,
 * `own` for those of the program; tw_internal_KIND_NAME() combines two values, and `all`, a function or NULL, many.
 * `check` is an attribute of what takes an operation. `group_type` is a kind of group, of which `member` makes what the
 * algorithms take.
 *
 * No function calls an overloaded one of another type's: clang would look at those of all types.
 */
#ifndef TEAMWORK_LOWER_GROUP_ALGORITHMS_TYPES_H
#define TEAMWORK_LOWER_GROUP_ALGORITHMS_TYPES_H

#define TW_INTERNAL_OPERATION_named(type) tw_operation
#define TW_INTERNAL_OPERATION_own(type) __typeof__(type(*)(type, type))
/* In C a constant of 0, as TW_SUM is, would be a null pointer to a function, too. */
#define TW_INTERNAL_IS_FUNCTION                                                                                        \
    __attribute__((enable_if(!__builtin_constant_p(op) || op != NULL, "the operation is a function")))

/* Room for values, and how they become one by the parameter `op`. */
#define TW_INTERNAL_HOW(type, name, kind, all)                                                                         \
    type tw_spare[4];                                                                                                  \
    const struct tw_internal_operator tw_how =                                                                         \
        tw_internal_make_operator(tw_internal_##kind##_##name, all, (const void *)&op, sizeof(type),                   \
                                  __alignof__(type), tw_spare, TW_INTERNAL_GROUP_PARTS(name))
/* The same without an operation. */
#define TW_INTERNAL_BARE_HOW(type, name)                                                                               \
    type tw_spare[4];                                                                                                  \
    const struct tw_internal_operator tw_how = tw_internal_make_operator(                                              \
        NULL, NULL, NULL, sizeof(type), __alignof__(type), tw_spare, TW_INTERNAL_GROUP_PARTS(name))

/* All functions of an operation. */
#define TW_INTERNAL_DEFINE_ALGORITHMS(type, name, kind, all, check)                                                    \
    TW_INTERNAL_DEFINE_OF_VALUES(tw_nd_item, type, name, kind, check, tw_internal_reduce_values,                       \
                                 tw_internal_scan_values, tw_internal_group_member_of)                                 \
    TW_INTERNAL_DEFINE_OF_VALUES(tw_sub_group, type, name, kind, check, tw_internal_reduce_lanes,                      \
                                 tw_internal_scan_lanes, )                                                             \
    TW_INTERNAL_DEFINE_OF_ARRAYS(type, name, kind, all, check)                                                         \
    TW_INTERNAL_DEFINE_MORE(type, name, kind, all, check)

/* What the types of group_functions.h do not have yet. */
#define TW_INTERNAL_DEFINE_MORE(type, name, kind, all, check)                                                          \
    TW_INTERNAL_DEFINE_FROM_INIT(tw_nd_item, type, name, kind, check, tw_internal_reduce_values,                       \
                                 tw_internal_scan_values, tw_internal_group_member_of)                                 \
    TW_INTERNAL_DEFINE_FROM_INIT(tw_sub_group, type, name, kind, check, tw_internal_reduce_lanes,                      \
                                 tw_internal_scan_lanes, )                                                             \
    TW_INTERNAL_DEFINE_IN_MEMORY(type, name, kind, all, check)

/* Of values that work-items bring. */
#define TW_INTERNAL_DEFINE_OF_VALUES(group_type, type, name, kind, check, reduce, scan, member)                        \
    TW_OVERLOADED type tw_reduce_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op) check     \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        reduce(member(group), &x, tw_how);                                                                             \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op)   \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, NULL, false, tw_how);                                                                  \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_FROM_INIT(group_type, type, name, kind, check, reduce, scan, member)                        \
    TW_OVERLOADED type tw_reduce_over_group(group_type group, type x, type init,                                       \
                                            TW_INTERNAL_OPERATION_##kind(type) op) check                               \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        reduce(member(group), &x, tw_how);                                                                             \
        tw_how.combine(&x, &init, &x, tw_how.op);                                                                      \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op,   \
                                                    type init) check                                                   \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, &init, false, tw_how);                                                                 \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(group_type group, type x, type init,                               \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, &init, true, tw_how);                                                                  \
        return x;                                                                                                      \
    }

/* Of variables of TW_PRIVATE, without a first value. */
#define TW_INTERNAL_DEFINE_OF_ARRAYS(type, name, kind, all, check)                                                     \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, TW_INTERNAL_OPERATION_##kind(type) op)      \
        check                                                                                                          \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_reduce(group, &result, x, tw_how);                                                           \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, TW_INTERNAL_OPERATION_##kind(type) op)    \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, NULL, false, tw_how);                                                         \
    }

/* The same with one, of sub-groups at group scope, and of ranges. */
#define TW_INTERNAL_DEFINE_IN_MEMORY(type, name, kind, all, check)                                                     \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, type init,                                  \
                                            TW_INTERNAL_OPERATION_##kind(type) op) check                               \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_reduce(group, &result, x, tw_how);                                                           \
        tw_how.combine(&result, &init, &result, tw_how.op);                                                            \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, TW_INTERNAL_OPERATION_##kind(type) op,    \
                                                    type init) check                                                   \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, &init, false, tw_how);                                                        \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, type init,                                \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, &init, true, tw_how);                                                         \
    }                                                                                                                  \
    TW_OVERLOADED void tw_reduce_over_group(tw_sub_groups sub_groups, type *x, TW_INTERNAL_OPERATION_##kind(type) op)  \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_reduce(sub_groups, x, tw_how);                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_sub_groups sub_groups, type *x,                                 \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_scan(sub_groups, x, NULL, false, tw_how);                                                   \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_sub_groups sub_groups, type *x, type init,                      \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_scan(sub_groups, x, &init, true, tw_how);                                                   \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT(tw_nd_item, type, name, kind, all, check, tw_internal_group_member_of)                    \
    TW_INTERNAL_DEFINE_JOINT(tw_group, type, name, kind, all, check, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT(group_type, type, name, kind, all, check, member)                                     \
    TW_OVERLOADED type tw_joint_reduce(group_type group, const type *first, const type *last, type init,               \
                                       TW_INTERNAL_OPERATION_##kind(type) op) check                                    \
    {                                                                                                                  \
        type result = init;                                                                                            \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_joint_reduce(member(group), &result, first, (size_t)(last - first), tw_how);                       \
        if (first != last)                                                                                             \
            tw_how.combine(&result, &init, &result, tw_how.op);                                                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_inclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                TW_INTERNAL_OPERATION_##kind(type) op) check                           \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), NULL, false, tw_how);             \
        return result + (last - first);                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_inclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                TW_INTERNAL_OPERATION_##kind(type) op, type init) check                \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, false, tw_how);            \
        return result + (last - first);                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_exclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                type init, TW_INTERNAL_OPERATION_##kind(type) op) check                \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, true, tw_how);             \
        return result + (last - first);                                                                                \
    }

/* Exclusive scans and joint forms without a first value: operations of tw_operation have an identity. */
#define TW_INTERNAL_DEFINE_VALUES_WITHOUT_INIT(type, name, check)                                                      \
    TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(tw_nd_item, type, name, check, tw_internal_scan_values,                       \
                                         tw_internal_group_member_of)                                                  \
    TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(tw_sub_group, type, name, check, tw_internal_scan_lanes, )
#define TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(group_type, type, name, check, scan, member)                              \
    TW_OVERLOADED type tw_exclusive_scan_over_group(group_type group, type x, tw_operation op) check                   \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        scan(member(group), &x, &init, true, tw_how);                                                                  \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_ARRAYS_WITHOUT_INIT(type, name, check)                                                      \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, tw_operation op) check                    \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_group_scan(group, x, &init, true, tw_how);                                                         \
    }
#define TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, all, check)                                                        \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_sub_groups sub_groups, type *x, tw_operation op) check          \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_groups_scan(sub_groups, x, &init, true, tw_how);                                                   \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(tw_nd_item, type, name, all, check, tw_internal_group_member_of)             \
    TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(tw_group, type, name, all, check, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(group_type, type, name, all, check, member)                              \
    TW_OVERLOADED type tw_joint_reduce(group_type group, const type *first, const type *last, tw_operation op) check   \
    {                                                                                                                  \
        type result = tw_internal_identity_##name(op); /* of an empty range */                                         \
        TW_INTERNAL_HOW(type, name, named, all);                                                                       \
        tw_internal_joint_reduce(member(group), &result, first, (size_t)(last - first), tw_how);                       \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_exclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                tw_operation op) check                                                 \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, true, tw_how);             \
        return result + (last - first);                                                                                \
    }

/* What needs no operation. */
#define TW_INTERNAL_DEFINE_MOVES(type, name)                                                                           \
    TW_OVERLOADED type tw_group_broadcast(tw_nd_item item, type x, size_t from)                                        \
    {                                                                                                                  \
        TW_INTERNAL_BARE_HOW(type, name);                                                                              \
        tw_internal_broadcast_value(tw_internal_group_member_of(item), &x, from, tw_how);                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_group group, const type *x, size_t from)                                  \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_BARE_HOW(type, name);                                                                              \
        tw_internal_group_broadcast(group, &result, x, from, tw_how);                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_MOVE(type, tw_group_broadcast, TW_INTERNAL_FROM)                                                \
    TW_INTERNAL_DEFINE_MOVE(type, tw_select_from_group, TW_INTERNAL_FROM)                                              \
    TW_INTERNAL_DEFINE_MOVE(type, tw_permute_group_by_xor, TW_INTERNAL_XOR)                                            \
    TW_INTERNAL_DEFINE_MOVE(type, tw_shift_group_left, TW_INTERNAL_AFTER)                                              \
    TW_INTERNAL_DEFINE_MOVE(type, tw_shift_group_right, TW_INTERNAL_BEFORE)
#define TW_INTERNAL_DEFINE_MOVE(type, function, kind)                                                                  \
    TW_OVERLOADED type function(tw_sub_group sub_group, type x, size_t which)                                          \
    {                                                                                                                  \
        tw_internal_shuffle_value(sub_group, &x, &x, sizeof x, kind, which);                                           \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                       \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_group_broadcast, TW_INTERNAL_FROM)                                      \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_select_from_group, TW_INTERNAL_FROM)                                    \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_permute_group_by_xor, TW_INTERNAL_XOR)                                  \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_shift_group_left, TW_INTERNAL_AFTER)                                    \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_shift_group_right, TW_INTERNAL_BEFORE)
#define TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, function, kind)                                                        \
    TW_OVERLOADED void function(tw_sub_groups sub_groups, type *x, size_t which)                                       \
    {                                                                                                                  \
        type tw_spare[TW_INTERNAL_LANES_ROOM];                                                                         \
        tw_internal_groups_shuffle(sub_groups, x, sizeof(type), tw_spare, kind, which);                                \
    }

/* What takes a function of the program that is no operation. */
#define TW_INTERNAL_TEST(type) __typeof__(bool (*)(type))
#define TW_INTERNAL_LESS(type) __typeof__(bool (*)(type, type))
#define TW_INTERNAL_DEFINE_TESTS(type, name)                                                                           \
    TW_LANGUAGE_INLINE bool tw_internal_finds_##name(const void *x, const void *test)                                  \
    {                                                                                                                  \
        return (*(TW_INTERNAL_TEST(type) const *)test)(*(const type *)x);                                              \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE bool tw_internal_differs_##name(const void *x, const void *test)                                \
    {                                                                                                                  \
        return !tw_internal_finds_##name(x, test);                                                                     \
    }                                                                                                                  \
    /* Both are written in any case, so that there is no branch. */                                                    \
    TW_LANGUAGE_INLINE void tw_internal_order_##name(void *first, void *second, const void *less)                      \
    {                                                                                                                  \
        const type x = *(const type *)first, y = *(const type *)second;                                                \
        const bool wrong = (*(TW_INTERNAL_LESS(type) const *)less)(y, x);                                              \
        *(type *)first = wrong ? y : x;                                                                                \
        *(type *)second = wrong ? x : y;                                                                               \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT_TESTS(tw_nd_item, type, name, tw_internal_group_member_of)                                \
    TW_INTERNAL_DEFINE_JOINT_TESTS(tw_group, type, name, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT_TESTS(group_type, type, name, member)                                                 \
    TW_OVERLOADED bool tw_joint_any_of(group_type group, const type *first, const type *last,                          \
                                       TW_INTERNAL_TEST(type) test)                                                    \
    {                                                                                                                  \
        return tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                       \
                                     tw_internal_finds_##name, (const void *)&test);                                   \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_joint_all_of(group_type group, const type *first, const type *last,                          \
                                       TW_INTERNAL_TEST(type) test)                                                    \
    {                                                                                                                  \
        return !tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                      \
                                      tw_internal_differs_##name, (const void *)&test);                                \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_joint_none_of(group_type group, const type *first, const type *last,                         \
                                        TW_INTERNAL_TEST(type) test)                                                   \
    {                                                                                                                  \
        return !tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                      \
                                      tw_internal_finds_##name, (const void *)&test);                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_joint_sort(group_type group, type *first, type *last, TW_INTERNAL_LESS(type) less)           \
    {                                                                                                                  \
        const struct tw_internal_sort sort = {(unsigned char *)first, (size_t)(last - first), sizeof(type),            \
                                              tw_internal_order_##name, (const void *)&less};                          \
        tw_internal_joint_sort(member(group), sort);                                                                   \
    }

/* With operations of the program. */
#define TW_INTERNAL_DEFINE_OWN(type, name, check)                                                                      \
    TW_LANGUAGE_INLINE void tw_internal_own_##name(void *to, const void *a, const void *b, const void *op)             \
    {                                                                                                                  \
        *(type *)to = (*(TW_INTERNAL_OPERATION_own(type) const *)op)(*(const type *)a, *(const type *)b);              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_ALGORITHMS(type, name, own, NULL, check)                                                        \
    TW_INTERNAL_DEFINE_TESTS(type, name)

/* A type that has nothing yet. */
#define TW_INTERNAL_GROUP_TYPE(type, name)                                                                             \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, )
#define TW_INTERNAL_GROUP_TYPE_NUMBERED(type, number) TW_INTERNAL_GROUP_TYPE(type, number)

/* The same, with the operations of tw_operation, too. */
#define TW_INTERNAL_ARITHMETIC_GROUP_TYPE(type, name, check)                                                           \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, TW_INTERNAL_IS_FUNCTION)                                                        \
    TW_INTERNAL_DEFINE_ALGORITHMS(type, name, named, NULL, check)                                                      \
    TW_INTERNAL_DEFINE_VALUES_WITHOUT_INIT(type, name, check)                                                          \
    TW_INTERNAL_DEFINE_ARRAYS_WITHOUT_INIT(type, name, check)                                                          \
    TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, NULL, check)

#endif
