/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command graph without any device: all pairs of access modes, chosen shapes, and thousands of random sequences
 * against a sequential oracle. Needs the private header graph.h.
 */
#include "tw_test.h"

#include <stdint.h>

#include "graph/graph.h"

#define MAX_NODES 64
#define MAX_RESOURCES 4

static const struct {
    const char *name;
    bool needs, writes;
} modes[] = {
    {"read", true, false},
    {"write", true, true},
    {"read_write", true, true},
    {"discard_write", false, true},
    {"discard_read_write", false, true},
};
#define MODES (sizeof modes / sizeof modes[0])

struct sample {
    struct tw_node node;
    struct tw_graph_access accesses[MAX_RESOURCES];
    struct tw_edge edges[MAX_NODES * MAX_RESOURCES];
};

static void access_to(struct sample *sample, struct tw_resource *resource, size_t mode)
{
    sample->accesses[sample->node.access_count++] = (struct tw_graph_access){
        .resource = resource, .needs = modes[mode].needs, .writes = modes[mode].writes, .logical = true};
    sample->node.accesses = sample->accesses;
}

static void insert(struct sample *sample)
{
    TW_CHECK(tw_graph_edges_needed(sample->accesses, sample->node.access_count)
             <= sizeof sample->edges / sizeof sample->edges[0]);
    tw_graph_insert(&sample->node, sample->edges);
}

static unsigned causes_freed;
static void count_freed(struct tw_cause *cause)
{
    (void)cause;
    ++causes_freed;
}

static const struct tw_cause new_cause = {.references = 1, .free = count_freed};

TW_TEST(pairs_on_one_resource)
{
    for (size_t first = 0; first < MODES; ++first)
        for (size_t second = 0; second < MODES; ++second) {
            struct tw_resource resource = {0};
            struct sample a = {0}, b = {0};
            access_to(&a, &resource, first);
            access_to(&b, &resource, second);
            insert(&a);
            insert(&b);
            const bool conflict = modes[first].writes || modes[second].writes;
            TW_CHECK(a.node.pending == 0);
            TW_CHECK(b.node.pending == (conflict ? 1 : 0));
            if (conflict)
                TW_CHECK(b.edges[0].data == (modes[first].writes && modes[second].needs));
            struct tw_node *ready = tw_graph_finish(&a.node, NULL);
            TW_CHECK(ready == (conflict ? &b.node : NULL));
            TW_CHECK(b.node.pending == 0 && !b.node.cancel_cause);
            TW_CHECK(tw_graph_finish(&b.node, NULL) == NULL);
            TW_CHECK(!resource.writer && !resource.readers);
        }
}

TW_TEST(pairs_on_two_resources_are_independent)
{
    for (size_t first = 0; first < MODES; ++first)
        for (size_t second = 0; second < MODES; ++second) {
            struct tw_resource one = {0}, two = {0};
            struct sample a = {0}, b = {0};
            access_to(&a, &one, first);
            access_to(&b, &two, second);
            insert(&a);
            insert(&b);
            TW_CHECK(a.node.pending == 0 && b.node.pending == 0);
            TW_CHECK(tw_graph_finish(&b.node, NULL) == NULL && tw_graph_finish(&a.node, NULL) == NULL);
        }
}

/* A failed first command: who is cancelled, and who makes the resource whole again. */
TW_TEST(failure_of_the_first_of_a_pair)
{
    for (size_t first = 0; first < MODES; ++first)
        for (size_t second = 0; second < MODES; ++second)
            for (int late = 0; late < 2; ++late) { /* the second is inserted before or after the first fails */
                struct tw_cause cause = new_cause;
                struct tw_resource resource = {0};
                struct sample a = {0}, b = {0};
                access_to(&a, &resource, first);
                access_to(&b, &resource, second);
                insert(&a);
                if (!late)
                    insert(&b);
                (void)tw_graph_finish(&a.node, &cause);
                if (late)
                    insert(&b);
                TW_CHECK(b.node.pending == 0);
                const bool cancelled = modes[first].writes && modes[second].needs;
                TW_CHECK(b.node.cancel_cause == (cancelled ? &cause : NULL));
                (void)tw_graph_finish(&b.node, b.node.cancel_cause);
                const bool lost = modes[first].writes && (cancelled || !modes[second].writes);
                TW_CHECK((resource.lost != NULL) == lost);
                TW_EQUAL(cause.references, 1 + lost);
                tw_resource_end(&resource);
                causes_freed = 0;
                tw_cause_release(&cause);
                TW_EQUAL(causes_freed, 1);
            }
}

