! SPDX-License-Identifier: Apache-2.0
!
! Teamwork for Fortran 2008 hosts: the library's objects and the program's own access to data. Kernels are C functions,
! and so are the functions that submit them; docs/kernels_in_programs.md, "Fortran", has an example. Compile this file with the
! program. What is named tw_internal_ is not for direct use.
!
! Names, arguments and results are those of the C headers, which document them, but for these:
!
!   Handles     type(tw_queue), type(tw_buffer) and so on are pointers to objects, NULL at first. A C function takes
!               `tw_queue *queue` as `type(tw_queue), value :: queue`. What C gives back through a pointer is an
!               intent(inout) argument. Handles are copied freely; copies do not add references. tw_is_null() tells
!               whether one is NULL.
!   Statuses    integer(c_int); tw_status_name() and tw_error_detail() are strings.
!   Memory      type(c_ptr), as from c_loc() of an array with the target attribute; c_f_pointer() makes an array of it.
!   Ranges      the first dimension of a Fortran array is the fastest, and of a range the last one: tw_range_of() and
!               tw_id_of() take a shape or a zero-based index in Fortran's order, and turn it round.
!   Optional    an event that is not wanted, selectors and handlers may be left out.
module teamwork
    use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_f_pointer, c_funptr, c_int, c_int64_t, &
        c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
    implicit none
    private :: c_associated, c_bool, c_char, c_f_pointer, c_funptr, c_int, c_int64_t, c_loc, c_null_char, &
        c_null_funptr, c_null_ptr, c_ptr, c_size_t

    ! ---- statuses ---------------------------------------------------------------------------------------------------

    integer(c_int), parameter :: TW_SUCCESS = 0
    integer(c_int), parameter :: TW_ERROR_INVALID_ARGUMENT = 1
    integer(c_int), parameter :: TW_ERROR_INVALID_RANGE = 2
    integer(c_int), parameter :: TW_ERROR_INVALID_WORK_GROUP_SIZE = 3
    integer(c_int), parameter :: TW_ERROR_INVALID_KERNEL = 4
    integer(c_int), parameter :: TW_ERROR_INVALID_COMMAND_GROUP = 5
    integer(c_int), parameter :: TW_ERROR_READ_ONLY_BUFFER = 6
    integer(c_int), parameter :: TW_ERROR_OUT_OF_MEMORY = 7
    integer(c_int), parameter :: TW_ERROR_OUT_OF_DEVICE_MEMORY = 8
    integer(c_int), parameter :: TW_ERROR_NO_DEVICE = 9
    integer(c_int), parameter :: TW_ERROR_NO_DEVICE_IMAGE = 10
    integer(c_int), parameter :: TW_ERROR_TRANSFER_FAILED = 11
    integer(c_int), parameter :: TW_ERROR_LAUNCH_FAILED = 12
    integer(c_int), parameter :: TW_ERROR_CANCELLED = 13
    integer(c_int), parameter :: TW_ERROR_DATA_LOST = 14
    integer(c_int), parameter :: TW_ERROR_WOULD_DEADLOCK = 15
    integer(c_int), parameter :: TW_ERROR_OUT_OF_BOUNDS = 16
    integer(c_int), parameter :: TW_ERROR_UNSUPPORTED = 17
    integer(c_int), parameter :: TW_ERROR_BUSY = 18
    integer(c_int), parameter :: TW_ERROR_INVALID_CONFIGURATION = 19
    integer(c_int), parameter :: TW_ERROR_OUT_OF_LOCAL_MEMORY = 20
    integer(c_int), parameter :: TW_ERROR_DIVERGENT_BARRIER = 21
    integer(c_int), parameter :: TW_ERROR_GROUP_SCOPE = 22
    integer(c_int), parameter :: TW_ERROR_CHANGED_MEMORY = 23

    ! ---- other constants --------------------------------------------------------------------------------------------

    integer(c_int), parameter :: TW_READ = 1, TW_WRITE = 2, TW_READ_WRITE = 3
    integer(c_int), parameter :: TW_DISCARD_WRITE = 4, TW_DISCARD_READ_WRITE = 5
    integer(c_int), parameter :: TW_DEVICE_HOST = 1, TW_DEVICE_CPU = 2, TW_DEVICE_GPU = 4, TW_DEVICE_ACCELERATOR = 8
    integer(c_int), parameter :: TW_DEVICE_SIM = 16, TW_DEVICE_ALL = 31
    integer(c_int), parameter :: TW_QUEUE_IN_ORDER = 1, TW_QUEUE_PROFILING = 2
    integer(c_int), parameter :: TW_EVENT_PENDING = 0, TW_EVENT_RUNNING = 1, TW_EVENT_COMPLETE = 2, TW_EVENT_FAILED = 3

    ! ---- handles and values -----------------------------------------------------------------------------------------

    type, bind(C) :: tw_device
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_context
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_queue
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_command_group
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_event
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_buffer
        type(c_ptr) :: at = c_null_ptr
    end type
    type, bind(C) :: tw_host_accessor
        type(c_ptr) :: at = c_null_ptr
    end type

    ! In the library's order: the last dimension is the fastest.
    type, bind(C) :: tw_range
        integer(c_size_t) :: size(3) = 1
        integer(c_int) :: dims = 0
    end type
    type, bind(C) :: tw_id
        integer(c_size_t) :: at(3) = 0
        integer(c_int) :: dims = 0
    end type

    type, bind(C) :: tw_event_times
        integer(c_int64_t) :: submit_ns = 0, ready_ns = 0, transfer_start_ns = 0, transfer_end_ns = 0
        integer(c_int64_t) :: start_ns = 0, end_ns = 0, complete_ns = 0
    end type

    interface tw_range_of
        module procedure range_of_int, range_of_long
    end interface
    interface tw_id_of
        module procedure id_of_int, id_of_long
    end interface
    interface tw_is_null
        module procedure device_is_null, context_is_null, queue_is_null, group_is_null, event_is_null, buffer_is_null, &
            accessor_is_null
    end interface
    private :: range_of_int, range_of_long, id_of_int, id_of_long, device_is_null, context_is_null, queue_is_null, &
        group_is_null, event_is_null, buffer_is_null, accessor_is_null
    private :: text_at
    character(kind=c_char), target, save, private :: here(8) = ['F', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]

    interface
        ! ---- statuses (status.h), the version (version.h) ----------------------------------------------------------

        function tw_internal_status_name(status) bind(C, name='tw_status_name') result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: status
            type(c_ptr) :: text
        end function
        function tw_internal_status_meaning(status) bind(C, name='tw_status_meaning') result(text)
            import :: c_int, c_ptr
            integer(c_int), value :: status
            type(c_ptr) :: text
        end function
        function tw_internal_error_detail() bind(C, name='tw_error_detail') result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        integer(c_int) function tw_version() bind(C, name='tw_version')
            import :: c_int
        end function
        integer(c_size_t) function tw_internal_length(text) bind(C, name='strlen')
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
        end function

        ! ---- devices (device.h) ------------------------------------------------------------------------------------

        integer(c_int) function tw_get_devices(types, devices, capacity, count) bind(C, name='tw_get_devices')
            import :: c_int, c_size_t, tw_device
            integer(c_int), value :: types
            type(tw_device), intent(inout) :: devices(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout) :: count
        end function
        logical(c_bool) function tw_device_is_host(device) bind(C, name='tw_device_is_host')
            import :: c_bool, tw_device
            type(tw_device), value :: device
        end function
        logical(c_bool) function tw_device_is_cpu(device) bind(C, name='tw_device_is_cpu')
            import :: c_bool, tw_device
            type(tw_device), value :: device
        end function
        logical(c_bool) function tw_device_is_gpu(device) bind(C, name='tw_device_is_gpu')
            import :: c_bool, tw_device
            type(tw_device), value :: device
        end function
        function tw_internal_device_name(device) bind(C, name='tw_device_name') result(text)
            import :: c_ptr, tw_device
            type(tw_device), value :: device
            type(c_ptr) :: text
        end function
        integer(c_int) function tw_shutdown() bind(C, name='tw_shutdown')
            import :: c_int
        end function

        ! ---- queues (queue.h) --------------------------------------------------------------------------------------

        integer(c_int) function tw_internal_queue_create(selector, selector_user, handler, handler_user, queue) &
            bind(C, name='tw_queue_create')
            import :: c_funptr, c_int, c_ptr, tw_queue
            type(c_funptr), value :: selector, handler
            type(c_ptr), value :: selector_user, handler_user
            type(tw_queue), intent(inout) :: queue
        end function
        integer(c_int) function tw_internal_queue_create_on_device(device, handler, handler_user, queue) &
            bind(C, name='tw_queue_create_on_device')
            import :: c_funptr, c_int, c_ptr, tw_device, tw_queue
            type(tw_device), value :: device
            type(c_funptr), value :: handler
            type(c_ptr), value :: handler_user
            type(tw_queue), intent(inout) :: queue
        end function
        integer(c_int) function tw_internal_queue_create_with_properties(context, device, properties, handler, &
            handler_user, queue) bind(C, name='tw_queue_create_with_properties')
            import :: c_funptr, c_int, c_ptr, tw_context, tw_device, tw_queue
            type(tw_context), value :: context
            type(tw_device), value :: device
            integer(c_int), value :: properties
            type(c_funptr), value :: handler
            type(c_ptr), value :: handler_user
            type(tw_queue), intent(inout) :: queue
        end function
        integer(c_int) function tw_queue_create_over(devices, count, properties, handler, handler_user, queue) &
            bind(C, name='tw_queue_create_over')
            import :: c_funptr, c_int, c_ptr, c_size_t, tw_device, tw_queue
            type(tw_device), intent(in) :: devices(*)
            integer(c_size_t), value :: count
            integer(c_int), value :: properties
            type(c_funptr), value :: handler
            type(c_ptr), value :: handler_user
            type(tw_queue), intent(inout) :: queue
        end function
        function tw_queue_device(queue) bind(C, name='tw_queue_device') result(device)
            import :: tw_device, tw_queue
            type(tw_queue), value :: queue
            type(tw_device) :: device
        end function
        logical(c_bool) function tw_queue_is_host(queue) bind(C, name='tw_queue_is_host')
            import :: c_bool, tw_queue
            type(tw_queue), value :: queue
        end function
        logical(c_bool) function tw_queue_is_in_order(queue) bind(C, name='tw_queue_is_in_order')
            import :: c_bool, tw_queue
            type(tw_queue), value :: queue
        end function
        integer(c_int) function tw_queue_set_profiling(queue, profiling) bind(C, name='tw_queue_set_profiling')
            import :: c_bool, c_int, tw_queue
            type(tw_queue), value :: queue
            logical(c_bool), value :: profiling
        end function
        integer(c_int) function tw_queue_wait(queue) bind(C, name='tw_queue_wait')
            import :: c_int, tw_queue
            type(tw_queue), value :: queue
        end function
        integer(c_int) function tw_queue_wait_and_throw(queue) bind(C, name='tw_queue_wait_and_throw')
            import :: c_int, tw_queue
            type(tw_queue), value :: queue
        end function
        integer(c_int) function tw_queue_throw_asynchronous(queue) bind(C, name='tw_queue_throw_asynchronous')
            import :: c_int, tw_queue
            type(tw_queue), value :: queue
        end function
        integer(c_int) function tw_queue_destroy(queue) bind(C, name='tw_queue_destroy')
            import :: c_int, tw_queue
            type(tw_queue), intent(inout) :: queue
        end function

        ! ---- events (event.h) --------------------------------------------------------------------------------------

        function tw_event_of_start(event) bind(C, name='tw_event_of_start') result(start)
            import :: tw_event
            type(tw_event), value :: event
            type(tw_event) :: start
        end function
        function tw_event_of_kernel(event) bind(C, name='tw_event_of_kernel') result(kernel)
            import :: tw_event
            type(tw_event), value :: event
            type(tw_event) :: kernel
        end function
        function tw_event_of_completion(event) bind(C, name='tw_event_of_completion') result(completion)
            import :: tw_event
            type(tw_event), value :: event
            type(tw_event) :: completion
        end function
        function tw_event_retain(event) bind(C, name='tw_event_retain') result(same)
            import :: tw_event
            type(tw_event), value :: event
            type(tw_event) :: same
        end function
        subroutine tw_event_release(event) bind(C, name='tw_event_release')
            import :: tw_event
            type(tw_event), intent(inout) :: event
        end subroutine
        integer(c_int) function tw_event_wait(event) bind(C, name='tw_event_wait')
            import :: c_int, tw_event
            type(tw_event), value :: event
        end function
        integer(c_int) function tw_event_wait_all(events, count) bind(C, name='tw_event_wait_all')
            import :: c_int, c_size_t, tw_event
            type(tw_event), intent(in) :: events(*)
            integer(c_size_t), value :: count
        end function
        integer(c_int) function tw_event_wait_and_throw(event) bind(C, name='tw_event_wait_and_throw')
            import :: c_int, tw_event
            type(tw_event), value :: event
        end function
        integer(c_int) function tw_event_get_state(event) bind(C, name='tw_event_get_state')
            import :: c_int, tw_event
            type(tw_event), value :: event
        end function
        integer(c_int) function tw_event_get_status(event) bind(C, name='tw_event_get_status')
            import :: c_int, tw_event
            type(tw_event), value :: event
        end function
        integer(c_int) function tw_event_get_times(event, times) bind(C, name='tw_event_get_times')
            import :: c_int, tw_event, tw_event_times
            type(tw_event), value :: event
            type(tw_event_times), intent(inout) :: times
        end function
        integer(c_int) function tw_event_create_user(event) bind(C, name='tw_event_create_user')
            import :: c_int, tw_event
            type(tw_event), intent(inout) :: event
        end function
        ! TW_EVENT_COMPLETE is a constant, and so Fortran has no room for tw_event_complete() beside it.
        integer(c_int) function tw_event_complete_user(event, status) bind(C, name='tw_event_complete')
            import :: c_int, tw_event
            type(tw_event), value :: event
            integer(c_int), value :: status
        end function

        ! ---- buffers and host accessors (buffer.h) -----------------------------------------------------------------

        integer(c_int) function tw_buffer_create(element_bytes, range, buffer) bind(C, name='tw_buffer_create')
            import :: c_int, c_size_t, tw_buffer, tw_range
            integer(c_size_t), value :: element_bytes
            type(tw_range), value :: range
            type(tw_buffer), intent(inout) :: buffer
        end function
        integer(c_int) function tw_buffer_create_over(host, element_bytes, range, buffer) &
            bind(C, name='tw_buffer_create_over')
            import :: c_int, c_ptr, c_size_t, tw_buffer, tw_range
            type(c_ptr), value :: host
            integer(c_size_t), value :: element_bytes
            type(tw_range), value :: range
            type(tw_buffer), intent(inout) :: buffer
        end function
        integer(c_int) function tw_buffer_create_over_const(host, element_bytes, range, buffer) &
            bind(C, name='tw_buffer_create_over_const')
            import :: c_int, c_ptr, c_size_t, tw_buffer, tw_range
            type(c_ptr), value :: host
            integer(c_size_t), value :: element_bytes
            type(tw_range), value :: range
            type(tw_buffer), intent(inout) :: buffer
        end function
        integer(c_int) function tw_buffer_create_copy(data, element_bytes, range, buffer) &
            bind(C, name='tw_buffer_create_copy')
            import :: c_int, c_ptr, c_size_t, tw_buffer, tw_range
            type(c_ptr), value :: data
            integer(c_size_t), value :: element_bytes
            type(tw_range), value :: range
            type(tw_buffer), intent(inout) :: buffer
        end function
        integer(c_int) function tw_buffer_create_sub(buffer, offset, range, sub) bind(C, name='tw_buffer_create_sub')
            import :: c_int, tw_buffer, tw_id, tw_range
            type(tw_buffer), value :: buffer
            type(tw_id), value :: offset
            type(tw_range), value :: range
            type(tw_buffer), intent(inout) :: sub
        end function
        integer(c_int) function tw_buffer_set_final_data(buffer, memory) bind(C, name='tw_buffer_set_final_data')
            import :: c_int, c_ptr, tw_buffer
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: memory
        end function
        integer(c_int) function tw_buffer_set_name(buffer, name) bind(C, name='tw_buffer_set_name')
            import :: c_char, c_int, tw_buffer
            type(tw_buffer), value :: buffer
            character(kind=c_char), intent(in) :: name(*)
        end function
        function tw_buffer_range(buffer) bind(C, name='tw_buffer_range') result(range)
            import :: tw_buffer, tw_range
            type(tw_buffer), value :: buffer
            type(tw_range) :: range
        end function
        function tw_buffer_pitch(buffer) bind(C, name='tw_buffer_pitch') result(range)
            import :: tw_buffer, tw_range
            type(tw_buffer), value :: buffer
            type(tw_range) :: range
        end function
        function tw_buffer_offset(buffer) bind(C, name='tw_buffer_offset') result(offset)
            import :: tw_buffer, tw_id
            type(tw_buffer), value :: buffer
            type(tw_id) :: offset
        end function
        integer(c_size_t) function tw_buffer_count(buffer) bind(C, name='tw_buffer_count')
            import :: c_size_t, tw_buffer
            type(tw_buffer), value :: buffer
        end function
        integer(c_size_t) function tw_buffer_size(buffer) bind(C, name='tw_buffer_size')
            import :: c_size_t, tw_buffer
            type(tw_buffer), value :: buffer
        end function
        integer(c_size_t) function tw_buffer_element_size(buffer) bind(C, name='tw_buffer_element_size')
            import :: c_size_t, tw_buffer
            type(tw_buffer), value :: buffer
        end function
        function tw_buffer_retain(buffer) bind(C, name='tw_buffer_retain') result(same)
            import :: tw_buffer
            type(tw_buffer), value :: buffer
            type(tw_buffer) :: same
        end function
        integer(c_int) function tw_buffer_destroy(buffer) bind(C, name='tw_buffer_destroy')
            import :: c_int, tw_buffer
            type(tw_buffer), intent(inout) :: buffer
        end function
        integer(c_int) function tw_host_access(buffer, mode, accessor) bind(C, name='tw_host_access')
            import :: c_int, tw_buffer, tw_host_accessor
            type(tw_buffer), value :: buffer
            integer(c_int), value :: mode
            type(tw_host_accessor), intent(inout) :: accessor
        end function
        integer(c_int) function tw_host_access_part(buffer, offset, range, mode, accessor) &
            bind(C, name='tw_host_access_part')
            import :: c_int, tw_buffer, tw_host_accessor, tw_id, tw_range
            type(tw_buffer), value :: buffer
            type(tw_id), value :: offset
            type(tw_range), value :: range
            integer(c_int), value :: mode
            type(tw_host_accessor), intent(inout) :: accessor
        end function
        function tw_host_accessor_range(accessor) bind(C, name='tw_host_accessor_range') result(range)
            import :: tw_host_accessor, tw_range
            type(tw_host_accessor), value :: accessor
            type(tw_range) :: range
        end function
        function tw_host_accessor_offset(accessor) bind(C, name='tw_host_accessor_offset') result(offset)
            import :: tw_host_accessor, tw_id
            type(tw_host_accessor), value :: accessor
            type(tw_id) :: offset
        end function
        function tw_host_accessor_pitch(accessor) bind(C, name='tw_host_accessor_pitch') result(range)
            import :: tw_host_accessor, tw_range
            type(tw_host_accessor), value :: accessor
            type(tw_range) :: range
        end function
        function tw_host_accessor_data(accessor) bind(C, name='tw_host_accessor_data') result(memory)
            import :: c_ptr, tw_host_accessor
            type(tw_host_accessor), value :: accessor
            type(c_ptr) :: memory
        end function
        integer(c_int) function tw_host_accessor_release(accessor) bind(C, name='tw_host_accessor_release')
            import :: c_int, tw_host_accessor
            type(tw_host_accessor), intent(inout) :: accessor
        end function

        ! ---- copies by the program (copy.h) ------------------------------------------------------------------------

        integer(c_int) function tw_buffer_read(buffer, memory) bind(C, name='tw_buffer_read')
            import :: c_int, c_ptr, tw_buffer
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: memory
        end function
        integer(c_int) function tw_buffer_read_part(buffer, offset, range, memory) bind(C, name='tw_buffer_read_part')
            import :: c_int, c_ptr, tw_buffer, tw_id, tw_range
            type(tw_buffer), value :: buffer
            type(tw_id), value :: offset
            type(tw_range), value :: range
            type(c_ptr), value :: memory
        end function
        integer(c_int) function tw_buffer_write(buffer, memory) bind(C, name='tw_buffer_write')
            import :: c_int, c_ptr, tw_buffer
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: memory
        end function
        integer(c_int) function tw_buffer_write_part(buffer, offset, range, memory) bind(C, name='tw_buffer_write_part')
            import :: c_int, c_ptr, tw_buffer, tw_id, tw_range
            type(tw_buffer), value :: buffer
            type(tw_id), value :: offset
            type(tw_range), value :: range
            type(c_ptr), value :: memory
        end function

        ! ---- command groups: copies and fills (command_group.h, copy.h) --------------------------------------------

        function tw_queue_begin(queue) bind(C, name='tw_queue_begin') result(group)
            import :: tw_command_group, tw_queue
            type(tw_queue), value :: queue
            type(tw_command_group) :: group
        end function
        integer(c_int) function tw_internal_submit(queue, group, event, file, line) bind(C, name='tw_internal_submit')
            import :: c_int, c_ptr, tw_command_group, tw_queue
            type(tw_queue), value :: queue
            type(tw_command_group), value :: group
            type(c_ptr), value :: event, file
            integer(c_int), value :: line
        end function
        subroutine tw_command_group_discard(group) bind(C, name='tw_command_group_discard')
            import :: tw_command_group
            type(tw_command_group), value :: group
        end subroutine
        integer(c_int) function tw_command_group_status(group) bind(C, name='tw_command_group_status')
            import :: c_int, tw_command_group
            type(tw_command_group), value :: group
        end function
        subroutine tw_depends_on(group, event) bind(C, name='tw_depends_on')
            import :: tw_command_group, tw_event
            type(tw_command_group), value :: group
            type(tw_event), value :: event
        end subroutine
        subroutine tw_copy(group, from, to) bind(C, name='tw_copy')
            import :: tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: from, to
        end subroutine
        subroutine tw_copy_part(group, from, from_offset, to, to_offset, range) bind(C, name='tw_copy_part')
            import :: tw_buffer, tw_command_group, tw_id, tw_range
            type(tw_command_group), value :: group
            type(tw_buffer), value :: from
            type(tw_id), value :: from_offset
            type(tw_buffer), value :: to
            type(tw_id), value :: to_offset
            type(tw_range), value :: range
        end subroutine
        subroutine tw_fill(group, buffer, value) bind(C, name='tw_fill')
            import :: c_ptr, tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: value
        end subroutine
        subroutine tw_copy_from(group, buffer, memory) bind(C, name='tw_copy_from')
            import :: c_ptr, tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: memory
        end subroutine
        subroutine tw_copy_to(group, buffer, memory) bind(C, name='tw_copy_to')
            import :: c_ptr, tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: buffer
            type(c_ptr), value :: memory
        end subroutine
        subroutine tw_update_host(group, buffer) bind(C, name='tw_update_host')
            import :: tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: buffer
        end subroutine
        subroutine tw_prefetch(group, buffer) bind(C, name='tw_prefetch')
            import :: tw_buffer, tw_command_group
            type(tw_command_group), value :: group
            type(tw_buffer), value :: buffer
        end subroutine

        ! ---- memory (host_memory.h, usm.h) -------------------------------------------------------------------------

        function tw_malloc_host(bytes) bind(C, name='tw_malloc_host') result(memory)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: bytes
            type(c_ptr) :: memory
        end function
        function tw_malloc_device(device, bytes) bind(C, name='tw_malloc_device') result(memory)
            import :: c_ptr, c_size_t, tw_device
            type(tw_device), value :: device
            integer(c_size_t), value :: bytes
            type(c_ptr) :: memory
        end function
        function tw_malloc_shared(device, bytes) bind(C, name='tw_malloc_shared') result(memory)
            import :: c_ptr, c_size_t, tw_device
            type(tw_device), value :: device
            integer(c_size_t), value :: bytes
            type(c_ptr) :: memory
        end function
        subroutine tw_free(memory) bind(C, name='tw_free')
            import :: c_ptr
            type(c_ptr), value :: memory
        end subroutine
    end interface

