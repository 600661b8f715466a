# SPDX-License-Identifier: Apache-2.0
"""The compiler component on small inputs (tests.cmake has the command): ir/ has each pass alone, c/ what becomes of kernels in C.

    %tw_opt      opt with the component loaded, for text
    %keeps PASS  the functions of a file whose names begin with keeps_ are what they were, but for marks of loops; behind the file, an
                 option for opt
    %tw_clang    clang with the component loaded, and the headers of the library
    %kernel_cc   the same, for kernels of the host
    %remarks     its options for all remarks of the component
"""
import os
import platform

import lit.formats

config.name = "compiler"
config.suffixes = [".ll", ".c"]
config.excludes = ["random_kernels.c"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]

tw_opt = "%(opt)s -load-pass-plugin=%(plugin)s -S" % lit_config.params
tw_clang = "%(clang)s %(includes)s -std=c17 -fopenmp -DTW_SPLIT -fpass-plugin=%(plugin)s" % lit_config.params
keeps = os.path.join(config.test_source_root, "ir", "keeps.sh")
config.substitutions += [
    ("%tw_opt", tw_opt),
    ("%keeps", "sh %s '%s' %%t" % (keeps, tw_opt)),
    ("%tw_clang", tw_clang),
    ("%kernel_cc", tw_clang + " -DTW_LOWERING_HOST"),
    ("%remarks", "-Rpass=teamwork- -Rpass-missed=teamwork-"),
    ("FileCheck", lit_config.params["filecheck"] + " --dump-input=fail"),
]
if "CPATH" in os.environ:  # where toolchains/clang.sh puts OpenMP's headers
    config.environment["CPATH"] = os.environ["CPATH"]
config.available_features.add("llvm-" + lit_config.params["llvm"])
config.available_features.add("host-" + platform.machine())
for target in lit_config.params["targets"].split(","):
    config.available_features.add(target)
