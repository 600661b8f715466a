; A division that the loop does not change goes in front of it, by 1 where only a condition kept it from trapping.
; RUN: %tw_opt -passes=tw-divisions %s | FileCheck %s
; RUN: %keeps tw-divisions %s

; CHECK-LABEL: @unsigned_quotient(
; CHECK: entry:
; CHECK: %[[OF:.*]] = freeze i64 %a
; CHECK: %[[BY:.*]] = freeze i64 %d
; CHECK: %[[NONE:.*]] = icmp eq i64 %[[BY]], 0
; CHECK: %[[OTHER:.*]] = select i1 %[[NONE]], i64 1, i64 %[[BY]]
; CHECK: %[[QUOTIENT:.*]] = udiv i64 %[[OF]], %[[OTHER]]
; CHECK: %[[RESULT:.*]] = freeze i64 %[[QUOTIENT]]
; CHECK: loop:
; CHECK-NOT: udiv
; CHECK: getelementptr inbounds i32, ptr %out, i64 %[[RESULT]]
define void @unsigned_quotient(ptr %x, ptr %out, i64 %n, i64 %a, i64 %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %q = udiv i64 %a, %d
  %to = getelementptr inbounds i32, ptr %out, i64 %q
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The least number by -1 has no quotient either.
; CHECK-LABEL: @signed_rest(
; CHECK: entry:
; CHECK: icmp eq i64 %{{.*}}, -1
; CHECK: icmp eq i64 %{{.*}}, -9223372036854775808
; CHECK: srem i64
; CHECK: loop:
; CHECK-NOT: srem
; CHECK: ret void
define void @signed_rest(ptr %x, ptr %out, i64 %n, i64 %a, i64 %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %q = srem i64 %a, %d
  %to = getelementptr inbounds i32, ptr %out, i64 %q
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each work-item has its own.
define void @keeps_own_number(ptr %x, ptr %out, i64 %n, i64 %a, i64 %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %q = udiv i64 %i, %d
  %to = getelementptr inbounds i32, ptr %out, i64 %q
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_own_divisor(ptr %x, ptr %out, i64 %n, i64 %a, i64 %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %some = icmp sgt i32 %v, 0
  br i1 %some, label %then, label %join
then:
  %q = udiv i64 %a, %i
  %to = getelementptr inbounds i32, ptr %out, i64 %q
  store i32 %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
