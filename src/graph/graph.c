/* SPDX-License-Identifier: Apache-2.0 */
/* The command graph (graph.h). Knows no buffer, device, thread or lock. */
#include "graph.h"

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

void tw_resource_end(struct tw_resource *resource)
{
    refer(&resource->lost, NULL);
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

size_t tw_graph_edges_needed(const struct tw_graph_access *accesses, size_t count)
{
    size_t needed = 0;
    for (size_t i = 0; i < count; ++i) {
        needed += accesses[i].resource->writer != NULL;
        if (accesses[i].writes)
            for (const struct tw_graph_access *r = accesses[i].resource->readers; r; r = r->next)
                ++needed;
    }
    return needed;
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

static void leave_readers(struct tw_graph_access *access)
{
    if (access->link) {
        *access->link = access->next;
        if (access->next)
            access->next->link = access->link;
        access->link = NULL;
        access->next = NULL;
    }
}

static void join_readers(struct tw_graph_access *access)
{
    struct tw_resource *resource = access->resource;
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
        if (resource->writer) {
            add_edge(resource->writer, node, access->needs, access->logical);
        } else if (access->needs && resource->lost) {
            tw_graph_cancel(node, resource->lost);
            node->lost_input = node->lost_input || access->logical;
        }
        if (!access->writes) {
            join_readers(access);
            continue;
        }
        while (resource->readers) {
            struct tw_graph_access *reader = resource->readers;
            if (reader->node != node)
                add_edge(reader->node, node, false, access->logical && reader->logical);
            leave_readers(reader);
        }
        resource->writer = node;
    }
}

void tw_graph_read(struct tw_node *node, struct tw_resource *resource)
{
    struct tw_graph_access *access = &node->accesses[node->access_count++];
    *access = (struct tw_graph_access){.resource = resource, .node = node};
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

void tw_graph_wait_for(struct tw_node *node, struct tw_node *before)
{
    add_edge(before, node, false, false);
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

void tw_graph_lose(struct tw_resource *resource, struct tw_cause *failure)
{
    refer(&resource->lost, failure);
}

struct tw_node *tw_graph_finish(struct tw_node *node, struct tw_cause *failure)
{
    node->finished = true;
    for (size_t i = 0; i < node->access_count; ++i) {
        struct tw_graph_access *access = &node->accesses[i];
        struct tw_resource *resource = access->resource;
        leave_readers(access);
        if (resource->writer == node)
            resource->writer = NULL;
        if (access->writes && failure)
            refer(&resource->lost, failure);
        else if (access->writes && !access->needs)
            refer(&resource->lost, NULL);
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
    if (access->resource->writer && access->resource->writer->mark == mark)
        return true;
    if (access->writes)
        for (const struct tw_graph_access *r = access->resource->readers; r; r = r->next)
            if (r->node->mark == mark)
                return true;
    return false;
}
