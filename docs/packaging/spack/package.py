# SPDX-License-Identifier: Apache-2.0
#
# For a repository of Spack: packages/teamwork/package.py. Kernels are compiled by LLVM's clang, also those of programs
# that use the library, so its compiler is a dependency for building and linking.
from spack.package import *


class Teamwork(CMakePackage):
    """The SYCL programming model in C, on LLVM OpenMP offload: queues, buffers and accessors, with kernels that are C
    functions in the same source file."""

    license("Apache-2.0")
    git = "https://teamwork.invalid/teamwork.git"

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("compiler", default=True, description="The plugin of clang that makes loops of kernels")
    variant("tools", default=True, description="The program teamwork-info")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("llvm@19:22 +clang +lld openmp=runtime +libomptarget", type=("build", "link", "run"))
    depends_on("hwloc@2:")
    depends_on("boost +context")

    generator("ninja")

    def cmake_args(self):
        llvm = self.spec["llvm"].prefix
        return [
            self.define("CMAKE_C_COMPILER", llvm.bin.clang),
            self.define("CMAKE_CXX_COMPILER", join_path(llvm.bin, "clang++")),
            self.define("TEAMWORK_LLVM_ROOT", llvm),
            self.define("TEAMWORK_BUILD_TESTS", self.run_tests),
            self.define("TEAMWORK_BUILD_EXAMPLES", False),
            self.define_from_variant("TEAMWORK_BUILD_COMPILER", "compiler"),
            self.define_from_variant("TEAMWORK_BUILD_TOOLS", "tools"),
        ]
