; Stores of some work-items to elements of their own become stores of all, some of what was there.
; RUN: %tw_opt -passes=tw-store-always %s | FileCheck %s
; RUN: %keeps tw-store-always %s

declare void @anything()

; CHECK-LABEL: @stores_own(
; CHECK: %[[BEFORE:.*]] = load i32, ptr %own, align 4
; CHECK: %[[NEW:.*]] = select i1 %{{.*}}, i32 %[[BEFORE]], i32 1
; CHECK: store i32 %[[NEW]], ptr %own, align 4
define void @stores_own(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; The memory is not the thread's: nothing is written there that the kernel does not write.
define void @keeps_program_memory(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; Two work-items have the same element.
define void @keeps_shared_element(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %half = lshr i64 %i, 1
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %half
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; The elements overlap.
define void @keeps_overlap(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds i16, ptr %kept, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; Turns that do not store may be past the end of the variable.
define void @keeps_past_end(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 65
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

define void @keeps_before_begin(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %less
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; Another work-item writes the element.
define void @keeps_other_access(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %turned = sub nsw i64 63, %i
  %other = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %turned
  store i32 2, ptr %other, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; So may what is called.
define void @keeps_call(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  call void @anything()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; What is read behind the store sees it.
define void @keeps_read_behind(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  %again = load i32, ptr %own, align 4
  store i32 %again, ptr %out, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

define void @keeps_volatile(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store volatile i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

define void @keeps_atomic(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store atomic i32 1, ptr %own monotonic, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; Another address of the variable is found through any number of steps.
define void @keeps_far_address(ptr %x, ptr %out, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) {
entry:
  %kept = alloca [64 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %far.0 = getelementptr inbounds i32, ptr %kept, i64 %a0
  %far.1 = getelementptr inbounds i32, ptr %far.0, i64 %a1
  %far.2 = getelementptr inbounds i32, ptr %far.1, i64 %a2
  %far.3 = getelementptr inbounds i32, ptr %far.2, i64 %a3
  %far.4 = getelementptr inbounds i32, ptr %far.3, i64 %a4
  %far.5 = getelementptr inbounds i32, ptr %far.4, i64 %a5
  %far.6 = getelementptr inbounds i32, ptr %far.5, i64 %a6
  %turned = sub nsw i64 0, %i
  %other = getelementptr inbounds i32, ptr %far.6, i64 %turned
  store i32 2, ptr %other, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

; The pointer may be that of the variable.
define void @keeps_captured(ptr %x, ptr %out) {
entry:
  %kept = alloca [64 x i32], align 4
  store ptr %kept, ptr %out, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %own = getelementptr inbounds [64 x i32], ptr %kept, i64 0, i64 %i
  store i32 1, ptr %own, align 4
  br label %join
join:
  %of = load ptr, ptr %out, align 8
  %turned = sub nsw i64 63, %i
  %other = getelementptr inbounds i32, ptr %of, i64 %turned
  store i32 2, ptr %other, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %v.0 = load i32, ptr %kept, align 4
  store i32 %v.0, ptr %out, align 4
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
