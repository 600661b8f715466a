; In a loop the sums of turns that were copied stay where they are computed, since nothing else needs their terms.
; RUN: %tw_opt -passes=tw-gpu-sinking %s | FileCheck %s
; RUN: %keeps tw-gpu-sinking %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare double @slow(double)

; CHECK-LABEL: @sum(
; CHECK: %first = fadd double %a, %b
; CHECK-NEXT: %[[HERE:.*]] = call double asm sideeffect "", "=d,0"(double %first)
; CHECK: %second = fadd double %[[HERE]], %t
; CHECK-NOT: asm
define void @sum(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %behind ]
  %a = load double, ptr %x, align 8
  %y = getelementptr double, ptr %x, i64 1
  %b = load double, ptr %y, align 8
  %first = fadd double %a, %b
  %t.fast = load volatile double, ptr %x, align 8
  %large = fcmp ogt double %t.fast, 1.0
  br i1 %large, label %other, label %behind
other:
  %t.slow = call double @slow(double %t.fast)
  br label %behind
behind:
  %t = phi double [ %t.fast, %loop ], [ %t.slow, %other ]
  %second = fadd double %first, %t
  store double %second, ptr %x, align 8
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A term is needed later in any case.
define void @keeps_term(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %behind ]
  %a = load double, ptr %x, align 8
  %first = fmul double %a, 2.0
  %large = fcmp ogt double %a, 1.0
  br i1 %large, label %other, label %behind
other:
  %t.slow = call double @slow(double 1.0)
  br label %behind
behind:
  %t = phi double [ 0.0, %loop ], [ %t.slow, %other ]
  %second = fadd double %first, %t
  store double %second, ptr %x, align 8
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; On one way alone it is needed: further down it is less work.
define void @keeps_one_way(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %behind ]
  %a = load double, ptr %x, align 8
  %first = fmul double %a, 2.0
  %odd = trunc i32 %i to i1
  br i1 %odd, label %other, label %behind
other:
  %second = fadd double %first, 1.0
  store double %second, ptr %x, align 8
  br label %behind
behind:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Outside of loops the code generator leaves it.
define void @keeps_no_loop(ptr %x, i1 %large) {
  %a = load double, ptr %x, align 8
  %first = fmul double %a, 2.0
  br i1 %large, label %other, label %behind
other:
  %t.slow = call double @slow(double 1.0)
  br label %behind
behind:
  %t = phi double [ 0.0, %0 ], [ %t.slow, %other ]
  %second = fadd double %first, %t
  store double %second, ptr %x, align 8
  ret void
}