TW_TEST(several_edges_to_one_successor_are_one)
{
    struct tw_resource resources[3] = {{0}};
    struct sample a = {0}, b = {0};
    for (int i = 0; i < 3; ++i) {
        access_to(&a, &resources[i], 3);
        access_to(&b, &resources[i], i == 2 ? 0 : 3);
    }
    insert(&a);
    insert(&b);
    TW_CHECK(b.node.pending == 1 && b.node.in_count == 1);
    TW_CHECK(b.edges[0].data); /* through the one that is read */
    TW_CHECK(tw_graph_finish(&a.node, NULL) == &b.node);
    (void)tw_graph_finish(&b.node, NULL);
}

TW_TEST(readers_run_together_and_a_writer_waits_for_all)
{
    static struct sample readers[20], writer;
    struct tw_resource resource = {0};
    memset(readers, 0, sizeof readers);
    memset(&writer, 0, sizeof writer);
    for (int i = 0; i < 20; ++i) {
        access_to(&readers[i], &resource, 0);
        insert(&readers[i]);
        TW_CHECK(readers[i].node.pending == 0);
    }
    access_to(&writer, &resource, 3);
    insert(&writer);
    TW_CHECK(writer.node.pending == 20);
    for (int i = 0; i < 20; ++i) {
        struct tw_node *ready = tw_graph_finish(&readers[(7 * i) % 20].node, NULL);
        TW_CHECK((ready != NULL) == (i == 19));
    }
    (void)tw_graph_finish(&writer.node, NULL);
}

TW_TEST(successors_become_ready_in_order)
{
    static struct sample samples[10];
    struct tw_resource resource = {0};
    memset(samples, 0, sizeof samples);
    for (int i = 0; i < 10; ++i) {
        access_to(&samples[i], &resource, i ? 0 : 3);
        insert(&samples[i]);
    }
    struct tw_node *ready = tw_graph_finish(&samples[0].node, NULL);
    for (int i = 1; i < 10; ++i, ready = ready->next)
        TW_CHECK(ready == &samples[i].node);
    TW_CHECK(ready == NULL);
    for (int i = 1; i < 10; ++i)
        (void)tw_graph_finish(&samples[i].node, NULL);
}

TW_TEST(marking_dependants)
{
    struct tw_resource one = {0}, two = {0};
    struct sample a = {0}, b = {0}, c = {0}, other = {0};
    access_to(&a, &one, 1);
    access_to(&b, &one, 0);
    access_to(&b, &two, 1);
    access_to(&c, &two, 0);
    access_to(&other, &one, 0);
    insert(&a);
    insert(&b);
    insert(&c);
    tw_graph_mark_dependants(&b.node, 7);
    TW_CHECK(a.node.mark != 7 && b.node.mark == 7 && c.node.mark == 7);
    const struct tw_graph_access read_two = {.resource = &two}, write_one = {.resource = &one, .writes = true},
                                 read_one = {.resource = &one};
    TW_CHECK(tw_graph_would_wait_for(&read_two, 7));  /* its writer is b */
    TW_CHECK(tw_graph_would_wait_for(&write_one, 7)); /* b reads it */
    TW_CHECK(!tw_graph_would_wait_for(&read_one, 7));
    (void)tw_graph_finish(&a.node, NULL);
    (void)tw_graph_finish(&b.node, NULL);
    (void)tw_graph_finish(&c.node, NULL);
}

