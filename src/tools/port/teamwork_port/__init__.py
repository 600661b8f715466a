# SPDX-License-Identifier: Apache-2.0
"""teamwork-port: turns OpenMP target regions of C and C-like C++ into Teamwork kernels.

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
    main.py       the command line, differences, reports
"""
