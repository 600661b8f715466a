# SPDX-License-Identifier: Apache-2.0
#
# Completion of teamwork-info for bash: options, selections of devices, files.

_teamwork_info() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $before in
    -d | --device)
        # the last of a list with commas; ! removes devices
        local front=
        case $word in *,*) front=${word%,*}, word=${word##*,} ;; esac
        local kinds='host gpu cpu accelerator sim omp * !host !gpu !cpu !accelerator !sim !omp'
        local kind
        set -f
        for kind in $kinds; do
            case $kind in "$word"*) COMPREPLY+=("$front$kind") ;; esac
        done
        set +f
        ;;
    *)
        case $word in
        -*)
            local options='--all --check --device --help --json --toolchain --topology --version'
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        esac
        ;;
    esac
}

complete -o filenames -F _teamwork_info teamwork-info
