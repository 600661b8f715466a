#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: same.sh START MOVED
#
# Runs a program and the moved one, on the x86-64 device and on the host. Programs of teams print what is right, whatever
# the number of threads: START is run for others only.
set -eu
case $1 in
*teams*) expected="advance 200.000" ;;
*) expected=$("$1") ;;
esac
for devices in omp host; do
    output=$(TW_DEVICES=$devices "$2")
    if [ "$output" != "$expected" ]; then
        echo "TW_DEVICES=$devices: the moved program prints"
        echo "$output"
        echo "and not"
        echo "$expected"
        exit 1
    fi
done
