; Vectors of work-items: branches, masks, joins, and loops inside.
; RUN: %tw_opt -passes=tw-vectorize-items -tw-vectorize-always %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare void @anything()

; A load and a store by some work-items have a mask.
; CHECK-LABEL: @by_some(
; CHECK: tw_vector:
; CHECK: [[MASK:%.*]] = icmp sgt <8 x i32> %{{.*}}, {{splat \(i32 20\)|<i32 20,}}
; CHECK: call <8 x i32> @llvm.masked.load.v8i32.p0(ptr {{(align 4 )?}}%{{.*}}, {{(i32 4, )?}}<8 x i1> [[MASK]], <8 x i32> poison)
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %{{.*}}, ptr {{(align 4 )?}}%{{.*}}, {{(i32 4, )?}}<8 x i1> [[MASK]])
; CHECK: br i1
define void @by_some(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %latch
yes:
  %from = getelementptr inbounds i32, ptr %out, i64 %i
  %w = load i32, ptr %from, align 4
  %r = add i32 %w, %v
  store i32 %r, ptr %from, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Where ways meet, each work-item takes the value of its own.
; CHECK-LABEL: @joins(
; CHECK: tw_vector:
; CHECK: icmp {{sgt|slt}} <8 x i32>
; CHECK: select <8 x i1> %{{.*}}, <8 x i32> %{{.*}}, <8 x i32>
; CHECK: store <8 x i32>
define void @joins(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %yes, label %no
yes:
  %a = mul i32 %v, %v
  br label %join
no:
  %b = sub i32 7, %v
  br label %join
join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
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

; A branch in which all agree stays one, around what must not be done for nobody: the other way divides by 0.
; CHECK-LABEL: @agree(
; CHECK: tw_vector{{.*}}:
; CHECK-NOT: udiv
; CHECK: tw_some{{.*}}:
; CHECK: udiv i32 1000,
define void @agree(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %m2 = sub i64 %m, 5
  %m32 = trunc i64 %m2 to i32
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp ne i32 %m32, 0
  br i1 %is, label %yes, label %join
yes:
  %a = udiv i32 1000, %m32
  %c = sub i32 %a, %v
  br label %join
join:
  %r = phi i32 [ %c, %yes ], [ %v, %loop ]
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

; A part that is long is left out if nobody comes to it.
; CHECK-LABEL: @left_out(
; CHECK: [[MASK:%.*]] = icmp sgt <8 x i32> %{{.*}}, {{splat \(i32 38\)|<i32 38,}}
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> [[MASK]] to i8
; CHECK: [[NOBODY:%.*]] = icmp eq i8 [[BITS]], 0
; CHECK: br i1 [[NOBODY]], label %[[ALL:.*]], label %[[SOME:.*]]
; CHECK: [[SOME]]:
; CHECK: mul <8 x i32>
; CHECK: br label %[[ALL]]
define void @left_out(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 38
  br i1 %is, label %yes, label %join
yes:
  %a0 = mul i32 %v, %v
  %b0 = xor i32 %a0, 3
  %a1 = mul i32 %b0, %v
  %b1 = xor i32 %a1, 4
  %a2 = mul i32 %b1, %v
  %b2 = xor i32 %a2, 5
  %a3 = mul i32 %b2, %v
  %b3 = xor i32 %a3, 6
  %a4 = mul i32 %b3, %v
  %b4 = xor i32 %a4, 7
  %a5 = mul i32 %b4, %v
  %b5 = xor i32 %a5, 8
  %a6 = mul i32 %b5, %v
  %b6 = xor i32 %a6, 9
  br label %join
join:
  %r = phi i32 [ %b6, %yes ], [ %v, %loop ]
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

; Masks of nested conditions: who is not there does not decide, though its value may be anything.
; CHECK-LABEL: @nested(
; CHECK: tw_vector:
; CHECK: [[A:%.*]] = icmp sgt <8 x i32> %{{.*}}, {{splat \(i32 10\)|<i32 10,}}
; CHECK: [[B:%.*]] = icmp sgt <8 x i32> %{{.*}}, {{splat \(i32 1000\)|<i32 1000,}}
; CHECK: [[BOTH:%.*]] = select <8 x i1> [[A]], <8 x i1> [[B]], <8 x i1> zeroinitializer
; CHECK: masked.store{{.*}} <8 x i1> [[BOTH]])
; CHECK: masked.store
define void @nested(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 10
  br i1 %is, label %yes, label %latch
yes:
  %w = shl i32 1, %v
  %also = icmp sgt i32 %w, 1000
  br i1 %also, label %both, label %one
both:
  %r = add i32 %w, 3
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %to, align 4
  br label %latch
one:
  %two = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %two, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A switch has a mask for each way, and one of those that no case takes.
; CHECK-LABEL: @switches(
; CHECK: tw_vector:
; CHECK-DAG: icmp {{eq|ne}} <8 x i32> %{{.*}}, {{splat \(i32 4\)|<i32 4,}}
; CHECK-DAG: icmp {{eq|ne}} <8 x i32> %{{.*}}, {{splat \(i32 6\)|<i32 6,}}
; CHECK: call void @llvm.masked.store.v8i32
define void @switches(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  switch i32 %v, label %other [
    i32 3, label %three
    i32 4, label %four
    i32 5, label %four
    i32 6, label %latch
  ]
three:
  br label %join
four:
  br label %join
other:
  br label %join
join:
  %r = phi i32 [ 30, %three ], [ 45, %four ], [ %v, %other ]
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

; One that all take together has none.
; CHECK-LABEL: @switches_together(
; CHECK: tw_vector{{.*}}:
; CHECK-NOT: icmp {{eq|ne}} <8 x i32>
define void @switches_together(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  %m32 = trunc i64 %m to i32
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  switch i32 %m32, label %other [
    i32 3, label %three
    i32 4, label %four
    i32 5, label %four
    i32 6, label %latch
  ]
three:
  br label %join
four:
  br label %join
other:
  br label %join
join:
  %r = phi i32 [ 30, %three ], [ 45, %four ], [ %v, %other ]
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

; A loop whose turns are as many for all.
; CHECK-LABEL: @common_turns(
; CHECK: tw_turn:
; CHECK: phi <8 x i32>
; CHECK: load i32
; CHECK: mul <8 x i32>
; CHECK: icmp ult i64
; CHECK-NEXT: br i1
define void @common_turns(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi i32 [ 0, %loop ], [ %total.next, %sum ]
  %k.at = getelementptr inbounds i32, ptr %x, i64 %k
  %u = load i32, ptr %k.at, align 4
  %p = mul i32 %u, %v
  %total.next = add i32 %total, %p
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %m
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

; One that each leaves after turns of its own: without masks as long as all go on, then with one of those that do, as long as somebody does.
; Who leaves keeps what he has.
; CHECK-LABEL: @own_turns(
; CHECK: tw_together:
; CHECK: [[ALL:%.*]] = bitcast <8 x i1> %{{.*}} to i8
; CHECK: icmp eq i8 [[ALL]], -1
; CHECK: tw_apart:
; CHECK: icmp eq i8 %{{.*}}, 0
; CHECK: tw_turn:
; CHECK-DAG: [[GOING:%.*]] = phi <8 x i1> [ [[NEXT:%.*]], %tw_turn ], [ %{{.*}}, %{{.*}} ]
; CHECK-DAG: [[WITH:%.*]] = phi <8 x i32> [ [[LEFT:%.*]], %tw_turn ], [ %{{.*}}, %{{.*}} ]
; CHECK: [[NEXT]] = select <8 x i1> [[GOING]], <8 x i1> %{{.*}}, <8 x i1> zeroinitializer
; CHECK: bitcast <8 x i1> [[NEXT]] to i8
define void @own_turns(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %v64 = zext i32 %v to i64
  br label %sum
sum:
  %k = phi i64 [ 0, %loop ], [ %k.next, %sum ]
  %total = phi i32 [ 0, %loop ], [ %total.next, %sum ]
  %k.at = getelementptr inbounds i32, ptr %x, i64 %k
  %u = load i32, ptr %k.at, align 4
  %p = mul i32 %u, %v
  %total.next = add i32 %total, %p
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %v64
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

; Some leave out a block in a turn, and come to it in another one: it has those of them that are there now, though no way leads past it in
; the end.
; CHECK-LABEL: @later_turn(
; CHECK: tw_turn:
; CHECK: [[GOING:%.*]] = phi <8 x i1>
; CHECK: [[IS:%.*]] = icmp sgt <8 x i32> [[AT:%.*]], {{splat \(i32 -1\)|<i32 -1.*>}}
; CHECK: [[HERE:%.*]] = select <8 x i1> [[GOING]], <8 x i1> [[IS]], <8 x i1> zeroinitializer
; CHECK: call <8 x i32> @llvm.masked.{{gather|load}}{{.*}}<8 x i1> [[HERE]]
define void @later_turn(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %i32 = trunc i64 %i to i32
  %first = add nsw i32 %i32, -5
  br label %turn
turn:
  %k = phi i32 [ %first, %loop ], [ %k.next, %again ]
  %is = icmp sgt i32 %k, -1
  br i1 %is, label %there, label %again
there:
  %k64 = zext nneg i32 %k to i64
  %at = getelementptr inbounds i32, ptr %x, i64 %k64
  %v = load i32, ptr %at, align 4
  %stay = icmp sgt i32 %v, 5
  %few = icmp slt i32 %k, 1000
  %both = and i1 %stay, %few
  br i1 %both, label %again, label %left
again:
  %k.next = add nsw i32 %k, 8
  br label %turn
left:
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Left at two places, by different conditions: each way has those that took it.
; CHECK-LABEL: @early_exit(
; CHECK: tw_turn:
; CHECK-COUNT-2: phi <8 x i1>
; CHECK-COUNT-2: or <8 x i1>
define void @early_exit(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %limit = and i32 %v, 15
  br label %turn
turn:
  %k = phi i32 [ 0, %loop ], [ %k.next, %goes_on ]
  %s = phi i32 [ %v, %loop ], [ %s.next, %goes_on ]
  %odd = and i32 %s, 7
  %stop = icmp eq i32 %odd, 5
  br i1 %stop, label %found, label %goes_on
goes_on:
  %s.next = add i32 %s, 3
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %limit
  br i1 %again, label %turn, label %nothing
found:
  %s.found = phi i32 [ %s, %turn ]
  %k.found = phi i32 [ %k, %turn ]
  %f = mul i32 %s.found, 100
  %g = add i32 %f, %k.found
  br label %join
nothing:
  %s.end = phi i32 [ %s.next, %goes_on ]
  %h = sub i32 0, %s.end
  br label %join
join:
  %r = phi i32 [ %g, %found ], [ %h, %nothing ]
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

; All leave early together.
; CHECK-LABEL: @early_exit_together(
; CHECK: tw_turn{{.*}}:
; CHECK-NOT: phi <8 x i1>
define void @early_exit_together(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %turn
turn:
  %k = phi i64 [ 0, %loop ], [ %k.next, %goes_on ]
  %s = phi i32 [ %v, %loop ], [ %s.next, %goes_on ]
  %k.at = getelementptr inbounds i32, ptr %x, i64 %k
  %u = load i32, ptr %k.at, align 4
  %stop = icmp sgt i32 %u, 30
  br i1 %stop, label %found, label %goes_on
goes_on:
  %s.next = add i32 %s, %u
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %m
  br i1 %again, label %turn, label %nothing
found:
  %s.found = phi i32 [ %s, %turn ]
  %f = mul i32 %s.found, 100
  br label %join
nothing:
  %s.end = phi i32 [ %s.next, %goes_on ]
  br label %join
join:
  %r = phi i32 [ %f, %found ], [ %s.end, %nothing ]
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

; A loop in a loop, left from the inner one out of both by some.
; CHECK-LABEL: @out_of_both(
; CHECK: tw_turn{{.*}}:
; CHECK: phi <8 x i1>
; CHECK: tw_turn{{.*}}:
; CHECK: phi <8 x i1>
define void @out_of_both(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  br label %outer
outer:
  %a = phi i32 [ 0, %loop ], [ %a.next, %outer.latch ]
  %s = phi i32 [ %v, %loop ], [ %s.inner, %outer.latch ]
  br label %inner
inner:
  %b = phi i32 [ 0, %outer ], [ %b.next, %inner.latch ]
  %t = phi i32 [ %s, %outer ], [ %t.next, %inner.latch ]
  %low = and i32 %t, 31
  %stop = icmp eq i32 %low, 9
  br i1 %stop, label %found, label %inner.latch
inner.latch:
  %t.1 = mul i32 %t, 5
  %t.next = add i32 %t.1, %a
  %b.next = add i32 %b, 1
  %more.b = icmp ult i32 %b.next, %v
  br i1 %more.b, label %inner, label %outer.latch
outer.latch:
  %s.inner = phi i32 [ %t.next, %inner.latch ]
  %a.next = add i32 %a, 1
  %more.a = icmp ult i32 %a.next, 4
  br i1 %more.a, label %outer, label %nothing
found:
  %t.found = phi i32 [ %t, %inner ]
  %a.found = phi i32 [ %a, %inner ]
  %f = add i32 %t.found, %a.found
  br label %join
nothing:
  %s.end = phi i32 [ %s.inner, %outer.latch ]
  br label %join
join:
  %r = phi i32 [ %f, %found ], [ %s.end, %nothing ]
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

; Only some come to a loop: nobody else turns, or decides whether it goes on.
; CHECK-LABEL: @loop_of_some(
; CHECK: [[MASK:%.*]] = icmp sgt <8 x i32> %{{.*}}, {{splat \(i32 20\)|<i32 20,}}
; CHECK: bitcast <8 x i1> [[MASK]] to i8
; CHECK: tw_turn
; CHECK: select <8 x i1> [[MASK]], <8 x i32>
define void @loop_of_some(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %pre, label %join
pre:
  br label %turn
turn:
  %k = phi i64 [ 0, %pre ], [ %k.next, %turn ]
  %s = phi i32 [ %v, %pre ], [ %s.next, %turn ]
  %k.at = getelementptr inbounds i32, ptr %x, i64 %k
  %u = load i32, ptr %k.at, align 4
  %s.next = add i32 %s, %u
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %m
  br i1 %again, label %turn, label %past
past:
  %s.end = phi i32 [ %s.next, %turn ]
  br label %join
join:
  %r = phi i32 [ %s.end, %past ], [ %v, %loop ]
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

; A store in each turn of a loop that some have left already.
; CHECK-LABEL: @stores_in_turns(
; CHECK: tw_turn:
; CHECK: [[GOING:%.*]] = phi <8 x i1>
; CHECK: call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %{{.*}}, <8 x ptr> {{(align 4 )?}}%{{.*}}, {{(i32 4, )?}}<8 x i1> [[GOING]])
define void @stores_in_turns(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %row = mul i64 %i, 4
  br label %turn
turn:
  %k = phi i32 [ 0, %loop ], [ %k.next, %turn ]
  %w = phi i32 [ %v, %loop ], [ %w.next, %turn ]
  %k64 = zext i32 %k to i64
  %place = add i64 %row, %k64
  %to = getelementptr inbounds i32, ptr %out, i64 %place
  store i32 %w, ptr %to, align 4
  %w.next = add i32 %w, 1
  %k.next = add nuw nsw i32 %k, 1
  %last = and i32 %v, 3
  %again = icmp ule i32 %k.next, %last
  br i1 %again, label %turn, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A condition of some, and in it one of all: the inner one is asked where somebody is known to be there.
; CHECK-LABEL: @of_all_in_some(
; CHECK: tw_some{{.*}}:
; CHECK: load i32, ptr %x
; CHECK: icmp {{sgt|slt}} i32
define void @of_all_in_some(ptr noalias %x, ptr noalias %out, i64 %n, i64 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %at, align 4
  %is = icmp sgt i32 %v, 20
  br i1 %is, label %some, label %latch
some:
  %q = load i32, ptr %x, align 4
  %big = icmp sgt i32 %q, 20
  br i1 %big, label %yes, label %no
yes:
  call void @anything()
  br label %latch
no:
  %r = sub i32 %v, %q
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

; A counter in a loop of a vector's work-items that goes down: nothing is asked of loops that are half written. That did not come to an end.
; CHECK-LABEL: @comes_to_an_end(
; CHECK: tw_vector:
define void @comes_to_an_end(i32 %group, i64 %n) #0 {
entry:
  %base = shl i32 %group, 7
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ 1, %row_latch ]
  br label %loop
loop:
  %item = phi i64 [ %next, %latch ], [ 0, %rows ]
  %id = add i64 %item, %row
  %narrow = trunc i64 %id to i32
  %index = add i32 %base, %narrow
  %wide = zext i32 %index to i64
  br label %turns
turns:
  %j = phi i64 [ %n, %loop ], [ %before, %turns ]
  %before = add i64 %j, -1
  %again = icmp sgt i64 %j, 0
  br i1 %again, label %turns, label %latch
latch:
  %next = add i64 %item, 1
  %is_last = icmp eq i64 %item, 1
  br i1 %is_last, label %row_latch, label %loop, !llvm.loop !0
row_latch:
  br label %rows
}

attributes #0 = { "target-features"="+avx2" }
attributes #1 = { nounwind willreturn memory(none) }

!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"teamwork.items.apart", i64 8}
