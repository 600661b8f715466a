; Relaxed atomic operations on local memory are ordinary accesses: one thread runs all work-items of a group.
; RUN: %tw_opt -passes=tw-ordinary-atomics %s | FileCheck %s
; RUN: %keeps tw-ordinary-atomics %s

@local = internal thread_local global [256 x i32] zeroinitializer, align 4 "teamwork.local"
@shared = internal global [256 x i32] zeroinitializer, align 4
@of_program = internal thread_local global [256 x i32] zeroinitializer, align 4
@known_elsewhere = thread_local global [256 x i32] zeroinitializer, align 4

declare ptr @llvm.strip.invariant.group.p0(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)

; CHECK-LABEL: @adds(
; CHECK: %[[WAS:.*]] = load i32, ptr %where
; CHECK: %[[SUM:.*]] = add i32 %[[WAS]], 1
; CHECK: store i32 %[[SUM]], ptr %where
define void @adds(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Also where the loops over work-items are vectors by now.
; CHECK-LABEL: @adds_as_vectors(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @adds_as_vectors(i64 %index) "teamwork.budget"="1000" {
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  ret void
}

; CHECK-LABEL: @adds_in_memory_of_launch(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @adds_in_memory_of_launch(ptr %x, ptr %out, i64 %n) {
entry:
  %memory = call ptr @llvm.strip.invariant.group.p0(ptr %out)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr %memory, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @loads_and_stores(
; CHECK-NOT: atomic
; CHECK: ret void
define void @loads_and_stores(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = load atomic i32, ptr %where monotonic, align 4
  store atomic i32 %was, ptr @local unordered, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: @exchanges(
; CHECK-NOT: cmpxchg
; CHECK: ret void
define void @exchanges(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = cmpxchg ptr %where, i32 0, i32 1 monotonic monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Other threads see the memory.
define void @keeps_program_memory(ptr %x, ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr %out, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_shared_variable(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @shared, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Another file may give its address to another thread.
define void @keeps_known_elsewhere(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @known_elsewhere, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So may the program, of a variable that is no local memory.
define void @keeps_of_program(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @of_program, i64 %index
  %was = atomicrmw add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It orders other accesses.
define void @keeps_acquire(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = atomicrmw add ptr %where, i32 1 acquire, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It orders other accesses.
define void @keeps_seq_cst(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = atomicrmw add ptr %where, i32 1 seq_cst, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_ordered_exchange(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = cmpxchg ptr %where, i32 0, i32 1 monotonic acquire, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_volatile(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %key = load i32, ptr %at, align 4
  %index = zext i32 %key to i64
  %where = getelementptr inbounds i32, ptr @local, i64 %index
  %was = atomicrmw volatile add ptr %where, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