/* Two nodes of an domain, and one of none: who is ready when the first is issued, and when it is finished. */
TW_TEST(issued_nodes_let_those_of_their_engine_pass)
{
    int domain, other;
    for (int late = 0; late < 2; ++late) { /* the second is inserted before or after the first is issued */
        struct tw_resource resource = {0};
        struct tw_cause cause = new_cause;
        struct sample a = {.node.domain = &domain}, b = {.node.domain = &domain}, c = {.node.domain = &other},
                      d = {.node.domain = NULL};
        access_to(&a, &resource, 1);
        access_to(&b, &resource, 0);
        access_to(&c, &resource, 0);
        access_to(&d, &resource, 0);
        insert(&a);
        if (!late) {
            insert(&b);
            insert(&c);
            insert(&d);
            TW_CHECK(b.node.pending == 1);
            TW_CHECK(tw_graph_before(&b.node) == &a.node);
        }
        TW_CHECK(tw_graph_issue(&a.node) == (late ? NULL : &b.node));
        if (late) {
            insert(&b);
            insert(&c);
            insert(&d);
        }
        TW_CHECK(b.node.pending == 0 && c.node.pending == 1 && d.node.pending == 1);
        TW_CHECK(tw_graph_before(&b.node) == &a.node && tw_graph_before(&d.node) == &a.node);
        TW_CHECK(tw_graph_issue(&b.node) == NULL);
        struct tw_node *ready = tw_graph_finish(&a.node, late ? &cause : NULL);
        TW_CHECK(ready == &c.node && ready->next == &d.node && !d.node.next); /* b was ready before */
        TW_CHECK((b.node.cancel_cause != NULL) == late && (d.node.cancel_cause != NULL) == late);
        TW_CHECK(!tw_graph_before(&b.node) && !tw_graph_before(&c.node));
        TW_CHECK(!tw_graph_finish(&b.node, b.node.cancel_cause) && !tw_graph_finish(&c.node, c.node.cancel_cause)
                 && !tw_graph_finish(&d.node, d.node.cancel_cause));
        TW_CHECK(!resource.writer && !resource.readers);
        TW_EQUAL(cause.references, 1 + late); /* the resource stays lost */
    }
}

/* A node that has failed is taken back: it waits for another one, whose failure does not cancel it, is a reader that
   writers wait for, and its dependants wait on. */
TW_TEST(a_failed_node_is_taken_back)
{
    int domain;
    struct tw_resource one = {0}, two = {0};
    struct tw_cause cause = new_cause, other_cause = new_cause;
    struct tw_edge edges[2];
    struct sample before = {0}, failed = {.node.domain = &domain}, behind = {0}, writer = {0}, other = {0};
    access_to(&before, &one, 1);
    access_to(&failed, &one, 2);
    access_to(&behind, &one, 0);
    access_to(&other, &two, 1);
    access_to(&writer, &two, 1);
    insert(&before);
    insert(&failed);
    insert(&behind);
    insert(&other);
    TW_CHECK(tw_graph_finish(&before.node, &cause) == &failed.node && failed.node.cancel_cause == &cause);
    tw_graph_reinsert(&failed.node, edges);
    TW_CHECK(!failed.node.cancel_cause && !failed.node.domain && failed.node.pending == 0);
    tw_graph_wait_for(&failed.node, &other.node);
    tw_graph_read(&failed.node, &two, NULL);
    TW_CHECK(failed.node.pending == 1 && tw_graph_before(&failed.node) == &other.node && behind.node.pending == 1);
    insert(&writer);
    TW_CHECK(writer.node.pending == 2);
    TW_CHECK(tw_graph_finish(&other.node, &other_cause) == &failed.node && !failed.node.cancel_cause);
    struct tw_node *ready = tw_graph_finish(&failed.node, NULL);
    TW_CHECK(ready == &behind.node && ready->next == &writer.node && !behind.node.cancel_cause);
    (void)tw_graph_finish(&behind.node, NULL);
    (void)tw_graph_finish(&writer.node, NULL);
    TW_CHECK(!one.writer && !one.readers && !two.writer && !two.readers);
    tw_resource_end(&one);
    tw_resource_end(&two);
    TW_CHECK(cause.references == 1 && other_cause.references == 1);
}

/* Two ways from one node to another, and a long line behind: each is marked, and no list is left behind. */
TW_TEST(marking_what_is_reached_in_two_ways)
{
    enum { LINE = 40 };
    static struct sample first, two[2], line[LINE];
    struct tw_resource resources[2] = {{0}};
    access_to(&first, &resources[0], 3);
    insert(&first);
    for (size_t i = 0; i < 2; ++i) {
        access_to(&two[i], &resources[0], 0);
        insert(&two[i]);
    }
    for (size_t i = 0; i < LINE; ++i) {
        access_to(&line[i], &resources[i ? 1 : 0], 2);
        if (!i)
            access_to(&line[i], &resources[1], 2);
        insert(&line[i]);
    }
    tw_graph_mark_dependants(&two[1].node, 1);
    TW_CHECK(first.node.mark == 0 && two[0].node.mark == 0 && two[1].node.mark == 1);
    tw_graph_mark_dependants(&two[0].node, 1); /* one mark for both */
    tw_graph_mark_dependants(&first.node, 2);
    TW_CHECK(first.node.mark == 2 && two[0].node.mark == 2 && two[1].node.mark == 2);
    for (size_t i = 0; i < LINE; ++i)
        TW_CHECK(line[i].node.mark == 2 && !line[i].node.next);
}

