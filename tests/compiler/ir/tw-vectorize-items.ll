; Loops over work-items become vectors of them, and what is in the way of that.
; RUN: %tw_opt -passes=tw-vectorize-items -tw-vectorize-always %s | FileCheck %s
; RUN: %tw_opt '-passes=function(tw-vectorize-items),tw-tell-cliffs' -tw-vectorize-always -pass-remarks=teamwork-lanes -pass-remarks-missed=teamwork-lanes %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
; RUN: %keeps tw-vectorize-items %s -tw-vectorize-always
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare void @anything()
declare void @anything_of(ptr nocapture)
declare void @together() convergent
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; As many at a time as are known to be of different work-items, as long as there are so many; then what is left over, one by one.
; REMARK: work-items of kernel vectors are lanes of vectors{{$}}
; CHECK-LABEL: @vectors(
; CHECK: icmp ugt i64 %n, 7
; CHECK: br i1 %{{.*}}, label %tw_vectors, label %tw_rest
; CHECK: loop:
; CHECK: phi i64 [ [[FIRST:%.*]], %tw_rest ]
; CHECK: load i32
; CHECK: br i1 %more, label %loop, label %{{.*}}, !llvm.loop [[REST:![0-9]+]]
; CHECK: tw_vectors:
; CHECK: [[DONE:%.*]] = and i64 %n, -8
; CHECK: tw_vector:
; CHECK: load <8 x i32>
; CHECK: store <8 x i32>
; CHECK: br i1 %{{.*}}, label %tw_rest_check, label %tw_vector, !llvm.loop [[VECTOR:![0-9]+]]
; CHECK: tw_rest_check:
; CHECK: icmp eq i64 {{.*}}[[DONE]]
; CHECK: tw_rest:
; CHECK: [[FIRST]] = phi i64 [ 0, %entry ], [ [[DONE]], %tw_rest_check ]
define void @vectors(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Two ways into a cycle.
; REMARK: work-items of kernel keeps_irreducible are not lanes of vectors because of its control flow
define void @keeps_irreducible(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 3
  br i1 %is, label %a, label %b
a:
  %p = icmp sgt i32 %v, 4
  br i1 %p, label %b, label %latch
b:
  call void @anything()
  %q = icmp sgt i32 %v, 5
  br i1 %q, label %a, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_fence are not lanes of vectors because of a fence
define void @keeps_fence(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  fence seq_cst
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_dead_end are not lanes of vectors: the work-items may leave the loop over them
define void @keeps_dead_end(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 3
  br i1 %is, label %dead, label %latch
dead:
  call void @anything()
  unreachable
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_vector are not lanes of vectors: it computes with vectors or structures
define void @keeps_vector(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %short = getelementptr inbounds <2 x i32>, ptr %out, i64 %i
  %w = load <2 x i32>, ptr %short, align 8
  %e = extractelement <2 x i32> %w, i64 0
  %r = add i32 %e, %v
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_varying_length are not lanes of vectors because of an array of variable length
define void @keeps_varying_length(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %array = alloca i32, i32 %v, align 4
  store i32 %v, ptr %array, align 4
  call void @anything_of(ptr %array)
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It may be one that all are expected to make together.
; REMARK: work-items of kernel keeps_convergent are not lanes of vectors because of a call that may not be copied
define void @keeps_convergent(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  call void @together() convergent
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_assembly are not lanes of vectors because of a call that may not be copied
define void @keeps_assembly(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  call void asm sideeffect "nop", ""()
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The instruction selection of LLVM 19 does not end where the address of a call is an element of a vector.
; REMARK: work-items of kernel keeps_own_function are not lanes of vectors because of a call of a function that differs from work-item to work-item
define void @keeps_own_function(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds ptr, ptr %x, i64 %i
  %f = load ptr, ptr %at, align 8
  %r = call i32 %f(i32 7)
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Whether it does cannot be asked in front of the loop: the quotient may not exist there.
; REMARK: work-items of kernel keeps_wraps are not lanes of vectors: an index may wrap around
define void @keeps_wraps(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %n32 = trunc i64 %n to i32
  %m32 = trunc i64 %m to i32
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp ne i32 %m32, 0
  br i1 %is, label %yes, label %latch
yes:
  %q = udiv i32 %n32, %m32
  %i32 = trunc i64 %i to i32
  %sum = add i32 %i32, %q
  %place = sext i32 %sum to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 %v, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One adds to what the last one has left.
; REMARK: work-items of kernel keeps_sum_in_memory are not lanes of vectors: work-items combine values in memory
define void @keeps_sum_in_memory(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %sum = load i32, ptr %out, align 4
  %more.sum = add i32 %sum, %v
  store i32 %more.sum, ptr %out, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Two may add to the same element of a reduction.
; REMARK: work-items of kernel keeps_counts are not lanes of vectors: work-items combine values in memory
define void @keeps_counts(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) "teamwork.combines" "target-features"="+avx2" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %key = zext i32 %v to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %key
  %sum = load i32, ptr %to, align 4
  %more.sum = add i32 %sum, 1
  store i32 %more.sum, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_early_end are not lanes of vectors: the work-items may leave the loop over them
define void @keeps_early_end(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %stop = icmp eq i32 %v, 9
  br i1 %stop, label %end, label %latch
latch:
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each decides whether there is a next one.
; REMARK: work-items of kernel keeps_unknown_number are not lanes of vectors: the number of work-items is not known in front of the loop over them
define void @keeps_unknown_number(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i32 %v, 9
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_next_item are not lanes of vectors because of a value that goes from one work-item to the next
define void @keeps_next_item(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %last = phi i32 [ 0, %entry ], [ %v, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %last, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A sum is no other value of the loop.
; REMARK: work-items of kernel keeps_sum_of_the_first are not lanes of vectors because of a value that goes from one work-item to the next
define void @keeps_sum_of_the_first(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %s.next = add i32 %s, %v
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %s, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Floating-point numbers are added in their order, unless that is said to be free.
; REMARK: work-items of kernel keeps_sum_in_order are not lanes of vectors because of a value that goes from one work-item to the next
define void @keeps_sum_in_order(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %loop ]
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %s.next = fadd float %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %l = phi float [ %s.next, %loop ]
  store float %l, ptr %out, align 4
  ret void
}

; REMARK: work-items of kernel keeps_last are not lanes of vectors: a value of the last work-item is used behind all of them
define void @keeps_last(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %l = phi i32 [ %v, %loop ]
  store i32 %l, ptr %out, align 4
  ret void
}

; One of two variables, or another place in it.
; REMARK: work-items of kernel keeps_chosen_address are not lanes of vectors: the address of a variable of a work-item is chosen in front of the loop over them
define void @keeps_chosen_address(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [16 x i32], align 4
  %third = getelementptr inbounds i32, ptr %c, i64 3
  %is = icmp ugt i64 %m, 7
  %chosen = select i1 %is, ptr %c, ptr %third
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 64, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %c, align 4
  %r = load i32, ptr %chosen, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 64, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It does not begin anew with each of them.
; REMARK: work-items of kernel keeps_shared_variable are not lanes of vectors because of a variable in memory that work-items share
define void @keeps_shared_variable(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca i32, align 4
  store i32 0, ptr %c, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = load i32, ptr %c, align 4
  store i32 %v, ptr %c, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel keeps_large_variable are not lanes of vectors because of a variable of a work-item that is too large
define void @keeps_large_variable(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [2048 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 8192, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %k = and i32 %v, 1023
  %k64 = zext i32 %k to i64
  %c.at = getelementptr inbounds i32, ptr %c, i64 %k64
  store i32 %v, ptr %c.at, align 4
  %r = load i32, ptr %c, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 8192, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One work-item may have all turns.
; REMARK: work-items of kernel keeps_turns are not lanes of vectors: a work-item has several turns, and it is not known how many are apart
define void @keeps_turns(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; The program says that there are to be no vectors.
; REMARK: work-items of kernel keeps_host_loop are not lanes of vectors: its TW_HOST_LOOP() says so
define void @keeps_host_loop(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !7
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !5
end:
  ret void
}

attributes #0 = { "target-features"="+avx2" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
!3 = distinct !{!3, !1, !4}
!4 = !{!"teamwork.items.apart", i64 1}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
!7 = distinct !{!7, !1, !8}
!8 = !{!"llvm.loop.vectorize.enable", i1 false}
; CHECK: [[REST]] = distinct !{[[REST]], {{.*}}[[DONE_MARK:![0-9]+]]}
; CHECK: [[VECTOR]] = distinct !{[[VECTOR]], [[DONE_MARK]]}
