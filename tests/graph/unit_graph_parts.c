/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command graph with accesses to parts, without any device: random sequences of boxes in one to three dimensions
 * against an oracle that looks at each element by itself. Needs the private header graph.h.
 *
 * A sequence inserts, issues and finishes nodes in any order that is allowed. Nodes fail, are cancelled by others, have
 * written nothing, depend on each other without an access, or are taken back when they have failed. The oracle knows of
 * each node which elements it needs and writes. A node has to wait for each earlier one with which it has an element in
 * common that one of them writes, and for no other.
 */
#include "tw_test.h"

#include <stdint.h>

#include "graph/graph.h"

enum { MAX_NODES = 40, RESOURCES = 3, MAX_ACCESSES = 6, MAX_EXTRA = 3, MAX_EDGES = 400, SEEDS = 6000, ELEMENTS = 60 };

typedef uint64_t elements; /* a set of elements of one resource */
typedef uint64_t node_set;

struct sample {
    struct tw_node node;
    struct tw_graph_access accesses[MAX_ACCESSES + 1];
    struct tw_box_node parts[MAX_ACCESSES + 1];
    struct tw_edge edges[MAX_EDGES], new_edges[MAX_EXTRA];
    /* the oracle's: what it uses. `read_late` counts for nodes from `late` on */
    elements needs[RESOURCES], writes[RESOURCES], uses[RESOURCES], read_late[RESOURCES];
    size_t late;
    node_set depends, cancelled_by; /* on other nodes, without an access */
    bool fails, reinserted, cancelled_alone;
    struct tw_cause cause;         /* if it fails by itself */
    const struct tw_cause *failed; /* how it ended; NULL: well */
};

static struct scenario {
    struct tw_resource resources[RESOURCES];
    struct tw_box whole[RESOURCES];
    struct sample samples[MAX_NODES];
    const void *domains[2];
    size_t nodes, inserted, finished, failures;
    struct tw_cause outside; /* of nodes that are cancelled by themselves */
} s;

static uint64_t state;

static unsigned pick(size_t n)
{
    return tw_test_random(&state, (unsigned)n);
}

static unsigned causes_freed;
static void count_freed(struct tw_cause *cause)
{
    (void)cause;
    ++causes_freed;
}