/* ---- random sequences -------------------------------------------------------------------------------------------- */

static uint64_t state;

static unsigned pick(size_t n)
{
    return tw_test_random(&state, (unsigned)n);
}

struct scenario {
    struct tw_resource resources[MAX_RESOURCES];
    struct sample samples[MAX_NODES];
    size_t mode[MAX_NODES][MAX_RESOURCES]; /* MODES: no access */
    bool fails[MAX_NODES], cancelled[MAX_NODES];
    struct tw_cause causes[MAX_NODES]; /* of those that failed by themselves */
    const void *domains[2];
    size_t nodes, inserted, finished, failures;
};

/* Chooses accesses and failures, and computes in program order who is cancelled: whoever needs a resource whose last
   writer failed or was cancelled itself. */
static void invent(struct scenario *s)
{
    bool lost[MAX_RESOURCES] = {false};
    memset(s, 0, sizeof *s);
    s->nodes = 1 + pick(MAX_NODES);
    for (size_t i = 0; i < s->nodes; ++i) {
        s->fails[i] = pick(10) == 0;
        s->samples[i].node.domain = pick(3) ? &s->domains[pick(4) == 0] : NULL;
        for (size_t r = 0; r < MAX_RESOURCES; ++r) {
            s->mode[i][r] = pick(2) ? MODES : pick(MODES);
            if (s->mode[i][r] == MODES)
                continue;
            access_to(&s->samples[i], &s->resources[r], s->mode[i][r]);
            s->cancelled[i] = s->cancelled[i] || (modes[s->mode[i][r]].needs && lost[r]);
        }
        for (size_t r = 0; r < MAX_RESOURCES; ++r) {
            if (s->mode[i][r] == MODES || !modes[s->mode[i][r]].writes)
                continue;
            if (s->cancelled[i] || s->fails[i])
                lost[r] = true;
            else if (!modes[s->mode[i][r]].needs)
                lost[r] = false;
        }
    }
}

static bool conflict(const struct scenario *s, size_t a, size_t b)
{
    for (size_t r = 0; r < MAX_RESOURCES; ++r)
        if (s->mode[a][r] != MODES && s->mode[b][r] != MODES
            && (modes[s->mode[a][r]].writes || modes[s->mode[b][r]].writes))
            return true;
    return false;
}

/* Whether no earlier unfinished node conflicts with a node. */
static bool may_finish(const struct scenario *s, size_t i)
{
    for (size_t earlier = 0; earlier < i; ++earlier)
        if (!s->samples[earlier].node.finished && conflict(s, earlier, i))
            return false;
    return true;
}

/* The same, but those that are issued do not count for nodes of their domain. */
static bool should_be_ready(const struct scenario *s, size_t i)
{
    const void *domain = s->samples[i].node.domain;
    for (size_t earlier = 0; earlier < i; ++earlier) {
        const struct tw_node *node = &s->samples[earlier].node;
        if (!node->finished && conflict(s, earlier, i) && (!domain || node->domain != domain || !node->issued))
            return false;
    }
    return true;
}

/* Counts who knows a cause: cancelled nodes and lost resources. */
static size_t references_to(const struct scenario *s, const struct tw_cause *cause)
{
    size_t count = 0;
    for (size_t i = 0; i < s->inserted; ++i)
        count += s->samples[i].node.cancel_cause == cause;
    for (size_t r = 0; r < MAX_RESOURCES; ++r)
        count += s->resources[r].lost == cause;
    return count;
}

static void check_all(const struct scenario *s)
{
    for (size_t i = 0; i < s->inserted; ++i)
        TW_EQUAL(s->causes[i].references, references_to(s, &s->causes[i]));
    for (size_t i = 0; i < s->inserted; ++i)
        if (!s->samples[i].node.finished)
            TW_CHECK((s->samples[i].node.pending == 0) == should_be_ready(s, i));
}

/* Issues one of the ready nodes of an domain that are not cancelled, if there is one: its result lists what becomes
   ready. */
static void issue_one(struct scenario *s)
{
    bool was_ready[MAX_NODES];
    const size_t start = pick((unsigned)s->inserted);
    for (size_t k = 0; k < s->inserted; ++k) {
        const size_t i = (start + k) % s->inserted;
        struct tw_node *node = &s->samples[i].node;
        if (node->finished || node->issued || node->pending || !node->domain || node->cancel_cause)
            continue;
        for (size_t n = 0; n < s->inserted; ++n)
            was_ready[n] = s->samples[n].node.pending == 0;
        const struct tw_node *ready = tw_graph_issue(node);
        for (size_t n = 0; n < s->inserted; ++n)
            if (!s->samples[n].node.pending && !was_ready[n]) {
                TW_CHECK(ready == &s->samples[n].node);
                ready = ready->next;
            }
        TW_CHECK(!ready);
        return;
    }
}

