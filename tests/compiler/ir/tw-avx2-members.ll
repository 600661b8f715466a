; Structures of four words are sorted by the usual transposition; a mask is one of words, and not of bits.
; RUN: %tw_opt -passes=tw-avx2-members %s | FileCheck %s
; RUN: %keeps tw-avx2-members %s

declare <32 x float> @llvm.masked.load.v32f32.p0(ptr, i32, <32 x i1>, <32 x float>)

; CHECK-LABEL: @loads(
; CHECK-COUNT-8: load <4 x float>
; CHECK-NOT: <32 x float>
; CHECK: ret
define <8 x float> @loads(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="loads" #0 {
  %all = load <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

; CHECK-LABEL: @loads_some(
; CHECK: sext <8 x i1> %some to <8 x i32>
; CHECK-COUNT-4: call <8 x float> @llvm.masked.load.v8f32
; CHECK-NOT: <32 x float>
; CHECK: ret
define <8 x float> @loads_some(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="loads_some" #0 {
  %repeated = shufflevector <8 x i1> %some, <8 x i1> poison, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3, i32 4, i32 4, i32 4, i32 4, i32 5, i32 5, i32 5, i32 5, i32 6, i32 6, i32 6, i32 6, i32 7, i32 7, i32 7, i32 7>
  %all = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %x, i32 4, <32 x i1> %repeated, <32 x float> poison)
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

; All of them are used as they are.
define <8 x float> @keeps_whole(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="keeps_whole" #0 {
  %all = load <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  store <32 x float> %all, ptr %out, align 4
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

; Structures of another size.
define <8 x float> @keeps_two_members(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="keeps_two_members" #0 {
  %all = load <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

define <8 x float> @keeps_volatile(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="keeps_volatile" #0 {
  %all = load volatile <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

; Without AVX2.
define <8 x float> @keeps_other_processor(ptr %x, ptr %out, <8 x i1> %some) "teamwork.host"="keeps_other_processor" #1 {
  %all = load <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

; Not of a kernel.
define <8 x float> @keeps_other_function(ptr %x, ptr %out, <8 x i1> %some) #0 {
  %all = load <32 x float>, ptr %x, align 4
  %m0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %m1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %sum = fadd <8 x float> %m0, %m1
  ret <8 x float> %sum
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
attributes #0 = { "target-features"="+avx,+avx2" "teamwork.budget"="1000" }
attributes #1 = { "target-features"="+avx" "teamwork.budget"="1000" }
