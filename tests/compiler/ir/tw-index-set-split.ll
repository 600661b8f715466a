; Conditions on the index that hold for most work-items are constants in the middle part of a loop.
; RUN: %tw_opt -passes=tw-index-set-split %s | FileCheck %s
; RUN: %keeps tw-index-set-split %s

declare void @once()
declare i64 @llvm.umin.i64(i64, i64)

; CHECK-LABEL: @not_the_first(
; CHECK: phi i64
; CHECK-NOT: icmp ne i64 %{{.*}}, 0
; CHECK: load i32
; CHECK: store i32
; CHECK: ret void
define void @not_the_first(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; In front of the bound, in the middle and behind it.
; CHECK-LABEL: @below_bound(
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %{{.*}})
; CHECK: load i32
; CHECK: ret void
define void @below_bound(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ult i64 %i, %bound
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A clamp is the index.
; CHECK-LABEL: @clamped(
; CHECK: tw_turn
; CHECK: ret void
define void @clamped(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %least = call i64 @llvm.umin.i64(i64 %i, i64 %bound)
  %at = getelementptr inbounds i32, ptr %x, i64 %least
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What is loaded says where the border is.
define void @keeps_bound_from_memory(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %v.bound = load i64, ptr %x, align 8
  %inside = icmp ult i64 %i, %v.bound
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The low bit changes back and forth.
define void @keeps_parity(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %bit = trunc i64 %i to i1
  %inside = icmp ne i1 %bit, false
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Of loaded values.
define void @keeps_value(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at.0 = getelementptr inbounds i32, ptr %out, i64 %i
  %v.0 = load i32, ptr %at.0, align 4
  %inside = icmp sgt i32 %v.0, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So few turns are not worth it.
define void @keeps_short(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The last value is used.
define void @keeps_last(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %third = mul i64 %i, 3
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i64 %third, ptr %out, align 8
  ret void
}

; So is the counter.
define void @keeps_counter(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i64 %next, ptr %out, align 8
  ret void
}

; What must not be copied.
define void @keeps_single_call(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  call void @once() noduplicate
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The loop is left on the way.
define void @keeps_other_exit(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %stop = icmp eq i64 %i, %bound
  br i1 %stop, label %end, label %goes.on
goes.on:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %n, i64 %bound) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %inside = icmp ne i64 %i, 0
  br i1 %inside, label %then, label %join
then:
  %less = add nsw i64 %i, -1
  %at = getelementptr inbounds i32, ptr %x, i64 %less
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %join
join:
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
