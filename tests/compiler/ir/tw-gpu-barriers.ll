; Barriers leave loops that only read, and go where they order nothing.
; RUN: %tw_opt -passes=tw-gpu-barriers %s | FileCheck %s
; RUN: %keeps tw-gpu-barriers %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@count = internal addrspace(3) global i32 undef, align 4

declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier.n(i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare void @anything()

; One in front and one behind.
; CHECK-LABEL: @reads(
; CHECK: entry:
; CHECK: call void @llvm.nvvm.barrier
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: br i1
; CHECK: call void @llvm.nvvm.barrier
; CHECK: ret void
define void @reads(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

; It writes what others read.
define void @keeps_writes(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  store float %sum.next, ptr addrspace(3) %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

define void @keeps_atomic(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  %was = atomicrmw add ptr addrspace(3) @count, i32 1 monotonic, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

define void @keeps_fence(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  fence seq_cst
  store float %v, ptr addrspace(3) @tile, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

define void @keeps_volatile(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load volatile float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

; Lanes exchange values.
define void @keeps_exchange(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %w = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %v, i32 1, i32 31)
  %sum.next = fadd float %sum, %w
  call void @llvm.nvvm.barrier0()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

define void @keeps_call(ptr %x, ptr %out, i32 %n) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  call void @llvm.nvvm.barrier0()
  call void @anything()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

; Not each turn comes to the barrier.
define void @keeps_condition(ptr %x, ptr %out, i32 %n, i32 %n.half) {
entry:
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %join ]
  %at = getelementptr inbounds float, ptr addrspace(3) @tile, i32 %i
  %v = load float, ptr addrspace(3) %at, align 4
  %sum.next = fadd float %sum, %v
  %some = icmp eq i32 %i, %n.half
  br i1 %some, label %then, label %join
then:
  call void @llvm.nvvm.barrier0()
  br label %join
join:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %sum.next, ptr addrspace(3) @tile, align 4
  ret void
}

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
