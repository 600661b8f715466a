; Loops over work-items become vectors where that pays, and where LLVM's own vectorizer would not take them.
; RUN: awk '/^; 3000 times/ { for (k = 1; k <= 3000; ++k) print "  %%x" k " = xor i32 %%v, " k; next } { print }' %s >%t.ll
; RUN: %tw_opt -passes=tw-vectorize-items %t.ll | FileCheck %s
; RUN: %tw_opt '-passes=function(tw-vectorize-items),tw-tell-cliffs' -pass-remarks=teamwork-lanes -pass-remarks-missed=teamwork-lanes %t.ll -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
; RUN: %keeps tw-vectorize-items %t.ll
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare float @llvm.sqrt.f32(float)

; REMARK: work-items of kernel keeps_long are not lanes of vectors: it is too long
define void @keeps_long(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
; 3000 times
  %old = atomicrmw add ptr %out, i32 %x3000 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; An atomic operation for each is one after the other.
; REMARK: work-items of kernel keeps_dear are not lanes of vectors: it would not pay
define void @keeps_dear(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %key = zext i32 %v to i64
  %at.key = getelementptr inbounds i32, ptr %out, i64 %key
  %old = atomicrmw add ptr %at.key, i32 %v monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; LLVM takes a loop without others inside, if it can compare addresses at run time.
; REMARK-NOT: kernel keeps_left
define void @keeps_left(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It takes none of which it cannot.
; REMARK: work-items of kernel elsewhere are lanes of vectors
; CHECK-LABEL: @elsewhere(
; CHECK: llvm.masked.scatter.v8f32
define void @elsewhere(ptr %x, ptr %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %v2 = mul i32 %v, %v
  %v3 = mul i32 %v2, %v
  %f = sitofp i32 %v3 to float
  %f2 = fdiv float %f, 3.0
  %f3 = call float @llvm.sqrt.f32(float %f2)
  %f4 = fdiv float 1.0, %f3
  %key = zext i32 %v to i64
  %to = getelementptr inbounds float, ptr %out, i64 %key
  store float %f4, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Nor one around others.
; REMARK: work-items of kernel turns are lanes of vectors
; CHECK-LABEL: @turns(
; CHECK: mul <8 x i32>
define void @turns(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %sum
sum:
  %k = phi i32 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi i32 [ %v, %loop ], [ %total.next, %sum ]
  %p = mul i32 %total, %v
  %total.next = add i32 %p, %k
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, %v
  br i1 %again, label %sum, label %left
left:
  %r = phi i32 [ %total.next, %sum ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

attributes #0 = { "target-features"="+avx2" }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
