; Addresses of global memory, in as few instructions as they can be.
; RUN: %tw_opt -passes=tw-gpu-addresses %s | FileCheck %s
; RUN: %keeps tw-gpu-addresses %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A kernel's pointers, which come as words, are those of global memory.
; CHECK-LABEL: @words(
; CHECK: inttoptr i64 %x to ptr addrspace(1)
; CHECK: addrspacecast ptr addrspace(1) %{{.*}} to ptr
define ptx_kernel void @words(i64 %x) "kernel" {
  %p = inttoptr i64 %x to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; The offset is added to what is there first.
; CHECK-LABEL: @offset(
; CHECK: %[[SUM:.*]] = add i64 %rest, %first
; CHECK: add i64 %[[SUM]], %scaled
define i64 @offset(i64 %block, i64 %rest, i64 %first) {
  %scaled = shl i64 %block, 8
  %place = or disjoint i64 %scaled, %rest
  %r = add i64 %place, %first
  ret i64 %r
}

; It may be a pointer of any memory.
define void @keeps_function(i64 %x) {
  %p = inttoptr i64 %x to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; Its bits are computed.
define ptx_kernel void @keeps_other_word(i64 %x) "kernel" {
  %y = xor i64 %x, 7
  %p = inttoptr i64 %y to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; An or of the same bits is no sum.
define i64 @keeps_or(i64 %block, i64 %rest, i64 %first) {
  %scaled = shl i64 %block, 8
  %place = or i64 %scaled, %rest
  %r = add i64 %place, %first
  ret i64 %r
}

; Another use needs it as it is.
define i64 @keeps_two_uses(i64 %block, i64 %rest, i64 %first, ptr %x) {
  %scaled = shl i64 %block, 8
  %place = or disjoint i64 %scaled, %rest
  store i64 %place, ptr %x, align 8
  %r = add i64 %place, %first
  ret i64 %r
}

!nvvm.annotations = !{!10, !11}
!10 = !{ptr @words, !"kernel", i32 1}
!11 = !{ptr @keeps_other_word, !"kernel", i32 1}
