/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Simulated devices: separate memory on the host, for finding missing transfers and for testing what happens on errors.
 *
 * A simulated device runs kernels in the host lowering, on memory of its own that is poisoned when it is allocated,
 * when a kernel's group discards it, and again when it is freed, so a kernel that reads what no transfer brought sees
 * nonsense at once. The environment variable TW_SIM makes them: TW_SIM=N for N devices; without it there are none,
 * unless tw_sim_set_count() makes some. (A host access that discards leaves the host's memory as it is: it may be the
 * program's.)
 *
 * A kernel that writes beside a buffer fails with TW_ERROR_OUT_OF_BOUNDS, and a launch whose block points to host
 * memory, or to a buffer that its group does not access, with TW_ERROR_INVALID_ARGUMENT. With TW_SIM_CHECK=1, which
 * takes time, a kernel that writes to what its group only reads fails with TW_ERROR_READ_ONLY_BUFFER, and one that reads or
 * writes more of a buffer than its part accessors or range mappers (range_mapper.h) declare, with TW_ERROR_OUT_OF_BOUNDS and
 * the element's index; such a kernel runs twice or more often, on private memory. If the program
 * changes memory that a buffer is over (interop.h) and does not say so, what needs it fails with TW_ERROR_CHANGED_MEMORY;
 * with TW_SIM_CHECK=1 that is also found of buffers over host memory alone.
 * docs/devices.md tells more.
 *
 * TW_SIM_MEMORY=BYTES limits the memory of each simulated device; buffers that are idle make room for others then.
 *
 * TW_SIM_ASYNC=1 makes simulated devices asynchronous, like a GPU: kernels that wait for nothing but kernels are
 * enqueued and run in the device's own threads, one for each queue in use, and so are copies between such devices, in
 * threads of their own. TW_SIM_LAUNCH is then the enqueueing, and its delay the kernel's; so is TW_SIM_COPY for these
 * copies, of which one that fails copies nothing. A failure of TW_SIM_KERNEL is found when kernels that depend on it
 * may have run already.
 *
 * Faults and delays are counted for each device from the last tw_sim_reset(). All functions are thread safe.
 */
#ifndef TEAMWORK_SIM_H
#define TEAMWORK_SIM_H

#include <stdint.h>

#include <teamwork/device.h>

TW_BEGIN_DECLS

/** What can be made to fail or be delayed. */
typedef enum tw_sim_operation {
    TW_SIM_ALLOCATION = 0, /**< fails with TW_ERROR_OUT_OF_DEVICE_MEMORY */
    TW_SIM_COPY = 1,   /**< a copy, a fill or a prefetch of shared memory: fails with TW_ERROR_TRANSFER_FAILED, after
                                half of the bytes of a copy are copied, and before a fill writes */
    TW_SIM_LAUNCH = 2, /**< fails with TW_ERROR_LAUNCH_FAILED, before the kernel runs */
    TW_SIM_KERNEL = 3  /**< a kernel that runs: fails with TW_ERROR_LAUNCH_FAILED at its end, and with it everything
                                on the device until tw_sim_reset(), as after a fault on a GPU */
} tw_sim_operation;

/** The 16-bit integer that memory is full of that was never written, that a kernel discards, and that was freed: a NaN
 *  as a half, a float and a double, and a large number as an integer. */
#define TW_SIM_POISON 0x7ff5

/**
 * Sets the number of simulated devices, over what TW_SIM says. Call it before anything else looks for devices, or after
 * tw_shutdown(), which keeps the setting.
 *
 * @param count  0 to 64
 * @return TW_ERROR_INVALID_ARGUMENT  more than 64; TW_ERROR_BUSY  devices were already looked for
 */
TW_API tw_status tw_sim_set_count(unsigned count);

/**
 * Makes the n-th operation of a kind fail, counting from 1 with the next; 0 makes none fail. One shot.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  not a simulated device, or an unknown operation
 */
TW_API tw_status tw_sim_fail_nth(tw_device *device, tw_sim_operation operation, uint64_t n);

/**
 * Makes the n-th operation of a kind and all after it fail, until tw_sim_reset(), counting from 1 with the next; 0
 * makes none fail.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  not a simulated device, or an unknown operation
 */
TW_API tw_status tw_sim_fail_from(tw_device *device, tw_sim_operation operation, uint64_t n);

/**
 * Delays every operation of a kind by `delay_ns` nanoseconds; 0 for none.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  not a simulated device, or an unknown operation
 */
TW_API tw_status tw_sim_delay(tw_device *device, tw_sim_operation operation, uint64_t delay_ns);

/** @return how many operations of a kind the device was asked for since the last reset, failed ones included; 0 for a
 *          device that is not simulated */
TW_API uint64_t tw_sim_count(const tw_device *device, tw_sim_operation operation);

/** Bytes that are copied between two devices count for the one that they are copied to.
 *  @return how many bytes the device was asked to copy since the last reset, or to prefetch of shared memory; 0 for a
 *          device that is not simulated */
TW_API uint64_t tw_sim_copied_bytes(const tw_device *device);

/** @return how many bytes are allocated on the device now; 0 for a device that is not simulated */
TW_API uint64_t tw_sim_allocated_bytes(const tw_device *device);

/**
 * Clears faults, delays and counts.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  not a simulated device
 */
TW_API tw_status tw_sim_reset(tw_device *device);

TW_END_DECLS

#endif
