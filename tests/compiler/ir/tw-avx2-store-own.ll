; What some lanes store to a variable of the function, all of them store, some what was there.
; RUN: %tw_opt -passes=tw-avx2-store-own %s | FileCheck %s
; RUN: %keeps tw-avx2-store-own %s

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

; CHECK-LABEL: @stores(
; CHECK: %[[WAS:.*]] = load <8 x float>, ptr %own, align 4
; CHECK: %[[NEW:.*]] = select <8 x i1> %some, <8 x float> %v, <8 x float> %[[WAS]]
; CHECK: store <8 x float> %[[NEW]], ptr %own, align 4
define <8 x float> @stores(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="stores" #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %own, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; CHECK-LABEL: @loads(
; CHECK: %[[WAS:.*]] = load <8 x float>, ptr %own, align 4
; CHECK: %[[NEW:.*]] = select <8 x i1> %some, <8 x float> %[[WAS]], <8 x float> %v
; CHECK: store <8 x float> %[[NEW]]
define <8 x float> @loads(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="loads" #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  %l = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %own, i32 4, <8 x i1> %some, <8 x float> %v)
  store <8 x float> %l, ptr %own, align 32
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; Nothing is written to the program's memory that the kernel does not write.
define <8 x float> @keeps_program_memory(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="keeps_program_memory" #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %x, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; Lanes that the mask leaves out lie behind the end.
define <8 x float> @keeps_behind_end(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="keeps_behind_end" #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  %end = getelementptr inbounds i8, ptr %own, i64 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %end, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; It may lie anywhere.
define <8 x float> @keeps_anywhere(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="keeps_anywhere" #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  %end = getelementptr inbounds float, ptr %own, i64 %n
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %end, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; Another thread may have the address.
define <8 x float> @keeps_captured(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="keeps_captured" #0 {
  %own = alloca [8 x float], align 32
  store ptr %own, ptr %x, align 8
  %v = load <8 x float>, ptr %x, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %own, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; AVX-512 has masks.
define <8 x float> @keeps_avx512(ptr %x, <8 x i1> %some, i64 %n) "teamwork.host"="keeps_avx512" #1 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %own, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

; Not of a kernel.
define <8 x float> @keeps_other_function(ptr %x, <8 x i1> %some, i64 %n) #0 {
  %own = alloca [8 x float], align 32
  %v = load <8 x float>, ptr %x, align 4
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr %own, i32 4, <8 x i1> %some)
  %r = load <8 x float>, ptr %own, align 32
  ret <8 x float> %r
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
attributes #0 = { "target-features"="+avx,+avx2" "teamwork.budget"="1000" }
attributes #1 = { "target-features"="+avx,+avx2,+avx512f" "teamwork.budget"="1000" }
