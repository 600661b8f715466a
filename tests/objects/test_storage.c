/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** storage.h: where the contents of buffers and images begin and end (properties 4 and 5), what storage objects are
 *  told and when, and the library's own storage object. */
#include "gated_kernel.h"

#include <teamwork/image.h>
#include <teamwork/storage.h>

enum { N = 1000 };

/* ---- a storage that writes down what it is told ------------------------------------------------------------------ */

struct told {
    pthread_mutex_t mutex;
    char text[64]; /* a letter for each: in use, Completed, Destroy, Final, finished: i c d f e */
    size_t count;
    tw_status status;
    sem_t completed, ended;
    bool wait_in_destroy;
    int *host, *final;
    const int *initial;
};

static void note(struct told *told, char letter)
{
    pthread_mutex_lock(&told->mutex);
    if (told->count + 1 < sizeof told->text)
        told->text[told->count++] = letter;
    pthread_mutex_unlock(&told->mutex);
}

static void *host_of(void *user)
{
    return ((struct told *)user)->host;
}
static const void *initial_of(void *user)
{
    return ((struct told *)user)->initial;
}
static void *final_of(void *user)
{
    note(user, 'f');
    return ((struct told *)user)->final;
}
static void used(void *user)
{
    note(user, 'i');
}
static void completed(void *user)
{
    note(user, 'c');
    sem_post(&((struct told *)user)->completed);
}
static void destroyed(void *user)
{
    struct told *told = user;
    note(told, 'd');
    if (told->wait_in_destroy)
        tw_test_wait(&told->completed);
}
static void finished(void *user, tw_status status)
{
    struct told *told = user;
    note(told, 'e');
    told->status = status;
    sem_post(&told->ended);
}

static tw_storage storage_of(struct told *told)
{
    const tw_storage storage = {.user = told,
                                .bytes = N * sizeof(int),
                                .host_data = host_of,
                                .initial_data = initial_of,
                                .final_data = final_of,
                                .in_use = used,
                                .completed = completed,
                                .destroy = destroyed,
                                .finished = finished};
    pthread_mutex_init(&told->mutex, NULL);
    TW_CHECK(sem_init(&told->completed, 0, 0) == 0 && sem_init(&told->ended, 0, 0) == 0);
    told->status = TW_ERROR_UNSUPPORTED;
    return storage;
}

static tw_buffer *buffer_of(struct told *told)
{
    tw_buffer *buffer = NULL;
    const tw_storage storage = storage_of(told);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

static void told_exactly(struct told *told, const char *text)
{
    pthread_mutex_lock(&told->mutex);
    if (strcmp(told->text, text) != 0)
        fprintf(stderr, "told %s, not %s\n", told->text, text);
    const bool same = strcmp(told->text, text) == 0;
    pthread_mutex_unlock(&told->mutex);
    TW_CHECK(same);
}

static void fill(int *data, int first)
{
    for (int i = 0; i < N; ++i)
        data[i] = first + i;
}

static void holds(const int *data, int first)
{
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], first + i);
}

/* An open gate: kernels read it, and wait for nothing. */
static void gate_without_keeper(struct tw_gate *gate)
{
    static const int zero;
    TW_PASS(tw_buffer_create_copy(&zero, sizeof zero, tw_range_1d(1), &gate->buffer));
}

/* ---- where contents begin and end -------------------------------------------------------------------------------- */

