; Functions of <math.h> leave errno alone in loops over work-items.
; RUN: %tw_opt -passes=tw-no-errno %s | FileCheck %s
; RUN: %keeps tw-no-errno %s

target triple = "x86_64-pc-linux-gnu"

declare double @exp(double)
declare double @lgamma(double)
declare double @frexp(double, ptr)
declare double @mine(double)
declare ptr @__errno_location()

; CHECK-LABEL: @exponential(
; CHECK: call double @exp(double %v) #[[ALONE:[0-9]+]]
define void @exponential(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @exp(double %v)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It writes signgam, too.
define void @keeps_lgamma(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @lgamma(double %v)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It writes to memory of the caller.
define void @keeps_frexp(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @frexp(double %v, ptr %out)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_other_function(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @mine(double %v)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_no_builtin(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @exp(double %v) nobuiltin
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Who reads errno gets it.
define void @keeps_reads_errno(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @exp(double %v)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %errno = call ptr @__errno_location()
  %error = load i32, ptr %errno, align 4
  store i32 %error, ptr %out, align 4
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
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %r = call double @exp(double %v)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %r, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

; CHECK: attributes #[[ALONE]] = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.mustprogress"}
