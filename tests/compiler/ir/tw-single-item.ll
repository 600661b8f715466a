; What a single work-item of a row does runs outside of the loop over the row.
; RUN: %tw_opt -passes=tw-single-item %s | FileCheck %s
; RUN: %keeps tw-single-item %s

declare void @anything()

; CHECK-LABEL: @last_of_row(
; CHECK: loop:
; CHECK-COUNT-1: store i32
; CHECK-NOT: store
; CHECK: br i1 %{{.*}}, label %loop
; CHECK: store i32 0
define void @last_of_row(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What it reads before all others change it, it does in front of them.
; CHECK-LABEL: @first_of_row(
; CHECK: load i32, ptr %out
; CHECK: store
; CHECK: loop:
; CHECK: ret void
define void @first_of_row(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %was = load i32, ptr %to, align 4
  store i32 %was, ptr %x, align 4
  br label %join
join:
  store i32 1, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Several work-items.
define void @keeps_several(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp uge i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The number has fewer bits: it may be that of several turns.
define void @keeps_few_bits(ptr noalias %x, ptr noalias %out, i64 %n, i8 %which) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %bits = trunc i64 %i to i8
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i8 %bits, %which
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Which one changes from turn to turn.
define void @keeps_from_memory(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %which = load i64, ptr %x, align 8
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %which
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What it does lies between what its work-item does before and behind it.
define void @keeps_between(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  store i32 0, ptr %to, align 4
  br label %join
join:
  %again = load i32, ptr %to, align 4
  %more.v = add i32 %again, 1
  store i32 %more.v, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It needs what its work-item has read before it changed it.
define void @keeps_read_before(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %was = load i32, ptr %to, align 4
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  store i32 %was, ptr %x, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A value goes on from there.
define void @keeps_value(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %choice = phi i32 [ 1, %then ], [ 2, %loop ]
  store i32 %choice, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; All work-items have one variable.
define void @keeps_variable(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  %kept = alloca i32, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  store i32 %v, ptr %kept, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %k = load i32, ptr %kept, align 4
  store i32 %k, ptr %out, align 4
  ret void
}

; Who adds to an element comes to its end before the next one.
define void @keeps_combined(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) "teamwork.combines" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %was = load i32, ptr %out, align 4
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_call(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  call void @anything()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_volatile(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load volatile i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_atomic(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store atomic i32 %v, ptr %to monotonic, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Work-items of several turns take them in their order.
define void @keeps_turns_apart(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; A sum goes from turn to turn.
define void @keeps_sum(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %sum.next = add i32 %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i32 %sum.next, ptr %x, align 4
  ret void
}

; So few turns are not worth it.
define void @keeps_short(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of work-items.
define void @keeps_other_loop(ptr noalias %x, ptr noalias %out, i64 %n, i64 %last) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  %one = icmp eq i64 %i, %last
  br i1 %one, label %then, label %join
then:
  %behind = getelementptr inbounds i8, ptr %to, i64 4
  store i32 0, ptr %behind, align 4
  br label %join
join:
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
!4 = distinct !{!4, !1, !5}
!5 = !{!"teamwork.items.apart", i64 64}
