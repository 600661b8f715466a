/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Callbacks in C++ that are left by an exception: those that are called on the thread that made the call may be, and
 * the library is as before; those of a storage may not, and end the program with a message. Run on simulated devices,
 * whose transfers fail as told.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <teamwork/buffer.h>
#include <teamwork/command_group.h>
#include <teamwork/queue.h>
#include <teamwork/sim.h>
#include <teamwork/storage.h>
#include <teamwork/task.h>

static void check(bool holds, const char *text, int line)
{
    if (holds)
        return;
    std::fprintf(stderr, "test_exceptions.cpp:%d: %s (%s)\n", line, text, tw_error_detail());
    std::exit(1);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

/* Whether a call threw what the callbacks throw. */
template <typename Call> static bool throws(Call call)
{
    try {
        call();
    } catch (const std::runtime_error &error) {
        return std::strcmp(error.what(), "thrown") == 0;
    }
    return false;
}

static int selector(const tw_device *, void *)
{
    throw std::runtime_error("thrown");
}

static void handler(const tw_error *, size_t count, void *user)
{
    *static_cast<size_t *>(user) += count;
    throw std::runtime_error("thrown");
}

static void function(tw_command_group *group, void *user)
{
    (void)tw_read(group, static_cast<tw_buffer *>(user));
    throw std::runtime_error("thrown");
}

static void finished(void *, tw_status)
{
    throw std::runtime_error("thrown");
}

static tw_buffer *make_buffer()
{
    const int zeros[16] = {};
    tw_buffer *buffer = nullptr;
    CHECK(tw_buffer_create_copy(zeros, sizeof zeros[0], tw_range_1d(16), &buffer) == TW_SUCCESS);
    return buffer;
}

/* Submits a group whose data does not arrive. */
static void fail_transfer(tw_queue *queue, tw_buffer *buffer)
{
    CHECK(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 1) == TW_SUCCESS);
    tw_command_group *group = tw_queue_begin(queue);
    (void)tw_read(group, buffer);
    CHECK(tw_queue_submit(queue, group, nullptr) == TW_SUCCESS);
}

static void test_selector()
{
    tw_queue *queue = nullptr;
    tw_device *device = nullptr;
    CHECK(throws([&] { (void)tw_queue_create(selector, nullptr, nullptr, nullptr, &queue); }) && !queue);
    CHECK(throws([&] { (void)tw_select_device(selector, nullptr, &device); }) && !device);
    CHECK(tw_shutdown() == TW_SUCCESS);
}

/* A wait for an event calls the handlers of two queues, one after the other. */
static void test_handlers_of_an_event()
{
    size_t counts[2] = {};
    tw_queue *queues[2] = {};
    tw_event *event = nullptr;
    tw_buffer *buffer = make_buffer();
    for (int i = 0; i < 2; ++i)
        CHECK(tw_queue_create(nullptr, nullptr, handler, &counts[i], &queues[i]) == TW_SUCCESS);
    CHECK(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_COPY, 1) == TW_SUCCESS);
    for (int i = 0; i < 2; ++i) { /* the second group needs what the first one should have written */
        tw_command_group *group = tw_queue_begin(queues[i]);
        (void)tw_read_write(group, buffer);
        CHECK(tw_queue_submit(queues[i], group, i ? &event : nullptr) == TW_SUCCESS);
    }
    CHECK(throws([&] { (void)tw_event_wait_and_throw(event); }) && counts[0] == 1 && counts[1] == 0);
    CHECK(throws([&] { (void)tw_event_wait_and_throw(event); }) && counts[0] == 1 && counts[1] == 1);
    CHECK(tw_event_wait_and_throw(event) == TW_ERROR_CANCELLED && counts[0] == 1 && counts[1] == 1);
    tw_event_release(&event);
    for (tw_queue *&queue : queues)
        CHECK(tw_queue_destroy(&queue) == TW_SUCCESS);
    CHECK(tw_buffer_destroy(&buffer) == TW_SUCCESS);
    CHECK(tw_shutdown() == TW_SUCCESS); /* no reference to a queue is left */
}

