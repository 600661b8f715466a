; A counter of few bits that begins with 0 and wraps is behind a freeze, since LLVM's check that it does not wrap forgets its step.
; RUN: %tw_opt -passes=tw-hide-wraps %s | FileCheck %s
; RUN: %tw_opt -mcpu=x86-64-v3 -enable-masked-interleaved-mem-accesses -passes=tw-hide-wraps,loop-vectorize %s | FileCheck %s --check-prefix=VECTORS
; RUN: %keeps tw-hide-wraps %s
; REQUIRES: x86

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @of_mask(
; CHECK: %[[AND:.*]] = and i64 %i7, 1023
; CHECK: %[[SAME:.*]] = freeze i64 %[[AND]]
; CHECK: getelementptr inbounds i32, ptr %in, i64 %[[SAME]]
; VECTORS-LABEL: @of_mask(
; VECTORS-NOT: x i32> @llvm.masked.load.v56i32
; VECTORS: ret void
define void @of_mask(ptr noalias %c, ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %c, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp eq i32 %v, 1
  br i1 %some, label %then, label %join
then:
  %i7 = mul nuw nsw i64 %i, 7
  %masked = and i64 %i7, 1023
  %from = getelementptr inbounds i32, ptr %in, i64 %masked
  %w = load i32, ptr %from, align 4
  %x = sitofp i32 %w to double
  %y = fdiv double %x, 3.0
  %z = fptosi double %y to i32
  br label %join
join:
  %result = phi i32 [ %z, %then ], [ %v, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %result, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 256
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @of_narrow(
; CHECK: %[[WIDE:.*]] = zext i8 %narrow to i64
; CHECK: freeze i64 %[[WIDE]]
define void @of_narrow(ptr noalias %c, ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %c, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp eq i32 %v, 1
  br i1 %some, label %then, label %join
then:
  %i3 = mul nuw nsw i64 %i, 3
  %narrow = trunc i64 %i3 to i8
  %wide = zext i8 %narrow to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %wide
  %w = load i32, ptr %from, align 4
  %x = sitofp i32 %w to double
  %y = fdiv double %x, 3.0
  %z = fptosi double %y to i32
  br label %join
join:
  %result = phi i32 [ %z, %then ], [ %v, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %result, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 256
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; LLVM's check does for a step of 1, and for counters that begin elsewhere.
define void @keeps_step_one(ptr noalias %c, ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %c, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp eq i32 %v, 1
  br i1 %some, label %then, label %join
then:
  %masked = and i64 %i, 63
  %from = getelementptr inbounds i32, ptr %in, i64 %masked
  %w = load i32, ptr %from, align 4
  %x = sitofp i32 %w to double
  %y = fdiv double %x, 3.0
  %z = fptosi double %y to i32
  br label %join
join:
  %result = phi i32 [ %z, %then ], [ %v, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %result, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 256
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

define void @keeps_later_begin(ptr noalias %c, ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %c, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp eq i32 %v, 1
  br i1 %some, label %then, label %join
then:
  %i7 = mul nuw nsw i64 %i, 7
  %i8 = add nuw nsw i64 %i7, 5
  %masked = and i64 %i8, 1023
  %from = getelementptr inbounds i32, ptr %in, i64 %masked
  %w = load i32, ptr %from, align 4
  %x = sitofp i32 %w to double
  %y = fdiv double %x, 3.0
  %z = fptosi double %y to i32
  br label %join
join:
  %result = phi i32 [ %z, %then ], [ %v, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %result, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 256
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; This one does not wrap.
define void @keeps_within(ptr noalias %c, ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %c, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp eq i32 %v, 1
  br i1 %some, label %then, label %join
then:
  %i3 = mul nuw nsw i64 %i, 3
  %masked = and i64 %i3, 1023
  %from = getelementptr inbounds i32, ptr %in, i64 %masked
  %w = load i32, ptr %from, align 4
  %x = sitofp i32 %w to double
  %y = fdiv double %x, 3.0
  %z = fptosi double %y to i32
  br label %join
join:
  %result = phi i32 [ %z, %then ], [ %v, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %result, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 256
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"llvm.loop.vectorize.enable", i1 true}
