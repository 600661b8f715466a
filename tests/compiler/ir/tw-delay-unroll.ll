; A row of work-items that fills vectors is not unrolled before it comes to these, and no first turn leaves it.
; RUN: %tw_opt -passes='loop(tw-delay-unroll)' %s | FileCheck %s

; CHECK-LABEL: @row(
; CHECK: !llvm.loop ![[ROW:[0-9]+]]
define void @row(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So few do not fill a vector.
; CHECK-LABEL: @short(
; CHECK: !llvm.loop ![[SHORT:[0-9]+]]
define void @short(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Nothing is side by side.
; CHECK-LABEL: @far(
; CHECK: !llvm.loop ![[FAR:[0-9]+]]
define void @far(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds [4 x i32], ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; Nor is a loop that a work-item may leave in any turn: as branches, one for each turn, it could have no mask.
; CHECK-LABEL: @left_early(
; CHECK: br i1 %again, label %turn, label %latch, !llvm.loop ![[EARLY:[0-9]+]]
define void @left_early(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, 24
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %goes ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds i32, ptr %x, i64 %place
  %v = load i32, ptr %at, align 4
  %fits = icmp eq i32 %v, 7
  br i1 %fits, label %goes, label %latch
goes:
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, 24
  br i1 %again, label %turn, label %latch, !llvm.loop !5
latch:
  %found = phi i64 [ %j, %turn ], [ 24, %goes ]
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %found, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !6
end:
  ret void
}

; CHECK: ![[ROW]] = distinct !{![[ROW]], ![[ITEMS:[0-9]+]], ![[PEELED:[0-9]+]], ![[LATER:[0-9]+]], ![[OFF:[0-9]+]]}
; CHECK-DAG: ![[PEELED]] = !{!"llvm.loop.peeled.count", i32 1000}
; CHECK-DAG: ![[LATER]] = !{!"teamwork.unroll.later"}
; CHECK-DAG: ![[OFF]] = !{!"llvm.loop.unroll.disable"}
; CHECK-DAG: ![[SHORT]] = distinct !{![[SHORT]], ![[ITEMS]], ![[PEELED]]}
; CHECK-DAG: ![[EARLY]] = distinct !{![[EARLY]], ![[LATER]], ![[OFF]]}
; CHECK-DAG: ![[FAR]] = distinct !{![[FAR]], ![[ITEMS]], ![[PEELED]]}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!4 = distinct !{!4, !1}
!5 = distinct !{!5}
!6 = distinct !{!6, !1}
