/* SPDX-License-Identifier: Apache-2.0 */
/** OpenMP's offload devices before any of them is used, and the backends that own them. Called under the discovery
    lock. */
#ifndef TEAMWORK_OFFLOAD_OPENMP_H
#define TEAMWORK_OFFLOAD_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

struct tw_backend;

/* Finds libomptarget's functions; itself it is started when the library is loaded. Gives the devices up in a child of
   fork() whose parent has started the CUDA driver. */
void tw_openmp_start(void);

/* Returns the number of offload devices, once tw_openmp_start() was called. They are numbered from 0. */
int tw_openmp_devices(void);

/* Returns the number that stands for the host. */
int tw_openmp_host(void);

/* Returns the number of the calling thread's default device. Without the discovery lock. */
int tw_openmp_default(void);

/* Returns true if the process can read a piece of device memory: then the device is the host's own processor. */
bool tw_openmp_is_host_memory(const void *memory);

/* Finds out whether a device's memory is the host's, as that of a CPU is. Returns false if it has none. */
bool tw_openmp_probe(int number, bool *is_host_memory);

/* Returns the number of the device that target regions for simulated devices run on: the calling thread's default device
   if its memory is the host's, else the host. Without the discovery lock. */
int tw_openmp_stand_in(void);

/* Makes a device the default of the calling thread, and returns the number of the one before. Does nothing, and returns
   `number`, in a program without offload devices: all regions run on the host there. Without the discovery lock. */
int tw_openmp_set_default(int number);

/* Fulfills the event of a detached task (omp_event_handle_t). May run tasks of the program. Without any lock. */
void tw_openmp_fulfill(uintptr_t event);

/* Returns the address on a device that OpenMP has mapped host memory to; NULL if it has not. Without the discovery
   lock. */
void *tw_openmp_mapped(int number, const void *host);

/* Returns the address on a device of a byte of a variable that OpenMP knows (declare target); NULL: it knows none there.
   Loads the program's images into the device if need be. Without the discovery lock. */
void *tw_openmp_variable(int number, const void *host);

/* Returns true if the devices are given up: there are none from then on, since libomptarget would end the program at
   their use. */
bool tw_openmp_is_given_up(void);

/* Makes a backend the owner of a device; NULL: the device has no owner. Returns false, and does nothing, if `number`
   is too large. */
bool tw_openmp_claim(int number, const struct tw_backend *owner);

/* Returns true if TW_BACKEND lets a backend of this name own devices: it names that one, or is not set. */
bool tw_openmp_admits(const char *backend);

/* Returns true if no backend owns a device. */
bool tw_openmp_is_free(int number);

/* Returns the text that OpenMP 6.0 identifies a device by; NULL: this libomptarget does not know it. */
const char *tw_openmp_uid(int number);

/* Return the number of devices that a backend owns, and OpenMP's number of one of them; NULL: those without owner. */
unsigned tw_openmp_count(const struct tw_backend *owner);
int tw_openmp_number(const struct tw_backend *owner, unsigned index);

#endif
