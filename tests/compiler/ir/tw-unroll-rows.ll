; A loop of a work-item through a row of its own takes eight turns at once, so that lanes load their elements together.
; RUN: %tw_opt -passes=tw-unroll-rows %s | FileCheck %s
; RUN: %keeps tw-unroll-rows %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @row_of_item(
; CHECK-COUNT-8: load float, ptr
; CHECK: load float, ptr
; CHECK-NOT: load float, ptr
; CHECK: ret void
define void @row_of_item(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %m
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Rows of 24 elements have no rest; nor have they where a loop around goes through them again and again.
; CHECK-LABEL: @again_and_again(
; CHECK-COUNT-8: load float, ptr
; CHECK-NOT: load float, ptr
; CHECK: ret void
define void @again_and_again(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, 24
  br label %around
around:
  %c = phi i64 [ 0, %loop ], [ %c.next, %around.latch ]
  %kept = phi float [ 0.0, %loop ], [ %sum.next, %around.latch ]
  br label %turn
turn:
  %j = phi i64 [ 0, %around ], [ %j.next, %turn ]
  %sum = phi float [ %kept, %around ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, 24
  br i1 %again, label %turn, label %around.latch
around.latch:
  %c.next = add nuw nsw i64 %c, 1
  %once.more = icmp ult i64 %c.next, %m
  br i1 %once.more, label %around, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A row that all work-items share is no row of its own ...
define void @keeps_shared_row(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %at = getelementptr inbounds float, ptr %a, i64 %j
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... nor is a column, which lanes read side by side, ...
define void @keeps_column(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %begin = mul nsw i64 %j, %n
  %place = add nsw i64 %begin, %i
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... nor is a window that is one element further on for each work-item, ...
define void @keeps_window(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %i, %j
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... nor one that is copied, or whose numbers may be added in any order: LLVM makes vectors of its elements, ...
define void @keeps_copied_row(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %m
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %v, ptr %to, align 4
  %sum.next = fadd reassoc float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %last = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %last, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... nor a row of which each work-item has another number of elements: lanes leave it one by one.
define void @keeps_own_length(ptr noalias %a, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %m
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %a, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %i
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

attributes #0 = { "target-features"="+avx2" }

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
