; Work-items that divide an index by the width of rows run row by row.
; RUN: %tw_opt -passes=tw-delinearize %s | FileCheck %s
; RUN: %keeps tw-delinearize %s

declare void @once()

; CHECK-LABEL: @quotient_and_rest(
; CHECK: tw_row:
; CHECK: %tw_row{{[0-9]*}} = phi i64
; CHECK: %[[COLUMN:tw_turn[0-9]*]] = phi i64
; CHECK: getelementptr {{.*}}i64 %[[COLUMN]]
define void @quotient_and_rest(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The upper bits are the number of the row by its width; here LLVM has set one more in a mask, which the number never has.
; CHECK-LABEL: @upper_bits(
; CHECK: tw_row:
; CHECK: %[[ROW:.*]] = shl i64 %tw_row{{[0-9]*}}, 8
; CHECK-NOT: and i64
; CHECK: ret void
define void @upper_bits(ptr %x, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %high = and i64 %i, -64
  %low = and i64 %i, 575
  %place = add i64 %high, %low
  %at = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; As upper bits of the double.
; CHECK-LABEL: @upper_bits_of_the_double(
; CHECK: tw_row:
; CHECK: %[[ROW:.*]] = shl i64 %tw_row{{[0-9]*}}, 9
; CHECK-NOT: and i64
; CHECK: ret void
define void @upper_bits_of_the_double(ptr %x, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %two = shl nuw nsw i64 %i, 1
  %high = and i64 %two, -128
  %low = and i64 %i, 63
  %place = add i64 %high, %low
  %at = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Of the upper bits one is left out.
define void @keeps_some_upper_bits(ptr %x, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %high = and i64 %i, 320
  %place = add i64 %high, 1
  %at = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; By a constant, a shift and a mask.
; CHECK-LABEL: @shift_and_mask(
; CHECK: icmp eq i64 %{{.*}}, 64
define void @shift_and_mask(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = lshr i64 %i, 6
  %column = and i64 %i, 63
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So short rows are not worth it.
define void @keeps_short(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = lshr i64 %i, 2
  %column = and i64 %i, 3
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The width changes from turn to turn.
define void @keeps_width_from_memory(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %width = load i64, ptr %x, align 8
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The index goes on by 2.
define void @keeps_other_step(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %two = shl nuw i64 %i, 1
  %row = udiv i64 %two, %width
  %column = urem i64 %two, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A sum goes from turn to turn.
define void @keeps_sum(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %sum.next = add i64 %sum, %column
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i64 %sum.next, ptr %x, align 8
  ret void
}

; The last value is used.
define void @keeps_last(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i64 %row, ptr %x, align 8
  ret void
}

; No address follows from it.
define void @keeps_number(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %both = xor i64 %row, %column
  %at = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %both, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What must not be copied stays in one loop.
define void @keeps_single_call(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  call void @once() noduplicate
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %n, i64 %width) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

; A group of 512 in rows of an unknown width: its first row and its last one have as many columns as are its own.
; CHECK-LABEL: @in_parts(
; CHECK-NOT: tw_first
; CHECK: tw_row:
; CHECK: %[[ROW:tw_row[0-9]*]] = phi i64
; CHECK: %[[IS_FIRST:[0-9]+]] = icmp eq i64 %[[ROW]], 0
; CHECK: %[[BEGIN:[0-9]+]] = select i1 %[[IS_FIRST]], i64 %{{[0-9]+}}, i64 0
; CHECK: %[[LAST:[0-9]+]] = call i64 @llvm.umin.i64
; CHECK: %[[COLUMN:tw_turn[0-9]*]] = phi i64 {{.*}}[ %[[BEGIN]], %tw_row ]
; CHECK: icmp eq i64 %[[COLUMN]], %[[LAST]]
define void @in_parts(ptr %x, ptr %out, i64 %begin, i64 %width) {
entry:
  br label %loop
loop:
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]
  %i = add nuw i64 %begin, %turn
  %row = udiv i64 %i, %width
  %column = urem i64 %i, %width
  %at = getelementptr inbounds [1024 x i32], ptr %out, i64 %row, i64 %column
  store i32 1, ptr %at, align 4
  %next = add nuw nsw i64 %turn, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A group of 64 that lies in one row of 100 as a whole has one quotient.
; CHECK-LABEL: @in_one_row(
; CHECK: urem i64 %{{.*}}, 100
; CHECK: icmp {{.*}}ult i64 %{{.*}}, 37
; CHECK: udiv i64 %{{.*}}, 100
; CHECK: ret void
define void @in_one_row(ptr %x, ptr %out, i64 %begin) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = add i64 %begin, %i
  %row = udiv i64 %index, 100
  %at = getelementptr inbounds i32, ptr %x, i64 %row
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One of 128 does not lie in a row of 100.
define void @keeps_longer_than_row(ptr %x, ptr %out, i64 %begin) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = add i64 %begin, %i
  %row = udiv i64 %index, 100
  %at = getelementptr inbounds i32, ptr %x, i64 %row
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 128
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