/* Every combination of memory while it lives, at first and in the end: the same or other memory, or none. */
TW_TEST(contents_begin_and_end_where_the_storage_says)
{
    static int first[N], living[N], last[N];
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    gate_without_keeper(&gate);
    for (int way = 0; way < 2 * 3 * 3; ++way) {
        int *const host = way % 2 ? living : NULL;
        int *const initial = way / 2 % 3 == 0 ? first : way / 2 % 3 == 1 ? host : NULL;
        int *const final = way / 6 == 0 ? last : way / 6 == 1 ? host : NULL;
        struct told told = {.host = host, .initial = initial, .final = final};
        fill(first, 100), fill(living, 200), fill(last, 300);
        tw_buffer *buffer = buffer_of(&told);
        if (initial)
            submit_increase(queue, buffer, &gate, NULL);
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        tw_test_wait(&told.ended);
        TW_EQUAL(told.status, TW_SUCCESS);
        holds(first, 100); /* what is first is only read */
        if (final && initial)
            holds(final, (initial == first ? 100 : 200) + 1);
        if (final != last)
            holds(last, 300);
    }
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The first contents are copied at once, and nothing else is kept of the structure's memory. */
TW_TEST(callbacks_may_be_missing)
{
    int data[N];
    struct told told = {.initial = data};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    tw_host_accessor *access = NULL;
    gate_without_keeper(&gate);
    tw_storage storage = {.user = &told, .initial_data = initial_of};
    fill(data, 10);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    memset(&storage, 0xff, sizeof storage);
    fill(data, 0);
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_host_access(buffer, TW_READ, &access));
    holds(tw_host_accessor_const_data(access), 11);
    tw_host_accessor_release(&access);
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    const tw_storage nothing = {0};
    TW_PASS(tw_buffer_create_with_storage(&nothing, sizeof(int), tw_range_1d(N), &buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what is told, and when -------------------------------------------------------------------------------------- */

TW_TEST(uses_are_told_in_pairs)
{
    int data[N];
    struct told told = {.host = data, .initial = data, .final = data};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_host_accessor *access = NULL;
    fill(data, 0);
    tw_buffer *buffer = buffer_of(&told);
    told_exactly(&told, "");
    tw_gate_shut(&gate);
    submit_increase(queue, buffer, &gate, NULL);
    submit_increase(queue, buffer, &gate, NULL); /* while it is in use: nothing new */
    tw_gate_open(&gate);
    TW_PASS(tw_queue_wait(queue));
    tw_test_wait(&told.completed);
    told_exactly(&told, "ic");
    TW_PASS(tw_host_access(buffer, TW_READ, &access));
    tw_host_accessor_release(&access);
    tw_test_wait(&told.completed);
    told_exactly(&told, "icic");
    tw_buffer *other = tw_buffer_retain(buffer);
    TW_PASS(tw_buffer_destroy(&other)); /* not the last reference */
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_wait(&told.ended);
    told_exactly(&told, "icicdfe");
    TW_EQUAL(told.status, TW_SUCCESS);
    holds(data, 2);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A buffer without elements has nothing to use, and nothing to bring. */
TW_TEST(an_empty_buffer_is_never_in_use)
{
    int data[1] = {7};
    struct told told = {.host = data, .initial = data, .final = data};
    tw_storage storage = storage_of(&told);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    tw_host_accessor *access = NULL;
    TW_FAIL(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(0), &buffer), TW_ERROR_INVALID_RANGE);
    storage.bytes = 0;
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(0), &buffer));
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &access));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read_write(cg, buffer);
    tw_test_run(queue, cg);
    tw_host_accessor_release(&access);
    told_exactly(&told, "");
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_wait(&told.ended);
    told_exactly(&told, "de");
    TW_EQUAL(told.status, TW_SUCCESS);
    TW_EQUAL(data[0], 7);
    TW_PASS(tw_queue_destroy(&queue));
}

/* in_use() looks whether the contents are used already, once another thread has waited for all that is submitted. */
struct early {
    int data[N];
    tw_queue *queue;
    sem_t called, waited;
    unsigned calls;
    bool late;
};
static void *early_data(void *user)
{
    return ((struct early *)user)->data;
}
static const void *early_contents(void *user)
{
    return ((struct early *)user)->data;
}
static void look_for_use(void *user)
{
    struct early *early = user;
    sem_post(&early->called);
    tw_test_wait(&early->waited);
    for (int i = 0; i < N; ++i)
        early->late = early->late || early->data[i] != (int)early->calls;
    ++early->calls;
}
static void *wait_in_between(void *context)
{
    struct early *early = context;
    tw_test_wait(&early->called);
    TW_PASS(tw_queue_wait(early->queue));
    sem_post(&early->waited);
    return NULL;
}

