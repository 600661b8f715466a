/* SPDX-License-Identifier: Apache-2.0 */
/* The command graph (graph.h). Knows no buffer, device, thread or lock. */
#include "graph.h"

#include <stdint.h>
#include <stdlib.h>

/* A function of its own, so that the path without failures is fast. */
static __attribute__((noinline, cold)) void replace(struct tw_cause **reference, struct tw_cause *cause)
{
    struct tw_cause *before = *reference;
    tw_cause_retain(cause);
    *reference = cause;
    tw_cause_release(before);
}

/* Makes a counted reference refer to a cause, or to none. */
static inline void refer(struct tw_cause **reference, struct tw_cause *cause)
{
    if (*reference != cause)
        replace(reference, cause);
}

/* ---- what is lost ------------------------------------------------------------------------------------------------ */

/* Notes that more of a resource is marked as lost than is. Of a copy of contents, that may be elements which are nowhere
   else: then the contents are lost, so that nobody takes them for undefined. */
static void lose_more(const struct tw_resource *resource, struct tw_cause *cause)
{
    if (resource->contents)
        refer(&resource->contents->lost, cause);
}

/* Takes a part out of the lost ones, or all of them. If memory is exhausted, more remains lost than was. */
static __attribute__((noinline, cold)) void find_again(struct tw_resource *resource, const struct tw_box *part)
{
    struct tw_lost_part *rest = NULL, *next;
    struct tw_cause *all = resource->lost;
    if (part && all && tw_box_covers(part, resource->whole))
        part = NULL;
    if (part && all) { /* all but the part is lost */
        resource->lost = NULL;
        tw_graph_lose(resource, resource->whole, all);
        tw_cause_release(all);
    } else if (!part) {
        refer(&resource->lost, NULL);
    }
    for (struct tw_lost_part *lost = resource->lost_parts; lost; lost = next) {
        struct tw_box pieces[TW_BOX_PIECES];
        const size_t count = part ? tw_box_subtract(&lost->box, part, pieces) : 0;
        next = lost->next;
        for (size_t i = 1; i < count; ++i) {
            struct tw_lost_part *piece = malloc(sizeof *piece);
            if (!piece) { /* then all pieces stay in one box */
                lose_more(resource, lost->cause);
                pieces[0] = lost->box;
                break;
            }
            *piece = (struct tw_lost_part){.next = rest, .cause = lost->cause, .box = pieces[i]};
            tw_cause_retain(piece->cause);
            rest = piece;
        }
        if (count) {
            lost->box = pieces[0];
            lost->next = rest;
            rest = lost;
        } else {
            tw_cause_release(lost->cause);
            free(lost);
        }
    }
    resource->lost_parts = rest;
}

static __attribute__((noinline, cold)) void lose_part(struct tw_resource *resource, const struct tw_box *part,
                                                      struct tw_cause *cause)
{
    struct tw_lost_part *lost = malloc(sizeof *lost);
    if (!lost) {
        refer(&resource->lost, cause); /* more than the part, but nothing is forgotten */
        lose_more(resource, cause);
        return;
    }
    *lost = (struct tw_lost_part){.next = resource->lost_parts, .cause = cause, .box = *part};
    tw_cause_retain(cause);
    resource->lost_parts = lost;
}

void tw_graph_lose(struct tw_resource *resource, const struct tw_box *part, struct tw_cause *failure)
{
    if (!failure && !resource->lost && !resource->lost_parts)
        return;
    if (!failure || resource->lost_parts || (part && resource->lost)) /* the newest cause is the one that counts */
        find_again(resource, part);
    if (failure && part)
        lose_part(resource, part, failure);
    else if (failure)
        refer(&resource->lost, failure);
}

void tw_resource_end(struct tw_resource *resource)
{
    tw_graph_lose(resource, NULL, NULL);
}

bool tw_graph_visit_lost(const struct tw_resource *resource, const struct tw_box *box,
                         bool (*visit)(const struct tw_box *lost, struct tw_cause *cause, void *user), void *user)
{
    if (resource->lost && !visit(box, resource->lost, user))
        return false;
    for (const struct tw_lost_part *lost = resource->lost_parts; lost; lost = lost->next) {
        const struct tw_box common = tw_box_intersect(&lost->box, box);
        if (!tw_box_is_empty(&common) && !visit(&common, lost->cause, user))
            return false;
    }
    return true;
}

