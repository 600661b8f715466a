; Short copies into local memory are loops.
; RUN: %tw_opt -passes=tw-expand-copies %s | FileCheck %s
; RUN: %keeps tw-expand-copies %s

@tile = internal thread_local global [2048 x i32] zeroinitializer, align 4 "teamwork.local"
@of_program = internal thread_local global [2048 x i32] zeroinitializer, align 4

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: @copies(
; CHECK-NOT: memcpy
; CHECK: tw_copy:
; CHECK: %[[V:.*]] = load i32, ptr %{{.*}}, align 4, !llvm.access.group
; CHECK: store i32 %[[V]], ptr %{{.*}}, align 4, !llvm.access.group
; CHECK: icmp eq i64 %{{.*}}, 128
; CHECK: ret void
define void @copies(ptr %x, ptr %out, i64 %n) "teamwork.split"="copies" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Few bytes are some instructions.
define void @keeps_short(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_short" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 64, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Many are faster by a call.
define void @keeps_long(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_long" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 8192, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_unknown(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_unknown" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 %n, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; There is a rest.
define void @keeps_odd(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_odd" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 510, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_other_memory(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_other_memory" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_variable_of_program(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_variable_of_program" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @of_program, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_unaligned(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_unaligned" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 @tile, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_volatile(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_volatile" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 512, i1 true)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not of a group.
define void @keeps_other_function(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_other_function" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define void @keeps_small(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_small" optsize {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The ranges may overlap.
define void @keeps_overlap(ptr %x, ptr %out, i64 %n) "teamwork.split"="keeps_overlap" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.memmove.p0.p0.i64(ptr align 4 @tile, ptr align 4 %x, i64 512, i1 false)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
