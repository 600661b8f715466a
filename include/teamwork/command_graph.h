/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Command graphs: command groups that are recorded once and submitted many times, as one.
 *
 *     tw_command_graph *step;
 *     tw_queue_begin_recording(queue);
 *     for (...)
 *         TW_COMMAND_GROUP(queue, cg) {
 *             tw_parallel_for(cg, ...);
 *         }
 *     status = tw_queue_end_recording(queue, &step);
 *     ...
 *     for (...)
 *         status = tw_queue_submit_graph(queue, step, NULL);
 *
 * A program that repeats the same small kernels pays for recording, checking and ordering them once; a GPU then runs
 * the whole graph by one launch (on NVIDIA's as a CUDA graph), the others one kernel after the other. Within a graph,
 * groups are ordered by their accesses, as ever, and one after the other in a queue that keeps the order. Towards other
 * groups a graph is one group: it accesses a buffer as all of its groups together do, and what it needs is copied to the
 * device before it starts. A graph may have groups for several devices (tw_queue_join_recording()).
 *
 * The values of captures are those of the recording. To change data between two submissions, write the buffers, or
 * record a copy of the program's memory (tw_copy_from()), which is read at each submission. To change captures, ranges
 * or the groups themselves, record again (tw_queue_update_graph()). A part of a graph may run only if, or as long as, a
 * value on the device says so (tw_queue_begin_while()).
 *
 * An extension: SYCL 1.2 has no such thing; the names are those of sycl_ext_oneapi_graph where that fits C. What its
 * explicit interface makes is made by recording here, which runs nothing either:
 *
 *     graph.add(group)              tw_queue_submit(queue, group, &node)
 *     property::node::depends_on    tw_depends_on(group, node) before that, as make_edge() for a later node
 *     graph.add() without a group   a group without a step, which only joins others
 *     node.update_nd_range() etc.   tw_queue_update_graph()
 *
 * All functions are thread safe.
 */
#ifndef TEAMWORK_COMMAND_GRAPH_H
#define TEAMWORK_COMMAND_GRAPH_H

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

typedef struct tw_command_graph tw_command_graph;

/* ---- recording --------------------------------------------------------------------------------------------------- */

/**
 * From now on, groups that any thread submits to the queue are recorded, in their order, and not run. What counts is
 * when they are submitted: a group that was begun before is recorded too. Waiting, host accessors and other queues are as
 * ever, and see nothing of what is recorded.
 *
 * The event of a recorded group stands for a node of the graph: another group of the recording may depend on it
 * (tw_depends_on()), where neither accessors nor an in-order queue give the order. It is pending for ever, and to wait for
 * it is TW_ERROR_INVALID_COMMAND_GROUP. A group that becomes several, of an algorithm or for several devices, has none:
 * tw_queue_submit() with a place for it is TW_ERROR_INVALID_ARGUMENT.
 *
 * Whatever a group has can be recorded. A graph with a host task, a native task or tw_update_host() is submitted group
 * by group, since these need the host: it saves recording and checking, but not a launch for each kernel.
 *
 * A queue over several devices records for all of them, as queues that have joined (tw_queue_join_recording()); a kernel that
 * reduces is the first device's alone then.
 *
 * A group that cannot be recorded is reported as ever: by the status of tw_queue_submit(), or at the next wait for a
 * TW_COMMAND_GROUP block. tw_queue_end_recording() reports the first of them once more, also if the program ignored it.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL, or its devices cannot share a graph; TW_ERROR_INVALID_COMMAND_GROUP  it
 *         is recording already; TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_queue_begin_recording(tw_queue *queue);

/**
 * Groups that are submitted to this queue are recorded too, from now on until the recording ends, behind those that are
 * recorded already. So one graph has groups for several devices:
 *
 *     tw_queue_begin_recording(queues[0]);
 *     tw_queue_join_recording(queues[1], queues[0]);
 *     ... groups for both queues ...
 *     status = tw_queue_end_recording(queues[0], &step);
 *
 * What a group reads of another device's results is copied there within the graph. What it reads from before the graph
 * is copied there at each submission, unless it is there: a graph that ends with tw_prefetch() of the parts that its
 * first groups need finds them there when it is submitted again. Groups of different queues run at the same time unless
 * their accesses order them.
 *
 * The devices are of one platform, and none of them is a sub-device, except that all queues may be of one device. A GPU
 * graph over several devices is launched at once where each has access to the others' memory.
 *
 * A queue that is destroyed leaves the recording; what was recorded of it stays. If the queue that began the recording
 * is destroyed, all of it is lost, and the other queues record no more.
 *
 * @param queue  that shall record
 * @param other  that records: it began the recording, or has joined it
 * @return TW_ERROR_INVALID_ARGUMENT       a queue is NULL, or the devices cannot share a graph
 *         TW_ERROR_INVALID_COMMAND_GROUP  `queue` is recording already, or `other` is not
 */
TW_API tw_status tw_queue_join_recording(tw_queue *queue, tw_queue *other);

/**
 * Ends the recording, for all queues that have joined it, and makes a graph of the groups so far, of which there may be
 * none.
 *
 * @param queue  that began the recording
 * @param graph  receives the graph, to be destroyed with tw_command_graph_destroy(). It keeps the memory of its groups'
 *               buffers. NULL drops what was recorded.
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL; TW_ERROR_INVALID_COMMAND_GROUP  it is not recording, or has
 *         joined the recording of another queue; TW_ERROR_OUT_OF_MEMORY, TW_ERROR_OUT_OF_DEVICE_MEMORY
 *         With a place for a graph also the error of the first group that was refused since tw_queue_begin_recording():
 *         a graph without it would be another one. On each of these errors what was recorded is lost.
 */
TW_API tw_status tw_queue_end_recording(tw_queue *queue, tw_command_graph **graph);

/**
 * Ends the recording as tw_queue_end_recording() does, and makes an existing graph one of the groups that were
 * recorded, in the place of those that it had: so arguments, ranges, kernels and buffers of a graph change.
 *
 *     tw_queue_begin_recording(queue);
 *     record_step(queue, next_time_step);
 *     status = tw_queue_update_graph(queue, step);
 *
 * What was submitted of the graph before runs as it was recorded then, and what is submitted later runs after it.
 * Anything may differ. Where the new groups are as many as the old ones, with the same dependencies and the same kinds
 * of steps, a CUDA graph takes the new arguments and ranges, for a small part of what it costs to make one
 * (cudaGraphExecUpdate()); if they differ more, or a submission has not come to the device yet, it is made anew. An
 * extension, after the updates of sycl_ext_oneapi_graph.
 *
 * @param queue  that began the recording
 * @param graph  of the same device; not NULL
 * @return as tw_queue_end_recording(): on an error what was recorded is lost, and the graph has the groups that it had
 *         TW_ERROR_INVALID_ARGUMENT  also when graph is NULL, and the queue records on; or when it is of another device
 */
TW_API tw_status tw_queue_update_graph(tw_queue *queue, tw_command_graph *graph);

/* ---- conditional parts ------------------------------------------------------------------------------------------- */

/**
 * Begins a part of what the queue records that runs again and again while a value on the device is not 0:
 *
 *     tw_queue_begin_recording(queue);
 *     start(queue, ...);
 *     tw_queue_begin_while(queue, more, 0);
 *     iterate(queue, ...);                     // its last kernel writes 1 or 0 into element 0 of `more`
 *     tw_queue_end_while(queue);
 *     status = tw_queue_end_recording(queue, &solve);
 *
 * So an iterative solver tests its residual where that is, and the host submits the whole of it once. As a `while` of C,
 * the part reads the condition before its groups run, what the graph's groups before it have written or what was there
 * before the graph, and again each time that they have run. Nothing else ends it: a kernel that counts the turns keeps it
 * from running for ever.
 *
 * What the queue records from the beginning to the end of the part is in it. Within the part groups are ordered as in a
 * graph, and each turn comes after the one before. Towards the groups before and behind it the part is one group: it
 * accesses what all of its groups access, and reads the condition. Since it may run no group, what it writes is what was
 * there before until a group writes it, also where an accessor discards. Parts may be in parts. Groups that other queues
 * of the recording record meanwhile are not in the part, and come before it.
 *
 * A part has kernels, copies, fills and prefetches on the queue's device. A group with a host task, a native task or
 * tw_update_host() is refused with TW_ERROR_UNSUPPORTED.
 *
 * On NVIDIA GPUs the device decides, within one launch of the whole graph (a conditional node of a CUDA graph), where the
 * driver can: since CUDA 12.4. Elsewhere, and with checked views or host memory in the graph, a thread of the library reads
 * the condition and runs the kernels; on CPUs it does so within one team of threads, which costs next to nothing.
 *
 * If a group fails, no other one runs, and the graph fails, as always. tw_queue_update_graph() may change parts too.
 *
 * An extension, after the conditional nodes of CUDA's graphs. Thread safe, but the calls of one queue are not to overlap.
 *
 * @param queue      that records; not one over several devices
 * @param condition  a buffer of elements of sizeof(int) bytes; or a sub-buffer. The graph keeps its memory.
 * @param element    which of its elements, counted in the order in which they lie in memory
 * @return TW_ERROR_INVALID_ARGUMENT       the queue or the buffer is NULL, or its elements have another size
 *         TW_ERROR_INVALID_RANGE          the buffer has no such element
 *         TW_ERROR_INVALID_COMMAND_GROUP  the queue is not recording
 *         TW_ERROR_UNSUPPORTED            the queue is one over several devices
 *         TW_ERROR_OUT_OF_MEMORY
 *         tw_queue_end_recording() reports such an error of a queue that records once more.
 */
TW_API tw_status tw_queue_begin_while(tw_queue *queue, tw_buffer *condition, size_t element);

/**
 * Begins a part that runs once if the value is not 0 when it is its turn, and else not at all. All else is as for
 * tw_queue_begin_while().
 *
 * @return as tw_queue_begin_while()
 */
TW_API tw_status tw_queue_begin_if(tw_queue *queue, tw_buffer *condition, size_t element);

/**
 * End the part that the queue has begun last, and not ended. tw_queue_end_recording() reports a part that was not ended,
 * as TW_ERROR_INVALID_COMMAND_GROUP.
 *
 * @return TW_ERROR_INVALID_ARGUMENT       the queue is NULL
 *         TW_ERROR_INVALID_COMMAND_GROUP  it has begun no part, or the last one is of the other kind, which stays open; or
 *                                         the recording ended meanwhile
 *         TW_ERROR_UNSUPPORTED            the queue is one over several devices
 *         TW_ERROR_OUT_OF_MEMORY, TW_ERROR_OUT_OF_DEVICE_MEMORY; tw_queue_end_recording() reports them once more
 */
TW_API tw_status tw_queue_end_while(tw_queue *queue);

/** The same for a part that tw_queue_begin_if() began.
 *  @return as tw_queue_end_while() */
TW_API tw_status tw_queue_end_if(tw_queue *queue);

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/** @return whether groups that are submitted to the queue are recorded at the moment; false for NULL */
TW_API bool tw_queue_is_recording(const tw_queue *queue);

/**
 * Submits all groups of a graph as one group. Never waits for a device. Submissions of one graph run one after the
 * other. If a kernel, copy or fill fails, the graph fails, and what it writes is lost as it is for a group. Of a graph
 * that is submitted group by group, what the failed group writes is lost, and what needs that is cancelled; the event
 * has failed then, and the queue has the error of each.
 *
 * @param queue  of the device of the queue that began the recording; not one that records
 * @param event  receives the completion of all, to be released with tw_event_release(); NULL if not wanted
 * @return TW_ERROR_INVALID_ARGUMENT       queue or graph is NULL, the device is another one, or a buffer of the graph
 *                                         has been destroyed
 *         TW_ERROR_INVALID_COMMAND_GROUP  the queue is recording: graphs do not nest
 *         TW_ERROR_OUT_OF_MEMORY
 */
#define tw_queue_submit_graph(queue, graph, event)                                                                     \
    tw_internal_submit_graph((queue), (graph), (event), __FILE__, __LINE__)

/** A group of a queue over several devices counts as often as it has parts, and an algorithm (algorithms.h) as often as it
 *  has launches; those in conditional parts count once.
 *  @return the number of groups in a graph; 0 for NULL */
TW_API size_t tw_command_graph_count(const tw_command_graph *graph);

/** Gives a graph up and sets *graph to NULL; what was submitted of it still runs. NULL is allowed. */
TW_API void tw_command_graph_destroy(tw_command_graph **graph);

/* What the macro above calls; not for direct use. */
TW_API tw_status tw_internal_submit_graph(tw_queue *queue, tw_command_graph *graph, tw_event **event, const char *file,
                                          int line);

TW_END_DECLS

#endif
