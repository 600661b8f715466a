; A square root goes to where it is used.
; RUN: %tw_opt -passes=tw-gpu-roots %s | FileCheck %s
; RUN: %keeps tw-gpu-roots %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare float @llvm.sqrt.f32(float)

; CHECK-LABEL: @used_later(
; CHECK: usual:
; CHECK-NEXT: phi
; CHECK-NEXT: %root = call float @llvm.sqrt.f32(float %x)
; CHECK-NEXT: fmul float %root
define float @used_later(float %x, float %y, i1 %some) {
entry:
  %root = call float @llvm.sqrt.f32(float %x)
  br i1 %some, label %rare, label %usual
rare:
  %far = fmul float %y, 1.0e10
  br label %usual
usual:
  %z = phi float [ %far, %rare ], [ %y, %entry ]
  %r = fmul float %root, %z
  ret float %r
}

; Each of several uses would compute it.
define float @keeps_two_uses(float %x, float %y, i1 %some) {
entry:
  %root = call float @llvm.sqrt.f32(float %x)
  br i1 %some, label %rare, label %usual
rare:
  %far = fmul float %y, %root
  br label %usual
usual:
  %z = phi float [ %far, %rare ], [ %y, %entry ]
  %r = fmul float %root, %z
  ret float %r
}

; In a loop it would be computed in each turn.
define float @keeps_loop(float %x, float %y, i32 %n) {
entry:
  %root = call float @llvm.sqrt.f32(float %x)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %y, %entry ], [ %sum.next, %loop ]
  %sum.next = fmul float %sum, %root
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret float %sum.next
}

; A phi has it on one way.
define float @keeps_phi(float %x, float %y, i1 %some) {
entry:
  %root = call float @llvm.sqrt.f32(float %x)
  br i1 %some, label %rare, label %usual
rare:
  br label %usual
usual:
  %z = phi float [ %root, %rare ], [ %y, %entry ]
  ret float %z
}
