; Pointers and counters of loops as few instructions as they can be.
; RUN: %tw_opt -passes=tw-gpu-pointers %s | FileCheck %s
; RUN: %keeps tw-gpu-pointers %s
; REQUIRES: nvptx

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; What the loop does not change goes to the pointer.
; CHECK-LABEL: @from_first(
; CHECK: entry:
; CHECK: %[[FIRST:.*]] = sext i32 %first to i64
; CHECK: %[[PLACE:.*]] = getelementptr float, ptr %x, i64 %[[FIRST]]
; CHECK: loop:
; CHECK: %[[INDEX:.*]] = sext i32 %i to i64
; CHECK: getelementptr float, ptr %[[PLACE]], i64 %[[INDEX]]
define void @from_first(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add i32 %first, %i
  %index = zext nneg i32 %sum to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A loop that may have no turn.
; CHECK-LABEL: @behind_test(
; CHECK: br i1 %any, label %[[FRONT:.*]], label %end
; CHECK: [[FRONT]]:
; CHECK: %[[FIRST:.*]] = sext i32 %first to i64
; CHECK: %[[PLACE:.*]] = getelementptr float, ptr %x, i64 %[[FIRST]]
; CHECK: br label %loop
; CHECK: getelementptr float, ptr %[[PLACE]], i64
define void @behind_test(ptr %x, i32 %first, i32 %n) {
entry:
  %any = icmp ne i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add i32 %first, %i
  %index = zext nneg i32 %sum to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The sum may wrap around.
define void @keeps_unknown_sign(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add i32 %first, %i
  %index = zext i32 %sum to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The counter may wrap around.
define void @keeps_wrapping(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add i32 %first, %i
  %index = zext nneg i32 %sum to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add i32 %i, %first
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Nothing is added.
define void @keeps_counter(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %index = zext nneg i32 %i to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Both change.
define void @keeps_loaded(ptr %x, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %other = load i32, ptr %x, align 4
  %sum = add i32 %other, %i
  %index = zext nneg i32 %sum to i64
  %at = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.0, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A counter of 64 bits that stays below 2^32 has 32.
; CHECK-LABEL: @short_counter(
; CHECK: phi i32
; CHECK: icmp ult i32
; CHECK: ret void
define void @short_counter(ptr %x, i32 %first, i32 %n, i16 %by, i32 %wide.by) {
entry:
  %limit.0 = zext i32 %n to i64
  %limit = lshr i64 %limit.0, 1
  %step = zext i16 %by to i64
  %start.0 = zext i32 %first to i64
  %start = lshr i64 %start.0, 1
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %limit
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Its limit is one of 64 bits.
define void @keeps_long_limit(ptr %x, i32 %first, i32 %n, i16 %by, i32 %wide.by) {
entry:
  %limit.0 = ptrtoint ptr %x to i64
  %limit = lshr i64 %limit.0, 1
  %step = zext i16 %by to i64
  %start.0 = zext i32 %first to i64
  %start = lshr i64 %start.0, 1
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %limit
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The step may bring it past 2^32.
define void @keeps_long_step(ptr %x, i32 %first, i32 %n, i16 %by, i32 %wide.by) {
entry:
  %limit.0 = zext i32 %n to i64
  %limit = lshr i64 %limit.0, 0
  %step = zext i32 %wide.by to i64
  %start.0 = zext i32 %first to i64
  %start = lshr i64 %start.0, 1
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %limit
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Signed.
define void @keeps_signed(ptr %x, i32 %first, i32 %n, i16 %by, i32 %wide.by) {
entry:
  %limit.0 = zext i32 %n to i64
  %limit = lshr i64 %limit.0, 1
  %step = zext i16 %by to i64
  %start.0 = zext i32 %first to i64
  %start = lshr i64 %start.0, 1
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at, align 4
  %next = add i64 %i, %step
  %more = icmp slt i64 %next, %limit
  br i1 %more, label %loop, label %end
end:
  ret void
}
