; A kernel whose work-items run one by one, though vectors could do what they do, is told of in its object, and to the user.
; RUN: %tw_opt -passes=tw-tell-cliffs -pass-remarks-missed=teamwork-scalar %s 2>%t | FileCheck %s
; RUN: %tw_opt -passes=tw-tell-cliffs -pass-remarks-missed=teamwork-scalar %s -o %t.ll 2>&1 | FileCheck --check-prefix=REMARK %s

%kernel = type { i32, i32, i32, i32, i32, i32, [3 x ptr] }
%range_kernel = type { %kernel }

; CHECK: @scalar_kernel = constant %range_kernel { %kernel { {{.*}}, [3 x ptr] [ptr @tw_slow, ptr @tw_slow, ptr @tw_slow] } }
; CHECK: @vector_kernel = constant %range_kernel { %kernel { {{.*}}, [3 x ptr] zeroinitializer } }
; CHECK: @rest_kernel = constant %range_kernel { %kernel { {{.*}}, [3 x ptr] zeroinitializer } }
; CHECK: @row_kernel = constant %range_kernel { %kernel { {{.*}}, [3 x ptr] zeroinitializer } }
; CHECK: @two_kernel = constant %range_kernel { %kernel { {{.*}}, [3 x ptr] [ptr null, ptr @tw_slow.1, ptr null] } }
; CHECK: @tw_slow = private unnamed_addr constant {{.*}} c"its work-items run one by one, not as vectors: they are too shy (shy.c:7, -Rpass-missed=teamwork-scalar)\00"
; CHECK: @tw_slow.1 = {{.*}} because of an atomic operation; combine values by a reduction
; REMARK: remark: shy.c:7:9: work-items of kernel scalar run one by one, not as vectors: they are too shy
; REMARK-NEXT: remark: {{.*}} work-items of kernel two, launched in 2 dimensions, run one by one, not as vectors because of an atomic operation
; REMARK-NOT: remark:
@scalar_kernel = constant %range_kernel { %kernel { i32 1, i32 2, i32 0, i32 0, i32 3, i32 0, [3 x ptr] zeroinitializer } } #1
@vector_kernel = constant %range_kernel { %kernel { i32 1, i32 2, i32 0, i32 0, i32 3, i32 0, [3 x ptr] zeroinitializer } } #2
@rest_kernel = constant %range_kernel { %kernel { i32 1, i32 2, i32 0, i32 0, i32 3, i32 0, [3 x ptr] zeroinitializer } } #3
@row_kernel = constant %range_kernel { %kernel { i32 1, i32 2, i32 0, i32 0, i32 3, i32 0, [3 x ptr] zeroinitializer } } #4
@two_kernel = constant %range_kernel { %kernel { i32 1, i32 2, i32 0, i32 0, i32 3, i32 0, [3 x ptr] zeroinitializer } } #5

define void @scalar_tw_host(ptr %x, i64 %n) #0 "teamwork.host"="scalar" !dbg !8 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %at, !dbg !9
  %w = fmul float %v, %v, !dbg !9
  store float %w, ptr %at, !dbg !9
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

define void @vector_tw_host(ptr %x, i64 %n) #0 "teamwork.host"="vector" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %v = load <8 x float>, ptr %at
  %w = fmul <8 x float> %v, %v
  store <8 x float> %w, ptr %at
  %next = add i64 %i, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; What is left behind whole vectors is scalar.
define void @rest_tw_host(ptr %x, i64 %n) #0 "teamwork.host"="rest" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %v = load <8 x float>, ptr %at
  store <8 x float> %v, ptr %at
  %next = add i64 %i, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %rest, !llvm.loop !0
rest:
  %k = phi i64 [ %next, %loop ], [ %k.next, %rest ]
  %k.at = getelementptr float, ptr %x, i64 %k
  %k.v = load float, ptr %k.at
  store float %k.v, ptr %k.at
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %rest, label %end, !llvm.loop !0
end:
  ret void
}

; A row of one vector has no loop; loads that fill a vector are part of it.
define void @row_tw_host(ptr %x, i64 %n) #0 "teamwork.host"="row" {
entry:
  %whole = icmp eq i64 %n, 2
  br i1 %whole, label %row, label %loop
row:
  %first = load float, ptr %x
  %half = insertelement <2 x float> poison, float %first, i64 0
  %second.at = getelementptr float, ptr %x, i64 1
  %second = load float, ptr %second.at
  %both = insertelement <2 x float> %half, float %second, i64 1
  %sums = fadd <2 x float> %both, %both
  store <2 x float> %sums, ptr %x
  br label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %at
  %w = fadd float %v, %v
  store float %w, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; Only launches in two dimensions are slow.
define void @two_tw_items_1(ptr %x) #0 "teamwork.host"="two" "teamwork.dims"="1" {
  ret void
}
define void @two_tw_items_2(ptr %x, i64 %n) #0 "teamwork.host"="two" "teamwork.dims"="2" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %x, i64 %i seq_cst
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; It is launched by another module.
define void @elsewhere_tw_host(ptr %x, i64 %n) #0 "teamwork.host"="elsewhere" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

attributes #0 = { "teamwork.budget"="1000" }
attributes #1 = { "teamwork.object"="scalar" "teamwork.slow"="24" }
attributes #2 = { "teamwork.object"="vector" "teamwork.slow"="24" }
attributes #3 = { "teamwork.object"="rest" "teamwork.slow"="24" }
attributes #4 = { "teamwork.object"="row" "teamwork.slow"="24" }
attributes #5 = { "teamwork.object"="two" "teamwork.slow"="24" }

!llvm.dbg.cu = !{!5}
!llvm.module.flags = !{!10}
!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
!2 = distinct !{!2, !1, !3}
!3 = !{!"teamwork.refused", !"they are too shy", !9}
!5 = distinct !DICompileUnit(language: DW_LANG_C11, file: !6, emissionKind: LineTablesOnly)
!6 = !DIFile(filename: "shy.c", directory: "/")
!7 = !DISubroutineType(types: !{})
!8 = distinct !DISubprogram(name: "scalar", file: !6, line: 5, type: !7, unit: !5, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 7, column: 9, scope: !8)
!10 = !{i32 2, !"Debug Info Version", i32 3}
