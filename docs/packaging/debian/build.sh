#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh docs/packaging/debian/build.sh OUTPUT_DIRECTORY [--install-in-chroot]
#
# Builds the Debian source package of the committed tree and its binary packages, and lets lintian look at them. With
# --install-in-chroot it installs them, with what they depend on, in a new Debian below a temporary folder, and runs the
# tests of the packages there; that needs root and a mirror. Needs debhelper, dpkg-dev, fakeroot, lintian, and mmdebstrap.
set -eu
cd "$(dirname "$0")/../../.."
[ $# -ge 1 ] || { echo "usage: sh docs/packaging/debian/build.sh OUTPUT_DIRECTORY [--install-in-chroot]"; exit 2; }
mkdir -p "$1"
output=$(cd "$1" && pwd)
version=$(sed -n 's/^teamwork (\(.*\)-.*).*/\1/p' docs/packaging/debian/changelog)
source=$output/teamwork-$version

rm -rf "$source"
# without the inputs of the fuzzers, some of which are broken ELF files
git archive --prefix="teamwork-$version/" HEAD -- . ':!tests/fuzz/corpus' | tar -x -C "$output"
tar -C "$output" -cJf "$output/teamwork_$version.orig.tar.xz" "teamwork-$version"
cp -r docs/packaging/debian "$source/debian"
rm "$source/debian/build.sh"
(cd "$source" && dpkg-buildpackage --unsigned-source --unsigned-changes)
# an upload to Debian would close the bug that asked for the package
lintian --fail-on error,warning --suppress-tags bad-distribution-in-changes-file,initial-upload-closes-no-bugs "$output"/teamwork_*.changes

[ "${2:-}" = --install-in-chroot ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install='apt-get install -y --no-install-recommends /packages/*.deb pkg-config cmake ninja-build libboost-context-dev'
purge='apt-get purge -y "*teamwork*" && ! find /usr /etc -name "*teamwork*" | grep .'
mmdebstrap --variant=apt --include=ca-certificates \
    --customize-hook='mkdir "$1/packages"' \
    --customize-hook="cp $output/*.deb $source/debian/tests/build-and-run \"\$1/packages\"" \
    --customize-hook="chroot \"\$1\" sh -c '$install'" \
    --customize-hook='chroot "$1" sh /packages/build-and-run' \
    --customize-hook="chroot \"\$1\" sh -c '$purge'" \
    bookworm "$work/debian.tar"
