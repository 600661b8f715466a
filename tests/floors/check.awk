# SPDX-License-Identifier: Apache-2.0
#
# usage: awk -f check.awk floors.txt FACTS
#
# FACTS is what check.sh found: lines "file PATH", "defines PATH SYMBOL", "needs PATH SYMBOL", "includes PATH <NAME"
# and "includes PATH "NAME". A module is a .c or .cpp file with the .h file of the same name beside it, or, where PATH
# ends with a slash, the objects of a folder. A use leads from one module to another; uses are numbered.

function fail(text)
{
    print text
    failures++
}

function module_of(path)
{
    sub(/\.(c|cpp|h)$/, "", path)
    return path
}

# The floor of a file: that of the first pattern of the table that matches.
function floor_of(path,    i)
{
    if (!(path in floor_cache)) {
        floor_cache[path] = ""
        for (i = 1; i <= patterns && floor_cache[path] == ""; i++)
            if (path ~ pattern[i]) {
                floor_cache[path] = pattern_floor[i]
                pattern_matches[i]++
            }
    }
    return floor_cache[path]
}

# The file that an #include line means: one beside the file with the line, then one in the folders of the table.
function included_file(from, name,    folder, i)
{
    folder = from
    sub(/[^\/]*$/, "", folder)
    if (sub(/^"/, "", name) && (folder name) in is_file)
        return folder name
    sub(/^</, "", name)
    for (i = 1; i <= folders; i++)
        if ((search_folder[i] "/" name) in is_file)
            return search_folder[i] "/" name
    return ""
}

# Notes that file `from` uses `what`, a symbol or the word #include, of file `to`.
function note_use(from, to, what, is_door,    a, b, e, sentence)
{
    a = module_of(from)
    b = module_of(to)
    if (a == b)
        return
    sentence = "\n    " from " uses " what " of " to
    if (!((a, b) in use_of)) {
        e = use_of[a, b] = ++uses
        used[e] = b
        edge[a, ++degree[a]] = e
        first_sentence[e] = sentence
    }
    e = use_of[a, b]
    if (!is_door && !((floor_of(from), floor_of(to)) in below))
        upward[e] = upward[e] sentence " (" floor_of(from) ", " floor_of(to) ")"
}

# Visits what module `a` uses, depth first. A use that leads back to a module on the way closes a circle: it is reported
# and cut.
function visit(a,    i, j, e, text)
{
    state[a] = "on the way"
    way[++depth] = a
    for (i = 1; i <= degree[a]; i++) {
        e = edge[a, i]
        if (cut[e])
            continue
        taken[depth] = e
        if (!state[used[e]]) {
            visit(used[e])
        } else if (state[used[e]] == "on the way") {
            cut[e] = 1
            text = ""
            for (j = depth; ; j--) {
                text = first_sentence[taken[j]] text
                if (way[j] == used[e])
                    break
            }
            fail("circle of files:" text)
        }
    }
    depth--
    state[a] = "visited"
}

# Whether uses that are not cut lead from module `a` to module `b`. `search` is another number for each question.
function reaches(a, b, search,    i)
{
    if (a == b)
        return 1
    if (searched[a] == search)
        return 0
    searched[a] = search
    for (i = 1; i <= degree[a]; i++)
        if (!cut[edge[a, i]] && reaches(used[edge[a, i]], b, search))
            return 1
    return 0
}

# ---- the table -------------------------------------------------------------------------------------------------------

FNR == 1 { inputs++ }

inputs == 1 && (/^#/ || NF == 0) { next }

inputs == 1 && $1 == "floor" {
    below[$2, $2] = 1
    is_floor[$2] = 1
    for (i = 4; i <= NF; i++) {
        if ($3 != "above" || !($i in is_floor))
            fail("floors.txt: " $0 ": \"" $i "\" is not a floor of a line before this one")
        for (name in is_floor)
            if (($i, name) in below)
                below[$2, name] = 1
    }
    next
}

inputs == 1 && ($1 == "files" || $1 == "still") && $2 in is_floor {
    for (i = 3; i <= NF; i++) {
        pattern_text[++patterns] = $i
        pattern_floor[patterns] = $2
        must_match[patterns] = $1 == "still"
        gsub(/\./, "\\.", $i)
        gsub(/\*/, "[^/]*", $i)
        pattern[patterns] = "^" $i "$"
    }
    next
}

inputs == 1 && $1 == "door" && $2 in is_floor {
    for (i = 3; i <= NF; i++)
        door[$2, $i] = 1
    next
}

inputs == 1 && $1 == "programs" && NF == 2 && $2 in is_floor {
    is_program[$2] = 1
    next
}

inputs == 1 && $1 == "include" {
    for (i = 2; i <= NF; i++)
        search_folder[++folders] = $i
    next
}

inputs == 1 && $1 == "allowed" && NF == 3 {
    allowed_user[++allowed] = $2
    allowed_used[allowed] = $3
    next
}

inputs == 1 {
    fail("floors.txt: cannot understand: " $0)
    next
}

# ---- the facts -------------------------------------------------------------------------------------------------------

$1 == "file" {
    file[++files] = $2
    is_file[$2] = 1
    if (floor_of($2) == "")
        fail($2 " is on no floor")
}

$1 == "defines" {
    definer[$3] = $2
    has_object[$2] = 1
    has_folders = has_folders || $2 ~ /\/$/
}

$1 == "needs" {
    need_file[++needs] = $2
    need_symbol[needs] = $3
    has_object[$2] = 1
}

$1 == "includes" {
    include_file[++includes] = $2
    include_name[includes] = $3
}

# ---- the comparison --------------------------------------------------------------------------------------------------

END {
    for (i = 1; i <= files; i++)
        if ((file[i] ~ /\.c$/ || (has_folders && file[i] ~ /\/$/)) && !(file[i] in has_object) &&
            !(floor_of(file[i]) in is_program))
            fail(file[i] " has no object file")
    for (path in has_object)
        if (!(path in is_file))
            fail("an object file is made of " path ", which does not exist")
    if (failures)
        exit 1
    for (i = 1; i <= patterns; i++)
        if (must_match[i] && !pattern_matches[i])
            fail("floors.txt: take out of its line: " pattern_text[i] " (no file of that name is still there)")

    for (i = 1; i <= includes; i++) {
        path = included_file(include_file[i], include_name[i])
        if (path != "")
            note_use(include_file[i], path, "#include", 0)
        else if (include_name[i] ~ /^"/)
            fail(include_file[i] " includes " include_name[i] "\", which is in no folder of floors.txt")
    }
    for (i = 1; i <= needs; i++)
        if (need_symbol[i] in definer)
            note_use(need_file[i], definer[need_symbol[i]], need_symbol[i],
                     (floor_of(need_file[i]), need_symbol[i]) in door)

    for (i = 1; i <= allowed; i++)
        if ((allowed_user[i], allowed_used[i]) in use_of)
            cut[use_of[allowed_user[i], allowed_used[i]]] = 1
    for (i = 1; i <= uses; i++)
        if (upward[i] && !cut[i]) {
            fail("use of a file that is not on a floor below:" upward[i])
            cut[i] = 1
        }
    for (i = 1; i <= files; i++)
        if (!state[module_of(file[i])])
            visit(module_of(file[i]))

    # An entry is needed if its use goes upward, or closes a circle of uses that are not allowed specially.
    for (i = 1; i <= allowed; i++) {
        entry = "floors.txt: take out \"allowed " allowed_user[i] " " allowed_used[i] "\": "
        if (!((allowed_user[i], allowed_used[i]) in use_of))
            fail(entry "there is no such use any more")
        else if (!upward[use_of[allowed_user[i], allowed_used[i]]] && !reaches(allowed_used[i], allowed_user[i], i))
            fail(entry "it goes down and is on no circle any more")
    }

    print files + 0 " files with " uses + 0 " uses of each other; allowed for now: " allowed + 0
    exit failures > 0
}
