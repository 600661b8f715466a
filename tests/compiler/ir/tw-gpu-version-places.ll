; A place of 32 bits in many arrays is a product and sum of one instruction for each.
; RUN: %tw_opt -passes=tw-gpu-version-places %s | FileCheck %s
; RUN: %keeps tw-gpu-version-places %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare void @once()

; CHECK-LABEL: @eight(
; CHECK: %[[HALVES:.*]] = call { i32, i32 } asm "mov.b64 {$0, $1}, $2;", "=r,=r,l"(i64 %place)
; CHECK: %[[LOWER:.*]] = extractvalue { i32, i32 } %[[HALVES]], 0
; CHECK: %[[UPPER:.*]] = extractvalue { i32, i32 } %[[HALVES]], 1
; CHECK: icmp eq i32 %[[UPPER]], 0
; CHECK: zext i32 %[[LOWER]] to i64
; CHECK-COUNT-16: store float
define ptx_kernel void @eight(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, ptr addrspace(1) %x7, i64 %block, i32 %other) "kernel" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %block, %thread.wide
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  %at7 = getelementptr float, ptr addrspace(1) %x7, i64 %place
  store float 1.0, ptr addrspace(1) %at7, align 4
  ret void
}

; It is not worth it.
define ptx_kernel void @keeps_seven(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, i64 %block, i32 %other) "kernel" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %block, %thread.wide
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  ret void
}

; All have the same place.
define ptx_kernel void @keeps_other_place(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, ptr addrspace(1) %x7, i64 %block, i32 %other) "kernel" {
  %thread = add i32 %other, 1
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %block, %thread.wide
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  %at7 = getelementptr float, ptr addrspace(1) %x7, i64 %place
  store float 1.0, ptr addrspace(1) %at7, align 4
  ret void
}

; It always fits.
define ptx_kernel void @keeps_short_place(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, ptr addrspace(1) %x7, i64 %block, i32 %other) "kernel" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %thread.wide, 1
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  %at7 = getelementptr float, ptr addrspace(1) %x7, i64 %place
  store float 1.0, ptr addrspace(1) %at7, align 4
  ret void
}

; All of the group come to the barrier together.
define ptx_kernel void @keeps_barrier(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, ptr addrspace(1) %x7, i64 %block, i32 %other) "kernel" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %block, %thread.wide
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  %at7 = getelementptr float, ptr addrspace(1) %x7, i64 %place
  store float 1.0, ptr addrspace(1) %at7, align 4
  call void @llvm.nvvm.barrier0()
  ret void
}

; What must not be copied.
define ptx_kernel void @keeps_single_call(ptr addrspace(1) %x0, ptr addrspace(1) %x1, ptr addrspace(1) %x2, ptr addrspace(1) %x3, ptr addrspace(1) %x4, ptr addrspace(1) %x5, ptr addrspace(1) %x6, ptr addrspace(1) %x7, i64 %block, i32 %other) "kernel" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread.wide = zext i32 %thread to i64
  %place = add i64 %block, %thread.wide
  %at0 = getelementptr float, ptr addrspace(1) %x0, i64 %place
  store float 1.0, ptr addrspace(1) %at0, align 4
  %at1 = getelementptr float, ptr addrspace(1) %x1, i64 %place
  store float 1.0, ptr addrspace(1) %at1, align 4
  %at2 = getelementptr float, ptr addrspace(1) %x2, i64 %place
  store float 1.0, ptr addrspace(1) %at2, align 4
  %at3 = getelementptr float, ptr addrspace(1) %x3, i64 %place
  store float 1.0, ptr addrspace(1) %at3, align 4
  %at4 = getelementptr float, ptr addrspace(1) %x4, i64 %place
  store float 1.0, ptr addrspace(1) %at4, align 4
  %at5 = getelementptr float, ptr addrspace(1) %x5, i64 %place
  store float 1.0, ptr addrspace(1) %at5, align 4
  %at6 = getelementptr float, ptr addrspace(1) %x6, i64 %place
  store float 1.0, ptr addrspace(1) %at6, align 4
  %at7 = getelementptr float, ptr addrspace(1) %x7, i64 %place
  store float 1.0, ptr addrspace(1) %at7, align 4
  call void @once() noduplicate
  ret void
}

!nvvm.annotations = !{!10, !11, !12, !13, !14, !15}
!10 = !{ptr @eight, !"kernel", i32 1}
!11 = !{ptr @keeps_seven, !"kernel", i32 1}
!12 = !{ptr @keeps_other_place, !"kernel", i32 1}
!13 = !{ptr @keeps_short_place, !"kernel", i32 1}
!14 = !{ptr @keeps_barrier, !"kernel", i32 1}
!15 = !{ptr @keeps_single_call, !"kernel", i32 1}
