; Addresses of global memory, in as few instructions as they can be.
; RUN: %tw_opt -passes=tw-gpu-addresses %s | FileCheck %s
; RUN: %keeps tw-gpu-addresses %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.assume(i1)

; A kernel's pointers, which come as words, are those of global memory.
; CHECK-LABEL: @words(
; CHECK: inttoptr i64 %x to ptr addrspace(1)
; CHECK: addrspacecast ptr addrspace(1) %{{.*}} to ptr
define ptx_kernel void @words(i64 %x) "kernel" {
  %p = inttoptr i64 %x to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; The offset is added to what is there first.
; CHECK-LABEL: @offset(
; CHECK: %[[SUM:.*]] = add i64 %rest, %first
; CHECK: add i64 %[[SUM]], %scaled
define i64 @offset(i64 %block, i64 %rest, i64 %first) {
  %scaled = shl i64 %block, 8
  %place = or disjoint i64 %scaled, %rest
  %r = add i64 %place, %first
  ret i64 %r
}

; It may be a pointer of any memory.
define void @keeps_function(i64 %x) {
  %p = inttoptr i64 %x to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; Its bits are computed.
define ptx_kernel void @keeps_other_word(i64 %x) "kernel" {
  %y = xor i64 %x, 7
  %p = inttoptr i64 %y to ptr
  store float 1.0, ptr %p, align 4
  ret void
}

; An or of the same bits is no sum.
define i64 @keeps_or(i64 %block, i64 %rest, i64 %first) {
  %scaled = shl i64 %block, 8
  %place = or i64 %scaled, %rest
  %r = add i64 %place, %first
  ret i64 %r
}

; Another use needs it as it is.
define i64 @keeps_two_uses(i64 %block, i64 %rest, i64 %first, ptr %x) {
  %scaled = shl i64 %block, 8
  %place = or disjoint i64 %scaled, %rest
  store i64 %place, ptr %x, align 8
  %r = add i64 %place, %first
  ret i64 %r
}

!nvvm.annotations = !{!10, !11}
!10 = !{ptr @words, !"kernel", i32 1}
!11 = !{ptr @keeps_other_word, !"kernel", i32 1}

; Numbers in an index that is not negative come last, through shifts too.
; CHECK-LABEL: @neighbour(
; CHECK: %[[WIDE:.*]] = sext i32 %i to i64
; CHECK: %[[HERE:.*]] = getelementptr float, ptr %x, i64 %[[WIDE]]
; CHECK: getelementptr float, ptr %[[HERE]], i64 -1
define float @neighbour(ptr %x, i32 %i) {
  %left = add nsw i32 %i, -1
  %index = zext nneg i32 %left to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %at, align 4
  ret float %v
}

; CHECK-LABEL: @pair(
; CHECK: %[[WIDE:.*]] = sext i32 %t to i64
; CHECK: %[[FOUR:.*]] = mul i64 %[[WIDE]], 4
; CHECK: %[[HERE:.*]] = getelementptr [64 x float], ptr %x, i64 0, i64 %[[FOUR]]
; CHECK: getelementptr float, ptr %[[HERE]], i64 7
define float @pair(ptr %x, i32 %t) {
  %two = add nuw nsw i32 %t, 2
  %scaled = shl nuw nsw i32 %two, 2
  %last = add nsw i32 %scaled, -1
  %index = zext nneg i32 %last to i64
  %at = getelementptr inbounds [64 x float], ptr %x, i64 0, i64 %index
  %v = load float, ptr %at, align 4
  ret float %v
}

; It may wrap around.
define float @keeps_wrapping(ptr %x, i32 %i) {
  %left = add i32 %i, -1
  %index = zext nneg i32 %left to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %at, align 4
  ret float %v
}

; It may be negative, and the extension is that of a number without a sign.
define float @keeps_unsigned(ptr %x, i32 %i) {
  %left = add nsw i32 %i, -1
  %index = zext i32 %left to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %at, align 4
  ret float %v
}

; The shifted number may wrap around.
define float @keeps_shift(ptr %x, i32 %t) {
  %two = add nuw nsw i32 %t, 2
  %scaled = shl nuw i32 %two, 2
  %index = zext nneg i32 %scaled to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %at, align 4
  ret float %v
}

; Members of 32 bits are factors of 32 bits.
; CHECK-LABEL: @halves(
; CHECK: call i32 asm "mov.b32 $0, $1;", "=r,r"
; CHECK: %[[ROWS:.*]] = zext i32 %{{.*}} to i64
; CHECK: mul i64 %wide, %[[ROWS]]
define i64 @halves(i64 %words, i32 %row) {
  %wide = zext i32 %row to i64
  %rows = lshr i64 %words, 32
  %r = mul i64 %wide, %rows
  ret i64 %r
}

; The other factor has 64 bits.
define i64 @keeps_wide(i64 %words, i64 %row) {
  %rows = lshr i64 %words, 32
  %r = mul i64 %row, %rows
  ret i64 %r
}

; Extended numbers are known to have 32 bits.
define i64 @keeps_extended(i32 %rows, i32 %row) {
  %wide = zext i32 %row to i64
  %also.wide = zext i32 %rows to i64
  %r = mul i64 %wide, %also.wide
  ret i64 %r
}

; Different memory by the way that control came: each way has its load.
; CHECK-LABEL: @ways(
; CHECK: near:
; CHECK: load float, ptr addrspace(3)
; CHECK: far:
; CHECK: load float, ptr addrspace(1)
; CHECK: behind:
; CHECK-NEXT: phi float
; CHECK-NOT: load
define float @ways(ptr addrspace(1) %x, i64 %i, i1 %is.near) {
entry:
  br i1 %is.near, label %near, label %far
near:
  %a = getelementptr [64 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
  br label %behind
far:
  %any = addrspacecast ptr addrspace(1) %x to ptr
  %b = getelementptr float, ptr %any, i64 %i
  br label %behind
behind:
  %at = phi ptr [ %a, %near ], [ %b, %far ]
  %v = load float, ptr %at, align 4
  ret float %v
}
@tile = internal addrspace(3) global [64 x float] undef, align 16

; Or by a condition.
; CHECK-LABEL: @chosen(
; CHECK: br i1 %is.near
; CHECK: load float, ptr addrspace(3)
; CHECK: load float, ptr addrspace(1)
; CHECK: phi float
define float @chosen(ptr addrspace(1) %x, i64 %i, i1 %is.near) {
  %a = getelementptr [64 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
  %any = addrspacecast ptr addrspace(1) %x to ptr
  %b = getelementptr float, ptr %any, i64 %i
  %at = select i1 %is.near, ptr %a, ptr %b
  %v = load float, ptr %at, align 4
  ret float %v
}

; The load comes behind a store, which may be to the same place.
define float @keeps_behind_store(ptr addrspace(1) %x, i64 %i, i1 %is.near, ptr %y) {
entry:
  br i1 %is.near, label %near, label %far
near:
  %a = getelementptr [64 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
  br label %behind
far:
  %any = addrspacecast ptr addrspace(1) %x to ptr
  %b = getelementptr float, ptr %any, i64 %i
  br label %behind
behind:
  %at = phi ptr [ %a, %near ], [ %b, %far ]
  store float 1.0, ptr %y, align 4
  %v = load float, ptr %at, align 4
  ret float %v
}

; One way may go elsewhere, where nothing is loaded.
define float @keeps_other_way(ptr addrspace(1) %x, i64 %i, i1 %is.near, i1 %ends) {
entry:
  br i1 %is.near, label %near, label %far
near:
  %a = getelementptr [64 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i
  br i1 %ends, label %end, label %behind
far:
  %any = addrspacecast ptr addrspace(1) %x to ptr
  %b = getelementptr float, ptr %any, i64 %i
  br label %behind
behind:
  %at = phi ptr [ %a, %near ], [ %b, %far ]
  %v = load float, ptr %at, align 4
  ret float %v
end:
  ret float 0.0
}

; The same memory.
define float @keeps_one_memory(ptr addrspace(1) %x, ptr addrspace(1) %y, i1 %first) {
  %any = addrspacecast ptr addrspace(1) %x to ptr
  %other = addrspacecast ptr addrspace(1) %y to ptr
  %at = select i1 %first, ptr %any, ptr %other
  %v = load float, ptr %at, align 4
  ret float %v
}

; The rest of an index is added to a product before both are added to the pointer; numbers come last.
; CHECK-LABEL: @row(
; CHECK: %[[SUM:.*]] = add i64 %product, %column
; CHECK: %[[INDEX:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %[[SUM]])
; CHECK: %[[HERE:.*]] = getelementptr float, ptr %x, i64 %[[INDEX]]
; CHECK: getelementptr float, ptr %[[HERE]], i64 1
define float @row(ptr %x, i64 %row, i64 %columns, i64 %column) {
  %product = mul i64 %row, %columns
  %first = getelementptr float, ptr %x, i64 %product
  %here = getelementptr float, ptr %first, i64 %column
  %right = add i64 %column, 1
  %next = getelementptr float, ptr %first, i64 %right
  %a = load float, ptr %here, align 4
  %b = load float, ptr %next, align 4
  %sum = fadd float %a, %b
  ret float %sum
}

; The last term first.
; CHECK-LABEL: @box(
; CHECK: %[[ROW:.*]] = add i64 %rows, %column
; CHECK: %[[INDEX:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %[[ROW]])
; CHECK: add i64 %planes, %[[INDEX]]
define float @box(ptr %x, i64 %plane, i64 %row, i64 %size, i64 %columns, i64 %column) {
  %planes = mul i64 %plane, %size
  %a = getelementptr float, ptr %x, i64 %planes
  %rows = mul i64 %row, %columns
  %b = getelementptr float, ptr %a, i64 %rows
  %c = getelementptr float, ptr %b, i64 %column
  %v = load float, ptr %c, align 4
  ret float %v
}

; x + 1 in a product stays a factor.
; CHECK-LABEL: @more(
; CHECK: %[[MORE:.*]] = add i64 %plane, 1
; CHECK: %[[FACTOR:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %[[MORE]])
; CHECK: mul i64 %[[FACTOR]], %rows
define i64 @more(i64 %plane, i64 %rows, i64 %row) {
  %next = add nuw i64 %plane, 1
  %product = mul i64 %next, %rows
  %sum = add i64 %product, %row
  ret i64 %sum
}

; An id of 32 bits that is not the last.
; CHECK-LABEL: @more_of_an_id(
; CHECK: %[[MORE:.*]] = add i32 %plane, 1
; CHECK: %[[HIDDEN:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %[[MORE]])
; CHECK: %[[FACTOR:.*]] = zext i32 %[[HIDDEN]] to i64
; CHECK: mul i64 %[[FACTOR]], %rows
define i64 @more_of_an_id(i32 %plane, i64 %rows, i64 %row) {
  %fits = icmp ne i32 %plane, -1
  call void @llvm.assume(i1 %fits)
  %wide = zext i32 %plane to i64
  %next = add nuw nsw i64 %wide, 1
  %product = mul i64 %next, %rows
  %sum = add i64 %product, %row
  ret i64 %sum
}

; A neighbour's product is found by a sum.
define i64 @keeps_neighbours(i64 %plane, i64 %rows, i64 %row) {
  %here = mul i64 %plane, %rows
  %next = add nuw i64 %plane, 1
  %product = mul i64 %next, %rows
  %sum = add i64 %product, %row
  %r = xor i64 %sum, %here
  ret i64 %r
}

; Nothing is added to the product.
define i64 @keeps_alone(i64 %plane, i64 %rows) {
  %next = add nuw i64 %plane, 1
  %product = mul i64 %next, %rows
  ret i64 %product
}

; In a loop LLVM advances the pointer.
define float @keeps_loop(ptr %x, i64 %columns, i64 %column, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %product = mul i64 %i, %columns
  %first = getelementptr float, ptr %x, i64 %product
  %at = getelementptr float, ptr %first, i64 %column
  %v = load float, ptr %at, align 4
  %more = fadd float %sum, %v
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret float %more
}

; Two places have the product in common.
define float @keeps_two_columns(ptr %x, i64 %row, i64 %columns, i64 %c, i64 %d) {
  %product = mul i64 %row, %columns
  %first = getelementptr float, ptr %x, i64 %product
  %at_c = getelementptr float, ptr %first, i64 %c
  %at_d = getelementptr float, ptr %first, i64 %d
  %a = load float, ptr %at_c, align 4
  %b = load float, ptr %at_d, align 4
  %sum = fadd float %a, %b
  ret float %sum
}

; The place itself is read.
define float @keeps_first(ptr %x, i64 %row, i64 %columns, i64 %c) {
  %product = mul i64 %row, %columns
  %first = getelementptr float, ptr %x, i64 %product
  %at_c = getelementptr float, ptr %first, i64 %c
  %a = load float, ptr %first, align 4
  %b = load float, ptr %at_c, align 4
  %sum = fadd float %a, %b
  ret float %sum
}
