# SPDX-License-Identifier: Apache-2.0
"""teamwork-port: turns OpenMP target regions of C and C-like C++, and CUDA programs, into Teamwork kernels.

The modules, from below; each uses those above it in this list alone:

    source.py     files, lines, positions; what is edited and what is refused
    clauses.py    OpenMP directives as text: words, clauses, map items
    tree.py       clang's syntax tree, one node for each cursor, with parents
    loops.py      loop nests in canonical form
    access.py     how a body uses a variable: reads, writes, in functions that it calls too
    calls.py      whether the functions that a body calls can be part of a kernel
    captures.py   what a region takes from outside, and as what
    body.py       the text of a body inside of a kernel: atomic directives, `continue`, mapped scalars
    functions.py  functions that ask for their thread, or have barriers: copies that take the work-item
    kernel.py     the text of a kernel and of its launch
    teams.py      regions of teams: what the threads of a team share, and barriers
    groups.py     loops over teams with parallel loops among other statements: hierarchical kernels
    region.py     one target region: which form of kernel it becomes
    templates.py  regions in function templates: a kernel for each instantiation
    data.py       data directives as calls of teamwork_port.h
    unit.py       one translation unit: its files, directives and statements, and what is asked about names
    move.py       which directives there are, and what becomes of each

CUDA has modules of its own, which use source.py, tree.py, calls.py, kernel.py and templates.py of these:

    cuda_names.h   what is known of CUDA: declarations that files are parsed with
    cuda_names.py  what each name becomes
    cuda_unit.py   one translation unit: its files, functions and variables
    cuda_kernel.py the text of a kernel and of a launch
    cuda_device.py device functions: which need the work-item, what they must not have, shared memory
    cuda_words.py  the edits of names, and all edits of a file
    cuda_launch.py launches
    cuda.py        kernels, functions and variables of a program
    cuda_main.py   messages and reports; the files that come out, in C or C++

    main.py       the command line, differences, reports
"""
