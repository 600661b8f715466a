; LLVM makes no comparisons of addresses where it would need more than 128, and vectorizes nevertheless if the loop asks for vectors: the pass
; takes that from the loop. It is required: neither -tw-disable nor -opt-bisect-limit leaves it out.
; RUN: %tw_opt -passes=tw-runtime-checks %s | FileCheck %s
; RUN: %tw_opt -passes=tw-runtime-checks -opt-bisect-limit=0 %s | FileCheck %s
; RUN: not %tw_opt -tw-disable=tw-runtime-checks -passes=verify %s -o %t 2>&1 | FileCheck --check-prefix=REFUSED %s
; RUN: not %tw_opt -tw-disable=tw-divisions -passes=verify %s -o %t 2>&1 | FileCheck --check-prefix=REFUSED %s
; RUN: not %tw_opt -tw-disable=tw-x86-frames -passes=verify %s -o %t 2>&1 | FileCheck --check-prefix=REFUSED %s
; REFUSED: is no pass that can be left out

; 15 arrays that are written need 105 comparisons.
; CHECK-LABEL: @many(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop ![[MANY:[0-9]+]]
define void @many(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4, ptr %p5, ptr %p6, ptr %p7, ptr %p8, ptr %p9, ptr %p10, ptr %p11, ptr %p12, ptr %p13, ptr %p14, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a0 = getelementptr inbounds i32, ptr %p0, i64 %i
  store i32 0, ptr %a0, align 4
  %a1 = getelementptr inbounds i32, ptr %p1, i64 %i
  store i32 1, ptr %a1, align 4
  %a2 = getelementptr inbounds i32, ptr %p2, i64 %i
  store i32 2, ptr %a2, align 4
  %a3 = getelementptr inbounds i32, ptr %p3, i64 %i
  store i32 3, ptr %a3, align 4
  %a4 = getelementptr inbounds i32, ptr %p4, i64 %i
  store i32 4, ptr %a4, align 4
  %a5 = getelementptr inbounds i32, ptr %p5, i64 %i
  store i32 5, ptr %a5, align 4
  %a6 = getelementptr inbounds i32, ptr %p6, i64 %i
  store i32 6, ptr %a6, align 4
  %a7 = getelementptr inbounds i32, ptr %p7, i64 %i
  store i32 7, ptr %a7, align 4
  %a8 = getelementptr inbounds i32, ptr %p8, i64 %i
  store i32 8, ptr %a8, align 4
  %a9 = getelementptr inbounds i32, ptr %p9, i64 %i
  store i32 9, ptr %a9, align 4
  %a10 = getelementptr inbounds i32, ptr %p10, i64 %i
  store i32 10, ptr %a10, align 4
  %a11 = getelementptr inbounds i32, ptr %p11, i64 %i
  store i32 11, ptr %a11, align 4
  %a12 = getelementptr inbounds i32, ptr %p12, i64 %i
  store i32 12, ptr %a12, align 4
  %a13 = getelementptr inbounds i32, ptr %p13, i64 %i
  store i32 13, ptr %a13, align 4
  %a14 = getelementptr inbounds i32, ptr %p14, i64 %i
  store i32 14, ptr %a14, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @keeps_few(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop ![[FEW:[0-9]+]]
define void @keeps_few(ptr %p0, ptr %p1, ptr %p2, ptr %p3, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a0 = getelementptr inbounds i32, ptr %p0, i64 %i
  store i32 0, ptr %a0, align 4
  %a1 = getelementptr inbounds i32, ptr %p1, i64 %i
  store i32 1, ptr %a1, align 4
  %a2 = getelementptr inbounds i32, ptr %p2, i64 %i
  store i32 2, ptr %a2, align 4
  %a3 = getelementptr inbounds i32, ptr %p3, i64 %i
  store i32 3, ptr %a3, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; CHECK: ![[MANY]] = distinct !{![[MANY]], ![[ITEMS:[0-9]+]]}
; CHECK: ![[ITEMS]] = !{!"teamwork.items"}
; CHECK: ![[FEW]] = distinct !{![[FEW]], ![[ITEMS]], ![[ASKS:[0-9]+]]}
; CHECK: ![[ASKS]] = !{!"llvm.loop.vectorize.enable", i1 true}
!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"llvm.loop.vectorize.enable", i1 true}
!3 = distinct !{!3, !1, !2}
