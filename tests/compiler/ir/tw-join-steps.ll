; The next index, computed on both ways of a condition, is one addition again: else no analysis sees a counter.
; RUN: %tw_opt -passes=tw-join-steps %s | FileCheck %s
; RUN: %keeps tw-join-steps %s

; CHECK-LABEL: @two_ways(
; CHECK-COUNT-1: add {{.*}}i64 %i, 1
; CHECK-NOT: add {{.*}}i64 %i
; CHECK: ret void
define void @two_ways(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %else
then:
  %next.then = add nuw nsw i64 %i, 1
  %behind = getelementptr inbounds i32, ptr %out, i64 %next.then
  store i32 %v, ptr %behind, align 4
  br label %latch
else:
  %next.else = add nuw i64 %i, 1
  br label %latch
latch:
  %next = phi i64 [ %next.then, %then ], [ %next.else, %else ]
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; The ways go on by different steps.
define void @keeps_other_step(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %else
then:
  %next.then = add nuw nsw i64 %i, 1
  store i32 %v, ptr %out, align 4
  br label %latch
else:
  %next.else = add nuw nsw i64 %i, 2
  br label %latch
latch:
  %next = phi i64 [ %next.then, %then ], [ %next.else, %else ]
  %done = icmp uge i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; One way goes on from another value.
define void @keeps_other_value(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i64, ptr %x, i64 %i
  %v = load i64, ptr %at, align 4
  %some = icmp sgt i64 %v, %i
  br i1 %some, label %then, label %else
then:
  %next.then = add nuw nsw i64 %v, 1
  store i64 %v, ptr %out, align 4
  br label %latch
else:
  %next.else = add nuw nsw i64 %i, 1
  br label %latch
latch:
  %next = phi i64 [ %next.then, %then ], [ %next.else, %else ]
  %done = icmp uge i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; A difference is no sum.
define void @keeps_difference(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %else
then:
  %next.then = add nuw nsw i64 %i, 1
  store i32 %v, ptr %out, align 4
  br label %latch
else:
  %next.else = sub i64 %i, 1
  br label %latch
latch:
  %next = phi i64 [ %next.then, %then ], [ %next.else, %else ]
  %done = icmp uge i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
