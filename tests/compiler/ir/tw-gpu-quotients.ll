; A division of 32 bits by a constant is a product whose upper half is one instruction.
; RUN: %tw_opt -passes=tw-gpu-quotients %s | FileCheck %s
; RUN: %keeps tw-gpu-quotients %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @tenth(
; CHECK: %[[HIGH:.*]] = call i32 @llvm.nvvm.mulhi.ui(i32 %{{.*}}, i32 -858993459)
; CHECK: lshr i32 %[[HIGH]], 3
; CHECK-NOT: udiv
; CHECK: ret void
define void @tenth(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = udiv i32 %number, 10
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @rest(
; CHECK: call i32 @llvm.nvvm.mulhi.ui
; CHECK: mul i32 %{{.*}}, 10
; CHECK: sub i32
; CHECK-NOT: urem
; CHECK: ret void
define void @rest(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = urem i32 %number, 10
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; It is a shift.
define void @keeps_power_of_two(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = udiv i32 %number, 8
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The divisor is not known.
define void @keeps_variable(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = udiv i32 %number, %n
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Signed numbers are rounded towards 0.
define void @keeps_signed(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = sdiv i32 %number, 10
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The loop does not change it.
define void @keeps_invariant(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %number = add i32 %first, %i
  %q = udiv i32 %first, 10
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; When the loop is unrolled, the quotient is a constant.
define void @keeps_counter(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = udiv i32 %i, 10
  %at = getelementptr inbounds i32, ptr %x, i32 %i
  store i32 %q, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Of 64 bits.
define void @keeps_wide(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %far = load i64, ptr %x, align 8
  %number = add i64 %far, %wide
  %q = udiv i64 %number, 10
  %at = getelementptr inbounds i64, ptr %x, i32 %i
  store i64 %q, ptr %at, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
