; Counters of loops over work-items of known length: comparisons that are constants, and extensions of what does not wrap around.
; RUN: %tw_opt -passes=tw-simplify-counters %s | FileCheck %s
; RUN: %keeps tw-simplify-counters %s

; With all bits; no work-item is below zero.
; CHECK-LABEL: @narrow(
; CHECK-NOT: {{sext|trunc}}
; CHECK: %[[TWICE:.*]] = shl {{.*}}i64 %i, 3
; CHECK: getelementptr inbounds i8, ptr %x, i64 %[[TWICE]]
; CHECK-NOT: icmp slt
; CHECK: ret void
define void @narrow(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %below = icmp slt i32 %id, 0
  br i1 %below, label %latch, label %then
then:
  %twice = shl nsw i32 %id, 1
  %wide = sext i32 %twice to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 7, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Without the upper bits, or shifted to and fro, is the same as long as these are not used.
; CHECK-LABEL: @cut(
; CHECK-COUNT-1: phi
; CHECK-NOT: {{phi|and i64|ashr}}
; CHECK: ret void
define void @cut(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %more.index = add i64 %i, 256
  %cut = and i64 %more.index, 4294967295
  %at = getelementptr inbounds i32, ptr %x, i64 %cut
  store i32 7, ptr %at, align 4
  %to = shl i64 %i, 32
  %less = add i64 %to, -4294967296
  %fro = ashr exact i64 %less, 32
  %at2 = getelementptr inbounds i32, ptr %x, i64 %fro
  store i32 8, ptr %at2, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; How many work-items there are is not known.
define void @keeps_any_length(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %id = trunc i64 %i to i32
  %twice = shl i32 %id, 1
  %wide = sext i32 %twice to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It wraps around.
define void @keeps_bits_that_differ(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %cut = and i64 %i, 127
  %at = getelementptr inbounds i32, ptr %x, i64 %cut
  store i32 7, ptr %at, align 4
  %id = trunc i64 %i to i8
  %wide = sext i8 %id to i64
  %at2 = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 8, ptr %at2, align 4
  %next = add nuw nsw i64 %i, 1
  %all = icmp eq i64 %next, 256
  br i1 %all, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; No loop over work-items.
define void @keeps_others(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %id = trunc i64 %i to i32
  %twice = shl nsw i32 %id, 1
  %wide = sext i32 %twice to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %end
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
