#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: same.sh START MOVED
#
# Runs a program and the moved one, on the x86-64 device, on the host, and on a simulated device, which checks accesses.
# Programs of teams print what is right, whatever the number of threads: START is run for others only. CUDA programs check
# themselves, and START is "cuda".
set -eu
case $1 in
*teams*) expected="advance 200.000" ;;
cuda) expected=right ;;
*) expected=$("$1") ;;
esac
for devices in omp host sim; do
    case $devices$2 in
    sim*refused*) continue ;; # a simulated device does not reach what OpenMP has mapped
    esac
    output=$(TW_SIM=1 TW_SIM_CHECK=1 TW_DEVICES=$devices "$2")
    if [ "$output" != "$expected" ]; then
        echo "TW_DEVICES=$devices: the moved program prints"
        echo "$output"
        echo "and not"
        echo "$expected"
        exit 1
    fi
done
