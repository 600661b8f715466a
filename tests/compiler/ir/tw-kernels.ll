; The function of a work-item becomes that of the group: a loop over the work-items up to the barrier, and one behind it.
; RUN: %tw_opt -passes=tw-kernels %s | FileCheck %s
; RUN: %tw_opt -passes=tw-kernels,tw-tell-cliffs -pass-remarks=teamwork-split -pass-remarks-missed=teamwork-split %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s

target triple = "x86_64-pc-linux-gnu"

declare i1 @tw_internal_marker_done(ptr)
declare void @tw_internal_marker_begin(ptr, ptr, ptr)
declare i64 @tw_internal_marker_id(i32, i64)
declare i1 @tw_internal_marker_barrier(i32)
declare ptr @tw_internal_split_memory(ptr, i64)
declare void @tw_internal_split_diverge(ptr, i64, i64, i32, i32)
declare i32 @setjmp(ptr)
declare void @elsewhere(ptr)

define internal void @waits(i64 %n) {
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %less = lshr i64 %n, 1
  call void @waits(i64 %less)
  ret void
}

; What a work-item keeps over the barrier has an element for each in the group's memory.
; REMARK-DAG: kernel swaps was split at 1 barriers into loops over work-items
; CHECK-LABEL: @swaps_is_split(
; CHECK: ret i1 true
; CHECK-LABEL: @swaps(
; CHECK: call {{.*}}ptr @tw_internal_split_memory
; CHECK: load float, ptr %at
; CHECK: store float %{{.*}}, ptr %at.other
; CHECK: br i1 %{{.*}}, !llvm.loop ![[FIRST:[0-9]+]]
; CHECK: br i1 %{{.*}}, !llvm.loop ![[SECOND:[0-9]+]]
define i1 @swaps_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @swaps)
  ret i1 %done
}

define internal void @swaps(ptr %group) "teamwork.split"="swaps" {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  store float %v, ptr %at.other, align 4
  ret void
}

; A value of a work-item that stands between the ids is computed in the loops, too.
; CHECK-LABEL: @freezes(
; CHECK-NOT: poison
; CHECK: freeze i64 %tw_id
; CHECK-NOT: poison
; CHECK-LABEL: @some_wait_is_split(
define i1 @freezes_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @freezes)
  ret i1 %done
}

define internal void @freezes(ptr %group) "teamwork.split"="freezes" {
entry:
  %x = load ptr, ptr %group, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %row = call i64 @tw_internal_marker_id(i32 1, i64 4)
  %row.frozen = freeze i64 %row
  %i = call i64 @tw_internal_marker_id(i32 2, i64 8)
  %at = getelementptr inbounds [8 x i64], ptr %x, i64 %row, i64 %i
  store i64 %row.frozen, ptr %at, align 8
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  store i64 %row.frozen, ptr %x, align 8
  ret void
}

; Work-items that come to another barrier than the first of the group are told of.
; CHECK-LABEL: @some_wait(
; CHECK: call void @tw_internal_split_diverge
define i1 @some_wait_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @some_wait)
  ret i1 %done
}

define internal void @some_wait(ptr %group) "teamwork.split"="some_wait" {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %some = fcmp ogt float %v, 0.0
  br i1 %some, label %then, label %join
then:
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  br label %join
join:
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  store float %v, ptr %at.other, align 4
  ret void
}

; REMARK-DAG: kernel unoptimized keeps a stack for each work-item: it is not optimized
; CHECK-LABEL: @unoptimized_is_split(
; CHECK: ret i1 false
define i1 @unoptimized_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @unoptimized)
  ret i1 %done
}

define internal void @unoptimized(ptr %group) "teamwork.split"="unoptimized" optnone noinline {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  store float %v, ptr %at.other, align 4
  ret void
}

; The address of an element, computed in front of all regions: each work-item has an element of its own, and computes its address.
; REMARK-DAG: kernel early_address was split at 1 barriers into loops over work-items
; CHECK-LABEL: @early_address_is_split(
; CHECK: ret i1 true
define i1 @early_address_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @early_address)
  ret i1 %done
}

