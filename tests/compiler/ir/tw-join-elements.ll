; A range that the work-items of a group share out is one loop over its elements, if that is all they do.
; RUN: %tw_opt -passes=tw-join-elements %s | FileCheck %s
; RUN: %keeps tw-join-elements %s

; CHECK-LABEL: @shares_out(
; CHECK: %at = phi i32
; CHECK-NOT: phi
; CHECK: store i32 1, ptr %place
; CHECK: %[[NEXT:.*]] = add nuw i32 %at, 1
; CHECK: icmp ult i32 %[[NEXT]], %count
; CHECK: !llvm.loop ![[ELEMENTS:[0-9]+]]
; CHECK: ret void
define void @shares_out(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each work-item has its first element, also behind the end.
define void @keeps_first_turns(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %ready
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It has, but only with the condition of another number.
define void @keeps_other_guard(ptr %x, ptr %out, i32 %count, i32 %other) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %other
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The counter may wrap around, and go on from 0.
define void @keeps_wrapping(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add  i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Signed numbers.
define void @keeps_wrapping_signed(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp slt i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp slt i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The step is not the number of work-items.
define void @keeps_longer_step(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 65
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_shorter_step(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 32
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Something is done once for each work-item.
define void @keeps_other_work(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  store i32 2, ptr %out, align 4
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; An element needs the number of its work-item.
define void @keeps_id(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 %i, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What all work-items combine is used behind them, by no phi.
define i32 @keeps_combined(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %all = phi i32 [ -1, %entry ], [ %so.far, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  %one = and i32 %all, 120
  br label %latch
latch:
  %so.far = phi i32 [ %one, %left ], [ %all, %loop ]
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret i32 %so.far
}

; A sum goes from element to element.
define void @keeps_sum(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %sum = phi i32 [ 0, %ready ], [ %sum.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  %v = load i32, ptr %place, align 4
  %sum.next = add i32 %sum, %v
  store i32 %sum.next, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A work-item begins anywhere.
define void @keeps_far_begin(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %begin = mul i32 %i, 3
  %any = icmp ult i32 %begin, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %begin, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The number of elements changes on the way.
define void @keeps_other_count(ptr %x, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %count = load i32, ptr %out, align 4
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Work-items of several turns take them in their order.
define void @keeps_turns_apart(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i32 %i, %count
  br i1 %any, label %ready, label %latch
ready:
  br label %element
element:
  %at = phi i32 [ %i, %ready ], [ %at.next, %element ]
  %wide = zext i32 %at to i64
  %place = getelementptr inbounds i32, ptr %x, i64 %wide
  store i32 1, ptr %place, align 4
  %at.next = add nuw i32 %at, 64
  %again = icmp ult i32 %at.next, %count
  br i1 %again, label %element, label %left
left:
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

; The turns of a work-item stay in their order.
; CHECK: ![[ELEMENTS]] = distinct !{![[ELEMENTS]], ![[ITEMS:[0-9]+]], ![[APART:[0-9]+]]
; CHECK: ![[ITEMS]] = !{!"teamwork.items"}
; CHECK: ![[APART]] = !{!"teamwork.items.apart", i64 64}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
!4 = distinct !{!4, !1, !5}
!5 = !{!"teamwork.items.apart", i64 64}
