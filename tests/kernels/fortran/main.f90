! SPDX-License-Identifier: Apache-2.0
!
! A Fortran program with kernels in C: each part of teamwork.f90 is used once. Silent if all is well.
program test_fortran
    use, intrinsic :: iso_c_binding
    use teamwork
    implicit none

    interface
        integer(c_size_t) function range_bytes() bind(C)
            import :: c_size_t
        end function
        integer(c_size_t) function times_bytes() bind(C)
            import :: c_size_t
        end function
        integer(c_int) function submit_saxpy(queue, a, x, y, event) bind(C)
            import :: c_float, c_int, tw_buffer, tw_event, tw_queue
            type(tw_queue), value :: queue
            real(c_float), value :: a
            type(tw_buffer), value :: x, y
            type(tw_event), intent(inout) :: event
        end function
        integer(c_int) function submit_number(queue, matrix) bind(C)
            import :: c_int, tw_buffer, tw_queue
            type(tw_queue), value :: queue
            type(tw_buffer), value :: matrix
        end function
    end interface

    type(tw_queue) :: queue

    call check_types()
    call pass(tw_queue_create(queue))
    call saxpy()
    call matrix()
    call copies()
    call errors()
    call pass(tw_queue_destroy(queue))
    call check(tw_is_null(queue), 'a destroyed queue is NULL')
    call devices()
    call pass(tw_shutdown())

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(2a)', 'does not hold: ', what
        error stop 1
    end subroutine

    subroutine pass(status)
        integer(c_int), intent(in) :: status
        if (status == TW_SUCCESS) return
        print '(3a)', tw_status_name(status), ': ', tw_error_detail()
        error stop 1
    end subroutine

    subroutine check_types()
        type(tw_range) :: range
        type(tw_id) :: id
        type(tw_event_times) :: times
        integer :: wide(2, 3, 5)
        integer(c_size_t) :: bytes
        bytes = range_bytes()
        call check(c_sizeof(range) == bytes .and. c_sizeof(id) == bytes, 'the size of ranges')
        call check(c_sizeof(times) == times_bytes(), 'the size of times')
        range = tw_range_of(shape(wide))
        call check(range%dims == 3 .and. all(range%size == [5, 3, 2]), 'a range of three dimensions')
        range = tw_range_of([7_c_size_t])
        call check(range%dims == 1 .and. all(range%size == [7, 1, 1]), 'a range of one dimension')
        range = tw_range_of([1, 1, 1, 1])
        call check(range%dims == 0, 'four dimensions are not valid')
        id = tw_id_of([4, 6])
        call check(id%dims == 2 .and. all(id%at == [6, 4, 0]), 'an id')
        call check(tw_version() > 0, 'the version')
    end subroutine

    subroutine saxpy()
        integer(c_int), parameter :: n = 1000
        real(c_float), target :: x(n), y(n)
        real(c_float), pointer :: seen(:)
        type(tw_buffer) :: xs, ys
        type(tw_event) :: event
        type(tw_event_times) :: times
        type(tw_host_accessor) :: accessor
        x = 3
        y = 1
        call pass(tw_buffer_create_over_const(c_loc(x), c_sizeof(x(1)), tw_range_of(shape(x)), xs))
        call pass(tw_buffer_create_over(c_loc(y), c_sizeof(y(1)), tw_range_of(shape(y)), ys))
        call pass(submit_saxpy(queue, 2.0_c_float, xs, ys, event))
        call pass(tw_event_wait(event))
        call check(tw_event_get_state(event) == TW_EVENT_COMPLETE, 'a command is complete')
        call check(tw_event_get_status(event) == TW_SUCCESS, 'its status')
        call pass(tw_event_get_times(event, times))
        call check(times%submit_ns > 0, 'the time of the submission')
        call tw_event_release(event)
        call check(tw_is_null(event), 'a released event is NULL')
        call pass(tw_host_access_part(ys, tw_id_of([10]), tw_range_of([5]), TW_READ, accessor))
        call c_f_pointer(tw_host_accessor_data(accessor), seen, [5])
        call check(all(nint(seen) == 7), 'what an accessor sees')
        call pass(tw_host_accessor_release(accessor))
        call pass(tw_buffer_destroy(xs))
        call pass(tw_buffer_destroy(ys))
        call check(all(nint(y) == 7), 'what a destroyed buffer leaves')
    end subroutine

    subroutine matrix()
        integer(c_int), target :: a(4, 6)
        integer(c_int) :: row, column
        type(tw_buffer) :: buffer
        type(tw_range) :: range
        call pass(tw_buffer_create_over(c_loc(a), c_sizeof(a(1, 1)), tw_range_of(shape(a)), buffer))
        range = tw_buffer_range(buffer)
        call check(range%dims == 2 .and. all(range%size == [6, 4, 1]), 'the range of a matrix')
        call check(tw_buffer_count(buffer) == 24, 'the count of a matrix')
        call check(tw_buffer_element_size(buffer) == 4, 'the size of its elements')
        call pass(submit_number(queue, buffer))
        call pass(tw_buffer_destroy(buffer))
        do column = 1, 6
            do row = 1, 4
                call check(a(row, column) == 10 * row + column, 'an element of a matrix')
            end do
        end do
    end subroutine

    subroutine copies()
        integer(c_int), target :: value, data(8)
        type(tw_buffer) :: from, to
        type(tw_command_group) :: group
        type(tw_event) :: event
        value = 5
        data = 0
        call pass(tw_buffer_create(c_sizeof(value), tw_range_of([8]), from))
        call pass(tw_buffer_create(c_sizeof(value), tw_range_of([8]), to))
        group = tw_queue_begin(queue)
        call tw_fill(group, from, c_loc(value))
        call pass(tw_queue_submit(queue, group, event))
        group = tw_queue_begin(queue)
        call tw_depends_on(group, event)
        call tw_copy(group, from, to)
        call check(tw_command_group_status(group) == TW_SUCCESS, 'the status of a group')
        call pass(tw_queue_submit(queue, group))
        call pass(tw_queue_wait_and_throw(queue))
        call tw_event_release(event)
        call pass(tw_buffer_read(to, c_loc(data)))
        call check(all(data == 5), 'what was filled and copied')
        data = 9
        call pass(tw_buffer_write_part(to, tw_id_of([2]), tw_range_of([3]), c_loc(data)))
        call pass(tw_buffer_read(to, c_loc(data)))
        call check(all(data == [5, 5, 9, 9, 9, 5, 5, 5]), 'what was written to a part')
        call pass(tw_buffer_destroy(from))
        call pass(tw_buffer_destroy(to))
    end subroutine

    subroutine errors()
        type(tw_buffer) :: none
        type(tw_queue) :: in_order
        integer(c_int) :: status
        status = tw_buffer_create(0_c_size_t, tw_range_of([1]), none)
        call check(status == TW_ERROR_INVALID_ARGUMENT .and. tw_is_null(none), 'elements have bytes')
        call check(tw_status_name(status) == 'TW_ERROR_INVALID_ARGUMENT', 'the name of a status')
        call check(len(tw_error_detail()) > 0, 'the detail of an error')
        call check(len(tw_status_meaning(status)) > 0, 'the meaning of a status')
        status = submit_number(queue, none)
        call check(status /= TW_SUCCESS, 'a kernel needs its buffer')
        call pass(tw_queue_create(in_order, device=tw_queue_device(queue), properties=TW_QUEUE_IN_ORDER))
        call check(logical(tw_queue_is_in_order(in_order)), 'a property of a queue')
        call check(logical(.not. tw_queue_is_in_order(queue)), 'no property of a queue')
        call pass(tw_queue_destroy(in_order))
    end subroutine

    subroutine devices()
        type(tw_device) :: found(8)
        type(tw_queue) :: own
        logical :: own_is_host
        integer(c_size_t) :: count
        call pass(tw_get_devices(TW_DEVICE_ALL, found, 8_c_size_t, count))
        call check(count > 0 .and. .not. tw_is_null(found(1)), 'there is a device')
        call check(len(tw_device_name(found(1))) > 0, 'devices have names')
        call pass(tw_queue_create(own, device=found(1)))
        own_is_host = tw_queue_is_host(own)
        call check(own_is_host .eqv. logical(tw_device_is_host(found(1))), 'a queue is on its device')
        call pass(tw_queue_destroy(own))
    end subroutine
end program
