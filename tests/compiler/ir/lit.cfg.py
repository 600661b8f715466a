# SPDX-License-Identifier: Apache-2.0
"""Each pass of the compiler component alone, on small inputs (tests/CMakeLists.txt has the command).

    %tw_opt      opt with the component loaded, for text
    %keeps PASS  the functions of a file whose names begin with keeps_ are what they were, but for marks of loops; behind the file, an
                 option for opt
"""
import os

import lit.formats

config.name = "passes"
config.suffixes = [".ll"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]

tw_opt = "%(opt)s -load-pass-plugin=%(plugin)s -S" % lit_config.params
keeps = os.path.join(config.test_source_root, "keeps.sh")
config.substitutions += [
    ("%tw_opt", tw_opt),
    ("%keeps", "sh %s '%s' %%t" % (keeps, tw_opt)),
    ("FileCheck", lit_config.params["filecheck"] + " --dump-input=fail"),
]
config.available_features.add("llvm-" + lit_config.params["llvm"])
for target in lit_config.params["targets"].split(","):
    config.available_features.add(target)
