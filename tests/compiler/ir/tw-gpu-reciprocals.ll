; 1 / x, rounded correctly, calls nothing.
; RUN: %tw_opt -passes=tw-gpu-reciprocals %s | FileCheck %s
; RUN: %keeps tw-gpu-reciprocals %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @reciprocal(
; CHECK: %[[FIRST:.*]] = call float @llvm.nvvm.rcp.approx.ftz.f(float %x)
; CHECK: call float @llvm.fma.f32(float %x, float %[[FIRST]], float -1.000000e+00)
; CHECK: call double @llvm.nvvm.rcp.approx.ftz.d
; CHECK-NOT: fdiv
; CHECK: ret float
define float @reciprocal(float %x) {
  %r = fdiv float 1.0, %x
  ret float %r
}

define float @keeps_other_dividend(float %x) {
  %r = fdiv float 2.0, %x
  ret float %r
}

define float @keeps_minus(float %x) {
  %r = fdiv float -1.0, %x
  ret float %r
}

; Less is asked for.
define float @keeps_approximate(float %x) {
  %r = fdiv afn float 1.0, %x
  ret float %r
}

define float @keeps_metadata(float %x) {
  %r = fdiv float 1.0, %x, !fpmath !10
  ret float %r
}

define float @keeps_flushed(float %x) "denormal-fp-math-f32"="preserve-sign" {
  %r = fdiv float 1.0, %x
  ret float %r
}

define double @keeps_double(double %x) {
  %r = fdiv double 1.0, %x
  ret double %r
}

!10 = !{float 2.5}