static node_set one(size_t i)
{
    return (node_set)1 << i;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static elements elements_of(const struct tw_box *box, const struct tw_box *whole)
{
    elements all = 0;
    for (size_t i = box->begin[0]; i < box->end[0]; ++i)
        for (size_t k = box->begin[1]; k < box->end[1]; ++k)
            for (size_t l = box->begin[2]; l < box->end[2]; ++l)
                all |= (elements)1 << ((i * whole->end[1] + k) * whole->end[2] + l);
    return all;
}

static struct tw_box random_box(const struct tw_box *whole)
{
    struct tw_box box = *whole;
    for (unsigned d = 0; d < 3; ++d) {
        if (pick(4) == 0)
            continue;
        box.begin[d] = pick(whole->end[d]);
        box.end[d] = box.begin[d] + 1 + pick(whole->end[d] - box.begin[d]);
    }
    return box;
}

static struct tw_box box_of_element(size_t e, const struct tw_box *whole)
{
    const size_t at[3] = {e / whole->end[2] / whole->end[1], e / whole->end[2] % whole->end[1], e % whole->end[2]};
    return (struct tw_box){{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
}

static struct tw_box random_whole(unsigned dims)
{
    return tw_box_of_range(dims == 1   ? tw_range_1d(1 + pick(ELEMENTS))
                           : dims == 2 ? tw_range_2d(1 + pick(8), 1 + pick(7))
                                       : tw_range_3d(1 + pick(4), 1 + pick(3), 1 + pick(5)));
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

/* Returns true if a node has to wait for another one that was inserted before it, because of an access. */
static bool conflict(size_t earlier, size_t later)
{
    const struct sample *a = &s.samples[earlier], *b = &s.samples[later];
    for (size_t r = 0; r < RESOURCES; ++r) {
        const elements used = a->uses[r] | (later >= a->late ? a->read_late[r] : 0);
        if ((a->writes[r] & b->uses[r]) | (used & b->writes[r]))
            return true;
    }
    return false;
}

/* Returns the unfinished nodes that a node has to wait for. */
static node_set waits_for(size_t i)
{
    node_set all = s.samples[i].depends;
    for (size_t k = 0; k < i; ++k)
        all |= conflict(k, i) ? one(k) : 0;
    for (size_t k = 0; k < s.inserted; ++k)
        all &= s.samples[k].node.finished ? ~one(k) : ~(node_set)0;
    return all;
}

/* Returns true if all of these are issued to the domain of a node. */
static bool are_issued(node_set nodes, const void *domain)
{
    for (size_t k = 0; k < s.inserted; ++k)
        if ((nodes & one(k)) && (!domain || s.samples[k].node.domain != domain || !s.samples[k].node.issued))
            return false;
    return true;
}

/* Returns the node and those that wait for it, directly or not. */
static node_set dependants_of(size_t node)
{
    node_set all = one(node);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < s.inserted; ++i)
            if (!(all & one(i)) && !s.samples[i].node.finished && (waits_for(i) & all)) {
                all |= one(i);
                more = true;
            }
    }
    return all;
}

/* Why an element is lost for nodes from number `past` on, if all before it are finished; NULL: it is not. */
static const struct tw_cause *loss_of(size_t resource, size_t element, size_t past)
{
    while (past-- > 0)
        if (s.samples[past].writes[resource] >> element & 1)
            return s.samples[past].failed;
    return NULL;
}

/* Returns true if the failure of another node, or contents that are lost, are a reason to cancel a node with this cause.
   NULL: with any. `logical`: contents of the last resource, a mere copy of others, do not count. */
static bool has_reason(size_t i, const struct tw_cause *cause, bool logical)
{
    const struct sample *sample = &s.samples[i];
    for (size_t k = 0; k < s.inserted; ++k)
        if ((sample->cancelled_by & one(k)) && s.samples[k].failed && (!cause || s.samples[k].failed == cause))
            return true;
    for (size_t r = 0; r < (logical ? RESOURCES - 1 : RESOURCES); ++r)
        for (size_t e = 0; e < ELEMENTS; ++e) {
            const struct tw_cause *lost = sample->needs[r] >> e & 1 ? loss_of(r, e, i) : NULL;
            if (lost && (!cause || lost == cause))
                return true;
        }
    return false;
}

static void check_cancellation(size_t i)
{
    const struct sample *sample = &s.samples[i];
    const struct tw_cause *cause = sample->node.cancel_cause;
    const bool alone = sample->cancelled_alone;
    if (sample->reinserted) { /* not for what was so before */
        TW_CHECK(cause == (alone ? &s.outside : NULL));
        return;
    }
    TW_EQUAL(cause != NULL, alone || has_reason(i, NULL, false));
    TW_CHECK(!cause || (alone && cause == &s.outside) || has_reason(i, cause, false));
    if (has_reason(i, NULL, true))
        TW_CHECK(sample->node.lost_input);
    else if (!has_reason(i, NULL, false))
        TW_CHECK(!sample->node.lost_input);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Counts who knows a cause: cancelled nodes, lost resources and lost parts. */
static size_t references_to(const struct tw_cause *cause)
{
    size_t count = 0;
    for (size_t i = 0; i < s.inserted; ++i)
        count += s.samples[i].node.cancel_cause == cause;
    for (size_t r = 0; r < RESOURCES; ++r) {
        count += s.resources[r].lost == cause;
        for (const struct tw_lost_part *lost = s.resources[r].lost_parts; lost; lost = lost->next)
            count += lost->cause == cause;
    }
    return count;
}

static void check_element(size_t r, size_t e)
{
    const struct tw_box box = box_of_element(e, &s.whole[r]);
    struct tw_box_node part = tw_box_node(&box, &s.whole[r]);
    bool is_written = false;
    for (size_t i = 0; i < s.inserted; ++i)
        is_written = is_written || (!s.samples[i].node.finished && (s.samples[i].writes[r] >> e & 1));
    TW_CHECK(tw_graph_lost(&s.resources[r], &part) == (is_written ? NULL : loss_of(r, e, s.inserted)));
    TW_CHECK((tw_graph_writer(&s.resources[r], &part) != NULL) == is_written);
}

static node_set visited;
static void visit(struct tw_node *reader, void *user)
{
    TW_CHECK(user == &s);
    visited |= one((size_t)((struct sample *)(void *)reader - s.samples));
}

/* All readers of a box are found, but those that a later writer waits for in all that they read may be left out. */
static void check_readers(size_t r, const struct tw_box *box)
{
    const elements wanted = elements_of(box, &s.whole[r]);
    struct tw_box_node part = tw_box_node(box, &s.whole[r]);
    elements written = 0;
    visited = 0;
    tw_graph_visit_readers(&s.resources[r], &part, visit, &s);
    for (size_t i = s.inserted; i-- > 0;) {
        const struct sample *sample = &s.samples[i];
        const elements reads = (sample->uses[r] & ~sample->writes[r]) | sample->read_late[r];
        if (sample->node.finished || !(reads & wanted))
            TW_CHECK(!(visited & one(i)));
        else if (reads & wanted & ~sample->read_late[r] & ~written)
            TW_CHECK(visited & one(i));
        written |= sample->writes[r];
    }
}

static void check_all(void)
{
    for (size_t i = 0; i < s.inserted; ++i)
        TW_EQUAL(s.samples[i].cause.references, references_to(&s.samples[i].cause));
    TW_EQUAL(s.outside.references, 1 + references_to(&s.outside));
    for (size_t i = 0; i < s.inserted; ++i) {
        const struct tw_node *node = &s.samples[i].node;
        if (node->finished)
            continue;
        const node_set before = waits_for(i);
        TW_CHECK((node->pending == 0) == are_issued(before, node->domain));
        TW_CHECK((tw_graph_before(node) == NULL) == (before == 0));
    }
    const size_t r = pick(RESOURCES);
    const struct tw_box box = random_box(&s.whole[r]);
    check_element(r, pick(tw_box_count(&s.whole[r])));
    check_readers(r, &box);
}

/* Marks what waits for a node, and asks who else would. */
static void check_dependants(void)
{
    const size_t first = pick(s.inserted);
    struct tw_node *node = &s.samples[first].node;
    if (node->finished || node->issued)
        return;
    const unsigned long mark = tw_graph_new_mark();
    const node_set all = dependants_of(first);
    tw_graph_mark_dependants(node, mark);
    for (size_t i = 0; i < s.inserted; ++i)
        TW_EQUAL(s.samples[i].node.mark == mark, (all & one(i)) != 0);
    const size_t r = pick(RESOURCES);
    const struct tw_box box = random_box(&s.whole[r]);
    struct tw_box_node part = tw_box_node(&box, &s.whole[r]);
    const struct tw_graph_access access = {
        .resource = &s.resources[r], .part = pick(4) ? &part : NULL, .writes = pick(2)};
    const elements wanted = elements_of(access.part ? &box : &s.whole[r], &s.whole[r]);
    bool would_wait = false;
    for (size_t i = 0; i < s.inserted; ++i)
        if (all & one(i)) {
            const struct sample *sample = &s.samples[i];
            const elements used = sample->writes[r] | (access.writes ? sample->uses[r] | sample->read_late[r] : 0);
            would_wait = would_wait || (used & wanted);
        }
    TW_EQUAL(tw_graph_would_wait_for(&access, mark), would_wait);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Accesses of one node do not overlap. */
static void add_access(struct sample *sample, size_t r)
{
    const struct tw_box *whole = &s.whole[r];
    const struct tw_box box = pick(5) ? random_box(whole) : *whole;
    const elements set = elements_of(&box, whole);
    struct tw_graph_access *access = &sample->accesses[sample->node.access_count];
    if (sample->uses[r] & set)
        return;
    *access = (struct tw_graph_access){.resource = &s.resources[r], .needs = pick(3), .logical = r < RESOURCES - 1};
    access->writes = !access->needs || pick(2);
    if (!tw_box_covers(&box, whole)) {
        access->part = &sample->parts[sample->node.access_count];
        *access->part = tw_box_node(&box, whole);
    }
    sample->needs[r] |= access->needs ? set : 0;
    sample->writes[r] |= access->writes ? set : 0;
    sample->uses[r] |= set;
    ++sample->node.access_count;
}

static void insert_one(void)
{
    const size_t i = s.inserted;
    struct sample *sample = &s.samples[i];
    const unsigned accesses = 1 + pick(MAX_ACCESSES);
    sample->fails = pick(10) == 0;
    sample->node.domain = pick(3) ? &s.domains[pick(4) == 0] : NULL;
    sample->node.accesses = sample->accesses;
    sample->late = SIZE_MAX;
    for (unsigned k = 0; k < accesses; ++k)
        add_access(sample, pick(RESOURCES));
    const size_t needed = tw_graph_edges_needed(sample->accesses, sample->node.access_count);
    TW_CHECK(needed + MAX_EXTRA <= MAX_EDGES);
    tw_graph_insert(&sample->node, sample->edges);
    TW_CHECK(sample->node.in_count <= needed);
    ++s.inserted;
    for (unsigned k = 0; i && k < MAX_EXTRA && pick(3) == 0; ++k) {
        const size_t before = pick(i);
        const bool cancels = pick(2);
        if (s.samples[before].node.finished)
            continue;
        tw_graph_depend(&sample->node, &s.samples[before].node, cancels);
        sample->depends |= one(before);
        sample->cancelled_by |= cancels ? one(before) : 0;
    }
}

/* Issues one of the ready nodes of a domain that are not cancelled, if there is one: its result lists what becomes
   ready. */
static void issue_one(void)
{
    node_set was_ready = 0;
    const size_t start = pick(s.inserted);
    for (size_t k = 0; k < s.inserted; ++k) {
        struct tw_node *node = &s.samples[(start + k) % s.inserted].node;
        if (node->finished || node->issued || node->pending || !node->domain || node->cancel_cause)
            continue;
        for (size_t n = 0; n < s.inserted; ++n)
            was_ready |= s.samples[n].node.pending ? 0 : one(n);
        const struct tw_node *ready = tw_graph_issue(node);
        size_t became = 0, listed = 0;
        for (size_t n = 0; n < s.inserted; ++n)
            became += !s.samples[n].node.pending && !(was_ready & one(n));
        for (; ready; ready = ready->next, ++listed)
            TW_CHECK(!ready->pending
                     && !(was_ready & one((size_t)((const struct sample *)(const void *)ready - s.samples))));
        TW_EQUAL(listed, became);
        return;
    }
}

/* Makes a node that was taken back a reader of a box, if all who write there wait for it. */
static void read_late(size_t i, node_set dependants)
{
    struct sample *sample = &s.samples[i];
    const size_t r = pick(RESOURCES);
    const struct tw_box box = random_box(&s.whole[r]);
    const elements set = elements_of(&box, &s.whole[r]);
    if ((sample->uses[r] & set) || sample->node.access_count > MAX_ACCESSES)
        return;
    for (size_t k = 0; k < s.inserted; ++k)
        if (!s.samples[k].node.finished && (s.samples[k].writes[r] & set) && !(dependants & one(k)))
            return;
    struct tw_box_node *part = &sample->parts[MAX_ACCESSES];
    *part = tw_box_node(&box, &s.whole[r]);
    tw_graph_read(&sample->node, &s.resources[r], tw_box_covers(&box, &s.whole[r]) ? NULL : part);
    sample->read_late[r] = set;
    sample->late = s.inserted;
}

/* Takes a node back that fails or is cancelled, unless others have passed it, or it would change what is lost. Returns
   false if it cannot be. */
static bool reinsert(size_t i)
{
    struct sample *sample = &s.samples[i];
    for (size_t r = 0; sample->node.cancel_cause && r < RESOURCES; ++r)
        if (sample->needs[r] & sample->writes[r])
            return false;
    for (const struct tw_edge *edge = sample->node.out; edge; edge = edge->next)
        if (edge->passed)
            return false;
    const node_set dependants = dependants_of(i);
    sample->reinserted = true;
    sample->cancelled_alone = false;
    sample->fails = pick(3) == 0;
    tw_graph_reinsert(&sample->node, sample->new_edges);
    TW_CHECK(!sample->node.domain && !sample->node.issued && sample->node.pending == 0);
    for (unsigned k = 0; k < MAX_EXTRA && pick(2); ++k) {
        const size_t other = pick(s.inserted);
        if ((dependants & one(other)) || s.samples[other].node.finished)
            continue;
        tw_graph_wait_for(&sample->node, &s.samples[other].node);
        sample->depends |= one(other);
    }
    if (pick(2))
        read_late(i, dependants);
    return true;
}

/* Ends a node whose predecessors are finished. */
static void end(size_t i)
{
    struct sample *sample = &s.samples[i];
    struct tw_node *node = &sample->node;
    const struct tw_cause *cause = node->cancel_cause;
    TW_CHECK(node->pending == 0);
    check_cancellation(i);
    if ((cause || sample->fails) && !sample->reinserted && pick(2) && reinsert(i))
        return;
    if ((cause || sample->fails) && !node->out && pick(4) == 0) {
        tw_graph_wrote_nothing(node);
        memset(sample->writes, 0, sizeof sample->writes);
    }
    ++s.finished;
    sample->failed = cause;
    if (cause) {
        (void)tw_graph_finish(node, node->cancel_cause);
    } else if (sample->fails) {
        sample->failed = &sample->cause;
        sample->cause = (struct tw_cause){.references = 1, .free = count_freed};
        (void)tw_graph_finish(node, &sample->cause);
        tw_cause_release(&sample->cause);
        ++s.failures;
    } else {
        (void)tw_graph_finish(node, NULL);
    }
}

/* Finishes one of the nodes that may be, if there are any; there are, unless none is unfinished. */
static void finish_one(void)
{
    const size_t start = pick(s.inserted);
    for (size_t k = 0; k < s.inserted; ++k) {
        const size_t i = (start + k) % s.inserted;
        if (s.samples[i].node.finished || waits_for(i))
            continue;
        end(i);
        return;
    }
    TW_CHECK(s.finished == s.inserted);
}

static void cancel_one(void)
{
    struct sample *sample = &s.samples[pick(s.inserted)];
    if (sample->node.finished || sample->node.cancel_cause)
        return;
    tw_graph_cancel(&sample->node, &s.outside);
    sample->cancelled_alone = true;
}

static void begin(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u;
    memset(&s, 0, sizeof s);
    s.nodes = 1 + pick(MAX_NODES);
    s.outside = (struct tw_cause){.references = 1, .free = count_freed};
    for (size_t r = 0; r < RESOURCES; ++r) {
        s.whole[r] = random_whole(1 + pick(3));
        s.resources[r].whole = &s.whole[r];
    }
    causes_freed = 0;
}

TW_TEST(random_sequences_of_parts_against_the_oracle)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        begin(seed);
        while (s.finished < s.nodes) {
            if (s.inserted < s.nodes && (s.inserted == s.finished || pick(3)))
                insert_one();
            else if (pick(2))
                issue_one();
            else if (pick(12) == 0)
                cancel_one();
            else
                finish_one();
            check_all();
            check_dependants();
        }
        for (size_t r = 0; r < RESOURCES; ++r) {
            for (size_t e = 0; e < tw_box_count(&s.whole[r]); ++e)
                check_element(r, e);
            TW_CHECK(!s.resources[r].writer && !s.resources[r].readers && !s.resources[r].part_writers
                     && !s.resources[r].part_readers);
            tw_resource_end(&s.resources[r]);
            TW_CHECK(!s.resources[r].lost && !s.resources[r].lost_parts);
        }
        TW_EQUAL(causes_freed, s.failures);
        TW_EQUAL(s.outside.references, 1);
    }
}

/* Steps of a stencil in parts, each with the edges of its neighbours, from one resource to another and back. Nothing is
   finished meanwhile: each node has edges from the step before alone, and the trees do not grow. */
TW_TEST(parts_that_are_read_with_their_edges_wait_for_few_others)
{
    enum { PARTS = 12, SIZE = 5, STEPS = 30, MOST_EDGES = 6 };
    static struct {
        struct tw_node node;
        struct tw_graph_access accesses[2];
        struct tw_box_node parts[2];
        struct tw_edge edges[2 * MOST_EDGES];
    } nodes[STEPS][PARTS];
    const struct tw_box whole = tw_box_of_range(tw_range_2d(PARTS * SIZE + 2, 3));
    struct tw_resource resources[2] = {{.whole = &whole}, {.whole = &whole}};
    for (size_t step = 0; step < STEPS; ++step)
        for (size_t i = 0; i < PARTS; ++i) {
            const size_t part = step % 3 ? i : PARTS - 1 - i; /* the order makes no difference */
            struct tw_node *node = &nodes[step][part].node;
            struct tw_graph_access *accesses = node->accesses = nodes[step][part].accesses;
            struct tw_box_node *parts = nodes[step][part].parts;
            const struct tw_box read = tw_box_of_part(tw_id_2d(part * SIZE, 0), tw_range_2d(SIZE + 2, 3));
            const struct tw_box written = tw_box_of_part(tw_id_2d(part * SIZE + 1, 0), tw_range_2d(SIZE, 3));
            parts[0] = tw_box_node(&read, &whole);
            parts[1] = tw_box_node(&written, &whole);
            accesses[0] = (struct tw_graph_access){.resource = &resources[step % 2], .part = &parts[0], .needs = true};
            accesses[1] =
                (struct tw_graph_access){.resource = &resources[1 - step % 2], .part = &parts[1], .writes = true};
            node->access_count = 2;
            TW_CHECK(tw_graph_edges_needed(accesses, 2) <= 2 * MOST_EDGES);
            tw_graph_insert(node, nodes[step][part].edges);
            TW_CHECK(node->in_count <= MOST_EDGES && (node->pending == 0) == (step == 0));
        }
    for (size_t step = 0; step < STEPS; ++step)
        for (size_t part = 0; part < PARTS; ++part) {
            TW_EQUAL(nodes[step][part].node.pending, 0);
            (void)tw_graph_finish(&nodes[step][part].node, NULL);
        }
    for (size_t r = 0; r < 2; ++r)
        TW_CHECK(!resources[r].part_readers && !resources[r].part_writers);
}

TW_TEST_LIST = {TW_CASE(random_sequences_of_parts_against_the_oracle),
                TW_CASE(parts_that_are_read_with_their_edges_wait_for_few_others), TW_CASES_END};
