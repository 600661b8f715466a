; Vectors of which there are more than registers are loaded where they are used.
; RUN: %tw_opt -passes=tw-load-near-uses %s | FileCheck %s
; RUN: %keeps tw-load-near-uses %s

; REQUIRES: x86

target triple = "x86_64-pc-linux-gnu"

declare void @anything()

; CHECK-LABEL: @sums(
; CHECK: load <4 x float>
; CHECK: fadd
; CHECK: load <4 x float>
; CHECK: fadd
; CHECK: ret
define <4 x float> @sums(ptr noalias %x, ptr noalias %out, <4 x float> %a) "teamwork.host"="sums" "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

; They fit the registers.
define <4 x float> @keeps_few(ptr noalias %x, ptr noalias %out, <4 x float> %a) "teamwork.host"="keeps_few" "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  ret <4 x float> %s.7
}

; What is stored in between may be what was loaded.
define <4 x float> @keeps_order_of_store(ptr %x, ptr %out, <4 x float> %a) "teamwork.host"="keeps_order_of_store" "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  store <4 x float> %a, ptr %out, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

define <4 x float> @keeps_order_of_call(ptr %x, ptr %out, <4 x float> %a) "teamwork.host"="keeps_order_of_call" "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  call void @anything()
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

define <4 x float> @keeps_volatile(ptr noalias %x, ptr noalias %out, <4 x float> %a) "teamwork.host"="keeps_volatile" "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load volatile <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load volatile <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load volatile <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load volatile <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load volatile <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load volatile <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load volatile <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load volatile <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load volatile <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load volatile <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load volatile <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load volatile <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load volatile <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load volatile <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load volatile <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load volatile <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load volatile <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load volatile <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load volatile <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load volatile <4 x float>, ptr %at.19, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

; Not of a kernel.
define <4 x float> @keeps_other_function(ptr noalias %x, ptr noalias %out, <4 x float> %a) "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

define <4 x float> @keeps_unoptimized(ptr noalias %x, ptr noalias %out, <4 x float> %a) "teamwork.host"="keeps_unoptimized" optnone noinline "teamwork.budget"="1000" {
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  ret <4 x float> %s.19
}