define internal void @early_address(ptr %group) "teamwork.split"="early_address" {
entry:
  %own = alloca [16 x float], align 4
  %second = getelementptr inbounds i8, ptr %own, i64 4
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %low = and i64 %i, 15
  %mine = getelementptr inbounds float, ptr %own, i64 %low
  store float %v, ptr %mine, align 4
  store float 1.0, ptr %second, align 4
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  %is.odd = trunc i64 %i to i1
  %place = select i1 %is.odd, ptr %second, ptr %mine
  %w = load float, ptr %place, align 4
  store float %w, ptr %at.other, align 4
  ret void
}

; REMARK-DAG: kernel varying_length keeps a stack for each work-item: of an array of variable length
; CHECK-LABEL: @varying_length_is_split(
; CHECK: ret i1 false
define i1 @varying_length_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @varying_length)
  ret i1 %done
}

define internal void @varying_length(ptr %group) "teamwork.split"="varying_length" {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %own = alloca float, i64 %i, align 4
  store float %v, ptr %own, align 4
  call void @elsewhere(ptr %own)
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  %w = load float, ptr %own, align 4
  store float %w, ptr %at.other, align 4
  ret void
}

; REMARK-DAG: kernel returns_twice keeps a stack for each work-item: of a call that returns twice or not at all
; CHECK-LABEL: @returns_twice_is_split(
; CHECK: ret i1 false
define i1 @returns_twice_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @returns_twice)
  ret i1 %done
}

define internal void @returns_twice(ptr %group) "teamwork.split"="returns_twice" {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %twice = call i32 @setjmp(ptr %x) returns_twice
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  store float %v, ptr %at.other, align 4
  ret void
}

; REMARK-DAG: kernel far_aligned keeps a stack for each work-item: a variable is aligned to more than 64 bytes
; CHECK-LABEL: @far_aligned_is_split(
; CHECK: ret i1 false
define i1 @far_aligned_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @far_aligned)
  ret i1 %done
}

define internal void @far_aligned(ptr %group) "teamwork.split"="far_aligned" {
entry:
  %own = alloca float, align 128
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  store float %v, ptr %own, align 4
  call void @elsewhere(ptr %own)
  %ok = call i1 @tw_internal_marker_barrier(i32 7)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  %w = load float, ptr %own, align 4
  store float %w, ptr %at.other, align 4
  ret void
}

; REMARK-DAG: kernel recursive keeps a stack for each work-item: a function with barriers is recursive
; CHECK-LABEL: @recursive_is_split(
; CHECK: ret i1 false
define i1 @recursive_is_split() {
  %done = call i1 @tw_internal_marker_done(ptr @recursive)
  ret i1 %done
}

define internal void @recursive(ptr %group) "teamwork.split"="recursive" {
entry:
  %x = load ptr, ptr %group, align 8
  %at.n = getelementptr inbounds i8, ptr %group, i64 8
  %n = load i64, ptr %at.n, align 8
  call void @tw_internal_marker_begin(ptr %group, ptr @tw_internal_split_memory, ptr @tw_internal_split_diverge)
  %level.0 = call i64 @tw_internal_marker_id(i32 0, i64 1)
  %level.1 = call i64 @tw_internal_marker_id(i32 1, i64 1)
  %i = call i64 @tw_internal_marker_id(i32 2, i64 %n)
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  call void @waits(i64 %i)
  %other = xor i64 %i, 1
  %at.other = getelementptr inbounds float, ptr %x, i64 %other
  store float %v, ptr %at.other, align 4
  ret void
}

; CHECK: ![[FIRST]] = distinct !{![[FIRST]], ![[ITEMS:[0-9]+]]
; CHECK-DAG: ![[SECOND]] = distinct !{![[SECOND]], ![[ITEMS]]
; CHECK-DAG: ![[ITEMS]] = !{!"teamwork.items"}
