# SPDX-License-Identifier: Apache-2.0
"""What the names of CUDA become: those of cuda_names.h, which has the declarations."""

# Headers of CUDA: of these only the first is replaced, the others go.
HEADERS = {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "cuda_profiler_api.h",
           "device_functions.h", "vector_types.h", "vector_functions.h", "math_constants.h", "driver_types.h",
           "sm_20_atomic_functions.h", "device_atomic_functions.h", "builtin_types.h", "host_defines.h"}

DIMENSION = {"x": 2, "y": 1, "z": 0}  # CUDA's x is the last dimension
IDS = {"threadIdx": ("tw_local_id", "tw_port_thread_of"), "blockIdx": ("tw_group_id", "tw_port_block_of"),
       "blockDim": ("tw_local_range", "tw_port_threads_of"), "gridDim": ("tw_group_range", "tw_port_blocks_of")}

# Functions of the work-item: the call gets it as its first argument.
OF_ITEM = {
    "__shfl_sync": "tw_port_shfl", "__shfl_up_sync": "tw_port_shfl_up", "__shfl_down_sync": "tw_port_shfl_down",
    "__shfl_xor_sync": "tw_port_shfl_xor", "__ballot_sync": "tw_port_ballot", "__any_sync": "tw_port_any",
    "__all_sync": "tw_port_all", "__syncwarp": "tw_port_syncwarp", "__syncthreads_count": "tw_port_sync_count",
    "__syncthreads_or": "tw_port_sync_or", "__syncthreads_and": "tw_port_sync_and",
}
WARP = {name for name in OF_ITEM if not name.startswith("__syncthreads")}
BARRIERS = {"__syncthreads", *OF_ITEM}
CALLS_OF_ITEM = {"__syncthreads", *OF_ITEM}

SYMBOLS = {"cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"}
OF_DEVICE = {"warpSize", "__syncthreads", *IDS, *OF_ITEM}  # what functions of devices alone have

# Macros that say how a file is compiled: conditions on them stay as they were.
CUDACC = "TW_PORT_CUDACC"
CONDITIONS = {"__CUDACC__": CUDACC, "__NVCC__": CUDACC, "_OPENMP": "TW_PORT_OPENMP",
              "CUDART_VERSION": "TW_PORT_CUDA_VERSION", "CUDA_VERSION": "TW_PORT_CUDA_VERSION"}

# Whole calls, with their arguments.
WHOLE_CALLS = {
    "__syncthreads": "tw_barrier({item}, TW_GLOBAL_AND_LOCAL)",
    "__threadfence": "tw_atomic_fence(TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE)",
    "__threadfence_block": "tw_atomic_fence(TW_ORDER_ACQ_REL, TW_SCOPE_WORK_GROUP)",
    "__threadfence_system": "tw_atomic_fence(TW_ORDER_ACQ_REL, TW_SCOPE_SYSTEM)",
    "cudaDeviceReset": "tw_port_synchronize()",
    **{name: "TW_SUCCESS" for name in ("cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaDeviceSetCacheConfig",
                                       "cudaDeviceSetLimit", "cudaProfilerStart", "cudaProfilerStop")},
}

