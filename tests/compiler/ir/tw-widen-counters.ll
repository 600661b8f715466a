; An unsigned counter that may wrap around is one of 64 bits where it does not.
; RUN: %tw_opt -passes=tw-widen-counters %s | FileCheck %s
; RUN: %keeps tw-widen-counters %s

; It does not wrap around if the limit is 2^32 - step at most.
; CHECK-LABEL: @strides(
; CHECK: %[[LIMIT:.*]] = freeze i32 %limit
; CHECK: %[[STEP:.*]] = freeze i32 %step
; CHECK: %[[MOST:.*]] = sub i32 0, %[[STEP]]
; CHECK: %[[GOOD:.*]] = icmp ule i32 %[[LIMIT]], %[[MOST]]
; CHECK: %[[BY:.*]] = zext i32 %[[STEP]] to i64
; CHECK: %tw_wide = phi i64 [ %{{.*}}, %ready ], [ %[[NEXT:.*]], %inside ]
; CHECK-NOT: phi i64
; CHECK: %[[INDEX:.*]] = select i1 %[[GOOD]], i64 %tw_wide, i64 %wide
; CHECK: getelementptr inbounds i32, ptr %x, i64 %[[INDEX]]
; CHECK: %[[NEXT]] = add i64 %tw_wide, %[[BY]]
define void @strides(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Neither does a sum if the limit is 2^32 - what is added at most, or nothing is added.
; CHECK-LABEL: @strides_behind(
; CHECK: %[[MOST:.*]] = sub i32 0, %[[STEP:.*]]
; CHECK: %[[GOOD:.*]] = icmp ule i32 %[[LIMIT:.*]], %[[MOST]]
; CHECK: %[[MORE:.*]] = freeze i32 %more.index
; CHECK: %[[NONE:.*]] = icmp eq i32 %[[MORE]], 0
; CHECK: %[[OTHER:.*]] = sub i32 0, %[[MORE]]
; CHECK: icmp ule i32 %[[LIMIT]], %[[OTHER]]
define void @strides_behind(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n, i32 %more.index) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %sum = add i32 %k, %more.index
  %wide = zext i32 %sum to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Signed counters are those of the loop's division.
define void @keeps_signed(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp slt i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The first turn may be past the limit.
define void @keeps_unguarded(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  br label %ready
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The limit is another one in each turn.
define void @keeps_other_limit(ptr %x, ptr %out, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %limit = load i32, ptr %out, align 4
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So is the step.
define void @keeps_other_step(ptr %x, ptr %out, i32 %limit, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %step = load i32, ptr %out, align 4
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What is added changes from turn to turn.
define void @keeps_other_index(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %place = getelementptr inbounds i32, ptr %out, i64 %i
  %far = load i32, ptr %place, align 4
  %sum = add i32 %k, %far
  %wide = zext i32 %sum to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A sign.
define void @keeps_sign(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = sext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A difference wraps around at 0.
define void @keeps_difference(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %sum = add i32 %k, -1
  %wide = zext i32 %sum to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It is known not to wrap around.
define void @keeps_known(ptr %x, ptr %out, i32 %limit, i32 %other, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add nuw i32 %k, 64
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i32 %limit, i32 %step, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id = trunc i64 %i to i32
  %any = icmp ult i32 %id, %limit
  br i1 %any, label %ready, label %latch
ready:
  br label %inside
inside:
  %k = phi i32 [ %id, %ready ], [ %k.next, %inside ]
  %wide = zext i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %at, align 4
  %k.next = add i32 %k, %step
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %inside, label %left
left:
  br label %latch
latch:
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
