; Arrays among the arguments of a kernel are in the team's memory, and other members nowhere.
; RUN: %tw_opt -passes=tw-gpu-share-arguments %s | FileCheck %s
; RUN: %keeps tw-gpu-share-arguments %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%arguments = type { i32, [4 x i32], i32 }

declare void @anything(ptr)

; Of the members nothing is read: only the array goes to the team's memory, which all set before one barrier.
; CHECK: @shares_arguments = internal addrspace(3) global %arguments undef
; CHECK-LABEL: @shares(
; CHECK-NOT: alloca
; CHECK-NOT: store i32 %a
; CHECK: store i32 %b
; CHECK-NOT: store i32 %c
; CHECK: call void @llvm.nvvm.barrier
; CHECK: load i32
; CHECK: ret
define ptx_kernel i32 @shares(i32 %a, i32 %b, i32 %c, i64 %i, ptr %out) "teamwork.simt"="shares" "kernel" {
  %v = alloca %arguments, align 4
  %array = getelementptr inbounds %arguments, ptr %v, i64 0, i32 1
  %behind = getelementptr inbounds %arguments, ptr %v, i64 0, i32 2
  store i32 %a, ptr %v, align 4
  store i32 %b, ptr %array, align 4
  store i32 %c, ptr %behind, align 4
  %at = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 %i
  %r = load i32, ptr %at, align 4
  ret i32 %r
}

; In other functions than kernels they only go.
; CHECK-LABEL: @drops(
; CHECK: alloca
; CHECK-NOT: store i32 %a
; CHECK: store i32 %b
; CHECK: ret
define i32 @drops(i32 %a, i32 %b, i32 %c, i64 %i, ptr %out) {
  %v = alloca %arguments, align 4
  %array = getelementptr inbounds %arguments, ptr %v, i64 0, i32 1
  %behind = getelementptr inbounds %arguments, ptr %v, i64 0, i32 2
  store i32 %a, ptr %v, align 4
  store i32 %b, ptr %array, align 4
  store i32 %c, ptr %behind, align 4
  %at = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 %i
  %r = load i32, ptr %at, align 4
  ret i32 %r
}

; Who has the address may read all.
define ptx_kernel i32 @keeps_passed_on(i32 %a, i32 %b, i32 %c, i64 %i, ptr %out) "teamwork.simt"="keeps_passed_on" "kernel" {
  %v = alloca %arguments, align 4
  %array = getelementptr inbounds %arguments, ptr %v, i64 0, i32 1
  %behind = getelementptr inbounds %arguments, ptr %v, i64 0, i32 2
  store i32 %a, ptr %v, align 4
  store i32 %b, ptr %array, align 4
  store i32 %c, ptr %behind, align 4
  call void @anything(ptr %v)
  %at = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 %i
  %r = load i32, ptr %at, align 4
  ret i32 %r
}

; The index may lead from one member to the next.
define ptx_kernel i32 @keeps_any_index(i32 %a, i32 %b, i32 %c, i64 %i, ptr %out) "teamwork.simt"="keeps_any_index" "kernel" {
  %v = alloca %arguments, align 4
  %array = getelementptr inbounds %arguments, ptr %v, i64 0, i32 1
  %behind = getelementptr inbounds %arguments, ptr %v, i64 0, i32 2
  store i32 %a, ptr %v, align 4
  store i32 %b, ptr %array, align 4
  store i32 %c, ptr %behind, align 4
  %at = getelementptr inbounds i32, ptr %v, i64 %i
  %r = load i32, ptr %at, align 4
  ret i32 %r
}

define ptx_kernel i32 @keeps_kept_address(i32 %a, i32 %b, i32 %c, i64 %i, ptr %out) "teamwork.simt"="keeps_kept_address" "kernel" {
  %v = alloca %arguments, align 4
  %array = getelementptr inbounds %arguments, ptr %v, i64 0, i32 1
  %behind = getelementptr inbounds %arguments, ptr %v, i64 0, i32 2
  store i32 %a, ptr %v, align 4
  store i32 %b, ptr %array, align 4
  store i32 %c, ptr %behind, align 4
  store ptr %v, ptr %out, align 8
  %at = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 %i
  %r = load i32, ptr %at, align 4
  ret i32 %r
}

!nvvm.annotations = !{!10, !11, !12, !13}
!10 = !{ptr @shares, !"kernel", i32 1}
!11 = !{ptr @keeps_passed_on, !"kernel", i32 1}
!12 = !{ptr @keeps_any_index, !"kernel", i32 1}
!13 = !{ptr @keeps_kept_address, !"kernel", i32 1}
