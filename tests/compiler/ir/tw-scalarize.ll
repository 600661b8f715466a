; Short vectors of a work-item become their elements; lanes are work-items.
; RUN: %tw_opt -passes=tw-scalarize %s | FileCheck %s
; RUN: %keeps tw-scalarize %s

; A pair, as functions take and return it.
; CHECK-LABEL: @pairs(
; CHECK-NOT: {{load|fadd|store}} <2 x float>
; CHECK-COUNT-2: load float
; CHECK-COUNT-2: fadd float
; CHECK-COUNT-2: store float
; CHECK-NOT: {{load|fadd|store}} <2 x float>
define void @pairs(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds <2 x float>, ptr %x, i64 %i
  %v = load <2 x float>, ptr %at, align 8
  %two = fadd <2 x float> %v, %v
  %to = getelementptr inbounds <2 x float>, ptr %out, i64 %i
  store <2 x float> %two, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Through loops in it, and what is made of both elements.
; CHECK-LABEL: @sums_of_pairs(
; CHECK-NOT: = {{load|phi|add|sub|shufflevector}} <2 x i32>
; CHECK-COUNT-2: phi i32
; CHECK-COUNT-2: load i32
; CHECK-NOT: = {{load|phi|add|sub|shufflevector}} <2 x i32>
define void @sums_of_pairs(ptr %x, ptr %out, i64 %n, i64 %terms) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi <2 x i32> [ zeroinitializer, %loop ], [ %total.next, %sum ]
  %index = add i64 %k, %i
  %at = getelementptr inbounds <2 x i32>, ptr %x, i64 %index
  %v = load <2 x i32>, ptr %at, align 8
  %total.next = add <2 x i32> %total, %v
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %terms
  br i1 %again, label %sum, label %latch
latch:
  %turned = shufflevector <2 x i32> %total.next, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %both = sub <2 x i32> %total.next, %turned
  %first = extractelement <2 x i32> %both, i64 0
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %first, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Those of other loops are the user's own, or the optimizer's.
define void @keeps_other_loop(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds <2 x float>, ptr %x, i64 %i
  %v = load <2 x float>, ptr %at, align 8
  %two = fadd <2 x float> %v, %v
  %to = getelementptr inbounds <2 x float>, ptr %out, i64 %i
  store <2 x float> %two, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

; What is in front of a loop over work-items, as long as that has none.
define void @keeps_in_front(ptr %x, ptr %out, i64 %n) {
entry:
  %v = load <2 x float>, ptr %x, align 8
  %two = fadd <2 x float> %v, %v
  store <2 x float> %two, ptr %x, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float 1.0, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A vector of the program's own, longer than those, keeps its form: its elements would not fit the registers.
define void @keeps_long(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds <8 x float>, ptr %x, i64 %i
  %v = load <8 x float>, ptr %at, align 32
  %two = fadd <8 x float> %v, %v
  %to = getelementptr inbounds <8 x float>, ptr %out, i64 %i
  store <8 x float> %two, ptr %to, align 32
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
