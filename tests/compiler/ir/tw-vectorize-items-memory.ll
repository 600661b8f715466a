; Vectors of work-items: what they have in memory, indices, and how many lanes there are.
; RUN: %tw_opt -passes=tw-vectorize-items -tw-vectorize-always %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

@table = external global [64 x i32]
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; Side by side.
; CHECK-LABEL: @contiguous(
; CHECK: tw_vector:
; CHECK: load <8 x i32>, ptr %{{.*}}, align 4
; CHECK: store <8 x i32> %{{.*}}, ptr %{{.*}}, align 4
define void @contiguous(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
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

; Side by side, the other way around: the last one is at the lowest address.
; CHECK-LABEL: @reversed(
; CHECK: getelementptr {{.*}}i8, ptr %{{.*}}, i64 -28
; CHECK: load <8 x i32>
; CHECK: shufflevector <8 x i32> %{{.*}}, <8 x i32> poison, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
; CHECK: store <8 x i32>
define void @reversed(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = sub i64 1000, %i
  %at = getelementptr inbounds i32, ptr %x, i64 %from
  %v = load i32, ptr %at, align 4
  %r = add i32 %v, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %back = getelementptr inbounds i32, ptr %out, i64 %from
  store i32 %v, ptr %back, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; So is the mask of some.
; CHECK-LABEL: @reversed_by_some(
; CHECK: [[MASK:%.*]] = icmp sgt <8 x i32>
; CHECK: [[REVERSED:%.*]] = shufflevector <8 x i1> [[MASK]], <8 x i1> poison, <8 x i32> <i32 7,
; CHECK: call void @llvm.masked.store.v8i32.p0({{.*}}, <8 x i1> [[REVERSED]])
define void @reversed_by_some(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %latch
yes:
  %to = sub i64 1000, %i
  %back = getelementptr inbounds i32, ptr %out, i64 %to
  store i32 %v, ptr %back, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Elsewhere: gathered and scattered.
; CHECK-LABEL: @elsewhere(
; CHECK: [[PLACES:%.*]] = getelementptr inbounds i32, ptr %x, <8 x i64>
; CHECK: call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> {{(align 4 )?}}[[PLACES]], {{(i32 4, )?}}<8 x i1> {{splat \(i1 true\)|<i1 true.*>}}, <8 x i32> poison)
; CHECK: call void @llvm.masked.scatter.v8i32.v8p0
define void @elsewhere(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %key = zext i32 %v to i64
  %from = getelementptr inbounds i32, ptr %x, i64 %key
  %w = load i32, ptr %from, align 4
  %two = mul nuw nsw i64 %i, 2
  %to = getelementptr inbounds i32, ptr %out, i64 %two
  store i32 %w, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One place: what the last one stores, or the last of those that store.
; CHECK-LABEL: @one_place(
; CHECK: extractelement <8 x i32> %{{.*}}, i64 7
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %{{.*}} to i8
; CHECK: br i1
; CHECK: call {{.*}}i8 @llvm.ctlz.i8(i8 [[BITS]], i1 {{false|true}})
; CHECK: extractelement <8 x i32>
; CHECK: store i32
define void @one_place(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %out, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %latch
yes:
  %other = getelementptr inbounds i32, ptr %out, i64 1
  store i32 %v, ptr %other, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What all read at one place is one load.
; CHECK-LABEL: @read_by_all(
; CHECK: load i32, ptr @table
; CHECK: add <8 x i32>
define void @read_by_all(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %w = load i32, ptr @table, align 4
  %r = add i32 %v, %w
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Elements of a private array are side by side for all lanes: by an index in common they are a vector, else gathered.
; CHECK-LABEL: @private_side_by_side(
; CHECK: [[C:%.*]] = alloca [512 x i8], align 32, !teamwork.shared
; CHECK: store <8 x i32>
; CHECK: [[PLACES:%.*]] = getelementptr i8, ptr [[C]], <8 x i64>
; CHECK: call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> {{(align 4 )?}}[[PLACES]]
; CHECK: load <8 x i32>, ptr
define void @private_side_by_side(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [16 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  call void @llvm.lifetime.start.p0(i64 64, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %fill
fill:
  %k = phi i64 [ 0, %loop ], [ %k.next, %fill ]
  %k32 = trunc i64 %k to i32
  %p = mul i32 %v, %k32
  %c.at = getelementptr inbounds i32, ptr %c, i64 %k
  store i32 %p, ptr %c.at, align 4
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 16
  br i1 %again, label %fill, label %filled
filled:
  %own = and i32 %v, 15
  %own64 = zext i32 %own to i64
  %own.at = getelementptr inbounds i32, ptr %c, i64 %own64
  %a = load i32, ptr %own.at, align 4
  %five = getelementptr inbounds i32, ptr %c, i64 5
  %b = load i32, ptr %five, align 4
  %r = sub i32 %a, %b
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 64, ptr %c)
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; One that is accessed by different sizes is one behind the other: 64 bytes for each lane.
; CHECK-LABEL: @private_behind(
; CHECK: [[C:%.*]] = alloca [512 x i8], align {{[0-9]+}}, !teamwork.shared
; CHECK: getelementptr {{.*}}i8, ptr [[C]], <8 x i64> <i64 0, i64 64, i64 128, i64 192,
define void @private_behind(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [16 x i32], align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 64, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %c, align 4
  %high = getelementptr inbounds i8, ptr %c, i64 2
  %h = load i16, ptr %high, align 2
  %low = load i16, ptr %c, align 2
  %h32 = zext i16 %h to i32
  %l32 = zext i16 %low to i32
  %l2 = mul i32 %l32, 3
  %r = add i32 %h32, %l2
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 64, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Volatile accesses are done for one lane after the other, in the variable that the lane has: 4 bytes behind that of the lane before.
; CHECK-LABEL: @private_volatile(
; CHECK: [[C:%.*]] = alloca [32 x i8], align {{[0-9]+}}, !teamwork.shared
; CHECK: tw_lane:
; CHECK: [[AT:%.*]] = getelementptr i8, ptr [[C]], i64 %{{[0-9]+}}
; CHECK: store volatile i32 %{{.*}}, ptr [[AT]]
; CHECK: tw_lane{{.*}}:
; CHECK: [[AT:%.*]] = getelementptr i8, ptr [[C]], i64 %{{[0-9]+}}
; CHECK: load volatile i32, ptr [[AT]]
define void @private_volatile(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca i32, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 4, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store volatile i32 %v, ptr %c, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 7, ptr %to, align 4
  %r = load volatile i32, ptr %c, align 4
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 4, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Addresses of its elements that are computed in front of the loop.
; CHECK-LABEL: @private_from_before(
; CHECK: [[C:%.*]] = alloca [512 x i8], align 32, !teamwork.shared
; CHECK: [[THIRD:%.*]] = getelementptr {{.*}}i8, ptr [[C]], i64 96
; CHECK: store <8 x i32> %{{.*}}, ptr [[THIRD]], align 4
define void @private_from_before(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %c = alloca [16 x i32], align 4
  %third = getelementptr inbounds i32, ptr %c, i64 3
  %m7 = and i64 %m, 7
  %at.m = getelementptr inbounds i32, ptr %c, i64 %m7
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(i64 64, ptr %c)
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %third, align 4
  store i32 7, ptr %at.m, align 4
  %z = load i32, ptr %third, align 4
  %r = add i32 %z, 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  call void @llvm.lifetime.end.p0(i64 64, ptr %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; An index of 32 bits may wrap around: it is asked in front of the loop whether it does.
; CHECK-LABEL: @index_of_32_bits(
; CHECK: icmp eq i64
; CHECK: {{and|select}} i1
; CHECK: br i1 %{{.*}}, label %tw_vectors, label %tw_rest
; CHECK: load <8 x i32>
define void @index_of_32_bits(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %m32 = trunc i64 %m to i32
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %i32 = trunc i64 %i to i32
  %sum = add i32 %i32, %m32
  %place = sext i32 %sum to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %place
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

; As many lanes as registers have room for.
; CHECK-LABEL: @wide(
; CHECK: load <32 x i32>
define void @wide(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
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

; As many as the program says (TW_HOST_LOOP()).
; CHECK-LABEL: @wanted(
; CHECK: load <4 x i32>
define void @wanted(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
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
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; There are 16 of them: 12 values at a time fit only once.
; CHECK-LABEL: @narrow(
; CHECK: load <8 x i32>
define void @narrow(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %v1.at = getelementptr inbounds i32, ptr %x, i64 100
  %v1.i = getelementptr inbounds i32, ptr %v1.at, i64 %i
  %v1 = load i32, ptr %v1.i, align 4
  %v2.at = getelementptr inbounds i32, ptr %x, i64 200
  %v2.i = getelementptr inbounds i32, ptr %v2.at, i64 %i
  %v2 = load i32, ptr %v2.i, align 4
  %v3.at = getelementptr inbounds i32, ptr %x, i64 300
  %v3.i = getelementptr inbounds i32, ptr %v3.at, i64 %i
  %v3 = load i32, ptr %v3.i, align 4
  %v4.at = getelementptr inbounds i32, ptr %x, i64 400
  %v4.i = getelementptr inbounds i32, ptr %v4.at, i64 %i
  %v4 = load i32, ptr %v4.i, align 4
  %v5.at = getelementptr inbounds i32, ptr %x, i64 500
  %v5.i = getelementptr inbounds i32, ptr %v5.at, i64 %i
  %v5 = load i32, ptr %v5.i, align 4
  %v6.at = getelementptr inbounds i32, ptr %x, i64 600
  %v6.i = getelementptr inbounds i32, ptr %v6.at, i64 %i
  %v6 = load i32, ptr %v6.i, align 4
  %v7.at = getelementptr inbounds i32, ptr %x, i64 700
  %v7.i = getelementptr inbounds i32, ptr %v7.at, i64 %i
  %v7 = load i32, ptr %v7.i, align 4
  %v8.at = getelementptr inbounds i32, ptr %x, i64 800
  %v8.i = getelementptr inbounds i32, ptr %v8.at, i64 %i
  %v8 = load i32, ptr %v8.i, align 4
  %v9.at = getelementptr inbounds i32, ptr %x, i64 900
  %v9.i = getelementptr inbounds i32, ptr %v9.at, i64 %i
  %v9 = load i32, ptr %v9.i, align 4
  %v10.at = getelementptr inbounds i32, ptr %x, i64 1000
  %v10.i = getelementptr inbounds i32, ptr %v10.at, i64 %i
  %v10 = load i32, ptr %v10.i, align 4
  %v11.at = getelementptr inbounds i32, ptr %x, i64 1100
  %v11.i = getelementptr inbounds i32, ptr %v11.at, i64 %i
  %v11 = load i32, ptr %v11.i, align 4
  %s1 = xor i32 %v, %v1
  %t1 = mul i32 %s1, %v11
  %to1 = getelementptr inbounds i32, ptr %out, i64 100
  %to1.i = getelementptr inbounds i32, ptr %to1, i64 %i
  store i32 %t1, ptr %to1.i, align 4
  %s2 = xor i32 %s1, %v2
  %t2 = mul i32 %s2, %v10
  %to2 = getelementptr inbounds i32, ptr %out, i64 200
  %to2.i = getelementptr inbounds i32, ptr %to2, i64 %i
  store i32 %t2, ptr %to2.i, align 4
  %s3 = xor i32 %s2, %v3
  %t3 = mul i32 %s3, %v9
  %to3 = getelementptr inbounds i32, ptr %out, i64 300
  %to3.i = getelementptr inbounds i32, ptr %to3, i64 %i
  store i32 %t3, ptr %to3.i, align 4
  %s4 = xor i32 %s3, %v4
  %t4 = mul i32 %s4, %v8
  %to4 = getelementptr inbounds i32, ptr %out, i64 400
  %to4.i = getelementptr inbounds i32, ptr %to4, i64 %i
  store i32 %t4, ptr %to4.i, align 4
  %s5 = xor i32 %s4, %v5
  %t5 = mul i32 %s5, %v7
  %to5 = getelementptr inbounds i32, ptr %out, i64 500
  %to5.i = getelementptr inbounds i32, ptr %to5, i64 %i
  store i32 %t5, ptr %to5.i, align 4
  %s6 = xor i32 %s5, %v6
  %t6 = mul i32 %s6, %v6
  %to6 = getelementptr inbounds i32, ptr %out, i64 600
  %to6.i = getelementptr inbounds i32, ptr %to6, i64 %i
  store i32 %t6, ptr %to6.i, align 4
  %s7 = xor i32 %s6, %v7
  %t7 = mul i32 %s7, %v5
  %to7 = getelementptr inbounds i32, ptr %out, i64 700
  %to7.i = getelementptr inbounds i32, ptr %to7, i64 %i
  store i32 %t7, ptr %to7.i, align 4
  %s8 = xor i32 %s7, %v8
  %t8 = mul i32 %s8, %v4
  %to8 = getelementptr inbounds i32, ptr %out, i64 800
  %to8.i = getelementptr inbounds i32, ptr %to8, i64 %i
  store i32 %t8, ptr %to8.i, align 4
  %s9 = xor i32 %s8, %v9
  %t9 = mul i32 %s9, %v3
  %to9 = getelementptr inbounds i32, ptr %out, i64 900
  %to9.i = getelementptr inbounds i32, ptr %to9, i64 %i
  store i32 %t9, ptr %to9.i, align 4
  %s10 = xor i32 %s9, %v10
  %t10 = mul i32 %s10, %v2
  %to10 = getelementptr inbounds i32, ptr %out, i64 1000
  %to10.i = getelementptr inbounds i32, ptr %to10, i64 %i
  store i32 %t10, ptr %to10.i, align 4
  %s11 = xor i32 %s10, %v11
  %t11 = mul i32 %s11, %v1
  %to11 = getelementptr inbounds i32, ptr %out, i64 1100
  %to11.i = getelementptr inbounds i32, ptr %to11, i64 %i
  store i32 %t11, ptr %to11.i, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

attributes #0 = { "target-features"="+avx2" }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
!3 = distinct !{!3, !1}
!4 = distinct !{!4, !1, !5}
!5 = !{!"llvm.loop.vectorize.width", i32 4}
