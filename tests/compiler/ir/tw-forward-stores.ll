; What one loop over work-items has stored to local memory stays in registers for the next one.
; RUN: %tw_opt -passes=tw-forward-stores %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

@tree = internal thread_local global [64 x i32] zeroinitializer, align 64 #1

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @llvm.threadlocal.address.p0(ptr)

; A sum by halves: 32 numbers are copied, and halved twice.
; CHECK-LABEL: @halves(
; CHECK: %[[A:.*]] = load <16 x i32>, ptr %x
; CHECK: %[[B:.*]] = load <16 x i32>, ptr
; CHECK-NOT: load
; CHECK: %[[SUM:.*]] = add <16 x i32> %[[A]], %[[B]]
; CHECK: store <16 x i32> %[[SUM]], ptr %tree
; CHECK-NOT: load
; CHECK: ret void
define void @halves(ptr noalias %x, ptr noalias %out) #0 {
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %tree, ptr align 4 %x, i64 128, i1 false)
  %half = getelementptr inbounds i8, ptr %tree, i64 64
  %a = load <16 x i32>, ptr %tree, align 64
  %b = load <16 x i32>, ptr %half, align 64
  %sum = add <16 x i32> %a, %b
  store <16 x i32> %sum, ptr %tree, align 64
  %again = load <16 x i32>, ptr %tree, align 64
  store <16 x i32> %again, ptr %out, align 4
  ret void
}

; Volatile, of other memory alone, of a length that no vectors have, or too long for the registers.
; CHECK-LABEL: @keeps_copies(
; CHECK-COUNT-4: call void @llvm.memcpy
; CHECK-NOT: <16 x i32>
; CHECK: ret void
define void @keeps_copies(ptr noalias %x, ptr noalias %a, ptr noalias %b, ptr noalias %c) #0 {
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %tree, ptr align 4 %x, i64 64, i1 true)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 4 %x, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %b, ptr align 64 %tree, i64 60, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %c, ptr align 64 %tree, i64 4096, i1 false)
  ret void
}

attributes #0 = { "target-features"="+avx512f,+avx512vl" "prefer-vector-width"="512" "teamwork.budget"="1000" }
attributes #1 = { "teamwork.local" }
