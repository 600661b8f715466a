; Members of structures have a counter that does not wrap around, so that the vectorizer loads neighbours together.
; RUN: %tw_opt -passes=tw-count-members %s | FileCheck %s
; RUN: %keeps tw-count-members %s

declare void @may_end()

; CHECK-LABEL: @first_members(
; CHECK: %tw_member = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[AT:.*]] = add nsw i64 %tw_member, 0
; CHECK: getelementptr inbounds i8, ptr %x, i64 %[[AT]]
; CHECK: %[[NEXT]] = add nsw i64 %tw_member, 16
define void @first_members(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 4
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Nothing says that the address stays in an object.
define void @keeps_no_object(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 4
  %at = getelementptr float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A work-item may not come to it, and who does not may be anywhere.
define void @keeps_condition(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %flag = getelementptr inbounds float, ptr %out, i64 %i
  %set = load float, ptr %flag, align 4
  %some = fcmp ogt float %set, 0.0
  br i1 %some, label %then, label %join
then:
  %four = mul i64 %i, 4
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The loop may end before.
define void @keeps_call(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 4
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  call void @may_end()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; LLVM knows all of members side by side.
define void @keeps_side_by_side(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 1
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Structures are far apart.
define void @keeps_far(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 1048576
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %four = mul i64 %i, 4
  %at = getelementptr inbounds float, ptr %x, i64 %four
  %v = load float, ptr %at, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to, align 4
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