; CHECK-LABEL: @sums_in_loop(
; CHECK-NOT: load
; CHECK: loop:
; CHECK: load <4 x float>
; CHECK: fadd
; CHECK: load <4 x float>
; CHECK: fadd
; CHECK: ret
define void @sums_in_loop(ptr noalias %x, ptr noalias %out, i64 %n) "teamwork.host"="sums_in_loop" "teamwork.budget"="1000" {
entry:
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr inbounds <4 x float>, ptr %out, i64 %i
  %a = load <4 x float>, ptr %to, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  store <4 x float> %s.19, ptr %to, align 16
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The loop may write what was loaded in front of it.
define void @keeps_loop_that_writes(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_loop_that_writes" "teamwork.budget"="1000" {
entry:
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr inbounds <4 x float>, ptr %out, i64 %i
  %a = load <4 x float>, ptr %to, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  store <4 x float> %s.19, ptr %to, align 16
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; So may what is in front of the loop.
define void @keeps_store_in_front(ptr noalias %x, ptr noalias %out, i64 %n) "teamwork.host"="keeps_store_in_front" "teamwork.budget"="1000" {
entry:
  %at.0 = getelementptr inbounds <4 x float>, ptr %x, i64 0
  %v.0 = load <4 x float>, ptr %at.0, align 16
  %at.1 = getelementptr inbounds <4 x float>, ptr %x, i64 1
  %v.1 = load <4 x float>, ptr %at.1, align 16
  %at.2 = getelementptr inbounds <4 x float>, ptr %x, i64 2
  %v.2 = load <4 x float>, ptr %at.2, align 16
  %at.3 = getelementptr inbounds <4 x float>, ptr %x, i64 3
  %v.3 = load <4 x float>, ptr %at.3, align 16
  %at.4 = getelementptr inbounds <4 x float>, ptr %x, i64 4
  %v.4 = load <4 x float>, ptr %at.4, align 16
  %at.5 = getelementptr inbounds <4 x float>, ptr %x, i64 5
  %v.5 = load <4 x float>, ptr %at.5, align 16
  %at.6 = getelementptr inbounds <4 x float>, ptr %x, i64 6
  %v.6 = load <4 x float>, ptr %at.6, align 16
  %at.7 = getelementptr inbounds <4 x float>, ptr %x, i64 7
  %v.7 = load <4 x float>, ptr %at.7, align 16
  %at.8 = getelementptr inbounds <4 x float>, ptr %x, i64 8
  %v.8 = load <4 x float>, ptr %at.8, align 16
  %at.9 = getelementptr inbounds <4 x float>, ptr %x, i64 9
  %v.9 = load <4 x float>, ptr %at.9, align 16
  %at.10 = getelementptr inbounds <4 x float>, ptr %x, i64 10
  %v.10 = load <4 x float>, ptr %at.10, align 16
  %at.11 = getelementptr inbounds <4 x float>, ptr %x, i64 11
  %v.11 = load <4 x float>, ptr %at.11, align 16
  %at.12 = getelementptr inbounds <4 x float>, ptr %x, i64 12
  %v.12 = load <4 x float>, ptr %at.12, align 16
  %at.13 = getelementptr inbounds <4 x float>, ptr %x, i64 13
  %v.13 = load <4 x float>, ptr %at.13, align 16
  %at.14 = getelementptr inbounds <4 x float>, ptr %x, i64 14
  %v.14 = load <4 x float>, ptr %at.14, align 16
  %at.15 = getelementptr inbounds <4 x float>, ptr %x, i64 15
  %v.15 = load <4 x float>, ptr %at.15, align 16
  %at.16 = getelementptr inbounds <4 x float>, ptr %x, i64 16
  %v.16 = load <4 x float>, ptr %at.16, align 16
  %at.17 = getelementptr inbounds <4 x float>, ptr %x, i64 17
  %v.17 = load <4 x float>, ptr %at.17, align 16
  %at.18 = getelementptr inbounds <4 x float>, ptr %x, i64 18
  %v.18 = load <4 x float>, ptr %at.18, align 16
  %at.19 = getelementptr inbounds <4 x float>, ptr %x, i64 19
  %v.19 = load <4 x float>, ptr %at.19, align 16
  call void @anything()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr inbounds <4 x float>, ptr %out, i64 %i
  %a = load <4 x float>, ptr %to, align 16
  %s.0 = fadd <4 x float> %a, %v.0
  %s.1 = fadd <4 x float> %s.0, %v.1
  %s.2 = fadd <4 x float> %s.1, %v.2
  %s.3 = fadd <4 x float> %s.2, %v.3
  %s.4 = fadd <4 x float> %s.3, %v.4
  %s.5 = fadd <4 x float> %s.4, %v.5
  %s.6 = fadd <4 x float> %s.5, %v.6
  %s.7 = fadd <4 x float> %s.6, %v.7
  %s.8 = fadd <4 x float> %s.7, %v.8
  %s.9 = fadd <4 x float> %s.8, %v.9
  %s.10 = fadd <4 x float> %s.9, %v.10
  %s.11 = fadd <4 x float> %s.10, %v.11
  %s.12 = fadd <4 x float> %s.11, %v.12
  %s.13 = fadd <4 x float> %s.12, %v.13
  %s.14 = fadd <4 x float> %s.13, %v.14
  %s.15 = fadd <4 x float> %s.14, %v.15
  %s.16 = fadd <4 x float> %s.15, %v.16
  %s.17 = fadd <4 x float> %s.16, %v.17
  %s.18 = fadd <4 x float> %s.17, %v.18
  %s.19 = fadd <4 x float> %s.18, %v.19
  store <4 x float> %s.19, ptr %to, align 16
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
