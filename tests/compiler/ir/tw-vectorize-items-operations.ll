; Vectors of work-items: what is done for one after the other, divisions, functions, and what all combine.
; RUN: %tw_opt -passes=tw-vectorize-items -tw-vectorize-always -vector-library=SVML %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

@bins = internal thread_local global [256 x i32] zeroinitializer, align 4 "teamwork.local"
@others = internal thread_local global [256 x i32] zeroinitializer, align 4 "teamwork.local"

declare i32 @some_value(i32)
declare void @anything_of(ptr nocapture)
declare float @sinf(float) #1
declare float @llvm.sqrt.f32(float)
declare i32 @llvm.smin.i32(i32, i32)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; Atomic operations are done for one lane after the other, here for those that take part.
; CHECK-LABEL: @atomics(
; CHECK: bitcast <8 x i1> %{{.*}} to i8
; CHECK: tw_lane:
; CHECK: [[OPEN:%.*]] = phi i8
; CHECK: [[LANE:%.*]] = call {{.*}}i8 @llvm.cttz.i8(i8 [[OPEN]], i1 true)
; CHECK: atomicrmw add ptr %x, i32 %{{.*}} monotonic, align 4
; CHECK: insertelement <8 x i32>
define void @atomics(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %join
yes:
  %was = atomicrmw add ptr %x, i32 %v monotonic, align 4
  br label %join
join:
  %r = phi i32 [ %was, %yes ], [ 7, %loop ]
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

; Those of a block are done together, each lane all of its own, at addresses that a lane computes for itself; of memory that one thread
; alone has, in a loop that stays one.
; CHECK-LABEL: @several_atomics(
; CHECK: tw_lane:
; CHECK: [[RED:%.*]] = getelementptr inbounds {{(nuw )?}}i32, ptr @bins, i64 %{{.*}}
; CHECK-NEXT: atomicrmw add ptr [[RED]], i32 1 monotonic, align 4
; CHECK: [[BLUE:%.*]] = getelementptr inbounds {{(nuw )?}}i32, ptr @others, i64 %{{.*}}
; CHECK-NEXT: atomicrmw add ptr [[BLUE]], i32 1 monotonic, align 4
; CHECK: br i1 %{{.*}}, label %tw_lane{{.*}}, !llvm.loop [[STAYS:![0-9]+]]
define void @several_atomics(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %low = and i32 %v, 255
  %r = zext i32 %low to i64
  %red = getelementptr inbounds i32, ptr @bins, i64 %r
  %was.red = atomicrmw add ptr %red, i32 1 monotonic, align 4
  %high = lshr i32 %v, 24
  %b = zext i32 %high to i64
  %blue = getelementptr inbounds i32, ptr @others, i64 %b
  %was.blue = atomicrmw add ptr %blue, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What a compare-exchange gives is a pair of vectors.
; CHECK-LABEL: @compare_exchange(
; CHECK: tw_lane:
; CHECK: [[PAIR:%.*]] = cmpxchg ptr %x, i32 %{{.*}}, i32 7 monotonic monotonic
; CHECK: [[WAS:%.*]] = extractvalue { i32, i1 } [[PAIR]], 0
; CHECK: insertelement <8 x i32> %{{.*}}, i32 [[WAS]], i8
; CHECK: [[IS:%.*]] = extractvalue { i32, i1 } [[PAIR]], 1
; CHECK: insertelement <8 x i1> %{{.*}}, i1 [[IS]], i8
; CHECK: select <8 x i1>
define void @compare_exchange(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %pair = cmpxchg ptr %x, i32 %v, i32 7 monotonic monotonic, align 4
  %was = extractvalue { i32, i1 } %pair, 0
  %is = extractvalue { i32, i1 } %pair, 1
  %r = select i1 %is, i32 %was, i32 %v
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So are calls, in the order of work-items.
; CHECK-LABEL: @calls(
; CHECK: tw_lane:
; CHECK: phi i8 [ -1,
; CHECK: extractelement <8 x i32>
; CHECK: call i32 @some_value(i32
; CHECK: store <8 x i32>
define void @calls(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %r = call i32 @some_value(i32 %v)
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What only finds the place of an atomic operation is done with it, for each lane.
; CHECK-LABEL: @places(
; CHECK-NOT: <8 x
; CHECK: tw_lane:
; CHECK: [[KEY:%.*]] = load i8, ptr
; CHECK: [[WIDE:%.*]] = zext i8 [[KEY]] to i64
; CHECK: [[BIN:%.*]] = getelementptr inbounds {{(nuw )?}}i32, ptr %out, i64 [[WIDE]]
; CHECK: atomicrmw add ptr [[BIN]], i32 1 monotonic, align 4
define void @places(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i8, ptr %x, i64 %i
  %key = load i8, ptr %at, align 1
  %index = zext i8 %key to i64
  %bin = getelementptr inbounds i32, ptr %out, i64 %index
  %was = atomicrmw add ptr %bin, i32 1 monotonic, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A function that is given the address of a private variable gets that of each lane.
; CHECK-LABEL: @calls_of_address(
; CHECK: [[C:%.*]] = alloca [512 x i8]
; CHECK: masked.scatter
; CHECK: [[OWN:%.*]] = getelementptr i8, ptr [[C]], i64
; CHECK: call void @anything_of(ptr{{.*}} [[OWN]])
; CHECK: masked.gather
define void @calls_of_address(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [16 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 64, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %c, align 4
  call void @anything_of(ptr nocapture %c)
  %r = load i32, ptr %c, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 64, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Volatile accesses too.
; CHECK-LABEL: @volatile(
; CHECK: tw_lane:
; CHECK: store volatile i32 %{{.*}}, ptr %out
define void @volatile(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store volatile i32 %v, ptr %out, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A division is one of doubles; that by a constant is none.
; CHECK-LABEL: @udiv(
; CHECK: uitofp <8 x i32> %{{.*}} to <8 x double>
; CHECK: fdiv <8 x double>
; CHECK: fptoui <8 x double> %{{.*}} to <8 x i32>
; CHECK: udiv <8 x i32> %{{.*}}, {{splat \(i32 3\)|<i32 3,}}
define void @udiv(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %from = getelementptr inbounds i32, ptr %out, i64 %i
  %w = load i32, ptr %from, align 4
  %w9 = mul i32 %w, -99
  %q = udiv i32 %w9, %v
  %r = udiv i32 %q, 3
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What is left over is what the quotient does not make.
; CHECK-LABEL: @srem(
; CHECK: sitofp <8 x i32> %{{.*}} to <8 x double>
; CHECK: fdiv <8 x double>
; CHECK: fptosi <8 x double> %{{.*}} to <8 x i32>
; CHECK: srem <8 x i32> %{{.*}}, {{splat \(i32 3\)|<i32 3,}}
define void @srem(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %from = getelementptr inbounds i32, ptr %out, i64 %i
  %w = load i32, ptr %from, align 4
  %w9 = mul i32 %w, -99
  %q = srem i32 %w9, %v
  %r = srem i32 %q, 3
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Of wider numbers it is done as such; who does not take part divides 1 by 1.
; CHECK-LABEL: @udiv_wide(
; CHECK: [[OF:%.*]] = select <8 x i1> %{{.*}}, <8 x i64> {{splat \(i64 1\)|<i64 1, .*>}}, <8 x i64>
; CHECK: udiv <8 x i64> [[OF]],
define void @udiv_wide(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = zext i32 %v to i64
  %d = sub i64 %w, 20
  %is = icmp ne i64 %d, 0
  br i1 %is, label %yes, label %join
yes:
  %q = udiv i64 1000000, %d
  br label %join
join:
  %s = phi i64 [ %q, %yes ], [ 7, %loop ]
  %r = trunc i64 %s to i32
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

; Functions of a library for vectors, and what processors have for them.
; CHECK-LABEL: @sine_of_float(
; CHECK: call <8 x float> @__svml_sinf8(<8 x float>
; CHECK: call <8 x float> @llvm.sqrt.v8f32(<8 x float>
define void @sine_of_float(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %s = call float @sinf(float %v)
  %q = call float @llvm.sqrt.f32(float %s)
  %r = fadd float %q, %s
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Each lane adds for itself.
; CHECK-LABEL: @sums(
; CHECK: tw_vector:
; CHECK: [[SUM:%.*]] = phi <8 x i32> [ zeroinitializer, %tw_vectors ], [ [[NEXT:%.*]], %tw_vector ]
; CHECK: [[NEXT]] = add <8 x i32>
; CHECK: tw_rest_check:
; CHECK: extractelement <8 x i32> %{{.*}}, i64 7
define void @sums(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 3, %entry ], [ %s.next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %s.next = add i32 %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %l = phi i32 [ %s.next, %loop ]
  store i32 %l, ptr %out, align 4
  ret void
}

; So do those of some, as the smallest of what they have.
; CHECK-LABEL: @least_of_some(
; CHECK: phi <8 x i32> [ {{splat \(i32 2147483647\)|<i32 2147483647.*>}}, %tw_vectors ]
; CHECK: call <8 x i32> @llvm.smin.v8i32
; CHECK: select <8 x i1>
; CHECK: call i32 @llvm.smin.i32
define void @least_of_some(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi i32 [ 100, %entry ], [ %s.next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %latch
yes:
  %w = xor i32 %v, 5
  %least = call i32 @llvm.smin.i32(i32 %s, i32 %w)
  br label %latch
latch:
  %s.next = phi i32 [ %least, %yes ], [ %s, %loop ]
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  %l = phi i32 [ %s.next, %latch ]
  store i32 %l, ptr %out, align 4
  ret void
}

; CHECK: [[MARK:![0-9]+]] = !{!"llvm.loop.unroll.disable"}
; CHECK: [[STAYS]] = distinct !{[[STAYS]], [[MARK]]}
attributes #0 = { "target-features"="+avx2" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