TW_TEST(in_use_is_told_before_the_contents_are_used)
{
    enum { TURNS = 3 }; /* a kernel, a graph of one, a host accessor */
    static struct early early;
    struct tw_gate gate;
    tw_queue *queue = NULL;
    tw_command_graph *graph = NULL;
    tw_buffer *buffer = NULL;
    const tw_storage storage = {.user = &early,
                                .host_data = early_data,
                                .initial_data = early_contents,
                                .final_data = early_data,
                                .in_use = look_for_use};
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &queue)); /* works on the storage's memory itself */
    early.queue = queue;
    TW_CHECK(sem_init(&early.called, 0, 0) == 0 && sem_init(&early.waited, 0, 0) == 0);
    gate_without_keeper(&gate);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    TW_PASS(tw_queue_begin_recording(queue));
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(early.calls, 0); /* what is recorded is not in use */
    for (unsigned turn = 0; turn < TURNS; ++turn) {
        pthread_t thread;
        tw_host_accessor *access = NULL;
        TW_CHECK(pthread_create(&thread, NULL, wait_in_between, &early) == 0);
        if (turn == 0)
            submit_increase(queue, buffer, &gate, NULL);
        else if (turn == 1)
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        else
            TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &access));
        TW_EQUAL(early.calls, turn + 1); /* before it returns */
        tw_host_accessor_release(&access);
        TW_CHECK(pthread_join(thread, NULL) == 0);
        TW_PASS(tw_queue_wait(queue));
    }
    TW_CHECK(!early.late);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What was never submitted does not use the contents. */
TW_TEST(discarded_groups_are_not_told)
{
    int data[N];
    struct told told = {.host = data, .initial = data, .final = data};
    tw_queue *queue = tw_test_queue();
    fill(data, 0);
    tw_buffer *buffer = buffer_of(&told);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read_write(cg, buffer);
    tw_command_group_discard(cg);
    told_exactly(&told, "");
    TW_PASS(tw_buffer_destroy(&buffer));
    told_exactly(&told, "dfe");
    TW_PASS(tw_queue_destroy(&queue));
}

/* The program has its memory back, and the storage has been told the end: a group that was open meanwhile comes too
   late. */