contains

    ! ---- strings ----------------------------------------------------------------------------------------------------

    function text_at(at) result(text)
        type(c_ptr), intent(in) :: at
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i
        allocate (character(len=tw_internal_length(at)) :: text)
        call c_f_pointer(at, letters, [len(text)])
        do i = 1, len(text)
            text(i:i) = letters(i)
        end do
    end function

    function tw_status_name(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: text
        text = text_at(tw_internal_status_name(status))
    end function

    function tw_status_meaning(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: text
        text = text_at(tw_internal_status_meaning(status))
    end function

    function tw_error_detail() result(text)
        character(len=:), allocatable :: text
        text = text_at(tw_internal_error_detail())
    end function

    function tw_device_name(device) result(text)
        type(tw_device), intent(in) :: device
        character(len=:), allocatable :: text
        text = text_at(tw_internal_device_name(device))
    end function

    ! ---- ranges and ids, from Fortran's order -----------------------------------------------------------------------

    ! tw_range_of(shape(a)): invalid for other than 1 to 3 dimensions.
    pure function range_of_int(shape) result(range)
        integer(c_int), intent(in) :: shape(:)
        type(tw_range) :: range
        range = range_of_long(int(shape, c_size_t))
    end function

    pure function range_of_long(shape) result(range)
        integer(c_size_t), intent(in) :: shape(:)
        type(tw_range) :: range
        if (size(shape) < 1 .or. size(shape) > 3) return
        range%dims = size(shape)
        range%size(1:range%dims) = shape(range%dims:1:-1)
    end function

    pure function id_of_int(index) result(id)
        integer(c_int), intent(in) :: index(:)
        type(tw_id) :: id
        id = id_of_long(int(index, c_size_t))
    end function

    pure function id_of_long(index) result(id)
        integer(c_size_t), intent(in) :: index(:)
        type(tw_id) :: id
        if (size(index) < 1 .or. size(index) > 3) return
        id%dims = size(index)
        id%at(1:id%dims) = index(id%dims:1:-1)
    end function

    ! ---- NULL -------------------------------------------------------------------------------------------------------

    logical function device_is_null(handle) result(null)
        type(tw_device), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function context_is_null(handle) result(null)
        type(tw_context), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function queue_is_null(handle) result(null)
        type(tw_queue), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function group_is_null(handle) result(null)
        type(tw_command_group), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function event_is_null(handle) result(null)
        type(tw_event), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function buffer_is_null(handle) result(null)
        type(tw_buffer), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    logical function accessor_is_null(handle) result(null)
        type(tw_host_accessor), intent(in) :: handle
        null = .not. c_associated(handle%at)
    end function

    ! ---- queues and submission, with arguments that may be left out -------------------------------------------------

    ! `device` or `selector`; with neither, the default device. `properties` is a sum of TW_QUEUE_IN_ORDER and the like,
    ! and has no selector. Selectors and handlers are bind(C) functions, given by c_funloc().
    integer(c_int) function tw_queue_create(queue, device, properties, selector, selector_user, handler, handler_user) &
        result(status)
        type(tw_queue), intent(inout) :: queue
        type(tw_device), intent(in), optional :: device
        integer(c_int), intent(in), optional :: properties
        type(c_funptr), intent(in), optional :: selector, handler
        type(c_ptr), intent(in), optional :: selector_user, handler_user
        type(c_funptr) :: choose, handle
        type(c_ptr) :: choose_user, handle_user
        type(tw_context) :: no_context
        type(tw_device) :: on
        choose = c_null_funptr
        handle = c_null_funptr
        choose_user = c_null_ptr
        handle_user = c_null_ptr
        if (present(selector)) choose = selector
        if (present(selector_user)) choose_user = selector_user
        if (present(handler)) handle = handler
        if (present(handler_user)) handle_user = handler_user
        if (present(device)) on = device
        if (present(properties)) then
            status = tw_internal_queue_create_with_properties(no_context, on, properties, handle, handle_user, queue)
        else if (present(device)) then
            status = tw_internal_queue_create_on_device(on, handle, handle_user, queue)
        else
            status = tw_internal_queue_create(choose, choose_user, handle, handle_user, queue)
        end if
    end function

    integer(c_int) function tw_queue_submit(queue, group, event) result(status)
        type(tw_queue), intent(in) :: queue
        type(tw_command_group), intent(in) :: group
        type(tw_event), intent(inout), target, optional :: event
        if (present(event)) then
            status = tw_internal_submit(queue, group, c_loc(event), c_loc(here), 0_c_int)
        else
            status = tw_internal_submit(queue, group, c_null_ptr, c_loc(here), 0_c_int)
        end if
    end function

end module teamwork
