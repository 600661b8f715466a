; A counter of 32 bits in an address of global memory is not shown to be one: a product and sum of one instruction.
; RUN: %tw_opt -passes=tw-gpu-counters %s | FileCheck %s
; RUN: %keeps tw-gpu-counters %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @global(
; CHECK: %[[HIDDEN:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %i)
; CHECK: %[[INDEX:.*]] = zext i32 %[[HIDDEN]] to i64
; CHECK: getelementptr float, ptr addrspace(1) %x, i64 %[[INDEX]]
define void @global(ptr addrspace(1) %x, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %x, i64 %wide
  store float 1.0, ptr addrspace(1) %at, align 4
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !20
end:
  ret void
}

; ptxas unrolls it, and sees the distance of its turns.
define void @keeps_unrolled_later(ptr addrspace(1) %x, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %x, i64 %wide
  store float 1.0, ptr addrspace(1) %at, align 4
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Other memory has short addresses.
define void @keeps_any_memory(ptr addrspace(1) %x, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %at = getelementptr float, ptr %any, i64 %wide
  store float 1.0, ptr %at, align 4
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !20
end:
  ret void
}

; An index that is computed.
define void @keeps_product(ptr addrspace(1) %x, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %three = mul i32 %i, %i
  %wide = zext i32 %three to i64
  %at = getelementptr float, ptr addrspace(1) %x, i64 %wide
  store float 1.0, ptr addrspace(1) %at, align 4
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !20
end:
  ret void
}

; LLVM has unrolled it for ptxas to unroll it again.
define void @keeps_unrolled_by_four(ptr addrspace(1) %x, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %x, i64 %wide
  store float 1.0, ptr addrspace(1) %at, align 4
  %second = or disjoint i32 %i, 1
  %second.wide = zext i32 %second to i64
  %second.at = getelementptr float, ptr addrspace(1) %x, i64 %second.wide
  store float 1.0, ptr addrspace(1) %second.at, align 4
  %next = add nuw i32 %i, 2
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !22
end:
  ret void
}

!20 = distinct !{!20, !21}
!21 = !{!"llvm.loop.unroll.disable"}
!22 = distinct !{!22, !23}
!23 = !{!"llvm.loop.unroll.runtime.disable"}
