; Elements that work-items combine in local memory are lanes as they lie there, and loops over one row share a register.
; RUN: %tw_opt -passes=tw-vectorize-in-place %s | FileCheck %s
; RUN: %keeps tw-vectorize-in-place %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

@tree = internal thread_local global [64 x i32] zeroinitializer, align 64 #1
@floats = internal thread_local global [64 x float] zeroinitializer, align 64 #1
@global = global [64 x i32] zeroinitializer, align 64

declare ptr @llvm.threadlocal.address.p0(ptr)
declare i32 @llvm.smax.i32(i32, i32)

; Two levels of a tree: one loop over four registers.
; CHECK-LABEL: @levels(
; CHECK: %[[V:.*]] = load <16 x i32>, ptr %{{.*}}, align 64
; CHECK: %[[M:.*]] = shufflevector <16 x i32> %[[V]], <16 x i32> poison, <16 x i32> <i32 poison, i32 0, i32 poison, i32 2,
; CHECK: %[[SUM:.*]] = add <16 x i32> %[[M]], %[[V]]
; CHECK: %[[W:.*]] = shufflevector <16 x i32> %[[V]], <16 x i32> %[[SUM]], <16 x i32> <i32 0, i32 17, i32 2, i32 19,
; CHECK: %[[M2:.*]] = shufflevector <16 x i32> %[[W]], <16 x i32> poison, <16 x i32> <i32 poison, i32 poison, i32 poison, i32 1,
; CHECK: %[[SUM2:.*]] = add <16 x i32> %[[M2]], %[[W]]
; CHECK: %[[R:.*]] = shufflevector <16 x i32> %[[W]], <16 x i32> %[[SUM2]], <16 x i32> <i32 0, i32 1, i32 2, i32 19,
; CHECK: store <16 x i32> %[[R]]
; CHECK: icmp eq i64 %{{.*}}, 4
; CHECK-NOT: load
; CHECK: ret void
define void @levels() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %middle, label %one, !llvm.loop !0
middle:
  br label %two
two:
  %i.two = phi i64 [ 0, %middle ], [ %next.two, %two ]
  %at.two = mul nuw nsw i64 %i.two, 16
  %row.two = getelementptr inbounds i8, ptr %tree, i64 0
  %p.two = getelementptr inbounds i8, ptr %row.two, i64 %at.two
  %a.two = getelementptr inbounds i8, ptr %p.two, i64 4
  %b.two = getelementptr inbounds i8, ptr %p.two, i64 12
  %x.two = load i32, ptr %a.two, align 4
  %y.two = load i32, ptr %b.two, align 4
  %z.two = add i32 %x.two, %y.two
  store i32 %z.two, ptr %b.two, align 4
  %next.two = add nuw nsw i64 %i.two, 1
  %done.two = icmp eq i64 %next.two, 16
  br i1 %done.two, label %end, label %two, !llvm.loop !0
end:
  ret void
}

