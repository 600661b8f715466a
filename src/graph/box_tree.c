/* SPDX-License-Identifier: Apache-2.0 */
/* Trees and sets of boxes. */
#include "box_tree.h"

#include <stdint.h>
#include <stdlib.h>

struct tw_box_node tw_box_node(const struct tw_box *box, const struct tw_box *whole)
{
    const struct tw_box last = {{box->end[0] - 1, box->end[1] - 1, box->end[2] - 1}, {0, 0, 0}};
    return (struct tw_box_node){.box = *box, .first = tw_box_first(box, whole), .last = tw_box_first(&last, whole)};
}

/* ---- the treap --------------------------------------------------------------------------------------------------- */

/* Returns the priority of a node: so the tree is shallow. */
static uint64_t priority_of(const struct tw_box_node *node)
{
    uint64_t mixed = (uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u; /* addresses that are evenly spaced must not be in order */
    return mixed ^ mixed >> 32;
}

static bool is_before(const struct tw_box_node *a, const struct tw_box_node *b)
{
    __builtin_assume(a && b); /* for clang-tidy: a node that is removed is in the tree */
    return a->first != b->first ? a->first < b->first : (uintptr_t)a < (uintptr_t)b;
}

static void update(struct tw_box_node *node)
{
    node->greatest = node->last;
    if (node->left && node->left->greatest > node->greatest)
        node->greatest = node->left->greatest;
    if (node->right && node->right->greatest > node->greatest)
        node->greatest = node->right->greatest;
}

/* Splits a tree into the nodes before and behind `at`. */
static void split(struct tw_box_node *root, const struct tw_box_node *at, struct tw_box_node **before,
                  struct tw_box_node **behind)
{
    if (!root) {
        *before = *behind = NULL;
    } else if (is_before(root, at)) {
        *before = root;
        split(root->right, at, &root->right, behind);
        update(root);
    } else {
        *behind = root;
        split(root->left, at, before, &root->left);
        update(root);
    }
}

/* Joins two trees; all nodes of `before` are before those of `behind`. */
static struct tw_box_node *join(struct tw_box_node *before, struct tw_box_node *behind)
{
    if (!before || !behind)
        return before ? before : behind;
    if (before->priority > behind->priority) {
        before->right = join(before->right, behind);
        update(before);
        return before;
    }
    behind->left = join(before, behind->left);
    update(behind);
    return behind;
}

void tw_box_tree_insert(struct tw_box_node **root, struct tw_box_node *node)
{
    struct tw_box_node *at;
    node->priority = priority_of(node);
    for (; (at = *root) && at->priority >= node->priority; root = is_before(node, at) ? &at->left : &at->right)
        if (at->greatest < node->last)
            at->greatest = node->last;
    split(at, node, &node->left, &node->right);
    update(node);
    *root = node;
}

void tw_box_tree_remove(struct tw_box_node **root, struct tw_box_node *node)
{
    for (struct tw_box_node *at; (at = *root) != node;) {
        struct tw_box_node **below = is_before(node, at) ? &at->left : &at->right;
        if (at->greatest == node->last) {
            tw_box_tree_remove(below, node);
            update(at);
            return;
        }
        root = below;
    }
    *root = join(node->left, node->right);
}

/* Makes a node of a tree end earlier, where it is: its place depends on its first element alone. */
static void end_earlier(struct tw_box_node *at, struct tw_box_node *node, size_t last)
{
    for (; at != node && at->greatest != node->last; at = is_before(node, at) ? at->left : at->right)
        __builtin_assume(at != NULL); /* for clang-tidy: the node is in the tree */
    if (at != node)
        end_earlier(is_before(node, at) ? at->left : at->right, node, last);
    else
        node->last = last;
    update(at);
}

void tw_box_tree_shrink(struct tw_box_node **root, struct tw_box_node *node, const struct tw_box *box,
                        const struct tw_box *whole)
{
    const struct tw_box_node after = tw_box_node(box, whole);
    node->box = *box;
    if (after.first == node->first) {
        end_earlier(*root, node, after.last);
        return;
    }
    tw_box_tree_remove(root, node);
    node->first = after.first;
    node->last = after.last;
    tw_box_tree_insert(root, node);
}

/* Appends the overlapping nodes of a tree, some of whose nodes end behind the first wanted element, to the list that ends
   at `*end`. */
static void find(struct tw_box_node *at, const struct tw_box_node *wanted, struct tw_box_node ***end)
{
    do {
        if (at->left && at->left->greatest >= wanted->first)
            find(at->left, wanted, end);
        if (at->first > wanted->last)
            return;
        if (tw_box_overlaps(&at->box, &wanted->box)) {
            at->found = NULL;
            **end = at;
            *end = &at->found;
        }
        at = at->right;
    } while (at && at->greatest >= wanted->first);
}

struct tw_box_node *tw_box_tree_find(struct tw_box_node *root, const struct tw_box_node *wanted)
{
    struct tw_box_node *first = NULL, **end = &first;
    if (root && root->greatest >= wanted->first)
        find(root, wanted, &end);
    return first;
}

/* The list is in the order of the first elements: nodes that begin behind the box's last element end the search. The
   last piece needs no recursion, so that a row of many boxes does not need a deep stack. */
void tw_box_visit_rest(const struct tw_box *box, const struct tw_box *whole, const struct tw_box_node *found,
                       unsigned long after, void (*visit)(const struct tw_box *piece, void *user), void *user)
{
    struct tw_box_node rest = tw_box_node(box, whole);
    while (found && found->first <= rest.last) {
        struct tw_box pieces[TW_BOX_PIECES];
        const struct tw_box_node *hole = found;
        found = found->found;
        if (hole->order <= after || !tw_box_overlaps(&hole->box, &rest.box))
            continue;
        const size_t count = tw_box_subtract(&rest.box, &hole->box, pieces);
        if (count == 0)
            return;
        for (size_t i = 0; i + 1 < count; ++i)
            tw_box_visit_rest(&pieces[i], whole, found, after, visit, user);
        rest = tw_box_node(&pieces[count - 1], whole);
    }
    visit(&rest.box, user);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

bool tw_box_reserve(struct tw_box_reserve *reserve, size_t count)
{
    while (reserve->count < count) {
        struct tw_box_node *node = malloc(sizeof *node);
        if (!node)
            return false;
        node->found = reserve->first;
        reserve->first = node;
        ++reserve->count;
    }
    return true;
}

void tw_box_reserve_trim(struct tw_box_reserve *reserve, size_t keep)
{
    while (reserve->count > keep) {
        struct tw_box_node *node = reserve->first;
        reserve->first = node->found;
        --reserve->count;
        free(node);
    }
}

static void insert(struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole,
                   struct tw_box_reserve *reserve)
{
    struct tw_box_node *node = reserve->first;
    reserve->first = node->found;
    --reserve->count;
    *node = tw_box_node(box, whole);
    node->order = 1; /* above 0, so that tw_box_visit_rest() counts it */
    tw_box_tree_insert(&set->root, node);
    ++set->count;
}

static void remove_node(struct tw_box_set *set, struct tw_box_node *node, struct tw_box_reserve *reserve)
{
    tw_box_tree_remove(&set->root, node);
    --set->count;
    node->found = reserve->first;
    reserve->first = node;
    ++reserve->count;
}

size_t tw_box_set_needed(const struct tw_box_set *set, const struct tw_box_node *box)
{
    size_t needed = 1;
    for (const struct tw_box_node *node = tw_box_tree_find(set->root, box); node; node = node->found)
        needed += TW_BOX_PIECES;
    return needed;
}

void tw_box_set_subtract(struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole,
                         struct tw_box_reserve *reserve)
{
    const struct tw_box_node wanted = tw_box_node(box, whole);
    struct tw_box_node *next;
    for (struct tw_box_node *node = tw_box_tree_find(set->root, &wanted); node; node = next) {
        struct tw_box pieces[TW_BOX_PIECES];
        const size_t count = tw_box_subtract(&node->box, box, pieces);
        next = node->found;
        remove_node(set, node, reserve);
        for (size_t i = 0; i < count; ++i)
            insert(set, &pieces[i], whole, reserve);
    }
}

/* Returns a box of the set that makes up a box with this one; NULL if there is none. */
static struct tw_box_node *neighbour(const struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole)
{
    struct tw_box around = *box;
    for (unsigned d = 0; d < 3; ++d) {
        around.begin[d] -= around.begin[d] > whole->begin[d];
        around.end[d] += around.end[d] < whole->end[d];
    }
    const struct tw_box_node wanted = tw_box_node(&around, whole);
    for (struct tw_box_node *node = tw_box_tree_find(set->root, &wanted); node; node = node->found) {
        struct tw_box merged = *box;
        if (tw_box_merge(&merged, &node->box))
            return node;
    }
    return NULL;
}

void tw_box_set_add(struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole,
                    struct tw_box_reserve *reserve)
{
    const struct tw_box_node wanted = tw_box_node(box, whole);
    struct tw_box grown = *box;
    struct tw_box_node *node = tw_box_tree_find(set->root, &wanted);
    if (node && tw_box_covers(&node->box, box)) /* then it is the only one found */
        return;
    if (node)
        tw_box_set_subtract(set, box, whole, reserve);
    while ((node = neighbour(set, &grown, whole)) != NULL) {
        (void)tw_box_merge(&grown, &node->box);
        remove_node(set, node, reserve);
    }
    insert(set, &grown, whole, reserve);
}

void tw_box_set_clear(struct tw_box_set *set, struct tw_box_reserve *reserve)
{
    while (set->root)
        remove_node(set, set->root, reserve);
}