/* Finishes one of the ready nodes, if there is one. */
static void finish_one(struct scenario *s)
{
    const size_t start = pick((unsigned)s->inserted);
    for (size_t k = 0; k < s->inserted; ++k) {
        const size_t i = (start + k) % s->inserted;
        struct tw_node *node = &s->samples[i].node;
        TW_CHECK((tw_graph_before(node) == NULL) == may_finish(s, i) || node->finished);
        if (node->finished || !may_finish(s, i))
            continue;
        TW_CHECK(node->pending == 0);
        TW_CHECK((node->cancel_cause != NULL) == s->cancelled[i]);
        const size_t before = s->finished++;
        if (s->cancelled[i]) {
            (void)tw_graph_finish(node, node->cancel_cause);
        } else if (s->fails[i]) {
            s->causes[i] = new_cause;
            (void)tw_graph_finish(node, &s->causes[i]);
            tw_cause_release(&s->causes[i]);
            ++s->failures;
        } else {
            (void)tw_graph_finish(node, NULL);
        }
        TW_CHECK(s->finished == before + 1);
        return;
    }
    TW_CHECK(!"no node is ready though some are unfinished");
}

/* Edges that the program asks for: they are shown, and cancel if that is wanted. */
TW_TEST(nodes_depend_on_others_without_an_access)
{
    for (int cancels = 0; cancels < 2; ++cancels)
        for (int issues = 0; issues < 2; ++issues) {
            struct tw_cause cause = new_cause;
            struct sample a = {0}, b = {0};
            a.node.domain = b.node.domain = issues ? &cause : NULL;
            causes_freed = 0;
            insert(&a);
            if (issues)
                TW_CHECK(tw_graph_issue(&a.node) == NULL);
            insert(&b);
            tw_graph_depend(&b.node, &a.node, cancels);
            tw_graph_depend(&b.node, &a.node, false); /* merges */
            TW_CHECK(b.node.in_count == 1 && b.edges[0].logical && b.edges[0].data == cancels);
            TW_CHECK(b.node.pending == (issues ? 0 : 1) && tw_graph_before(&b.node) == &a.node);
            TW_CHECK(tw_graph_finish(&a.node, &cause) == (issues ? NULL : &b.node));
            TW_CHECK(b.node.cancel_cause == (cancels ? &cause : NULL) && b.node.lost_input == cancels);
            TW_CHECK(tw_graph_finish(&b.node, b.node.cancel_cause) == NULL);
            tw_cause_release(&cause);
            TW_EQUAL(causes_freed, 1);
        }
}

TW_TEST(random_sequences_against_the_oracle)
{
    static struct scenario s;
    for (uint64_t seed = 1; seed <= 4000; ++seed) {
        state = seed * 0x9e3779b97f4a7c15u;
        invent(&s);
        causes_freed = 0;
        while (s.finished < s.nodes) {
            if (s.inserted < s.nodes && (s.inserted == s.finished || pick(3)))
                insert(&s.samples[s.inserted++]);
            else if (pick(2))
                issue_one(&s);
            else
                finish_one(&s);
            check_all(&s);
        }
        for (size_t r = 0; r < MAX_RESOURCES; ++r) {
            TW_CHECK(!s.resources[r].writer && !s.resources[r].readers);
            tw_resource_end(&s.resources[r]);
        }
        TW_EQUAL(causes_freed, s.failures);
    }
}

TW_TEST_LIST = {
    TW_CASE(pairs_on_one_resource),
    TW_CASE(pairs_on_two_resources_are_independent),
    TW_CASE(failure_of_the_first_of_a_pair),
    TW_CASE(several_edges_to_one_successor_are_one),
    TW_CASE(readers_run_together_and_a_writer_waits_for_all),
    TW_CASE(successors_become_ready_in_order),
    TW_CASE(marking_dependants),
    TW_CASE(a_failed_node_is_taken_back),
    TW_CASE(marking_what_is_reached_in_two_ways),
    TW_CASE(issued_nodes_let_those_of_their_engine_pass),
    TW_CASE(nodes_depend_on_others_without_an_access),
    TW_CASE(random_sequences_against_the_oracle),
    TW_CASES_END,
};