; An intrinsic, and what is the same for all.
; CHECK-LABEL: @maximum(
; CHECK: load <16 x i32>
; CHECK: call <16 x i32> @llvm.smax.v16i32
; CHECK: mul <16 x i32>
; CHECK: store <16 x i32>
; CHECK: ret void
define void @maximum(i32 %k) #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %p.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %m.one = call i32 @llvm.smax.i32(i32 %x.one, i32 %y.one)
  %z.one = mul i32 %m.one, %k
  store i32 %z.one, ptr %p.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; A value that is moved, and the order in which a work-item loads and stores.
; CHECK-LABEL: @floats_swapped(
; CHECK: %[[V:.*]] = load <16 x float>
; CHECK: %[[UP:.*]] = shufflevector <16 x float> %[[V]], <16 x float> poison, <16 x i32> <i32 1, i32 poison, i32 3,
; CHECK: %[[W:.*]] = shufflevector <16 x float> %[[UP]], <16 x float> %[[V]], <16 x i32> <i32 0, i32 17, i32 2, i32 19,
; CHECK: %[[DOWN:.*]] = shufflevector <16 x float> %[[V]], <16 x float> poison, <16 x i32> <i32 poison, i32 0, i32 poison, i32 2,
; CHECK: %[[SUM:.*]] = fadd <16 x float> %[[DOWN]], %[[W]]
; CHECK: shufflevector <16 x float> %[[W]], <16 x float> %[[SUM]]
; CHECK: ret void
define void @floats_swapped() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @floats)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %left = load float, ptr %p.one, align 4
  %right = load float, ptr %b.one, align 4
  store float %right, ptr %p.one, align 4
  %again = load float, ptr %b.one, align 4
  %sum = fadd float %left, %again
  store float %sum, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Memory is read between two loops: a register is stored in front of it.
; CHECK-LABEL: @apart(
; CHECK: store <16 x i32>
; CHECK: load volatile i32
; CHECK: store <16 x i32>
; CHECK: ret void
define void @apart() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %between, label %one, !llvm.loop !0
between:
  %v = load volatile i32, ptr %tree, align 4
  br label %two
two:
  %i.two = phi i64 [ 0, %between ], [ %next.two, %two ]
  %at.two = mul nuw nsw i64 %i.two, 16
  %row.two = getelementptr inbounds i8, ptr %tree, i64 0
  %p.two = getelementptr inbounds i8, ptr %row.two, i64 %at.two
  %a.two = getelementptr inbounds i8, ptr %p.two, i64 4
  %b.two = getelementptr inbounds i8, ptr %p.two, i64 12
  %x.two = load i32, ptr %a.two, align 4
  %y.two = load i32, ptr %b.two, align 4
  %z.two = add i32 %x.two, %y.two
  store i32 %z.two, ptr %b.two, align 4
  %next.two = add nuw nsw i64 %i.two, 1
  %done.two = icmp eq i64 %next.two, 16
  br i1 %done.two, label %end, label %two, !llvm.loop !0
end:
  ret void
}

; Rows of different lengths are not done together.
; CHECK-LABEL: @rows(
; CHECK: store <16 x i32>
; CHECK: icmp eq i64 %{{.*}}, 4
; CHECK: store <16 x i32>
; CHECK: icmp eq i64 %{{.*}}, 2
; CHECK: ret void
define void @rows() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %middle, label %one, !llvm.loop !0
middle:
  br label %two
two:
  %i.two = phi i64 [ 0, %middle ], [ %next.two, %two ]
  %at.two = mul nuw nsw i64 %i.two, 16
  %row.two = getelementptr inbounds i8, ptr %tree, i64 0
  %p.two = getelementptr inbounds i8, ptr %row.two, i64 %at.two
  %a.two = getelementptr inbounds i8, ptr %p.two, i64 4
  %b.two = getelementptr inbounds i8, ptr %p.two, i64 12
  %x.two = load i32, ptr %a.two, align 4
  %y.two = load i32, ptr %b.two, align 4
  %z.two = add i32 %x.two, %y.two
  store i32 %z.two, ptr %b.two, align 4
  %next.two = add nuw nsw i64 %i.two, 1
  %done.two = icmp eq i64 %next.two, 8
  br i1 %done.two, label %end, label %two, !llvm.loop !0
end:
  ret void
}

; An element of the next work-item.
define void @keeps_neighbours() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 8
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Elements of two rows.
define void @keeps_other_row() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 132
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 16
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Behind the end of the array: elements that no work-item has may not be there.
define void @keeps_beyond() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 16
  %row.one = getelementptr i8, ptr %tree, i64 16
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 12
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 16
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; No whole registers.
define void @keeps_half() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 28
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Their number is not known.
define void @keeps_unknown(i64 %n) #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, %n
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Other threads may access the array.
define void @keeps_global() #0 {
entry:
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr @global, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Something else is stored.
define void @keeps_other_memory(ptr %out) #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  store i32 %x.one, ptr %out, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; A volatile access.
define void @keeps_volatile() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load volatile i32, ptr %a.one, align 4
  %y.one = load volatile i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; What is stored depends on the number of the work-item.
define void @keeps_number() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %x.one = load i32, ptr %p.one, align 4
  %t = trunc i64 %i.one to i32
  %z.one = add i32 %x.one, %t
  store i32 %z.one, ptr %p.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; A division, which other lanes must not do.
define void @keeps_division() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = sdiv i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; More is computed than moved.
define void @keeps_arithmetic() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %p.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %c = mul i32 %x.one, %y.one
  %d = xor i32 %c, %x.one
  %e = mul i32 %d, %y.one
  store i32 %e, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; Parts of work-items that are longer than a register.
define void @keeps_long() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 128
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 28
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 60
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 2
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; One level that takes a register for each work-item.
define void @keeps_one() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 64
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 28
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 60
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 4
  br i1 %done.one, label %end, label %one, !llvm.loop !0
end:
  ret void
}

; No loop over work-items.
define void @keeps_other_loops() #0 {
entry:
  %tree = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @tree)
  br label %one
one:
  %i.one = phi i64 [ 0, %entry ], [ %next.one, %one ]
  %at.one = mul nuw nsw i64 %i.one, 8
  %row.one = getelementptr inbounds i8, ptr %tree, i64 0
  %p.one = getelementptr inbounds i8, ptr %row.one, i64 %at.one
  %a.one = getelementptr inbounds i8, ptr %p.one, i64 0
  %b.one = getelementptr inbounds i8, ptr %p.one, i64 4
  %x.one = load i32, ptr %a.one, align 4
  %y.one = load i32, ptr %b.one, align 4
  %z.one = add i32 %x.one, %y.one
  store i32 %z.one, ptr %b.one, align 4
  %next.one = add nuw nsw i64 %i.one, 1
  %done.one = icmp eq i64 %next.one, 32
  br i1 %done.one, label %end, label %one, !llvm.loop !2
end:
  ret void
}

attributes #0 = { "target-features"="+avx512f,+avx512vl" "prefer-vector-width"="512" }
attributes #1 = { "teamwork.local" }
!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2}
