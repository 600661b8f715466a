; The loop over work-items and the loop in which each takes every so many elements change places.
; RUN: %tw_opt -passes=tw-interchange %s | FileCheck %s
; RUN: %keeps tw-interchange %s

; All take one element each before they take their next ones.
; CHECK-LABEL: @strides(
; CHECK: entry:
; CHECK: icmp sle i64 %{{.*}}, %{{.*}}
; CHECK: br i1 %{{.*}}, label %tw_turn{{.*}}, label %loop
; CHECK: tw_turn:
; CHECK: [[FIRST:%tw_first.*]] = phi i64
; CHECK: tw_turns:
; CHECK: icmp slt i64
; CHECK: loop.interchanged:
; CHECK: [[AT:%tw_at.*]] = add nsw i64 [[FIRST]]
; CHECK: [[HAS:%.*]] = icmp slt i64 [[AT]]
; CHECK: br i1 [[HAS]], label %inner.interchanged, label %tw_item_done
define void @strides(ptr %x, i64 %first, i64 %n, i64 %step, i64 %items) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %from, align 4
  %twice = fadd float %v, %v
  store float %twice, ptr %from, align 4
  %i.next = add nsw i64 %i, %step
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  br label %join
join:
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; A sum has a place for each item, and what is done with it follows in a loop of its own.
; CHECK-LABEL: @sums(
; CHECK: %tw_carried = alloca [1024 x float], align 64
; CHECK: br i1 %{{.*}}, label %tw_places{{.*}}, label %loop
; CHECK: tw_places:
; CHECK: store float 0.000000e+00
; CHECK: inner.interchanged:
; CHECK: [[SUM:%.*]] = load float, ptr
; CHECK: [[NEXT:%.*]] = fadd float [[SUM]]
; CHECK: store float [[NEXT]]
; CHECK: loop.rest:
; CHECK: [[LAST:%.*]] = load float, ptr
; CHECK: [[OUT:%.*]] = phi float [ 0.000000e+00, %loop.rest ], [ [[LAST]],
; CHECK: store float [[OUT]]
define void @sums(ptr %x, ptr %out, i64 %first, i64 %n, i64 %step, i64 %items) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %s = phi float [ 0.0, %enter ], [ %s.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %from, align 4
  %s.next = fadd float %s, %v
  %i.next = add nsw i64 %i, %step
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  %s.left = phi float [ %s.next, %inner ]
  br label %join
join:
  %s.out = phi float [ 0.0, %loop ], [ %s.left, %left ]
  %to = getelementptr inbounds float, ptr %out, i64 %t
  store float %s.out, ptr %to, align 4
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; Each item has its own end.
; CHECK-LABEL: @keeps_own_ends(
; CHECK-NOT: tw_turn
; CHECK: ret void
define void @keeps_own_ends(ptr %x, ptr %counts, i64 %first, i64 %step, i64 %items) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %count = getelementptr inbounds i64, ptr %counts, i64 %t
  %n = load i64, ptr %count, align 8
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  store float 1.0, ptr %from, align 4
  %i.next = add nsw i64 %i, %step
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  br label %join
join:
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; An item writes in front of its loop: that would be done again in each turn.
; CHECK-LABEL: @keeps_stores_in_front(
; CHECK-NOT: tw_turn
; CHECK: ret void
define void @keeps_stores_in_front(ptr %x, ptr %out, i64 %first, i64 %n, i64 %step, i64 %items) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %to = getelementptr inbounds float, ptr %out, i64 %t
  store float 0.0, ptr %to, align 4
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  store float 1.0, ptr %from, align 4
  %i.next = add nsw i64 %i, %step
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  br label %join
join:
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; A variable of the item keeps what a turn leaves for the next one.
; CHECK-LABEL: @keeps_variables(
; CHECK-NOT: tw_turn
; CHECK: ret void
define void @keeps_variables(ptr %x, i64 %first, i64 %n, i64 %step, i64 %items) {
entry:
  %own = alloca [4 x float], align 16
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  %which = and i64 %i, 3
  %place = getelementptr inbounds float, ptr %own, i64 %which
  %v = load float, ptr %place, align 4
  store float %v, ptr %from, align 4
  store float 1.0, ptr %place, align 4
  %i.next = add nsw i64 %i, %step
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  br label %join
join:
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

; A small step leaves elements of other turns in the same lines of the cache.
; CHECK-LABEL: @keeps_short_steps(
; CHECK-NOT: tw_turn
; CHECK: ret void
define void @keeps_short_steps(ptr %x, i64 %first, i64 %n, i64 %items) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %join ]
  %i0 = add i64 %first, %t
  %some = icmp slt i64 %i0, %n
  br i1 %some, label %enter, label %join
enter:
  br label %inner
inner:
  %i = phi i64 [ %i0, %enter ], [ %i.next, %inner ]
  %from = getelementptr inbounds float, ptr %x, i64 %i
  store float 1.0, ptr %from, align 4
  %i.next = add nsw i64 %i, 8
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %inner, label %left
left:
  br label %join
join:
  %next = add nuw nsw i64 %t, 1
  %last = icmp eq i64 %next, %items
  br i1 %last, label %end, label %loop, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
