; The function of a parallel region that no call leads to any more keeps its address, which tells regions apart, and nothing else: so the
; variable is the kernel's alone.
; RUN: %tw_opt -passes=tw-gpu-regions %s | FileCheck %s
; RUN: %keeps tw-gpu-regions %s
; RUN: sed 's/;CALL //' %s | %tw_opt -passes=tw-gpu-regions | FileCheck --check-prefix=CALLED %s
; RUN: %tw_opt -passes=tw-gpu-assembly %s | FileCheck --check-prefix=ASSEMBLY %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x float] undef, align 16
@state = internal addrspace(3) global [2 x ptr] undef, align 8
@others = addrspace(3) global ptr undef, align 8

declare void @elsewhere(ptr)

; CHECK-LABEL: define internal void @region(
; CHECK-NEXT: unreachable
; CHECK-NEXT: }
; Where something is called by a pointer, it may be this one.
; CALLED-LABEL: define internal void @region(
; CALLED: store float 1.0
define internal void @region(i16 %depth, i32 %thread) {
  store float 1.0, ptr addrspace(3) @tile, align 4
  ret void
}

; CHECK-LABEL: define void @kernel(
; CHECK: store ptr @region
; CHECK: icmp eq ptr %work, @region
define void @kernel() {
entry:
  %to = getelementptr [2 x ptr], ptr addrspace(3) @state, i64 0, i64 1
  store ptr @region, ptr addrspace(3) %to, align 8
  %work = load ptr, ptr addrspace(3) %to, align 8
  %is = icmp eq ptr %work, @region
  br i1 %is, label %run, label %end
run:
;CALL call void %work(i16 0, i32 0)
  store float 1.0, ptr addrspace(3) @tile, align 4
  br label %end
end:
  ret void
}

; Other modules may call these.
define internal void @keeps_passed(i16 %depth, i32 %thread) {
  store float 1.0, ptr addrspace(3) @tile, align 4
  ret void
}
define internal void @keeps_stored(i16 %depth, i32 %thread) {
  store float 1.0, ptr addrspace(3) @tile, align 4
  ret void
}
define void @keeps_visible(i16 %depth, i32 %thread) {
  store float 1.0, ptr addrspace(3) @tile, align 4
  ret void
}
define void @passes() {
  call void @elsewhere(ptr @keeps_passed)
  store ptr @keeps_stored, ptr addrspace(3) @others, align 8
  store ptr @keeps_visible, ptr addrspace(3) @state, align 8
  ret void
}

; LLVM asks whether what a call leads to begins parallel regions; of assembly it does not know.
; ASSEMBLY-LABEL: define void @shares(
; ASSEMBLY: call void asm sideeffect "", "l,~{memory}"(ptr %x) [[NO:#[0-9]+]]
; ASSEMBLY: call void @elsewhere(ptr %x){{$}}
; ASSEMBLY: attributes [[NO]] = { "llvm.assume"="omp_no_parallelism" }
define void @shares(ptr %x) {
  call void asm sideeffect "", "l,~{memory}"(ptr %x)
  call void @elsewhere(ptr %x)
  ret void
}
