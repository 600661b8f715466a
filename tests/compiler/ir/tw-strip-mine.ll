; Rows of a group, of any length, are taken in pieces of 16 and 8, and what is left one by one.
; RUN: %tw_opt -passes=tw-strip-mine %s | FileCheck %s
; RUN: %keeps tw-strip-mine %s

declare void @anything()

; CHECK-LABEL: @copies_rows(
; CHECK: %tw_first = phi i64
; CHECK: icmp eq i64 %{{.*}}, 16
; CHECK: icmp eq i64 %{{.*}}, 8
; CHECK: ret void
define void @copies_rows(ptr %x, ptr %out, i64 %rows, i64 %columns) "teamwork.split"="copies_rows" {
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

; The number of turns is known.
define void @keeps_known_length(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; It is no row of a group, but as long as the program likes.
define void @keeps_other_rows(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  br i1 %more.rows, label %row, label %end, !llvm.loop !2
end:
  ret void
}

; Nothing is side by side.
define void @keeps_far(ptr %x, ptr %out, i64 %rows, i64 %columns) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %at = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %at, %i
  %from = getelementptr inbounds [4 x i8], ptr %x, i64 %index
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

define void @keeps_call(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  call void @anything()
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

define void @keeps_volatile(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  %v = load volatile i8, ptr %from, align 1
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

define void @keeps_atomic(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  store atomic i8 %v, ptr %to monotonic, align 1
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

; A sum goes from turn to turn.
define void @keeps_sum(ptr %x, ptr %out, i64 %rows, i64 %columns) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %sum = phi i8 [ 0, %row ], [ %sum.next, %loop ]
  %at = mul nuw nsw i64 %y, 100
  %index = add nuw nsw i64 %at, %i
  %from = getelementptr inbounds i8, ptr %x, i64 %index
  %v = load i8, ptr %from, align 1
  %to = getelementptr inbounds i8, ptr %out, i64 %index
  store i8 %v, ptr %to, align 1
  %sum.next = add i8 %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %sum.to = getelementptr inbounds i8, ptr %out, i64 %y
  store i8 %sum.next, ptr %sum.to, align 1
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; The last value of a row is used.
define void @keeps_last(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  store i8 %v, ptr %out, align 1
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; The number of turns is not known in front of the row.
define void @keeps_length_from_memory(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  %count = load i64, ptr %x, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %y.next = add nuw nsw i64 %y, 1
  %more.rows = icmp ult i64 %y.next, %rows
  br i1 %more.rows, label %row, label %end, !llvm.loop !6
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %rows, i64 %columns) {
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
  br i1 %more, label %loop, label %row.end, !llvm.loop !8
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
