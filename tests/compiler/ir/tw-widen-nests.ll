; Rows of a group, at a border, have a copy in which no signed index wraps around.
; RUN: %tw_opt -passes=tw-widen-nests %s | FileCheck %s
; RUN: %keeps tw-widen-nests %s

declare void @once()

; CHECK-LABEL: @rows(
; CHECK: sext i32 %{{.*}} to i64
; CHECK: icmp slt i64 %{{.*}}, 2147483648
; CHECK: row.inside:
; CHECK-NOT: sext
; CHECK: load float, ptr
define void @rows(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="rows" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %r = mul i32 %y32, %pitch
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
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

; No signed index.
define void @keeps_unsigned(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_unsigned" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %at = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %at, %i
  %from = getelementptr inbounds i8, ptr %x, i64 %index
  %v = load i8, ptr %from, align 1
  %to = getelementptr inbounds i8, ptr %out, i64 %index
  store i8 %v, ptr %to, align 1
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

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_other_loop" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %r = mul i32 %y32, %pitch
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
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

; The steps change from turn to turn.
define void @keeps_pitch_from_memory(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_pitch_from_memory" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %other = load i32, ptr %out, align 4
  %r = mul i32 %y32, %other
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
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

; A value goes from row to row.
define void @keeps_last(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_last" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %r = mul i32 %y32, %pitch
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
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

; What must not be copied.
define void @keeps_single_call(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_single_call" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %r = mul i32 %y32, %pitch
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
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

; Long rows are left to the division of their own loop.
define void @keeps_long_rows(ptr %x, ptr %out, i32 %first, i32 %pitch, i64 %rows, i64 %columns, i32 %last) "teamwork.split"="keeps_long_rows" {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %join ]
  %i32 = trunc i64 %i to i32
  %y32 = trunc i64 %y to i32
  %column = add i32 %first, %i32
  %r = mul i32 %y32, %pitch
  %place = add i32 %r, %column
  %inside = icmp slt i32 %column, %last
  br i1 %inside, label %then, label %join
then:
  %index = sext i32 %place to i64
  %from = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
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