TW_TEST(groups_that_are_submitted_after_the_destruction_are_refused)
{
    int data[N];
    struct told told = {.host = data, .initial = data, .final = data};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    for (int busy = 0; busy < 2; ++busy) {
        fill(data, 0);
        memset(told.text, 0, sizeof told.text);
        told.count = 0;
        tw_buffer *buffer = buffer_of(&told);
        tw_gate_shut(&gate);
        tw_command_group *late = tw_queue_begin(queue);
        tw_parallel_for(late, tw_range_1d(N), increase, .data = tw_read_write(late, buffer),
                        .gate = tw_read(late, gate.buffer));
        if (busy)
            submit_increase(queue, buffer, &gate, NULL);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_FAIL(tw_queue_submit(queue, late, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        tw_gate_open(&gate);
        tw_test_wait(&told.ended);
        TW_PASS(tw_queue_wait(queue));
        holds(data, busy);
        TW_EQUAL(told.status, TW_SUCCESS);
        tw_gate_free(&gate);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(destruction_does_not_wait_for_commands)
{
    int data[N], final[N];
    struct told told = {.host = data, .initial = data, .final = final};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    fill(data, 0), fill(final, -N);
    tw_buffer *buffer = buffer_of(&told);
    tw_gate_shut(&gate);
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_buffer_destroy(&buffer)); /* would never return if it waited */
    TW_CHECK(!buffer);
    holds(final, -N);
    tw_gate_open(&gate);
    tw_test_wait(&told.ended);
    told_exactly(&told, "idcfe");
    TW_EQUAL(told.status, TW_SUCCESS);
    holds(final, 1);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_destroy_that_waits_brings_the_contents)
{
    int data[N];
    struct told told = {.initial = data, .final = data, .wait_in_destroy = true};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    for (int turn = 0; turn < 20; ++turn) {
        fill(data, 0);
        memset(told.text, 0, sizeof told.text);
        told.count = 0;
        tw_buffer *buffer = buffer_of(&told);
        tw_gate_shut(&gate);
        submit_increase(queue, buffer, &gate, NULL);
        tw_gate_open(&gate);
        TW_PASS(tw_buffer_destroy(&buffer));
        holds(data, 1);
        TW_EQUAL(told.status, TW_SUCCESS);
        tw_gate_free(&gate);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Many short uses from several threads: pairs in order, and one end. */
struct crowd {
    tw_buffer *buffer;
    struct tw_gate *gate;
};
static void *submit_many(void *context)
{
    struct crowd *crowd = context;
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < 50; ++i) {
        submit_increase(queue, crowd->buffer, crowd->gate, NULL);
        if (i % 7 == 0)
            TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

static unsigned pairs_told, broken_pairs;
static bool in_use_now;
static void count_use(void *user)
{
    (void)user;
    broken_pairs += in_use_now;
    in_use_now = true;
}
static void count_completed(void *user)
{
    (void)user;
    broken_pairs += !in_use_now;
    in_use_now = false;
    ++pairs_told;
}

TW_TEST(threads_use_one_buffer)
{
    enum { THREADS = 4 };
    int data[N];
    struct told told = {.host = data, .initial = data, .final = data};
    struct tw_gate gate;
    struct crowd crowd = {.gate = &gate};
    pthread_t threads[THREADS];
    fill(data, 0);
    tw_storage storage = storage_of(&told);
    storage.in_use = count_use;
    storage.completed = count_completed;
    gate_without_keeper(&gate);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &crowd.buffer));
    for (int t = 0; t < THREADS; ++t)
        TW_CHECK(pthread_create(&threads[t], NULL, submit_many, &crowd) == 0);
    for (int t = 0; t < THREADS; ++t)
        TW_CHECK(pthread_join(threads[t], NULL) == 0);
    TW_PASS(tw_buffer_destroy(&crowd.buffer));
    tw_test_wait(&told.ended);
    told_exactly(&told, "dfe");
    TW_CHECK(pairs_told > 0 && broken_pairs == 0 && !in_use_now);
    holds(data, 50 * THREADS);
    TW_PASS(tw_buffer_destroy(&gate.buffer));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* A command that fails loses the contents: with a wait, and without. */
TW_TEST(lost_contents_are_told)
{
    int data[N], final[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    if (tw_sim_reset(device) != TW_SUCCESS) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    for (int waits = 0; waits < 2; ++waits) {
        struct told told = {.host = data, .initial = data, .final = final};
        struct tw_gate gate;
        fill(data, 0), fill(final, 7);
        tw_buffer *buffer = buffer_of(&told);
        tw_gate_shut(&gate);
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
        submit_increase(queue, buffer, &gate, NULL);
        if (waits) {
            tw_gate_open(&gate);
            tw_test_wait(&told.completed);
            TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
        } else {
            TW_PASS(tw_buffer_destroy(&buffer));
            tw_gate_open(&gate);
        }
        tw_test_wait(&told.ended);
        TW_EQUAL(told.status, TW_ERROR_DATA_LOST);
        told_exactly(&told, waits ? "icde" : "idce");
        holds(final, 7);
        TW_EQUAL(tw_queue_wait_and_throw(queue), TW_ERROR_LAUNCH_FAILED);
        tw_gate_free(&gate);
        TW_PASS(tw_sim_reset(device));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Without a place to go contents stay where they are. */
TW_TEST(nothing_is_copied_without_final_data)
{
    int data[N];
    struct told told = {.initial = data};
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    fill(data, 0);
    tw_storage storage = storage_of(&told);
    storage.final_data = NULL;
    gate_without_keeper(&gate);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_queue_wait(queue));
    tw_test_wait(&told.completed); /* may be told later, on a thread of the library */
    const uint64_t copies = tw_sim_count(tw_queue_device(queue), TW_SIM_COPY);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_wait(&told.ended);
    TW_EQUAL(tw_sim_count(tw_queue_device(queue), TW_SIM_COPY), copies);
    TW_EQUAL(told.status, TW_SUCCESS);
    told_exactly(&told, "icde");
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(arguments_are_checked)
{
    struct told told = {0};
    tw_storage storage = storage_of(&told);
    tw_buffer *buffer = NULL;
    tw_image *image = NULL;
    tw_async_storage *own = NULL;
    int data[N];
    const tw_image_layout layout = {.order = TW_RGBA, .type = TW_FLOAT, .size = tw_range_2d(5, 5)};
    TW_FAIL(tw_buffer_create_with_storage(NULL, 4, tw_range_1d(N), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_with_storage(&storage, 0, tw_range_1d(N), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_with_storage(&storage, 4, tw_range_1d(N), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_with_storage(&storage, 4, tw_range_1d(0), &buffer), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_with_storage(&storage, 4, tw_range_1d(N + 1), &buffer), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_image_create_with_storage(NULL, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_with_storage(&storage, layout, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_image_create_with_storage(&storage, layout, &image), TW_ERROR_INVALID_RANGE);
    told.host = (int *)(void *)((char *)data + 1);
    TW_FAIL(tw_image_create_with_storage(&storage, layout, &image), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create_over(NULL, 4, NULL, &own), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create_over(data, 0, NULL, &own), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create_over(data, 4, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create(0, &own), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create(4, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_async_storage_create(SIZE_MAX, &own), TW_ERROR_OUT_OF_MEMORY);
    TW_CHECK(!buffer && !image && !own && !tw_async_storage_data(NULL) && !tw_async_storage_get(NULL));
    tw_async_storage_release(NULL);
    TW_PASS(tw_async_storage_destroy(&own));
    told_exactly(&told, ""); /* a storage that served nothing is told nothing */
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

struct brighten {
    tw_const_image_2d in;
    tw_image_2d out;
};
static inline void brighten(tw_item item, const struct brighten *k)
{
    const tw_id at = tw_get_global_id(item);
    tw_write_imageui(k->out, at, tw_read_imageui(k->in, at) + 1u);
}
TW_RANGE_KERNEL(brighten, 2);

TW_TEST(images_have_storage_too)
{
    enum { WIDTH = 25, HEIGHT = 10 }; /* of four bytes: N bytes */
    static unsigned char first[N], last[N];
    struct told told = {.initial = (const int *)(const void *)first, .final = (int *)(void *)last};
    const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNSIGNED_INT8, .size = tw_range_2d(HEIGHT, WIDTH)};
    tw_image *image = NULL, *out = NULL;
    tw_queue *queue = tw_test_queue();
    tw_storage storage = storage_of(&told);
    storage.bytes = N;
    for (int i = 0; i < N; ++i)
        first[i] = (unsigned char)(i % 200);
    TW_PASS(tw_image_create_with_storage(&storage, layout, &image));
    TW_PASS(tw_image_create(layout, &out));
    for (int turn = 0; turn < 2; ++turn) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_image_range(image), brighten, .in = tw_read_image_2d(cg, turn ? out : image),
                        .out = tw_discard_write_image_2d(cg, turn ? image : out));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_image_destroy(&image));
    tw_test_wait(&told.ended);
    TW_EQUAL(told.status, TW_SUCCESS);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(last[i], i % 200 + 2);
    TW_PASS(tw_image_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- the library's own storage ----------------------------------------------------------------------------------- */

static sem_t freed;
static void *freed_data;
static int freed_copy[N];
static void free_and_tell(void *data)
{
    memcpy(freed_copy, data, sizeof freed_copy);
    freed_data = data;
    free(data);
    sem_post(&freed);
}

static tw_buffer *buffer_on(tw_async_storage *storage)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_with_storage(tw_async_storage_get(storage), sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

TW_TEST(async_storage_frees_its_memory_when_all_is_done)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    TW_CHECK(sem_init(&freed, 0, 0) == 0);
    for (int released = 0; released < 2; ++released) {
        tw_async_storage *storage = NULL;
        int *data = malloc(N * sizeof *data);
        TW_CHECK(data != NULL);
        fill(data, 5);
        TW_PASS(tw_async_storage_create_over(data, N * sizeof *data, free_and_tell, &storage));
        TW_CHECK(tw_async_storage_data(storage) == data);
        tw_buffer *buffer = buffer_on(storage);
        tw_gate_shut(&gate);
        submit_increase(queue, buffer, &gate, NULL);
        TW_FAIL(tw_async_storage_destroy(&storage), TW_ERROR_BUSY);
        TW_PASS(tw_buffer_destroy(&buffer)); /* does not wait */
        if (released) {
            tw_async_storage_release(storage);
            TW_PASS(tw_async_storage_destroy(&storage)); /* neither does this */
            tw_gate_open(&gate);
        } else {
            tw_gate_open(&gate);
            TW_PASS(tw_async_storage_destroy(&storage)); /* but this does */
            TW_CHECK(sem_trywait(&freed) == 0 && sem_post(&freed) == 0);
        }
        TW_CHECK(!storage);
        tw_test_wait(&freed);
        TW_CHECK(freed_data == data);
        holds(freed_copy, 6);
        TW_PASS(tw_queue_wait(queue));
        tw_gate_free(&gate);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(async_storage_has_memory_of_its_own)
{
    struct tw_gate gate;
    tw_async_storage *storage = NULL;
    tw_host_accessor *access = NULL;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_async_storage_create(N * sizeof(int), &storage));
    TW_PASS(tw_async_storage_destroy(&storage)); /* it served nothing */
    TW_PASS(tw_async_storage_create(N * sizeof(int), &storage));
    tw_buffer *buffer = buffer_on(storage);
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &access));
    TW_CHECK(tw_host_accessor_data(access) == tw_async_storage_data(storage));
    fill(tw_host_accessor_data(access), 3);
    tw_host_accessor_release(&access);
    gate_without_keeper(&gate);
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer)); /* nothing is in use, so the contents are there */
    holds(tw_async_storage_data(storage), 4);
    TW_PASS(tw_async_storage_destroy(&storage));
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_async_storage_serves_one_buffer_in_its_life)
{
    const tw_image_layout layout = {.order = TW_R, .type = TW_FLOAT, .size = tw_range_2d(10, N / 10)};
    tw_async_storage *storage = NULL;
    tw_buffer *second = NULL;
    tw_image *image = NULL;
    TW_PASS(tw_async_storage_create(N * sizeof(int), &storage));
    const tw_storage *callbacks = tw_async_storage_get(storage);
    TW_FAIL(tw_buffer_create_with_storage(callbacks, 1, tw_range_1d(1), &second), TW_ERROR_INVALID_RANGE);
    tw_buffer *buffer = buffer_on(storage); /* what was not created does not count */
    TW_FAIL(tw_buffer_create_with_storage(callbacks, sizeof(int), tw_range_1d(N), &second), TW_ERROR_BUSY);
    TW_FAIL(tw_image_create_with_storage(callbacks, layout, &image), TW_ERROR_BUSY);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_FAIL(tw_buffer_create_with_storage(callbacks, sizeof(int), tw_range_1d(N), &second), TW_ERROR_BUSY);
    TW_CHECK(!second && !image);
    TW_PASS(tw_async_storage_destroy(&storage));
}

/* Its contents wait for this thread: directly, and through a group. */
TW_TEST(async_storage_does_not_wait_for_its_own_thread)
{
    tw_queue *queue = tw_test_queue();
    for (int through_group = 0; through_group < 2; ++through_group) {
        tw_async_storage *storage = NULL;
        tw_host_accessor *access = NULL;
        struct tw_gate gate;
        int *data = malloc(N * sizeof *data);
        TW_CHECK(data != NULL);
        fill(data, 5);
        TW_PASS(tw_async_storage_create_over(data, N * sizeof *data, free_and_tell, &storage));
        gate_without_keeper(&gate);
        tw_buffer *buffer = buffer_on(storage);
        TW_PASS(tw_host_access(through_group ? gate.buffer : buffer, TW_READ_WRITE, &access));
        submit_increase(queue, buffer, &gate, NULL);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_FAIL(tw_async_storage_destroy(&storage), TW_ERROR_WOULD_DEADLOCK);
        TW_CHECK(storage != NULL);
        tw_host_accessor_release(&access);
        TW_PASS(tw_async_storage_destroy(&storage));
        tw_test_wait(&freed);
        holds(freed_copy, 6);
        TW_PASS(tw_buffer_destroy(&gate.buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(contents_begin_and_end_where_the_storage_says),
                TW_CASE(callbacks_may_be_missing),
                TW_CASE(uses_are_told_in_pairs),
                TW_CASE(an_empty_buffer_is_never_in_use),
                TW_CASE(in_use_is_told_before_the_contents_are_used),
                TW_CASE(discarded_groups_are_not_told),
                TW_CASE(groups_that_are_submitted_after_the_destruction_are_refused),
                TW_CASE(destruction_does_not_wait_for_commands),
                TW_CASE(a_destroy_that_waits_brings_the_contents),
                TW_CASE(threads_use_one_buffer),
                TW_CASE(lost_contents_are_told),
                TW_CASE(nothing_is_copied_without_final_data),
                TW_CASE(arguments_are_checked),
                TW_CASE(images_have_storage_too),
                TW_CASE(async_storage_frees_its_memory_when_all_is_done),
                TW_CASE(async_storage_has_memory_of_its_own),
                TW_CASE(an_async_storage_serves_one_buffer_in_its_life),
                TW_CASE(async_storage_does_not_wait_for_its_own_thread),
                TW_CASES_END};