# Names that nobody but CUDA has: wherever they stand.
RENAMED = {
    "__ldg": "tw_port_load", "__expf": "expf", "__exp10f": "tw_port_exp10f", "__logf": "logf", "__log2f": "log2f", "__log10f": "log10f",
    "__sinf": "sinf", "__cosf": "cosf", "__tanf": "tanf", "__powf": "powf", "__sincosf": "sincosf", "__fsqrt_rn": "sqrtf",
    "__fmaf_rn": "fmaf", "__frsqrt_rn": "tw_port_rsqrtf", "__frcp_rn": "tw_port_reciprocalf",
    "__drcp_rn": "tw_port_reciprocal", "__dsqrt_rn": "sqrt", "__fma_rn": "fma", "__saturatef": "tw_port_saturate", "__fdividef": "tw_port_divf",
    "__fdiv_rn": "tw_port_divf", "__fmul_rn": "tw_port_mulf", "__fadd_rn": "tw_port_addf", "__fsub_rn": "tw_port_subf",
    "__float_as_int": "tw_port_float_as_int", "__float_as_uint": "tw_port_float_as_uint",
    "__int_as_float": "tw_port_int_as_float", "__uint_as_float": "tw_port_uint_as_float",
    "__double_as_longlong": "tw_port_double_as_longlong", "__longlong_as_double": "tw_port_longlong_as_double",
    "__popc": "__builtin_popcount", "__popcll": "__builtin_popcountll", "__clz": "tw_port_clz", "__clzll": "tw_port_clzll",
    "__ffs": "tw_port_ffs", "__ffsll": "tw_port_ffsll", "__brev": "tw_port_brev", "__brevll": "tw_port_brevll",
    "__float2int_rn": "tw_port_int_nearest", "__float2int_rz": "(int)", "__float2int_rd": "tw_port_int_below",
    "__float2int_ru": "tw_port_int_above", "__mul24": "tw_port_mul24",
    "__umul24": "tw_port_umul24", "__mulhi": "tw_port_mulhi", "__umulhi": "tw_port_umulhi",
    "__umul64hi": "tw_port_umul64hi",
    "__forceinline__": "inline", "__align__": "TW_PORT_ALIGN", "__noinline__": "__attribute__((noinline))",
    "CUDART_VERSION": "TW_PORT_CUDA_VERSION", "CUDA_VERSION": "TW_PORT_CUDA_VERSION",
    "CUDART_INF_F": "INFINITY", "CUDART_INF": "((double)INFINITY)", "CUDART_PI_F": "3.141592654f",
    "CUDART_PI": "3.1415926535897931e+0",
    "cudaError_t": "tw_status", "cudaError": "tw_status", "cudaSuccess": "TW_SUCCESS",
    "cudaErrorInvalidValue": "TW_ERROR_INVALID_ARGUMENT", "cudaErrorMemoryAllocation": "TW_ERROR_OUT_OF_DEVICE_MEMORY",
    "cudaMemcpyKind": "tw_port_copy_kind",
    "cudaMemcpyHostToHost": "TW_PORT_HOST_TO_HOST", "cudaMemcpyHostToDevice": "TW_PORT_HOST_TO_DEVICE",
    "cudaMemcpyDeviceToHost": "TW_PORT_DEVICE_TO_HOST", "cudaMemcpyDeviceToDevice": "TW_PORT_DEVICE_TO_DEVICE",
    "cudaMemcpyDefault": "TW_PORT_ANY_TO_ANY",
    "cudaStream_t": "tw_port_stream_t", "cudaEvent_t": "tw_port_event_t", "cudaDeviceProp": "tw_port_properties",
    "cudaStreamDefault": "TW_PORT_BLOCKING", "cudaStreamNonBlocking": "TW_PORT_NON_BLOCKING",
    "cudaEventDefault": "0", "cudaEventBlockingSync": "0", "cudaEventDisableTiming": "0",
    "cudaHostAllocDefault": "0", "cudaHostAllocPortable": "0", "cudaHostAllocMapped": "0", "cudaMemAttachGlobal": "0",
    "cudaMalloc": "tw_port_malloc", "cudaMallocHost": "tw_port_malloc_host", "cudaHostAlloc": "tw_port_host_alloc",
    "cudaMallocManaged": "tw_port_malloc_managed", "cudaFree": "tw_port_free", "cudaFreeHost": "tw_port_free",
    "cudaMemcpy": "tw_port_memcpy", "cudaMemcpyAsync": "tw_port_memcpy_async", "cudaMemcpy2D": "tw_port_memcpy_2d",
    "cudaMemset": "tw_port_memset", "cudaMemsetAsync": "tw_port_memset_async",
    "cudaMemcpyToSymbol": "tw_port_memcpy_to_symbol", "cudaMemcpyFromSymbol": "tw_port_memcpy_from_symbol",
    "cudaDeviceSynchronize": "tw_port_synchronize", "cudaThreadSynchronize": "tw_port_synchronize",
    "cudaGetLastError": "tw_port_last_error", "cudaPeekAtLastError": "tw_port_peek_error",
    "cudaGetErrorString": "tw_status_meaning", "cudaGetErrorName": "tw_status_name",
    "cudaStreamCreate": "tw_port_stream_create", "cudaStreamCreateWithFlags": "tw_port_stream_create_with_flags",
    "cudaStreamSynchronize": "tw_port_stream_synchronize", "cudaStreamDestroy": "tw_port_stream_destroy",
    "cudaStreamWaitEvent": "tw_port_stream_wait_event",
    "cudaEventCreate": "tw_port_event_create", "cudaEventCreateWithFlags": "tw_port_event_create_with_flags",
    "cudaEventRecord": "tw_port_event_record", "cudaEventSynchronize": "tw_port_event_synchronize",
    "cudaEventDestroy": "tw_port_event_destroy", "cudaEventElapsedTime": "tw_port_event_elapsed",
    "cudaSetDevice": "tw_port_set_device", "cudaGetDevice": "tw_port_get_device",
    "cudaGetDeviceCount": "tw_port_get_device_count", "cudaGetDeviceProperties": "tw_port_get_properties",
    "cudaMemGetInfo": "tw_port_memory_info", "cudaDeviceGetAttribute": "tw_port_device_attribute",
    "cudaDeviceAttr": "tw_port_attribute",
    **{"cudaDevAttr" + name: "TW_PORT_" + word for name, word in (
        ("MaxThreadsPerBlock", "MAX_THREADS"), ("MaxSharedMemoryPerBlock", "MAX_SHARED"),
        ("MaxSharedMemoryPerBlockOptin", "MAX_SHARED"), ("WarpSize", "WARP_SIZE"),
        ("MultiProcessorCount", "MULTIPROCESSORS"), ("ClockRate", "CLOCK"), ("MemoryClockRate", "MEMORY_CLOCK"),
        ("GlobalMemoryBusWidth", "BUS_WIDTH"), ("ComputeCapabilityMajor", "MAJOR"), ("ComputeCapabilityMinor", "MINOR"))}, "__grid_constant__": "",
}

# Names that a program may have of its own: where the call is that of CUDA's function.
RENAMED_CALLS = {
    "atomicAdd": "tw_atomic_fetch_add", "atomicSub": "tw_atomic_fetch_sub", "atomicExch": "tw_atomic_exchange",
    "atomicMin": "tw_atomic_fetch_min", "atomicMax": "tw_atomic_fetch_max", "atomicAnd": "tw_atomic_fetch_and",
    "atomicOr": "tw_atomic_fetch_or", "atomicXor": "tw_atomic_fetch_xor", "atomicCAS": "tw_port_atomic_cas",
    "atomicInc": "tw_port_atomic_inc", "atomicDec": "tw_port_atomic_dec", "min": "tw_port_min", "max": "tw_port_max",
    "rsqrtf": "tw_port_rsqrtf", "rsqrt": "tw_port_rsqrt", "sinpif": "tw_port_sinpif", "cospif": "tw_port_cospif", "sinpi": "tw_sinpi",
    "cospi": "tw_cospi",
}
# Words before declarations that nothing takes the place of.
DROPPED = {"register", "__device__", "__host__", "__global__", "__constant__", "__launch_bounds__"}
