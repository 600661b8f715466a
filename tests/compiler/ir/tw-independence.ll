; The vectorizer is told that work-items are independent, where they are.
; RUN: %tw_opt -passes=tw-independence %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare void @anything()
declare void @llvm.assume(i1)

; CHECK-LABEL: @copies(
; CHECK: !llvm.access.group
; CHECK: ret void
define void @copies(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A work-item may read, with a stride, what it has written: the vectorizer would move the loads in front of that.
; CHECK-LABEL: @keeps_order_of_item(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_order_of_item(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 1, ptr %at, align 4
  %two = shl nuw nsw i64 %i, 1
  %pair = getelementptr inbounds i32, ptr %out, i64 %two
  %v = load i32, ptr %pair, align 4
  store i32 %v, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The work-item's own variable exists once.
; CHECK-LABEL: @keeps_shared_variable(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_shared_variable(ptr %x, ptr %out, i64 %n) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %kept, align 4
  %again = load i32, ptr %kept, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %again, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each has its element.
; CHECK-LABEL: @own_elements(
; CHECK: !llvm.access.group
; CHECK: ret void
define void @own_elements(ptr %x, ptr %out, i64 %n) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %own = getelementptr inbounds i32, ptr %kept, i64 %i
  store i32 1, ptr %own, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each has its structure, of which it touches two members.
; CHECK-LABEL: @own_structures(
; CHECK: !llvm.access.group
; CHECK: ret void
define void @own_structures(ptr %x, ptr %out, i64 %n) {
entry:
  %kept = alloca [64 x [2 x i32]], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %own = getelementptr inbounds [2 x i32], ptr %kept, i64 %i
  store i32 1, ptr %own, align 4
  %second = getelementptr inbounds i8, ptr %own, i64 4
  store i32 2, ptr %second, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One that touches the begin of the next one's too.
; CHECK-LABEL: @keeps_overlap(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_overlap(ptr %x, ptr %out, i64 %n) {
entry:
  %kept = alloca [64 x [2 x i32]], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %own = getelementptr inbounds [2 x i32], ptr %kept, i64 %i
  store i32 1, ptr %own, align 4
  %second = getelementptr inbounds i8, ptr %own, i64 8
  store i32 2, ptr %second, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The same through many steps, as of an array of seven dimensions.
; CHECK-LABEL: @keeps_far_address(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_far_address(ptr %x, ptr %out, i64 %n, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %a = zext i32 %v to i64
  %far.0 = getelementptr inbounds i32, ptr %kept, i64 %a
  %far.1 = getelementptr inbounds i32, ptr %far.0, i64 %a1
  %far.2 = getelementptr inbounds i32, ptr %far.1, i64 %a2
  %far.3 = getelementptr inbounds i32, ptr %far.2, i64 %a3
  %far.4 = getelementptr inbounds i32, ptr %far.3, i64 %a4
  %far.5 = getelementptr inbounds i32, ptr %far.4, i64 %a5
  %far.6 = getelementptr inbounds i32, ptr %far.5, i64 %a6
  store i32 %v, ptr %far.6, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; An address from memory may be that of the variable.
; CHECK-LABEL: @keeps_unknown_address(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_unknown_address(ptr %x, ptr %out, i64 %n) {
entry:
  %kept = alloca i32, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  call void @llvm.assume(i1 true) [ "align"(ptr %kept, i64 4) ]
  %of = load ptr, ptr %out, align 8
  store ptr %kept, ptr %out, align 8
  store i32 %v, ptr %of, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; All add to one place.
; CHECK-LABEL: @keeps_sum(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_sum(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %sum = load i32, ptr %out, align 4
  %more.sum = add i32 %sum, %v
  store i32 %more.sum, ptr %out, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Two may add to the same element of a reduction.
; CHECK-LABEL: @keeps_combined(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_combined(ptr %x, ptr %out, i64 %n) "teamwork.combines" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %key = zext i32 %v to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %key
  %sum = load i32, ptr %to, align 4
  %more.sum = add i32 %sum, 1
  store i32 %more.sum, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; They do not where nothing is combined.
; CHECK-LABEL: @own_counts(
; CHECK: !llvm.access.group
; CHECK: ret void
define void @own_counts(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %key = zext i32 %v to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %key
  %sum = load i32, ptr %to, align 4
  %more.sum = add i32 %sum, 1
  store i32 %more.sum, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @keeps_call(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_call(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  call void @anything()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @keeps_volatile(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_volatile(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store volatile i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @keeps_atomic(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_atomic(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store atomic i32 %v, ptr %to monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each second turn is one of the same work-item.
; CHECK-LABEL: @keeps_turns_of_one_item(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_turns_of_one_item(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; Not of work-items.
; CHECK-LABEL: @keeps_other_loop(
; CHECK-NOT: !llvm.access.group
; CHECK: ret void
define void @keeps_other_loop(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
!4 = distinct !{!4, !1, !5}
!5 = !{!"teamwork.items.apart", i64 2}