static void note(const struct tw_box *piece, void *user)
{
    (void)piece;
    *(bool *)user = true;
}

/* Returns true if a part of a box is covered by none of the found writers that were inserted after that number. Those that
   begin behind `last` do not overlap it. */
static bool is_left(const struct tw_resource *resource, const struct tw_box *box, size_t last,
                    const struct tw_box_node *writers, unsigned long after)
{
    bool left = false;
    while (writers && writers->first <= last && (writers->order <= after || !tw_box_overlaps(&writers->box, box)))
        writers = writers->found;
    if (!writers || writers->first > last) /* none overlaps it: so it is most often */
        return true;
    tw_box_visit_rest(box, resource->whole, writers, after, note, &left);
    return left;
}

struct tw_cause *tw_graph_lost(const struct tw_resource *resource, struct tw_box_node *part)
{
    if (resource->writer || (!resource->lost && !resource->lost_parts))
        return NULL;
    const struct tw_box_node all =
        resource->whole ? tw_box_node(resource->whole, resource->whole) : (struct tw_box_node){.first = 0};
    const struct tw_box_node *wanted = part ? part : &all;
    const struct tw_box_node *writers = tw_box_tree_find(resource->part_writers, wanted);
    if (resource->lost && (!writers || is_left(resource, &wanted->box, wanted->last, writers, 0)))
        return resource->lost;
    for (const struct tw_lost_part *lost = resource->lost_parts; lost; lost = lost->next) {
        const struct tw_box common = tw_box_intersect(&lost->box, &wanted->box);
        if (!tw_box_is_empty(&common) && (!writers || is_left(resource, &common, wanted->last, writers, 0)))
            return lost->cause;
    }
    return NULL;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

/* Returns the found accesses to parts that overlap an access. */
static struct tw_box_node *overlapping(struct tw_box_node *root, const struct tw_graph_access *access)
{
    if (!root)
        return NULL;
    if (access->part)
        return tw_box_tree_find(root, access->part);
    const struct tw_box *whole = access->resource->whole;
    const struct tw_box_node all = tw_box_node(whole, whole);
    return tw_box_tree_find(root, &all);
}

/* Returns true if an access is to a part, or if parts of the resource are accessed or lost: all else is simpler. */
static inline bool concerns_parts(const struct tw_graph_access *access)
{
    const struct tw_resource *resource = access->resource;
    return __builtin_expect(((uintptr_t)access->part | (uintptr_t)resource->part_writers
                             | (uintptr_t)resource->part_readers | (uintptr_t)resource->lost_parts)
                                != 0,
                            0);
}

/* Returns the number of accesses to parts that an access waits for. */
static __attribute__((noinline)) size_t count_parts(const struct tw_graph_access *access)
{
    const struct tw_resource *resource = access->resource;
    size_t found = 0;
    for (const struct tw_box_node *w = overlapping(resource->part_writers, access); w; w = w->found)
        ++found;
    if (access->writes)
        for (const struct tw_box_node *r = overlapping(resource->part_readers, access); r; r = r->found)
            ++found;
    return found;
}

/* Returns the number of edges that the accesses to parts need. */
static __attribute__((noinline)) size_t edges_of_parts(const struct tw_graph_access *accesses, size_t count)
{
    size_t needed = 0;
    for (size_t i = 0; i < count; ++i)
        needed += concerns_parts(&accesses[i]) ? count_parts(&accesses[i]) : 0;
    return needed;
}

size_t tw_graph_edges_needed(const struct tw_graph_access *accesses, size_t count)
{
    size_t needed = 0;
    bool parts = false;
    for (size_t i = 0; i < count; ++i) {
        needed += accesses[i].resource->writer != NULL;
        if (accesses[i].writes)
            for (const struct tw_graph_access *r = accesses[i].resource->readers; r; r = r->next)
                ++needed;
        parts |= concerns_parts(&accesses[i]);
    }
    return parts ? needed + edges_of_parts(accesses, count) : needed;
}

static void add_edge(struct tw_node *from, struct tw_node *to, bool data, bool logical)
{
    struct tw_edge *edge = from->last_out;
    if (!edge || edge->to != to) {
        edge = &to->in[to->in_count++];
        *edge = (struct tw_edge){.from = from, .to = to, .next = from->out};
        from->out = from->last_out = edge;
        edge->passed = from->issued && from->domain == to->domain;
        to->pending += !edge->passed;
    }
    edge->data = edge->data || data;
    edge->logical = edge->logical || logical;
}

/* Removes an access from its resource, if it is there. */
static void leave(struct tw_graph_access *access)
{
    if (access->tree) {
        tw_box_tree_remove(access->tree, access->part);
        access->tree = NULL;
    } else if (access->link) {
        *access->link = access->next;
        if (access->next)
            access->next->link = access->link;
        access->link = NULL;
        access->next = NULL;
    }
}

static void join_tree(struct tw_graph_access *access)
{
    access->part->owner = access;
    access->part->order = ++access->resource->parts_inserted; /* recorded graphs are ordered without the lock */
    access->tree = access->writes ? &access->resource->part_writers : &access->resource->part_readers;
    tw_box_tree_insert(access->tree, access->part);
}

static void join_readers(struct tw_graph_access *access)
{
    struct tw_resource *resource = access->resource;
    if (access->part) {
        join_tree(access);
        return;
    }
    access->next = resource->readers;
    if (access->next)
        access->next->link = &access->next;
    access->link = &resource->readers;
    resource->readers = access;
}

void tw_graph_cancel(struct tw_node *node, struct tw_cause *failure)
{
    if (!node->cancel_cause)
        refer(&node->cancel_cause, failure);
}

/* Returns true if an access meets elements of a writer's part that none of the found writers has overwritten. */
static bool reaches(const struct tw_graph_access *access, const struct tw_box_node *writer,
                    const struct tw_box_node *found)
{
    const struct tw_box common = access->part ? tw_box_intersect(&access->part->box, &writer->box) : writer->box;
    return is_left(access->resource, &common, writer->last, found, writer->order);
}

/* Makes the node of an access wait for the last writers of what it accesses. It need not wait for a writer if later
   ones have overwritten the common elements: it waits for them. */
static void follow_writers(struct tw_graph_access *access)
{
    const struct tw_resource *resource = access->resource;
    struct tw_box_node *parts = overlapping(resource->part_writers, access), *next;
    if (resource->writer
        && (!parts || is_left(resource, access->part ? &access->part->box : resource->whole, SIZE_MAX, parts, 0)))
        add_edge(resource->writer, access->node, access->needs, access->logical);
    const struct tw_box_node *near = parts; /* those before it end before `at` begins */
    for (const struct tw_box_node *at = parts; at; at = at->found) {
        const struct tw_graph_access *other = at->owner;
        while (near->last < at->first)
            near = near->found;
        const bool is_alone = near == at && (!at->found || at->found->first > at->last);
        if (other->node != access->node && (is_alone || reaches(access, at, near)))
            add_edge(other->node, access->node, access->needs, access->logical);
    }
    for (struct tw_box_node *at = access->writes ? parts : NULL; at; at = next) {
        next = at->found;
        if (!access->part || tw_box_covers(&access->part->box, &at->box))
            leave(at->owner);
    }
}

/* Makes the node of a writing access wait for the readers of all of the resource. If it writes all, they leave. */
static inline __attribute__((always_inline)) void follow_readers_of_all(struct tw_graph_access *access)
{
    struct tw_graph_access *next;
    for (struct tw_graph_access *reader = access->resource->readers; reader; reader = next) {
        next = reader->next;
        if (reader->node != access->node)
            add_edge(reader->node, access->node, false, access->logical && reader->logical);
        if (!access->part)
            leave(reader);
    }
}

/* Takes what is overwritten out of a reader's part, if a box is left. Otherwise a row of parts, each read with its edges
   and written many times, would have each writer wait for the readers of all times. */
static void shorten(struct tw_graph_access *reader, const struct tw_box *overwritten)
{
    struct tw_box pieces[TW_BOX_PIECES];
    if (tw_box_subtract(&reader->part->box, overwritten, pieces) == 1)
        tw_box_tree_shrink(reader->tree, reader->part, &pieces[0], reader->resource->whole);
}

/* Makes the node of a writing access wait for the readers of what it writes. Later writers of that need not: they wait
   for this one. So readers that it covers leave. */
static void follow_readers(struct tw_graph_access *access)
{
    struct tw_box_node *next;
    follow_readers_of_all(access);
    for (struct tw_box_node *at = overlapping(access->resource->part_readers, access); at; at = next) {
        struct tw_graph_access *reader = at->owner;
        next = at->found;
        if (reader->node != access->node)
            add_edge(reader->node, access->node, false, access->logical && reader->logical);
        if (!access->part || tw_box_covers(&access->part->box, &at->box))
            leave(reader);
        else
            shorten(reader, &access->part->box);
    }
}

/* Cancels the node of an access because of what is lost. */
static __attribute__((noinline, cold)) void cancel_for(struct tw_graph_access *access, struct tw_cause *lost)
{
    tw_graph_cancel(access->node, lost);
    access->node->lost_input = access->node->lost_input || access->logical;
}

/* Inserts an access if it, or others to the resource, are to parts. */
static __attribute__((noinline)) void insert_among_parts(struct tw_graph_access *access)
{
    struct tw_cause *lost = access->needs ? tw_graph_lost(access->resource, access->part) : NULL;
    if (lost)
        cancel_for(access, lost);
    follow_writers(access);
    if (!access->writes) {
        join_readers(access);
        return;
    }
    follow_readers(access);
    if (access->part)
        join_tree(access);
    else
        access->resource->writer = access->node;
}

void tw_graph_insert(struct tw_node *node, struct tw_edge *edges)
{
    node->in = edges;
    node->in_count = node->pending = 0;
    node->out = node->last_out = NULL;
    node->issued = node->finished = node->lost_input = false;
    for (size_t i = 0; i < node->access_count; ++i) {
        struct tw_graph_access *access = &node->accesses[i];
        struct tw_resource *resource = access->resource;
        access->node = node;
        access->next = NULL;
        access->link = NULL;
        access->tree = NULL;
        if (concerns_parts(access)) {
            insert_among_parts(access);
            continue;
        }
        if (resource->writer)
            add_edge(resource->writer, node, access->needs, access->logical);
        else if (access->needs && resource->lost)
            cancel_for(access, resource->lost);
        if (!access->writes) {
            join_readers(access);
            continue;
        }
        follow_readers_of_all(access);
        resource->writer = node;
    }
}

void tw_graph_read(struct tw_node *node, struct tw_resource *resource, struct tw_box_node *part)
{
    struct tw_graph_access *access = &node->accesses[node->access_count++];
    *access = (struct tw_graph_access){.resource = resource, .part = part, .node = node};
    join_readers(access);
}

void tw_graph_reinsert(struct tw_node *node, struct tw_edge *edges)
{
    refer(&node->cancel_cause, NULL);
    node->issued = false;
    node->domain = NULL;
    node->in = edges;
    node->in_count = node->pending = 0;
}

void tw_graph_retry(struct tw_node *node)
{
    refer(&node->cancel_cause, NULL);
    node->issued = false;
    node->domain = NULL;
}

void tw_graph_cancel_part(struct tw_node *node, const struct tw_resource *resource, const struct tw_box *box,
                          struct tw_cause *failure)
{
    for (const struct tw_edge *edge = node->out; edge; edge = edge->next)
        for (size_t i = 0; edge->data && i < edge->to->access_count; ++i) {
            const struct tw_graph_access *access = &edge->to->accesses[i];
            if (access->resource == resource && access->needs
                && (!access->part || tw_box_overlaps(&access->part->box, box)))
                tw_graph_cancel(edge->to, failure);
        }
}

void tw_graph_wait_for(struct tw_node *node, struct tw_node *before)
{
    add_edge(before, node, false, false);
}

void tw_graph_depend(struct tw_node *node, struct tw_node *before, bool cancels)
{
    add_edge(before, node, cancels, true);
}

/* Reverses the list of edges, so that successors come in the order of their insertion. */
static struct tw_edge *in_order(struct tw_edge *edge)
{
    struct tw_edge *ordered = NULL;
    while (edge) {
        struct tw_edge *next = edge->next;
        edge->next = ordered;
        ordered = edge;
        edge = next;
    }
    return ordered;
}

struct tw_node *tw_graph_issue(struct tw_node *node)
{
    struct tw_node *ready = NULL;
    node->issued = true;
    for (struct tw_edge *edge = node->out; edge; edge = edge->next) { /* the newest first */
        struct tw_node *to = edge->to;
        if (edge->passed || to->domain != node->domain)
            continue;
        edge->passed = true;
        if (--to->pending == 0) {
            to->next = ready;
            ready = to;
        }
    }
    return ready;
}

struct tw_node *tw_graph_before(const struct tw_node *node)
{
    struct tw_node *before = NULL;
    for (size_t i = 0; i < node->in_count; ++i) {
        if (node->in[i].from && !node->in[i].passed)
            return node->in[i].from;
        if (node->in[i].from)
            before = node->in[i].from;
    }
    return before;
}

void tw_graph_wrote_nothing(struct tw_node *node)
{
    for (size_t i = 0; i < node->access_count; ++i)
        node->accesses[i].writes = false;
}

struct tw_node *tw_graph_finish(struct tw_node *node, struct tw_cause *failure)
{
    node->finished = true;
    for (size_t i = 0; i < node->access_count; ++i) {
        struct tw_graph_access *access = &node->accesses[i];
        struct tw_resource *resource = access->resource;
        leave(access);
        if (resource->writer == node)
            resource->writer = NULL;
        if (access->writes && (failure || (!access->needs && (resource->lost || resource->lost_parts))))
            tw_graph_lose(resource, access->part ? &access->part->box : NULL, failure);
    }
    struct tw_node *ready = NULL, **last = &ready;
    struct tw_edge *next;
    for (struct tw_edge *edge = in_order(node->out); edge; edge = next) {
        struct tw_node *to = edge->to;
        next = edge->next;
        edge->from = NULL;
        edge->next = NULL;
        if (failure && edge->data) {
            tw_graph_cancel(to, failure);
            to->lost_input = to->lost_input || edge->logical;
        }
        if (!edge->passed && --to->pending == 0) {
            to->next = NULL;
            *last = to;
            last = &to->next;
        }
    }
    node->out = node->last_out = NULL;
    refer(&node->cancel_cause, NULL); /* last, since it may keep `failure` alive */
    return ready;
}

unsigned long tw_graph_new_mark(void)
{
    static unsigned long last;
    return ++last;
}

void tw_graph_mark_dependants(struct tw_node *node, unsigned long mark)
{
    struct tw_node *last = node, *next;
    node->mark = mark;
    for (node->next = NULL; node; node = next) {
        for (const struct tw_edge *edge = node->out; edge; edge = edge->next) {
            if (edge->to->mark == mark)
                continue;
            edge->to->mark = mark;
            edge->to->next = NULL;
            last = last->next = edge->to;
        }
        next = node->next;
        node->next = NULL;
    }
}

bool tw_graph_would_wait_for(const struct tw_graph_access *access, unsigned long mark)
{
    const struct tw_resource *resource = access->resource;
    if (resource->writer && resource->writer->mark == mark)
        return true;
    for (const struct tw_box_node *w = overlapping(resource->part_writers, access); w; w = w->found)
        if (((const struct tw_graph_access *)w->owner)->node->mark == mark)
            return true;
    if (!access->writes)
        return false;
    for (const struct tw_graph_access *r = resource->readers; r; r = r->next)
        if (r->node->mark == mark)
            return true;
    for (const struct tw_box_node *r = overlapping(resource->part_readers, access); r; r = r->found)
        if (((const struct tw_graph_access *)r->owner)->node->mark == mark)
            return true;
    return false;
}

struct tw_node *tw_graph_writer(const struct tw_resource *resource, const struct tw_box_node *part)
{
    if (resource->writer)
        return resource->writer;
    const struct tw_graph_access access = {.resource = (struct tw_resource *)(uintptr_t)resource,
                                           .part = (struct tw_box_node *)(uintptr_t)part};
    const struct tw_box_node *found = overlapping(resource->part_writers, &access);
    return found ? ((const struct tw_graph_access *)found->owner)->node : NULL;
}

void tw_graph_visit_readers(const struct tw_resource *resource, const struct tw_box_node *part,
                            void (*visit)(struct tw_node *reader, void *user), void *user)
{
    const struct tw_graph_access access = {.resource = (struct tw_resource *)(uintptr_t)resource,
                                           .part = (struct tw_box_node *)(uintptr_t)part};
    for (const struct tw_graph_access *r = resource->readers; r; r = r->next)
        visit(r->node, user);
    for (const struct tw_box_node *r = overlapping(resource->part_readers, &access); r; r = r->found)
        visit(((const struct tw_graph_access *)r->owner)->node, user);
}
