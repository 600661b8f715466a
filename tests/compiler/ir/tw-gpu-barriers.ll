; Barriers go where they order nothing.
; RUN: %tw_opt -passes=tw-gpu-barriers %s | FileCheck %s
; RUN: %keeps tw-gpu-barriers %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4

declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier.n(i32)

; A barrier between accesses to different memory orders nothing.
; CHECK-LABEL: @idle(
; CHECK-NOT: barrier
; CHECK: ret void
define ptx_kernel void @idle(ptr addrspace(1) %x) "kernel" {
  store float 1.0, ptr addrspace(3) @tile, align 4
  call void @llvm.nvvm.barrier0()
  %v = load float, ptr addrspace(1) %x, align 4
  store float %v, ptr addrspace(1) %x, align 4
  ret void
}

; CHECK-LABEL: @reads_alone(
; CHECK-NOT: barrier
; CHECK: ret void
define ptx_kernel void @reads_alone(ptr addrspace(1) %x) "kernel" {
  %v = load float, ptr addrspace(3) @tile, align 4
  call void @llvm.nvvm.barrier0()
  %w = load float, ptr addrspace(3) @tile, align 4
  ret void
}

; Others read what was written.
define ptx_kernel void @keeps_written(ptr addrspace(1) %x) "kernel" {
  store float 1.0, ptr addrspace(3) @tile, align 4
  call void @llvm.nvvm.barrier0()
  %v = load float, ptr addrspace(3) @tile, align 4
  store float %v, ptr addrspace(1) %x, align 4
  ret void
}

; Others read before it is written.
define ptx_kernel void @keeps_read(ptr addrspace(1) %x) "kernel" {
  %v = load float, ptr addrspace(3) @tile, align 4
  store float %v, ptr addrspace(1) %x, align 4
  call void @llvm.nvvm.barrier0()
  store float 1.0, ptr addrspace(3) @tile, align 4
  ret void
}

; The pointer may lead anywhere.
define ptx_kernel void @keeps_any_memory(ptr %x) "kernel" {
  store float 1.0, ptr addrspace(3) @tile, align 4
  call void @llvm.nvvm.barrier0()
  %v = load float, ptr %x, align 4
  store float %v, ptr %x, align 4
  ret void
}

; Callers access more.
define void @keeps_function(ptr addrspace(1) %x) {
  store float 1.0, ptr addrspace(3) @tile, align 4
  call void @llvm.nvvm.barrier0()
  %v = load float, ptr addrspace(1) %x, align 4
  store float %v, ptr addrspace(1) %x, align 4
  ret void
}

; Another barrier of the group, that some of it come to.
define ptx_kernel void @keeps_named_barrier(ptr addrspace(1) %x) "kernel" {
  call void @llvm.nvvm.barrier.n(i32 1)
  ret void
}

!nvvm.annotations = !{!10, !11, !12, !13, !14, !15}
!10 = !{ptr @idle, !"kernel", i32 1}
!11 = !{ptr @reads_alone, !"kernel", i32 1}
!12 = !{ptr @keeps_written, !"kernel", i32 1}
!13 = !{ptr @keeps_read, !"kernel", i32 1}
!14 = !{ptr @keeps_any_memory, !"kernel", i32 1}
!15 = !{ptr @keeps_named_barrier, !"kernel", i32 1}