static void test_handler()
{
    size_t count = 0;
    tw_queue *queue = nullptr;
    tw_context *context = nullptr;
    tw_buffer *buffer = make_buffer(), *other = make_buffer(), *third = make_buffer();
    CHECK(tw_queue_create(nullptr, nullptr, handler, &count, &queue) == TW_SUCCESS);
    fail_transfer(queue, buffer);
    CHECK(throws([&] { (void)tw_queue_wait_and_throw(queue); }) && count == 1);
    CHECK(tw_queue_wait_and_throw(queue) == TW_SUCCESS && count == 1); /* delivered once */
    fail_transfer(queue, other);
    CHECK(throws([&] { (void)tw_queue_destroy(&queue); }) && count == 2 && queue);
    CHECK(tw_queue_destroy(&queue) == TW_SUCCESS && !queue);

    tw_device *device = nullptr;
    CHECK(tw_select_device(nullptr, nullptr, &device) == TW_SUCCESS);
    CHECK(tw_context_create(&device, 1, handler, &count, &context) == TW_SUCCESS);
    CHECK(tw_queue_create_in_context(context, nullptr, nullptr, nullptr, &queue) == TW_SUCCESS);
    fail_transfer(queue, third);
    CHECK(throws([&] { (void)tw_context_destroy(&context); }) && count == 3 && context);
    CHECK(tw_queue_destroy(&queue) == TW_SUCCESS && tw_context_destroy(&context) == TW_SUCCESS);
    for (tw_buffer *one : {buffer, other, third})
        CHECK(tw_buffer_destroy(&one) == TW_SUCCESS);
    CHECK(tw_shutdown() == TW_SUCCESS); /* nothing is left */
}

static void test_function()
{
    tw_queue *queue = nullptr;
    tw_buffer *buffer = make_buffer();
    CHECK(tw_queue_create(nullptr, nullptr, nullptr, nullptr, &queue) == TW_SUCCESS);
    CHECK(throws([&] { (void)tw_queue_submit_function(queue, nullptr, function, buffer, nullptr); }));
    CHECK(tw_queue_wait(queue) == TW_SUCCESS && tw_queue_destroy(&queue) == TW_SUCCESS);
    CHECK(tw_buffer_destroy(&buffer) == TW_SUCCESS);
    CHECK(tw_shutdown() == TW_SUCCESS);
}

/* The storage's part, in a program of its own. */
static int destroy_with_throwing_storage()
{
    tw_storage storage = {};
    tw_buffer *buffer = nullptr;
    storage.finished = finished;
    CHECK(tw_buffer_create_with_storage(&storage, 4, tw_range_1d(4), &buffer) == TW_SUCCESS);
    try {
        (void)tw_buffer_destroy(&buffer);
    } catch (const std::runtime_error &) {
    }
    return 0;
}

/* A task that ends its thread, in another one. */
static int run_task_that_does_not_return()
{
    tw_queue *queue = nullptr;
    CHECK(tw_queue_create(tw_host_selector, nullptr, nullptr, nullptr, &queue) == TW_SUCCESS);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_host_task(cg, [](const void *) -> tw_status { pthread_exit(nullptr); }, nullptr, 0);
    CHECK(tw_queue_submit(queue, cg, nullptr) == TW_SUCCESS);
    (void)tw_queue_wait(queue);
    return 0;
}

/* Runs that program, which must end with a message. */
static void test_ends(const char *which)
{
    char said[512] = "";
    int ends[2], status = 0;
    CHECK(pipe(ends) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        execl("/proc/self/exe", "test_exceptions", which, static_cast<char *>(nullptr));
        _exit(1);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length < sizeof said - 1 && (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += static_cast<size_t>(got);
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(std::strstr(said, "a callback of a tw_storage") != nullptr);
}

int main(int argc, char **argv)
{
    alarm(60);
    if (argc > 1)
        return argv[1][0] == 's' ? destroy_with_throwing_storage() : run_task_that_does_not_return();
    test_selector();
    test_handler();
    test_handlers_of_an_event();
    test_function();
    test_ends("storage");
    test_ends("task");
    return 0;
}
