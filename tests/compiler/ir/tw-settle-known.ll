; Comparisons that are the same in all turns are constants.
; RUN: %tw_opt -passes=tw-settle-known %s | FileCheck %s
; RUN: %keeps tw-settle-known %s

; CHECK-LABEL: @not_negative(
; CHECK: store i8 0, ptr
define void @not_negative(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %test = icmp slt i64 %i, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @below_size(
; CHECK: store i8 1, ptr
define void @below_size(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %test = icmp ult i64 %i, 64
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The lower bits of what has no others.
; CHECK-LABEL: @lower_bits(
; CHECK-NOT: and
; CHECK: store i64 %i, ptr
define void @lower_bits(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %low = and i64 %i, 255
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %low, ptr %to, align 8
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @extended(
; CHECK-NOT: trunc
; CHECK: store i64 %i, ptr
define void @extended(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %cut = trunc i64 %i to i32
  %low = zext i32 %cut to i64
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %low, ptr %to, align 8
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It holds for some.
define void @keeps_below_half(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %test = icmp ult i64 %i, 32
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Of 300 turns some have other bits.
define void @keeps_higher_bits(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %low = and i64 %i, 255
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %low, ptr %to, align 8
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 300
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Nothing is known of the number of turns.
define void @keeps_extended(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %cut = trunc i64 %i to i32
  %low = zext i32 %cut to i64
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %low, ptr %to, align 8
  br label %latch
latch:
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
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %test = icmp slt i64 %i, 0
  %to = getelementptr inbounds i8, ptr %out, i64 %i
  %bit = zext i1 %test to i8
  store i8 %bit, ptr %to, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
