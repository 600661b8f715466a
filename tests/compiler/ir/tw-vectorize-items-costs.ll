; Loops over work-items become vectors where that pays, and where LLVM's own vectorizer would not take them.
; RUN: awk '/^; 3000 times/ { for (k = 1; k <= 3000; ++k) print "  %%x" k " = xor i32 %%v, " k; next } { print }' %s >%t.ll
; RUN: %tw_opt -passes=tw-vectorize-items %t.ll | FileCheck %s
; RUN: %tw_opt '-passes=function(tw-vectorize-items),tw-tell-cliffs' -pass-remarks=teamwork-lanes -pass-remarks-missed=teamwork-lanes %t.ll -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
; RUN: %keeps tw-vectorize-items %t.ll
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare float @llvm.sqrt.f32(float)

; A row of a group, of bytes, which is left to LLVM: it is asked for 16 lanes, since 64 would be more than most rows have.
; CHECK-LABEL: @row_of_bytes(
; CHECK: br i1 %more, label %loop, label %row.end, !llvm.loop ![[OF_BYTES:[0-9]+]]
define void @row_of_bytes(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %row
row:
  %j = phi i64 [ 0, %entry ], [ %j.next, %row.end ]
  %from = mul nsw i64 %j, %m
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %place = add nsw i64 %from, %i
  %at = getelementptr inbounds i8, ptr %x, i64 %place
  %v = load i8, ptr %at, align 1
  %r = add i8 %v, 1
  %to = getelementptr inbounds i8, ptr %out, i64 %place
  store i8 %r, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %row, label %end, !llvm.loop !8
end:
  ret void
}

; Of numbers LLVM makes 16 lanes by itself.
; CHECK-LABEL: @row_of_numbers(
; CHECK: br i1 %more, label %loop, label %row.end, !llvm.loop ![[OF_NUMBERS:[0-9]+]]
define void @row_of_numbers(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %row
row:
  %j = phi i64 [ 0, %entry ], [ %j.next, %row.end ]
  %from = mul nsw i64 %j, %m
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %place = add nsw i64 %from, %i
  %at = getelementptr inbounds i32, ptr %x, i64 %place
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %row.end, !llvm.loop !0
row.end:
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %row, label %end, !llvm.loop !8
end:
  ret void
}

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

; A row of numbers that may be added in any order is left to LLVM: its vectors of neighbouring elements need no gathers ...
; REMARK: work-items of kernel row_of_any_order are not lanes of vectors: it would not pay
define void @row_of_any_order(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %m
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi i32 [ 0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds i32, ptr %x, i64 %place
  %v = load i32, ptr %at, align 4
  %sum.next = add i32 %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... but not one whose order is given.
; REMARK: work-items of kernel row_of_one_order are lanes of vectors
define void @row_of_one_order(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %m
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %turn ]
  %place = add nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %x, i64 %place
  %v = load float, ptr %at, align 4
  %sum.next = fadd float %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %m
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So is a row whose length is a constant, and one of eight elements where LLVM is asked for vectors ...
; REMARK: work-items of kernel row_of_16 are not lanes of vectors: it would not pay
define void @row_of_16(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = shl nuw nsw i64 %i, 4
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %place = add nuw nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %x, i64 %place
  %v = load float, ptr %at, align 4
  %r = fmul float %v, 2.0
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %r, ptr %to, align 4
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, 16
  br i1 %again, label %turn, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel row_of_8 are not lanes of vectors: it would not pay
define void @row_of_8(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = shl nuw nsw i64 %i, 3
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %place = add nuw nsw i64 %row, %j
  %at = getelementptr inbounds float, ptr %x, i64 %place
  %v = load float, ptr %at, align 4
  %r = fmul float %v, 2.0
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %r, ptr %to, align 4
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, 8
  br i1 %again, label %turn, label %latch, !llvm.loop !15
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; ... but not elements that neighbours share.
; REMARK: work-items of kernel sliding_row are lanes of vectors
define void @sliding_row(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %turn
turn:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turn ]
  %sum = phi i32 [ 0, %loop ], [ %sum.next, %turn ]
  %place = add nuw nsw i64 %i, %j
  %at = getelementptr inbounds i32, ptr %x, i64 %place
  %v = load i32, ptr %at, align 4
  %sum.next = add i32 %sum, %v
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, 16
  br i1 %again, label %turn, label %latch
latch:
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A register of elements of one work-item lies side by side, and each is computed with by itself: LLVM makes vectors of these.
; REMARK: work-items of kernel own_vectors are not lanes of vectors: it would not pay
define void @own_vectors(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %place = shl nuw nsw i64 %i, 3
  br label %turns
turns:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turns ]
  %s0 = phi float [ 0.0, %loop ], [ %t0, %turns ]
  %s1 = phi float [ 0.0, %loop ], [ %t1, %turns ]
  %s2 = phi float [ 0.0, %loop ], [ %t2, %turns ]
  %s3 = phi float [ 0.0, %loop ], [ %t3, %turns ]
  %s4 = phi float [ 0.0, %loop ], [ %t4, %turns ]
  %s5 = phi float [ 0.0, %loop ], [ %t5, %turns ]
  %s6 = phi float [ 0.0, %loop ], [ %t6, %turns ]
  %s7 = phi float [ 0.0, %loop ], [ %t7, %turns ]
  %line = shl nuw nsw i64 %j, 16
  %from = add nuw nsw i64 %line, %place
  %row = getelementptr inbounds float, ptr %x, i64 %from
  %at0 = getelementptr inbounds float, ptr %row, i64 0
  %v0 = load float, ptr %at0, align 4
  %at1 = getelementptr inbounds float, ptr %row, i64 1
  %v1 = load float, ptr %at1, align 4
  %at2 = getelementptr inbounds float, ptr %row, i64 2
  %v2 = load float, ptr %at2, align 4
  %at3 = getelementptr inbounds float, ptr %row, i64 3
  %v3 = load float, ptr %at3, align 4
  %at4 = getelementptr inbounds float, ptr %row, i64 4
  %v4 = load float, ptr %at4, align 4
  %at5 = getelementptr inbounds float, ptr %row, i64 5
  %v5 = load float, ptr %at5, align 4
  %at6 = getelementptr inbounds float, ptr %row, i64 6
  %v6 = load float, ptr %at6, align 4
  %at7 = getelementptr inbounds float, ptr %row, i64 7
  %v7 = load float, ptr %at7, align 4
  %u0 = fmul float %v0, %v0
  %w0 = fdiv float %u0, 3.0
  %t0 = fadd float %w0, %s0
  %u1 = fmul float %v1, %v1
  %w1 = fdiv float %u1, 3.0
  %t1 = fadd float %w1, %s1
  %u2 = fmul float %v2, %v2
  %w2 = fdiv float %u2, 3.0
  %t2 = fadd float %w2, %s2
  %u3 = fmul float %v3, %v3
  %w3 = fdiv float %u3, 3.0
  %t3 = fadd float %w3, %s3
  %u4 = fmul float %v4, %v4
  %w4 = fdiv float %u4, 3.0
  %t4 = fadd float %w4, %s4
  %u5 = fmul float %v5, %v5
  %w5 = fdiv float %u5, 3.0
  %t5 = fadd float %w5, %s5
  %u6 = fmul float %v6, %v6
  %w6 = fdiv float %u6, 3.0
  %t6 = fadd float %w6, %s6
  %u7 = fmul float %v7, %v7
  %w7 = fdiv float %u7, 3.0
  %t7 = fadd float %w7, %s7
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %turns, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %place
  %to0 = getelementptr inbounds float, ptr %to, i64 0
  store float %t0, ptr %to0, align 4
  %to1 = getelementptr inbounds float, ptr %to, i64 1
  store float %t1, ptr %to1, align 4
  %to2 = getelementptr inbounds float, ptr %to, i64 2
  store float %t2, ptr %to2, align 4
  %to3 = getelementptr inbounds float, ptr %to, i64 3
  store float %t3, ptr %to3, align 4
  %to4 = getelementptr inbounds float, ptr %to, i64 4
  store float %t4, ptr %to4, align 4
  %to5 = getelementptr inbounds float, ptr %to, i64 5
  store float %t5, ptr %to5, align 4
  %to6 = getelementptr inbounds float, ptr %to, i64 6
  store float %t6, ptr %to6, align 4
  %to7 = getelementptr inbounds float, ptr %to, i64 7
  store float %t7, ptr %to7, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; They are no vectors where one element depends on another one.
; REMARK: work-items of kernel mixed_elements are lanes of vectors
define void @mixed_elements(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %place = shl nuw nsw i64 %i, 3
  br label %turns
turns:
  %j = phi i64 [ 0, %loop ], [ %j.next, %turns ]
  %s0 = phi float [ 0.0, %loop ], [ %t0, %turns ]
  %s1 = phi float [ 0.0, %loop ], [ %t1, %turns ]
  %s2 = phi float [ 0.0, %loop ], [ %t2, %turns ]
  %s3 = phi float [ 0.0, %loop ], [ %t3, %turns ]
  %s4 = phi float [ 0.0, %loop ], [ %t4, %turns ]
  %s5 = phi float [ 0.0, %loop ], [ %t5, %turns ]
  %s6 = phi float [ 0.0, %loop ], [ %t6, %turns ]
  %s7 = phi float [ 0.0, %loop ], [ %t7, %turns ]
  %line = shl nuw nsw i64 %j, 16
  %from = add nuw nsw i64 %line, %place
  %row = getelementptr inbounds float, ptr %x, i64 %from
  %at0 = getelementptr inbounds float, ptr %row, i64 0
  %v0 = load float, ptr %at0, align 4
  %at1 = getelementptr inbounds float, ptr %row, i64 1
  %v1 = load float, ptr %at1, align 4
  %at2 = getelementptr inbounds float, ptr %row, i64 2
  %v2 = load float, ptr %at2, align 4
  %at3 = getelementptr inbounds float, ptr %row, i64 3
  %v3 = load float, ptr %at3, align 4
  %at4 = getelementptr inbounds float, ptr %row, i64 4
  %v4 = load float, ptr %at4, align 4
  %at5 = getelementptr inbounds float, ptr %row, i64 5
  %v5 = load float, ptr %at5, align 4
  %at6 = getelementptr inbounds float, ptr %row, i64 6
  %v6 = load float, ptr %at6, align 4
  %at7 = getelementptr inbounds float, ptr %row, i64 7
  %v7 = load float, ptr %at7, align 4
  %u0 = fmul float %v0, %v1
  %w0 = fdiv float %u0, 3.0
  %t0 = fadd float %w0, %s0
  %u1 = fmul float %v1, %v2
  %w1 = fdiv float %u1, 3.0
  %t1 = fadd float %w1, %s1
  %u2 = fmul float %v2, %v3
  %w2 = fdiv float %u2, 3.0
  %t2 = fadd float %w2, %s2
  %u3 = fmul float %v3, %v4
  %w3 = fdiv float %u3, 3.0
  %t3 = fadd float %w3, %s3
  %u4 = fmul float %v4, %v5
  %w4 = fdiv float %u4, 3.0
  %t4 = fadd float %w4, %s4
  %u5 = fmul float %v5, %v6
  %w5 = fdiv float %u5, 3.0
  %t5 = fadd float %w5, %s5
  %u6 = fmul float %v6, %v7
  %w6 = fdiv float %u6, 3.0
  %t6 = fadd float %w6, %s6
  %u7 = fmul float %v7, %v0
  %w7 = fdiv float %u7, 3.0
  %t7 = fadd float %w7, %s7
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %turns, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %place
  %to0 = getelementptr inbounds float, ptr %to, i64 0
  store float %t0, ptr %to0, align 4
  %to1 = getelementptr inbounds float, ptr %to, i64 1
  store float %t1, ptr %to1, align 4
  %to2 = getelementptr inbounds float, ptr %to, i64 2
  store float %t2, ptr %to2, align 4
  %to3 = getelementptr inbounds float, ptr %to, i64 3
  store float %t3, ptr %to3, align 4
  %to4 = getelementptr inbounds float, ptr %to, i64 4
  store float %t4, ptr %to4, align 4
  %to5 = getelementptr inbounds float, ptr %to, i64 5
  store float %t5, ptr %to5, align 4
  %to6 = getelementptr inbounds float, ptr %to, i64 6
  store float %t6, ptr %to6, align 4
  %to7 = getelementptr inbounds float, ptr %to, i64 7
  store float %t7, ptr %to7, align 4
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

; What a work-item comes to in one of four turns, some work-item of eight comes to in nearly each, and the last one turns twice as often.
; REMARK: work-items of kernel rare_gathers are not lanes of vectors: it would not pay
define void @rare_gathers(ptr %x, ptr %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %turns
turns:
  %u = phi i32 [ %v, %loop ], [ %half, %again ]
  %s = phi i32 [ 0, %loop ], [ %t, %again ]
  %a0 = xor i32 %u, 5
  %a1 = xor i32 %a0, 6
  %a2 = xor i32 %a1, 7
  %a3 = xor i32 %a2, 8
  %a4 = xor i32 %a3, 9
  %a5 = xor i32 %a4, 10
  %a6 = xor i32 %a5, 11
  %a7 = xor i32 %a6, 12
  %some = icmp sgt i32 %a7, 7
  br i1 %some, label %then, label %again
then:
  %few = icmp sgt i32 %s, 100
  br i1 %few, label %rare, label %again
rare:
  %k0 = zext i32 %u to i64
  %p0 = getelementptr inbounds i32, ptr %x, i64 %k0
  %w0 = load i32, ptr %p0, align 4
  %k1 = zext i32 %w0 to i64
  %p1 = getelementptr inbounds i32, ptr %x, i64 %k1
  %w1 = load i32, ptr %p1, align 4
  br label %again
again:
  %t = phi i32 [ %a7, %turns ], [ %s, %then ], [ %w1, %rare ]
  %half = lshr i32 %u, 1
  %on = icmp ugt i32 %half, 3
  br i1 %on, label %turns, label %latch
latch:
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %t, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; REMARK: work-items of kernel rare_gather are lanes of vectors
define void @rare_gather(ptr %x, ptr %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %turns
turns:
  %u = phi i32 [ %v, %loop ], [ %half, %again ]
  %s = phi i32 [ 0, %loop ], [ %t, %again ]
  %a0 = xor i32 %u, 5
  %a1 = xor i32 %a0, 6
  %a2 = xor i32 %a1, 7
  %a3 = xor i32 %a2, 8
  %a4 = xor i32 %a3, 9
  %a5 = xor i32 %a4, 10
  %a6 = xor i32 %a5, 11
  %a7 = xor i32 %a6, 12
  %a8 = xor i32 %a7, 13
  %a9 = xor i32 %a8, 14
  %a10 = xor i32 %a9, 15
  %a11 = xor i32 %a10, 16
  %a12 = xor i32 %a11, 17
  %a13 = xor i32 %a12, 18
  %a14 = xor i32 %a13, 19
  %a15 = xor i32 %a14, 20
  %a16 = xor i32 %a15, 21
  %a17 = xor i32 %a16, 22
  %a18 = xor i32 %a17, 23
  %a19 = xor i32 %a18, 24
  %a20 = xor i32 %a19, 25
  %a21 = xor i32 %a20, 26
  %a22 = xor i32 %a21, 27
  %a23 = xor i32 %a22, 28
  %a24 = xor i32 %a23, 29
  %a25 = xor i32 %a24, 30
  %a26 = xor i32 %a25, 31
  %a27 = xor i32 %a26, 32
  %a28 = xor i32 %a27, 33
  %a29 = xor i32 %a28, 34
  %a30 = xor i32 %a29, 35
  %a31 = xor i32 %a30, 36
  %some = icmp sgt i32 %a31, 7
  br i1 %some, label %then, label %again
then:
  %few = icmp sgt i32 %s, 100
  br i1 %few, label %rare, label %again
rare:
  %k0 = zext i32 %u to i64
  %p0 = getelementptr inbounds i32, ptr %x, i64 %k0
  %w0 = load i32, ptr %p0, align 4
  br label %again
again:
  %t = phi i32 [ %a31, %turns ], [ %s, %then ], [ %w0, %rare ]
  %half = lshr i32 %u, 1
  %on = icmp ugt i32 %half, 3
  br i1 %on, label %turns, label %latch
latch:
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %t, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What has used up the budget of copies was taken apart for vectors, which have one of their own.
; CHECK-LABEL: @used_up(
; CHECK: llvm.masked.scatter.v8f32
define void @used_up(ptr %x, ptr %out, i64 %n, i64 %m) #2 {
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

; LLVM's costs decide about a loop that is left to it ...
; CHECK-LABEL: @left_to_costs(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[LEFT:![0-9]+]]
define void @left_to_costs(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
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
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; A row of a group may be as short as 16 work-items: it gets no more lanes, though registers have room for them.
; CHECK-LABEL: @row_with_a_loop(
; CHECK: %tw_done = and i64 %n, -16
define void @row_with_a_loop(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #3 {
entry:
  br label %row
row:
  %j = phi i64 [ 0, %entry ], [ %j.next, %row.end ]
  %from = mul nsw i64 %j, %m
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %latch ]
  %place = add nsw i64 %from, %i
  %at = getelementptr inbounds float, ptr %x, i64 %place
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %loop ], [ %sum.next, %inner ]
  %at.k = getelementptr inbounds float, ptr %at, i64 %k
  %v = load float, ptr %at.k, align 4
  %sum.next = fadd float %sum, %v
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %sum.next, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %row.end, !llvm.loop !12
row.end:
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %row, label %end, !llvm.loop !13
end:
  ret void
}

; Vectors that would do little but scatter take longer than single work-items.
; CHECK-LABEL: @scattered(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[SCATTERED:![0-9]+]]
define void @scattered(ptr noalias %x, i64 %n) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %first = shl nuw nsw i64 %i, 4
  %second = or disjoint i64 %first, 8
  %at0 = getelementptr inbounds i32, ptr %x, i64 %first
  %at1 = getelementptr inbounds i32, ptr %x, i64 %second
  %v = load i32, ptr %at0, align 4
  %w = load i32, ptr %at1, align 4
  %r = add i32 %v, %w
  store i32 %r, ptr %at1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !10
end:
  ret void
}

; Much arithmetic pays for a gather.
; CHECK-LABEL: @gathered(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[GATHERED:![0-9]+]]
define void @gathered(ptr noalias %x, ptr noalias %out, i64 %n) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %first = shl nuw nsw i64 %i, 4
  %at = getelementptr inbounds i32, ptr %x, i64 %first
  %v = load i32, ptr %at, align 4
  %v1 = mul i32 %v, %v
  %v2 = xor i32 %v1, 5
  %v3 = add i32 %v2, %v
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v3, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !11
end:
  ret void
}

; ... but where all vectors have masks, for which they are too high.
; CHECK-LABEL: @left_with_masks(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[ASKED:![0-9]+]]
define void @left_with_masks(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #1 {
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
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; LLVM would divide in each lane by itself, which its costs know.
; CHECK-LABEL: @divides_with_masks(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[DIVIDES:![0-9]+]]
; CHECK: ![[OF_BYTES]] = distinct !{![[OF_BYTES]], {{.*}}, ![[WIDTH:[0-9]+]], ![[ONE:[0-9]+]]}
; CHECK: ![[WIDTH]] = !{!"llvm.loop.vectorize.width", i32 16}
; CHECK-NEXT: ![[ONE]] = !{!"llvm.loop.interleave.count", i32 1}
; CHECK: ![[OF_NUMBERS]] = distinct !{![[OF_NUMBERS]], ![[#]], ![[#]], ![[#]]}
; CHECK: [[LEFT]] = distinct !{[[LEFT]], ![[#]], ![[#]], ![[#]]}
; CHECK: [[SCATTERED]] = distinct !{[[SCATTERED]], {{.*}}, [[SCALAR:![0-9]+]]}
; CHECK: [[SCALAR]] = !{!"llvm.loop.vectorize.width", i32 1}
; CHECK: [[GATHERED]] = distinct !{[[GATHERED]], {{.*}}, [[VECTORS:![0-9]+]], [[DONE:![0-9]+]]}
; CHECK: [[ASKED]] = distinct !{[[ASKED]], ![[#]], ![[#]], ![[#]], ![[#]]}
; CHECK: [[DIVIDES]] = distinct !{[[DIVIDES]], ![[#]], ![[#]], ![[#]]}
define void @divides_with_masks(ptr noalias %x, ptr noalias %out, i64 %n, i32 %m) #1 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = udiv i32 %v, %m
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !14
end:
  ret void
}

attributes #0 = { "target-features"="+avx2" }
attributes #1 = { "target-features"="+avx512f" }
attributes #3 = { "target-features"="+avx512f,+avx512vl,+avx512bw,+avx512dq" "prefer-vector-width"="512" }
attributes #2 = { "target-features"="+avx2" "teamwork.budget"="10" }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
!3 = distinct !{!3, !1, !2, !4}
!4 = !{!"llvm.loop.vectorize.enable", i1 true}
!10 = distinct !{!10, !1, !2, !4}
!11 = distinct !{!11, !1, !2, !4}
!12 = distinct !{!12, !1}
!14 = distinct !{!14, !1, !2, !4}
!15 = distinct !{!15, !4}
!13 = distinct !{!13, !9}
!8 = distinct !{!8, !9}
!9 = !{!"teamwork.items.rows"}
