; A clamp is a maximum and a minimum where its bounds are in order, which is tested in front of the kernel.
; RUN: %tw_opt -passes=tw-gpu-version-clamps %s | FileCheck %s
; RUN: %keeps tw-gpu-version-clamps %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.smin.i32(i32, i32)
declare void @once()

; CHECK-LABEL: @clamps(
; CHECK: icmp sle i32 0, %last
; CHECK: %[[LEAST:.*]] = call i32 @llvm.smax.i32(i32 %i, i32 0)
; CHECK: call i32 @llvm.smin.i32(i32 %[[LEAST]], i32 %last)
; CHECK: loop.any:
; CHECK: select i1
define ptx_kernel void @clamps(ptr %x, ptr %out, i32 %n, i32 %last) "kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = icmp slt i32 %i, 0
  %most = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %index = select i1 %below, i32 0, i32 %most
  %at = getelementptr float, ptr %x, i32 %index
  store float 1.0, ptr %at, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The bound is another one for each work-item: there is no test for all.
define ptx_kernel void @keeps_bound_from_memory(ptr %x, ptr %out, i32 %n, i32 %last) "kernel" {
entry:
  %loaded = load i32, ptr %x, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = icmp slt i32 %i, 0
  %most = call i32 @llvm.smin.i32(i32 %i, i32 %loaded)
  %index = select i1 %below, i32 0, i32 %most
  %at = getelementptr float, ptr %x, i32 %index
  store float 1.0, ptr %at, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; It chooses the bound below another number.
define ptx_kernel void @keeps_other_choice(ptr %x, ptr %out, i32 %n, i32 %last) "kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = icmp slt i32 %i, 5
  %most = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %index = select i1 %below, i32 0, i32 %most
  %at = getelementptr float, ptr %x, i32 %index
  store float 1.0, ptr %at, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What must not be copied.
define ptx_kernel void @keeps_single_call(ptr %x, ptr %out, i32 %n, i32 %last) "kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = icmp slt i32 %i, 0
  %most = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %index = select i1 %below, i32 0, i32 %most
  %at = getelementptr float, ptr %x, i32 %index
  store float 1.0, ptr %at, align 4
  call void @once() noduplicate
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

!nvvm.annotations = !{!10, !11, !12, !13}
!10 = !{ptr @clamps, !"kernel", i32 1}
!11 = !{ptr @keeps_bound_from_memory, !"kernel", i32 1}
!12 = !{ptr @keeps_other_choice, !"kernel", i32 1}
!13 = !{ptr @keeps_single_call, !"kernel", i32 1}
