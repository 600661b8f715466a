; Rows of a group have a copy for where no border is.
; RUN: %tw_opt -passes=tw-version-nests %s | FileCheck %s
; RUN: %keeps tw-version-nests %s

declare void @once()

; CHECK-LABEL: @rows(
; CHECK: br i1 %tw_inside
; CHECK: row.inside:
; CHECK-NOT: icmp ult i64 %{{.*}}, %last
; CHECK: load float, ptr
define void @rows(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="rows" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; Which rows are inside is only known in a work-item.
; CHECK-LABEL: @bound_from_memory(
; CHECK-NOT: inside:
; CHECK: ret void
define void @bound_from_memory(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="bound_from_memory" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %edge = load i64, ptr %out, align 8
  %inside = icmp ult i64 %r, %edge
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; What must not be copied.
define void @keeps_single_call(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="keeps_single_call" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  call void @once() noduplicate
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; The last value of a row is used.
define void @keeps_last(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="keeps_last" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  store i64 %y, ptr %out, align 8
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="keeps_other_loop" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !8
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; Not of a group's rows.
define void @keeps_other_function(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !2
end:
  ret void
}

; Rows that are left on the way.
define void @keeps_other_exit(ptr %x, ptr %out, i64 %first, i64 %last, i64 %rows, i64 %columns) "teamwork.split"="keeps_other_exit" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.goes.on ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %r = add i64 %first, %y
  %place = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %place, %i
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %inside = icmp ult i64 %r, %last
  br i1 %inside, label %then, label %join
then:
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %stop = icmp eq i64 %y, %last
  br i1 %stop, label %end, label %row.goes.on
row.goes.on:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
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
!8 = distinct !{!8, !3}
