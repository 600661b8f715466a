; How far loops are unrolled: marks of loops only.
; RUN: %tw_opt -passes=tw-gpu-unrolling %s | FileCheck %s
; RUN: %keeps tw-gpu-unrolling %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A short loop of run-time length: by four. LLVM then leaves it alone, and ptxas need not.
; CHECK-LABEL: @short(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop ![[FOUR:[0-9]+]]
define void @short(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; In a loop around it neither of them unrolls it again, and the one around it is not unrolled.
; CHECK-LABEL: @inner(
; CHECK: br i1 %more, label %loop, label %behind, !llvm.loop ![[INNER:[0-9]+]]
; CHECK: br i1 %j.more, label %outer, label %end, !llvm.loop ![[OUTER:[0-9]+]]
define void @inner(ptr %x, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %behind ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %behind
behind:
  %j.next = add nuw nsw i32 %j, 1
  %j.more = icmp ult i32 %j.next, %m
  br i1 %j.more, label %outer, label %end
end:
  ret void
}

; A long turn: LLVM may take eight, since ptxas does not unroll it again.
; CHECK-LABEL: @long(
; CHECK: br i1 %more, label %loop, label %end{{$}}
define void @long(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  %v.0 = load float, ptr %at, align 4
  %v.1 = fmul float %v.0, %v.0
  %v.2 = fmul float %v.1, %v.1
  %v.3 = fmul float %v.2, %v.2
  %v.4 = fmul float %v.3, %v.3
  %v.5 = fmul float %v.4, %v.4
  %v.6 = fmul float %v.5, %v.5
  %v.7 = fmul float %v.6, %v.6
  %v.8 = fmul float %v.7, %v.7
  %v.9 = fmul float %v.8, %v.8
  %v.10 = fmul float %v.9, %v.9
  %v.11 = fmul float %v.10, %v.10
  %v.12 = fmul float %v.11, %v.11
  %v.13 = fmul float %v.12, %v.12
  %v.14 = fmul float %v.13, %v.13
  %v.15 = fmul float %v.14, %v.14
  %v.16 = fmul float %v.15, %v.15
  %v.17 = fmul float %v.16, %v.16
  %v.18 = fmul float %v.17, %v.17
  %v.19 = fmul float %v.18, %v.18
  %v.20 = fmul float %v.19, %v.19
  %v.21 = fmul float %v.20, %v.20
  %v.22 = fmul float %v.21, %v.21
  %v.23 = fmul float %v.22, %v.22
  %v.24 = fmul float %v.23, %v.23
  %v.25 = fmul float %v.24, %v.24
  %v.26 = fmul float %v.25, %v.25
  %v.27 = fmul float %v.26, %v.26
  store float %v.27, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; How many turns there are takes a division.
; CHECK-LABEL: @steps(
; CHECK: br i1 %more, label %loop, label %end{{$}}
define void @steps(ptr %x, i32 %n, i32 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A barrier.
; CHECK-LABEL: @barrier(
; CHECK: br i1 %more, label %loop, label %end{{$}}
define void @barrier(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @wait()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
declare void @wait() convergent

; The program has decided.
; CHECK-LABEL: @decided(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop ![[TWO:[0-9]+]]
define void @decided(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Loops through a private array, all of whose indices are constants then: it needs no memory.
; CHECK-LABEL: @through(
; CHECK: br i1 %more, label %fill, label %sums, !llvm.loop ![[FULL:[0-9]+]]
; CHECK: br i1 %k.more, label %inner, label %behind, !llvm.loop ![[FULL2:[0-9]+]]
; CHECK: br i1 %j.more, label %outer, label %end, !llvm.loop ![[FULL3:[0-9]+]]
define float @through(ptr %x) {
entry:
  %a = alloca [16 x float], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from, align 4
  %at = getelementptr [16 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %fill, label %sums
sums:
  br label %outer
outer:
  %j = phi i64 [ 0, %sums ], [ %j.next, %behind ]
  %sum = phi float [ 0.0, %sums ], [ %plus, %behind ]
  %row = shl nuw nsw i64 %j, 2
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k.next, %inner ]
  %part = phi float [ %sum, %outer ], [ %plus, %inner ]
  %place = add nuw nsw i64 %row, %k
  %of = getelementptr [16 x float], ptr %a, i64 0, i64 %place
  %w = load float, ptr %of, align 4
  %plus = fadd float %part, %w
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, 4
  br i1 %k.more, label %inner, label %behind
behind:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 4
  br i1 %j.more, label %outer, label %end
end:
  ret float %plus
}

; One index is not a constant, so the array stays in memory.
; CHECK-LABEL: @stays(
; CHECK: br i1 %more, label %fill, label %end{{$}}
define float @stays(ptr %x, i64 %which) {
entry:
  %a = alloca [16 x float], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %from = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %from, align 4
  %at = getelementptr [16 x float], ptr %a, i64 0, i64 %i
  store float %v, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %fill, label %end
end:
  %of = getelementptr [16 x float], ptr %a, i64 0, i64 %which
  %w = load float, ptr %of, align 4
  ret float %w
}

; Somebody else may have the address.
; CHECK-LABEL: @escapes(
; CHECK: br i1 %more, label %fill, label %end{{$}}
define void @escapes(ptr %x) {
entry:
  %a = alloca [16 x float], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %at = getelementptr [16 x float], ptr %a, i64 0, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %fill, label %end
end:
  call void @take(ptr %a)
  ret void
}
declare void @take(ptr)

; There are not so many registers.
; CHECK-LABEL: @large(
; CHECK: br i1 %more, label %fill, label %end{{$}}
define void @large(ptr %x) {
entry:
  %a = alloca [512 x float], align 4
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %at = getelementptr [512 x float], ptr %a, i64 0, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %fill, label %end
end:
  ret void
}

; No code changes.
define void @keeps_code(ptr %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 2}

; CHECK-DAG: ![[FOUR]] = distinct !{![[FOUR]], ![[BY_FOUR:[0-9]+]], ![[LATER:[0-9]+]]}
; CHECK-DAG: ![[BY_FOUR]] = !{!"llvm.loop.unroll.count", i32 4}
; CHECK-DAG: ![[LATER]] = !{!"llvm.loop.unroll.followup_unrolled", ![[NOT_AT_RUN_TIME:[0-9]+]]}
; CHECK-DAG: ![[NOT_AT_RUN_TIME]] = !{!"llvm.loop.unroll.runtime.disable"}
; CHECK-DAG: ![[INNER]] = distinct !{![[INNER]], ![[NEVER:[0-9]+]], ![[BY_FOUR]]}
; CHECK-DAG: ![[NEVER]] = !{!"llvm.loop.unroll.followup_unrolled", ![[NOT:[0-9]+]]}
; CHECK-DAG: ![[NOT]] = !{!"llvm.loop.unroll.disable"}
; CHECK-DAG: ![[OUTER]] = distinct !{![[OUTER]], ![[NOT_AT_RUN_TIME]]}
; CHECK-DAG: ![[TWO]] = distinct !{![[TWO]], ![[BY_TWO:[0-9]+]]
; CHECK-DAG: ![[BY_TWO]] = !{!"llvm.loop.unroll.count", i32 2}
; CHECK-DAG: ![[FULL]] = distinct !{![[FULL]], ![[FULLY:[0-9]+]]}
; CHECK-DAG: ![[FULL2]] = distinct !{![[FULL2]], ![[FULLY]]}
; CHECK-DAG: ![[FULL3]] = distinct !{![[FULL3]], ![[FULLY]]}
; CHECK-DAG: ![[FULLY]] = !{!"llvm.loop.unroll.full"}
