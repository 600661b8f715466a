; Vectors of work-items: accesses near each other, which are done together (vectorize_groups.cpp).
; RUN: %tw_opt -passes=tw-vectorize-items -tw-vectorize-always %s | FileCheck %s
; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

@tree = internal thread_local global [512 x i32] zeroinitializer, align 64 #1

; All members of a structure: plain vectors, loaded where the first one stands, stored where the last one does.
; CHECK-LABEL: @whole(
; CHECK: tw_vector:
; CHECK: %[[ALL:.*]] = load <32 x float>, ptr
; CHECK: shufflevector <32 x float> %[[ALL]], <32 x float> poison, <16 x i32> <i32 0, i32 2,
; CHECK: shufflevector <32 x float> %[[ALL]], <32 x float> poison, <16 x i32> <i32 1, i32 3,
; CHECK-NOT: masked
; CHECK: store <32 x float>
; CHECK-NOT: store
; CHECK: br i1 %{{.*}}, label %tw_rest_check, label %tw_vector
define void @whole(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [2 x float], ptr %x, i64 %i, i64 0
  %at1 = getelementptr inbounds [2 x float], ptr %x, i64 %i, i64 1
  %to0 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 0
  %to1 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 1
  %a = load float, ptr %at0, align 4
  %b = load float, ptr %at1, align 4
  store float %b, ptr %to0, align 4
  store float %a, ptr %to1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Nothing is loaded behind the last member of the last work-item, and nothing is stored but what is.
; CHECK-LABEL: @gap(
; CHECK: call <32 x float> @llvm.masked.load{{.*}}i1 true, i1 false>, <32 x float> poison)
; CHECK-NOT: scatter
; CHECK: call void @llvm.masked.store.v64f32{{.*}}<64 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true,
define void @gap(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [2 x float], ptr %x, i64 %i, i64 0
  %to0 = getelementptr inbounds [4 x float], ptr %out, i64 %i, i64 0
  %to1 = getelementptr inbounds [4 x float], ptr %out, i64 %i, i64 2
  %a = load float, ptr %at0, align 4
  store float %a, ptr %to0, align 4
  store float %a, ptr %to1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Under a condition: with the mask of each work-item for all of its members, and for none between them and the next ones.
; CHECK-LABEL: @by_some(
; CHECK: %[[OF:.*]] = shufflevector <16 x i1> %{{.*}}, <16 x i1> poison, <64 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1,
; CHECK: %[[MASK:.*]] = and <64 x i1> %[[OF]], <i1 true, i1 true, i1 true, i1 false, i1 true, i1 true, i1 true, i1 false,
; CHECK: call <64 x float> @llvm.masked.load.v64f32.p0(ptr {{(align 4 )?}}%{{.*}}, {{(i32 4, )?}}<64 x i1> %[[MASK]]
define void @by_some(ptr noalias %x, ptr noalias %out, ptr noalias %if, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %if, i64 %i
  %c = load i32, ptr %at, align 4
  %some = icmp sgt i32 %c, 0
  %to = getelementptr inbounds float, ptr %out, i64 %i
  br i1 %some, label %then, label %latch
then:
  %at0 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 0
  %at1 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 1
  %at2 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 2
  %v0 = load float, ptr %at0, align 4
  %v1 = load float, ptr %at1, align 4
  %v2 = load float, ptr %at2, align 4
  %s = fadd float %v0, %v1
  %t = fadd float %s, %v2
  store float %t, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Where some store, gaps are cleared by an operation: LLVM 19 does not clear what it is asked to put behind a part of a longer mask.
; CHECK-LABEL: @gap_of_some(
; CHECK-NOT: shufflevector <{{[0-9]+}} x i1> %{{.*}}, <{{[0-9]+}} x i1> zeroinitializer
; CHECK: %[[STORED:.*]] = and <64 x i1> %{{.*}}, <i1 true, i1 false, i1 true, i1 false, i1 true,
; CHECK: masked.store.v64f32{{.*}}<64 x i1> %[[STORED]])
define void @gap_of_some(ptr noalias %x, ptr noalias %in, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %at, align 4
  %is = fcmp ogt float %v, 0.0
  br i1 %is, label %yes, label %latch
yes:
  %a = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 0
  %c = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 2
  store float %v, ptr %a, align 4
  store float 1.0, ptr %c, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A member under a condition is loaded with those in front of it if it lies between them. Stores on both ways are done behind them, with
; the masks of the ways.
; CHECK-LABEL: @ways(
; CHECK: tw_vector:
; CHECK: load <64 x float>
; CHECK: %[[SOME:.*]] = fcmp ogt <16 x float>
; CHECK-NOT: masked.load
; CHECK: select <16 x i1> %[[SOME]]
; CHECK: masked.store.v64f32{{.*}}<64 x i1> <i1 true, i1 true, i1 false, i1 false, i1 true, i1 true,
; CHECK-NOT: store
; CHECK: br i1 %{{.*}}, label %tw_rest_check, label %tw_vector
define void @ways(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at0 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 0
  %at1 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 1
  %at3 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 3
  %to0 = getelementptr inbounds [4 x float], ptr %out, i64 %i, i64 0
  %to1 = getelementptr inbounds [4 x float], ptr %out, i64 %i, i64 1
  %a = load float, ptr %at0, align 4
  %d = load float, ptr %at3, align 4
  %some = fcmp ogt float %d, 0.0
  br i1 %some, label %then, label %else
then:
  %b = load float, ptr %at1, align 4
  store float %b, ptr %to0, align 4
  br label %latch
else:
  store float %a, ptr %to0, align 4
  br label %latch
latch:
  store float %d, ptr %to1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Arrays that may be the same: whether what is moved over each other is apart is asked in front of the loop. The second load is moved
; over the first store, and that over the second load: all is right unless the distance is above -4 and below 4.
; CHECK-LABEL: @asked(
; CHECK: icmp ult i64 %{{.*}}, -7
; CHECK: icmp ult i64 %{{.*}}, -7
; CHECK: %[[IS:.*]] = select i1 %{{.*}}, i1 %{{.*}}, i1 false
; CHECK: br i1 %[[IS]], label %tw_vectors, label %tw_rest
; CHECK: load <32 x float>
; CHECK: store <32 x float>
define void @asked(ptr %x, ptr %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [2 x float], ptr %x, i64 %i, i64 0
  %at1 = getelementptr inbounds [2 x float], ptr %x, i64 %i, i64 1
  %to0 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 0
  %to1 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 1
  %a = load float, ptr %at0, align 4
  store float %a, ptr %to0, align 4
  %b = load float, ptr %at1, align 4
  store float %b, ptr %to1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Elements of rows, which lie far apart: a short vector of each work-item.
; CHECK-LABEL: @rows(
; CHECK-NOT: gather
; CHECK-COUNT-16: load <2 x float>
define void @rows(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 4
  %at1 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 5
  %to = getelementptr inbounds float, ptr %out, i64 %i
  %a = load float, ptr %at0, align 4
  %b = load float, ptr %at1, align 4
  %s = fadd float %a, %b
  store float %s, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The next four differ from those above by one thing, and stay gathers and scatters.

; The store between the loads is to one of their elements.
; CHECK-LABEL: @keeps_apart_a_load_of_what_was_stored(
; CHECK: gather.v16f32
; CHECK: scatter
; CHECK: gather.v16f32
define void @keeps_apart_a_load_of_what_was_stored(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 4
  %at1 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 5
  %to = getelementptr inbounds float, ptr %out, i64 %i
  %a = load float, ptr %at0, align 4
  store float 1.0, ptr %at1, align 4
  %b = load float, ptr %at1, align 4
  %s = fadd float %a, %b
  store float %s, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; How far the store is away differs from work-item to work-item.
; CHECK-LABEL: @keeps_apart_what_cannot_be_asked(
; CHECK: gather.v16f32
; CHECK: scatter
; CHECK: gather.v16f32
define void @keeps_apart_what_cannot_be_asked(ptr %x, ptr %out, ptr noalias %sum, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 4
  %at1 = getelementptr inbounds [100 x float], ptr %x, i64 %i, i64 5
  %far = getelementptr inbounds [90 x float], ptr %out, i64 %i, i64 0
  %to = getelementptr inbounds float, ptr %sum, i64 %i
  %a = load float, ptr %at0, align 4
  store float 1.0, ptr %far, align 4
  %b = load float, ptr %at1, align 4
  %s = fadd float %a, %b
  store float %s, ptr %to, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The member under a condition lies behind those of all.
; CHECK-LABEL: @keeps_apart_a_member_that_some_have(
; CHECK: tw_vector:
; CHECK: masked.load.v64f32{{.*}}i1 true, i1 false, i1 false, i1 false>
; CHECK: fcmp ogt
; CHECK: masked.{{load|gather}}
define void @keeps_apart_a_member_that_some_have(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at0 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 0
  %at3 = getelementptr inbounds [4 x float], ptr %x, i64 %i, i64 3
  %to = getelementptr inbounds float, ptr %out, i64 %i
  %a = load float, ptr %at0, align 4
  %some = fcmp ogt float %a, 0.0
  br i1 %some, label %then, label %latch
then:
  %b = load float, ptr %at3, align 4
  store float %b, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not all of those who store the first member come to the second one.
; CHECK-LABEL: @keeps_apart_stores_on_different_ways(
; CHECK: {{scatter|masked.store}}
; CHECK: {{scatter|masked.store}}
define void @keeps_apart_stores_on_different_ways(ptr noalias %x, ptr noalias %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %to0 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 0
  %to1 = getelementptr inbounds [2 x float], ptr %out, i64 %i, i64 1
  %a = load float, ptr %at, align 4
  %some = fcmp ogt float %a, 0.0
  br i1 %some, label %then, label %else
then:
  store float 1.0, ptr %to0, align 4
  br label %latch
else:
  store float 2.0, ptr %to1, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; A gap in what is stored to local memory gets what was loaded from it.
; CHECK-LABEL: @filled(
; CHECK: tw_vector:
; CHECK: %[[BOTH:.*]] = load <32 x i32>, ptr
; CHECK: %[[EVEN:.*]] = shufflevector <32 x i32> %[[BOTH]], <32 x i32> poison, <16 x i32> <i32 0, i32 2,
; CHECK: %[[SUM:.*]] = add <16 x i32>
; CHECK: %[[STORED:.*]] = shufflevector <16 x i32> %[[EVEN]], <16 x i32> %[[SUM]], <32 x i32> <i32 0, i32 16, i32 1, i32 17,
; CHECK: store <32 x i32> %[[STORED]], ptr
; CHECK: br i1 %{{.*}}, label %tw_rest_check, label %tw_vector
define void @filled(i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 0
  %at1 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 1
  %a = load i32, ptr %at0, align 4
  %b = load i32, ptr %at1, align 4
  %sum = add i32 %a, %b
  store i32 %sum, ptr %at1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Other threads may see global memory.
; CHECK-LABEL: @keeps_gaps_of_global_memory(
; CHECK: tw_vector:
; CHECK: {{scatter|masked.store}}
define void @keeps_gaps_of_global_memory(ptr noalias %x, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [2 x i32], ptr %x, i64 %i, i64 0
  %at1 = getelementptr inbounds [2 x i32], ptr %x, i64 %i, i64 1
  %a = load i32, ptr %at0, align 4
  %b = load i32, ptr %at1, align 4
  %sum = add i32 %a, %b
  store i32 %sum, ptr %at1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The work-item may have stored something else there since.
; CHECK-LABEL: @keeps_gaps_that_may_be_stored_to(
; CHECK: tw_vector:
; CHECK: {{scatter|masked.store}}
define void @keeps_gaps_that_may_be_stored_to(ptr %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 0
  %at1 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 1
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %a = load i32, ptr %at0, align 4
  %b = load i32, ptr %at1, align 4
  store i32 7, ptr %to, align 4
  %sum = add i32 %a, %b
  store i32 %sum, ptr %at1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Not all who store have loaded.
; CHECK-LABEL: @keeps_gaps_that_some_load(
; CHECK: tw_vector:
; CHECK: {{scatter|masked.store}}
define void @keeps_gaps_that_some_load(ptr noalias %if, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr inbounds i32, ptr %if, i64 %i
  %c = load i32, ptr %at, align 4
  %some = icmp sgt i32 %c, 0
  %at0 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 0
  %at1 = getelementptr inbounds [256 x [2 x i32]], ptr @tree, i64 0, i64 %i, i64 1
  br i1 %some, label %then, label %latch
then:
  %a = load i32, ptr %at0, align 4
  br label %latch
latch:
  %stored = phi i32 [ %a, %then ], [ 5, %loop ]
  store i32 %stored, ptr %at1, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

attributes #0 = { "target-features"="+avx512f,+avx512vl,+avx512bw,+avx512dq" "prefer-vector-width"="512" "min-legal-vector-width"="0" }
attributes #1 = { "teamwork.local" }
!0 = distinct !{!0, !1, !2}
!1 = !{!"teamwork.items"}
!2 = !{!"llvm.loop.vectorize.width", i32 16}
