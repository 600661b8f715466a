; Where only every n-th work-item has something to do, the loop over them takes no others.
; RUN: %tw_opt -passes=tw-every-nth %s | FileCheck %s
; RUN: %keeps tw-every-nth %s

; 13 of 100 work-items.
; CHECK-LABEL: @eighth(
; CHECK: %[[U:.*]] = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[BYTES:.*]] = shl {{.*}}i64 %[[U]], 5
; CHECK: getelementptr inbounds i8, ptr %x, i64 %[[BYTES]]
; CHECK: %[[NEXT]] = add nuw nsw i64 %[[U]], 1
; CHECK: icmp eq i64 %[[NEXT]], 13
define void @eighth(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Those whose number is one less than a multiple: 3, 7, ... 99.
; CHECK-LABEL: @last_of_four(
; CHECK: %[[FOURS:.*]] = shl nuw nsw i64 %{{.*}}, 2
; CHECK: or {{(disjoint )?}}i64 %[[FOURS]], 3
; CHECK: icmp eq i64 %{{.*}}, 25
define void @last_of_four(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 3
  %is = icmp eq i64 %rest, 3
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; The condition is that of an index of 32 bits, t + 6, and the other way round: 2, 6, ... 98.
; CHECK-LABEL: @narrow(
; CHECK: %[[FOURS:.*]] = shl nuw nsw i64 %{{.*}}, 2
; CHECK: or {{(disjoint )?}}i64 %[[FOURS]], 2
; CHECK: icmp eq i64 %{{.*}}, 25
define void @narrow(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %short = trunc i64 %i to i32
  %index = add i32 %short, 6
  %rest = and i32 %index, 3
  %isnot = icmp ne i32 %rest, 0
  br i1 %isnot, label %latch, label %taken
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Six is no power of two.
define void @keeps_six(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = urem i64 %i, 6
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Bits with a gap.
define void @keeps_gap(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 5
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; What is tested does not grow by one.
define void @keeps_squares(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %square = mul i64 %i, %i
  %rest = and i64 %square, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; All work-items store.
define void @keeps_effect_before(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %own = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 1, ptr %own, align 4
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; All work-items store, behind the condition.
define void @keeps_effect_behind(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %own = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 1, ptr %own, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; What the others have is stored.
define void @keeps_joined(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %joined = phi i32 [ 0, %loop ], [ %w, %taken ]
  store i32 %joined, ptr %x, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; The number of the last work-item is used behind the loop.
define i64 @keeps_last(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret i64 %i
}

; None of them is taken.
define void @keeps_none(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 127
  %is = icmp eq i64 %rest, 111
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Their number is not known.
define void @keeps_unknown(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Turns of the same work-items, which share out a range.
define void @keeps_turns(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !2
end:
  ret void
}

; No loop over work-items.
define void @keeps_other_loops(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %rest = and i64 %i, 7
  %is = icmp eq i64 %rest, 0
  br i1 %is, label %taken, label %latch
taken:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %at, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 100
  br i1 %done, label %end, label %loop, !llvm.loop !4
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !1, !3}
!3 = !{!"teamwork.items.apart", i64 10}
!4 = distinct !{!4}
