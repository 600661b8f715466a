; Rows whose work-items wait for their own sums are taken together: what they all read is read once.
; RUN: %tw_opt -passes=tw-unroll-and-jam %s | FileCheck %s
; RUN: %keeps tw-unroll-and-jam %s

; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare void @anything()

; CHECK-LABEL: @sums(
; CHECK: %[[W:.*]] = load float
; CHECK-COUNT-4: fmul float
; CHECK-COUNT-4: fadd float
; CHECK-COUNT-4: store float
; CHECK: ret void
define void @sums(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) "teamwork.split"="sums" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; No rows of a group.
define void @keeps_other_rows(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !2
end:
  ret void
}

; Rows of several turns of a work-item keep their order.
define void @keeps_rows_apart(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !4
end:
  ret void
}

; The number of turns is that of the row.
define void @keeps_other_turns(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %least = add nuw nsw i64 %y, 1
  %again = icmp ult i64 %k.next, %least
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; A condition: the rows go different ways.
define void @keeps_condition(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop.end ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %some = fcmp ogt float %total.next, 0.0
  br i1 %some, label %store, label %loop.end
store:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  br label %loop.end
loop.end:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; All rows use one variable.
define void @keeps_variable(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  %kept = alloca float, align 4
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  store float %total.next, ptr %kept, align 4
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  %last = load float, ptr %kept, align 4
  store float %last, ptr %out, align 4
  ret void
}

; Several may add to one element: each comes to its end before the next one.
define void @keeps_combined(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) "teamwork.combines" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

define void @keeps_call(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  call void @anything()
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

define void @keeps_volatile(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load volatile float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

define void @keeps_atomic(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load atomic float, ptr %at monotonic, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; A value goes from row to row.
define void @keeps_value_of_rows(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  %last = phi float [ 0.0, %entry ], [ %total.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %place.last = getelementptr inbounds float, ptr %weights, i64 %y
  store float %last, ptr %place.last, align 4
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; The last row's value is used.
define void @keeps_last(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  store float %total.next, ptr %out, align 4
  ret void
}

; Nothing waits for a sum.
define void @keeps_without_sums(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %at = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %at, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %index
  store float %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; Rows that are longer than some vectors have enough to do.
define void @keeps_long_rows(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 16
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

define void @keeps_single_row(ptr noalias %x, ptr noalias %out, ptr noalias %weights, i64 %terms) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %done ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi float [ 0.0, %loop ], [ %total.next, %sum ]
  %at = getelementptr inbounds float, ptr %weights, i64 %k
  %w = load float, ptr %at, align 4
  %row.index = add nuw nsw i64 %y, %k
  %place = mul nuw nsw i64 %row.index, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %product = fmul float %v, %w
  %total.next = fadd float %total, %product
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %done
done:
  %to.row = mul nuw nsw i64 %y, 100
  %to.index = add nuw nsw i64 %to.row, %i
  %to = getelementptr inbounds float, ptr %out, i64 %to.index
  store float %total.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, 1
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
!6 = distinct !{!6, !7}
!7 = !{!"teamwork.items.rows"}
!4 = distinct !{!4, !7, !5}
!5 = !{!"teamwork.items.apart", i64 1}
