; The function of an nd_range's work-items gets the first of them as its second argument, and another one only from a barrier on.
; RUN: %tw_opt -passes=tw-begins-with-first %s | FileCheck %s
; RUN: %keeps tw-begins-with-first %s

declare float @cosf(float)
declare void @may_have_a_barrier(ptr)

; CHECK-LABEL: @without_calls(
; CHECK: phi i64 [ 0, %entry ]
define internal void @without_calls(ptr %group, i64 %first) "teamwork.work_items"="without_calls" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i64, ptr %group, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A function that gets numbers alone knows no group to wait for.
; CHECK-LABEL: @with_a_call(
; CHECK: phi i64 [ 0, %entry ]
define internal void @with_a_call(ptr %group, i64 %first) "teamwork.work_items"="with_a_call" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds float, ptr %group, i64 %i
  %number = uitofp i64 %i to float
  %v = call float @cosf(float %number)
  store float %v, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define internal void @keeps_barrier(ptr %group, i64 %first) "teamwork.work_items"="keeps_barrier" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  call void @may_have_a_barrier(ptr %group)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define internal void @keeps_indirect(ptr %group, i64 %first) "teamwork.work_items"="keeps_indirect" {
entry:
  %function = load ptr, ptr %group, align 8
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  call void %function(i64 %i)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Callers in other files are not known.
define void @keeps_external(ptr %group, i64 %first) "teamwork.work_items"="keeps_external" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i64, ptr %group, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The second argument of other functions is anything.
define internal void @keeps_other_name(ptr %group, i64 %first) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i64, ptr %group, i64 %i
  store i64 %i, ptr %at, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; the functions are called, for they are internal
define void @group(ptr %group, i64 %first) {
  call void @without_calls(ptr %group, i64 %first)
  call void @with_a_call(ptr %group, i64 %first)
  call void @keeps_barrier(ptr %group, i64 %first)
  call void @keeps_indirect(ptr %group, i64 %first)
  call void @keeps_other_name(ptr %group, i64 %first)
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
