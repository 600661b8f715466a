#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first comment of a header describes the file. What the linker defines is nobody's.
exec sed -e '/^extern const void .*__st[a-z]*_tw_kernels/d' -e '0,/^\/\*\*/s||/** @file\n *|' "$1"
