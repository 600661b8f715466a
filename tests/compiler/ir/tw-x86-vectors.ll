; Kernels have vectors of 512 bits on processors that keep their clock with these.
; RUN: %tw_opt -passes=tw-x86-vectors %s | FileCheck %s
; RUN: %keeps tw-x86-vectors %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @new_processor(
; CHECK-SAME: #[[NEW:[0-9]+]] {
; CHECK: attributes #[[NEW]] = { {{.*}}"prefer-vector-width"="512"
define void @new_processor(ptr %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; An older one lowers its clock.
define void @keeps_old_processor(ptr %x, i64 %n) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; -mprefer-vector-width=256
define void @keeps_what_is_asked_for(ptr %x, i64 %n) #2 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; No kernel.
define void @keeps_others(ptr %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 7, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { "target-features"="+avx512f,+avx512fp16" }
attributes #1 = { "target-features"="+avx512f" }
attributes #2 = { "prefer-vector-width"="256" "target-features"="+avx512f,+avx512fp16" }
!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
