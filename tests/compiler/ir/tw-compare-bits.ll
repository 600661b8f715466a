; A test of the bits above a power of two is the comparison again that it was.
; RUN: %tw_opt -passes=tw-compare-bits %s | FileCheck %s
; RUN: %keeps tw-compare-bits %s

; CHECK-LABEL: @less(
; CHECK: icmp ult i8 %{{.*}}, 32
define void @less(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %index = load i8, ptr %from, align 1
  %high = and i8 %index, -32
  %test = icmp eq i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @not_less(
; CHECK: icmp ugt i8 %{{.*}}, 31
define void @not_less(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds i8, ptr %in, i64 %i
  %index = load i8, ptr %from, align 1
  %high = and i8 %index, -32
  %test = icmp ne i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The highest bit may be left out where it is never set.
; CHECK-LABEL: @less_of_few(
; CHECK: icmp {{(samesign )?}}ult i64 %i, 32
define void @less_of_few(ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %high = and i64 %i, 96
  %test = icmp eq i64 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; 128 has none of these bits, and is not less than 32.
define void @keeps_bit_above(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i64 %i to i8
  %high = and i8 %index, 96
  %test = icmp eq i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Bits with a gap.
define void @keeps_gap(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i64 %i to i8
  %high = and i8 %index, -96
  %test = icmp eq i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A remainder.
define void @keeps_low_bits(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i64 %i to i8
  %high = and i8 %index, 31
  %test = icmp eq i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not whether they are all 0.
define void @keeps_other_value(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i64 %i to i8
  %high = and i8 %index, -32
  %test = icmp eq i8 %high, 64
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = trunc i64 %i to i8
  %high = and i8 %index, -32
  %test = icmp eq i8 %high, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
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
