; Chunks of work-items take each turn of a loop in them together.
; RUN: %tw_opt -passes=tw-outer-vectorize %s | FileCheck %s
; RUN: %tw_opt '-passes=function(tw-outer-vectorize),tw-tell-cliffs' -pass-remarks=teamwork-lanes -pass-remarks-missed=teamwork-lanes %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
; RUN: %keeps tw-outer-vectorize %s

declare void @anything()
declare void @anything_of(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; REMARK: work-items of kernel sums_over_rows take the turns of a loop together, as lanes of vectors
; CHECK-LABEL: @sums_over_rows(
; CHECK: alloca [64 x float]
; CHECK: fadd float
; CHECK: ret void
define void @sums_over_rows(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: kernel keeps_call do not take the turns of a loop together: of the call of anything(), which was not inlined
define void @keeps_call(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  call void @anything()
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: kernel keeps_volatile do not take the turns of a loop together: of an atomic or volatile access
define void @keeps_volatile(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load volatile float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: kernel keeps_atomic do not take the turns of a loop together: of an atomic or volatile access
define void @keeps_atomic(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load atomic float, ptr %at monotonic, align 4 ;, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: kernel keeps_copy do not take the turns of a loop together: memory is copied as a whole in it
define void @keeps_copy(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %x, i64 400, i1 false)
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A work-item has all turns: in their order.
; REMARK: kernel keeps_turns_apart do not take the turns of a loop together: a work-item has several turns, and it is not known that at least
define void @keeps_turns_apart(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; REMARK: kernel keeps_last do not take the turns of a loop together: a value of the last work-item is used behind all of them
define void @keeps_last(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store float %total.next, ptr %out, align 4
  ret void
}

; Each has a row of memory.
; REMARK: kernel keeps_far do not take the turns of a loop together: neighbouring work-items do not touch neighbouring memory in a loop in it
define void @keeps_far(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %i, 1000
  %at.index = add nuw nsw i64 %index, %k
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Who adds to an element comes to its end before the next one.
; REMARK: kernel keeps_combined do not take the turns of a loop together: an array of a reduction is accessed both in a loop in it and outside of that
define void @keeps_combined(ptr %x, ptr %out, i64 %n, i64 %terms) "teamwork.combines" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %part = getelementptr inbounds float, ptr %out, i64 %k
  store float %v, ptr %part, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %was = load float, ptr %out, align 4
  %w.at = getelementptr inbounds float, ptr %x, i64 %i
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The last sum goes into the next one.
; REMARK: kernel keeps_next_item do not take the turns of a loop together: of a value that goes from one work-item to the next
define void @keeps_next_item(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %last = phi float [ 0.0, %entry ], [ %total.next, %latch ]
  %first = fmul float %last, 2.0
  %first.to = getelementptr inbounds float, ptr %x, i64 %i
  store float %first, ptr %first.to, align 4
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; There is one variable.
; REMARK: kernel keeps_shared_variable do not take the turns of a loop together: of a variable in memory that work-items share
define void @keeps_shared_variable(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  %kept = alloca float, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  store float %v, ptr %kept, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %k.last = load float, ptr %kept, align 4
  store float %k.last, ptr %out, align 4
  ret void
}

; REMARK: kernel keeps_kept_address do not take the turns of a loop together: the address of a variable of a work-item is kept or passed on
define void @keeps_kept_address(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  %kept = alloca float, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  call void @anything_of(ptr %kept) memory(none) nounwind willreturn
  store float %v, ptr %kept, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The loop is left on the way.
; REMARK: kernel keeps_other_exit do not take the turns of a loop together: a loop in it is left at several places
define void @keeps_other_exit(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %goes.on ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %goes.on ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %stop = fcmp ogt float %v, 9.0
  br i1 %stop, label %latch.early, label %goes.on
goes.on:
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch.early:
  br label %latch
latch:
  %end.total = phi float [ %total.next, %goes.on ], [ %total, %latch.early ]
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %end.total, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr noalias %x, ptr noalias %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %index = mul nuw nsw i64 %k, 1000
  %at.index = add nuw nsw i64 %index, %i
  %at = getelementptr inbounds float, ptr %x, i64 %at.index
  %v = load float, ptr %at, align 4
  %total.next = fadd float %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
!4 = distinct !{!4, !1, !5}
!5 = !{!"teamwork.items.apart", i64 1}
