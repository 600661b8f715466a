; A large frame that is probed is used at once, so that no prologue is moved behind the first blocks.
; RUN: %tw_opt -passes=tw-x86-frames %s | FileCheck %s
; RUN: %keeps tw-x86-frames %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @use(ptr)

; CHECK-LABEL: @large(
; CHECK-NEXT: %array = alloca [16384 x i32]
; CHECK-NEXT: call void asm sideeffect "", "r"(ptr %array)
define void @large(i1 %some) "probe-stack"="inline-asm" {
  %array = alloca [16384 x i32], align 64
  br i1 %some, label %then, label %end
then:
  call void @use(ptr %array)
  br label %end
end:
  ret void
}

; CHECK-LABEL: @keeps_small(
; CHECK-NOT: call void asm
define void @keeps_small() "probe-stack"="inline-asm" {
  %array = alloca [16 x i32]
  call void @use(ptr %array)
  ret void
}

; CHECK-LABEL: @keeps_not_probed(
; CHECK-NOT: call void asm
define void @keeps_not_probed() {
  %array = alloca [16384 x i32]
  call void @use(ptr %array)
  ret void
}
