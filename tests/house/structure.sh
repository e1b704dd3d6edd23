#!/bin/sh
# The rooms keep to themselves (the table in CONTRIBUTING.md): who may include whom, work on matrices, call BLAS, allocate, draw.
# The program and the Python package are clients: of the library they include public headers only.
# Usage: structure.sh [BUILD]. First the check is tried on small trees with one fault each; then on this one.
set -eu

# check TREE: one line per fault, "file:line: what is wrong".
# shellcheck disable=SC2016 # what awk sees is not for the shell
check() {
    (cd "$1" && find src include bindings -name '*.[ch]' 2>/dev/null | sort | xargs awk '
    function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }

    # The line without comments and the inside of strings, which goes to `said`. `inside` carries a comment over lines.
    function code_of(line,    out, c, two, i, n, quote) {
        n = length(line); out = ""; quote = ""; said = ""
        for (i = 1; i <= n; i++) {
            c = substr(line, i, 1); two = substr(line, i, 2)
            if (inside) { if (two == "*/") { inside = 0; i++ } }
            else if (quote != "") { if (c == "\\") i++; else if (c == quote) quote = ""; else said = said c }
            else if (two == "/*") { inside = 1; i++ }
            else if (two == "//") break
            else if (c == "\"" || c == "\047") quote = c
            else out = out c
        }
        return out
    }

    function calls(code, names) { return code ~ "(^|[^A-Za-z0-9_.>])(" names ")[ \t]*[(]" }

    # The room of src/ROOM/x.c, src/ROOM/FOLDER/x.c and of an included "ROOM/x.h" or "ROOM/FOLDER/x.h" is ROOM.
    # Public headers belong to the room of their name; warning.h, store.h, progress.h and parameter.h to base, since everybody
    # may warn, keep a state, tell how far it is and say what a parameter is called; problem.h to model, fits.h to approximate, general.h to
    # dynamics, chains.h, sampling_plan.h, predict.h and selftest.h to sample, evidence_plan.h to evidence, files.h, run.h and report.h
    # to output, and talweg.h, which has them all, to the last one.
    function room_of(path,    part, n) {
        sub(/^(src|include)[/]/, "", path)
        n = split(path, part, "/")
        if (part[1] != "talweg") return part[1]
        sub(/[.]h$/, "", part[n])
        if (part[n] == "parameter" || part[n] == "team" || part[n] == "warning" || part[n] == "store" ||
            part[n] == "progress") return "base"
        if (part[n] == "team_mpi") return "mpi"
        if (part[n] == "fits") return "approximate"
        if (part[n] == "evidence_plan") return "evidence"
        if (part[n] == "problem") return "model"
        if (part[n] == "general") return "dynamics"
        if (part[n] == "chains" || part[n] == "predict" || part[n] == "selftest" ||
            part[n] == "sampling_plan") return "sample"
        if (part[n] == "files" || part[n] == "run" || part[n] == "report") return "output"
        return part[n] == "talweg" ? "cli" : part[n]
    }

    # Who may work on n x n arrays: all others hold a Gaussian, and know of linalg only vectors and sizes. Allowed by
    # name: eigenvectors and determinants of small d x d problems, a target of a few dimensions (Figure 1) and a Jacobian.
    function check_matrices(from, target) {
        if (from in matrices) return
        if (target == "gaussian/dense_inside.h") fault("only gaussian may look inside a dense Gaussian")
        if (target !~ /^linalg\// || target == "linalg/vector.h" || target == "linalg/size.h") return
        if (target == "linalg/eigen.h" && FILENAME ~ /^src\/dynamics\/(general|softabs)[.]c$/) return
        if (target == "linalg/determinant.h" && FILENAME == "src/sample/selftest_dynamics.c") return
        fault("no n x n arrays here: ask a Gaussian (gaussian/gaussian.h) instead of " target)
    }

    # Square arrays may be had elsewhere only by output, for a matrix on its way from a file to the model.
    function check_square(code,    part, factor, i) {
        if (room in matrices || room == "output" || !match(code, /tw_allocate_doubles[(]/)) return
        if (split(substr(code, RSTART + RLENGTH), part, /, */) < 3) return
        if (part[2] == part[3] && part[2] != "1") fault("no n x n arrays here: " part[2] " x " part[3])
        for (i = 2; i <= 3; i++)
            if (split(part[i], factor, / *[*] */) == 2 && factor[1] == factor[2])
                fault("no n x n arrays here: " part[i])
    }

    function check_include(from, target,    to) {
        if (target ~ /(cblas|lapack)/) {
            if (from != "linalg") fault("only linalg may include " target)
            return
        }
        if (is_client && quoted && target ~ "/" && target !~ /^(talweg|cli)\// && target != "bench/measure.h") {
            fault("a client includes talweg/*.h and headers of its own, not " target)
            return
        }
        if (from == "bindings") return
        check_matrices(from, target)
        if (target !~ "/") {
            if (quoted) fault("include \"" target "\" as \"room/file.h\"")
            return
        }
        # What talweg bench measures with is no room: it stands beside the library, and only the program knows it.
        if (target == "bench/measure.h") {
            if (from != "cli") fault("only cli may include " target)
            return
        }
        to = room_of(target)
        if (!(to in rank)) { if (quoted || target ~ /^talweg\//) fault("\"" to "\" is not a room"); return }
        if (rank[to] > rank[from]) fault(from " may not include " to ", which is below it")
        if ((from, to) in forbidden) fault(from " may not know " to)
    }

    BEGIN {
        n = split("base mpi math linalg data sparse covariance gaussian likelihood model distributed prior approximate fit diagnose dynamics sample " \
                  "evidence hyper check output cli", rooms, " ")
        for (i = 1; i <= n; i++) rank[rooms[i]] = i
        forbidden["likelihood", "covariance"]; forbidden["likelihood", "gaussian"]
        forbidden["diagnose", "dynamics"]; forbidden["diagnose", "sample"]; forbidden["diagnose", "evidence"]
        matrices["linalg"]; matrices["sparse"]; matrices["covariance"]; matrices["gaussian"]; matrices["distributed"]
    }

    # What the program prints for a terminal: names of files, and sentences that may have such a name in them, pass
    # tw_plain (whose argument is taken out of the statement first).
    function check_plain(code,    text) {
        if (statement == "") { # up to here there may be a condition
            if (!calls(code, "f?printf|f?puts")) return
            match(code, /f?(printf|puts)[ \t]*[(]/)
            code = substr(code, RSTART)
        }
        statement = statement " " code
        if (code !~ /;[ \t]*$/) return
        text = statement
        statement = ""
        gsub(/tw_(make_)?plain[(][^()]*([(][^()]*[)][^()]*)*[)]/, "", text)
        if (match(text, /(^|[^A-Za-z0-9_])(file|path|data|from|[A-Za-z_]+(->|[.])(file|path|data|from)|path\[[a-z]+\])[ \t]*[,)]/))
            fault("a name from outside is printed without tw_plain:" substr(text, RSTART, RLENGTH))
        else if (calls(text, "printf|puts") && text ~ /[^A-Za-z0-9_](words|p->words|r->words)[ \t]*[,)]/)
            fault("words that may hold a name are printed without tw_plain")
    }

    FNR == 1 {
        inside = 0
        statement = ""
        room = room_of(FILENAME)
        is_client = room == "cli" || room == "bindings"
        if (!(room in rank) && !is_client) fault("\"" room "\" is not a room")
    }
    {
        raw = $0
        code = code_of(raw)
        if (code ~ /^[ \t]*#[ \t]*include/) {
            quoted = raw ~ /include[ \t]*"/
            target = raw
            sub(/^[^"<]*["<]/, "", target); sub(/[">].*$/, "", target)
            if (room in rank || is_client) check_include(room, target)
        }
        check_square(code)
        if (room == "cli") check_plain(code)
        # Options belong to the program: the library says what is wrong, each front end what to turn. Styles of the
        # page, and what gnuplot is asked, look like options and are none.
        if (said ~ /--/ && room != "cli" && room != "bindings" &&
            FILENAME !~ /^src\/output\/report\/(style|figure|svg_inline|gnuplot)[.]c$/)
            fault("a text of the library names an option of the program: " said)
        if (FILENAME != "src/base/context.c" && room != "bindings" &&
            calls(code, "malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|posix_memalign|asprintf"))
            fault("only src/base/context.c may allocate: use tw_allocate and tw_release")
        if (calls(code, "rand|srand|rand_r|random|srandom|drand48|erand48|lrand48|srand48|arc4random"))
            fault("a hidden generator: use a tw_stream of math/random.h")
    }')
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# try FILE TEXT EXPECTED: a tree whose only file is FILE must give a fault with EXPECTED in it (none: "").
try() {
    rm -rf "$place/tree"
    mkdir -p "$place/tree/include/talweg" "$place/tree/src" "$(dirname "$place/tree/$1")"
    printf '%s\n' "$2" >"$place/tree/$1"
    found=$(check "$place/tree")
    if [ -n "$3" ]; then
        case $found in *"$3"*) return ;; esac
    elif [ -z "$found" ]; then
        return
    fi
    printf 'structure.sh is broken: %s with\n%s\ngave "%s", not "%s"\n' "$1" "$2" "$found" "$3" >&2
    exit 1
}

try src/math/a.c '#include "linalg/cholesky.h"' 'math may not include linalg'
try src/base/a.h '#include <talweg/data.h>' 'base may not include data'
try include/talweg/base.h '#include <talweg/data.h>' 'base may not include data'
try src/likelihood/a.c '#include "covariance/kernel.h"' 'likelihood may not know covariance'
try src/likelihood/a.c '#include "gaussian/gaussian.h"' 'likelihood may not know gaussian'
try src/gaussian/a.c '#include "likelihood/likelihood.h"' 'gaussian may not include likelihood'
try src/dynamics/a.c '#include "linalg/cholesky.h"' 'no n x n arrays here'
try src/approximate/a.c '#include "linalg/product.h"' 'no n x n arrays here'
try src/dynamics/riemann.c '#include "linalg/eigen.h"' 'no n x n arrays here'
try src/sample/hmc.c '#include "linalg/determinant.h"' 'no n x n arrays here'
try src/model/a.c '#include "gaussian/dense_inside.h"' 'only gaussian may look inside'
try src/evidence/a.c 'tw_allocate_doubles(ctx, n, n, "K", &k);' 'no n x n arrays here: n x n'
try src/evidence/a.c 'tw_allocate_doubles(w->ctx, n, columns, "x", &x); tw_allocate_doubles(ctx, 1, 1, "y", &y);' ''
try src/evidence/a.c 'tw_allocate_doubles(ctx, n * n, 1, "K", &k);' 'no n x n arrays here: n * n'
try src/evidence/a.c 'tw_allocate_doubles(ctx, 1, a->n * a->n, "K", &k);' 'no n x n arrays here: a->n * a->n'
try src/evidence/a.c 'tw_allocate_doubles(ctx, 2 * n, 1, "x", &x); tw_allocate_doubles(ctx, n * d, 1, "y", &y);' ''
try src/output/a.c 'tw_allocate_doubles(ctx, n, n, "the kernel matrix", &k);' ''
try src/dynamics/a.c '#include "linalg/vector.h"' ''
try src/dynamics/softabs.c '#include "linalg/eigen.h"' ''
try src/gaussian/a.c '#include "linalg/factor.h"' ''
try src/diagnose/a.c '#include "sample/chain.h"' 'diagnose may not know sample'
try src/cli/a.c '  #  include "math/normal.h"' 'headers of its own, not math/normal.h'
try src/cli/a.c '#include "output/run/file.h"' 'headers of its own, not output/run/file.h'
try bindings/python/source/a.c '#include "base/context.h"' 'headers of its own, not base/context.h'
try src/sample/a.c '#include "bench/measure.h"' 'only cli may include bench/measure.h'
try src/cli/a.c '#include "bench/support_time.h"' 'headers of its own, not bench/support_time.h'
try src/model/a.c '#include <talweg/talweg.h>' 'model may not include cli'
try src/model/a.c '#include <talweg/general.h>' 'model may not include dynamics'
try src/model/a.c '#include <cblas.h>' 'only linalg may include cblas.h'
try src/model/a.c '#include "x.h"' 'as "room/file.h"'
try src/model/a.c '#include "attic/x.h"' '"attic" is not a room'
try src/attic/a.c 'int x;' '"attic" is not a room'
try src/model/folder/a.c '#include "output/run/file.h"' 'model may not include output'
try src/model/folder/a.c '#include "attic/model/x.h"' '"attic" is not a room'
try src/output/run/a.c '#include "output/journal/frame.h"
#include "model/model.h"' ''
try src/model/a.c '/* one' ''
try src/model/a.c 'x = malloc (8); /* no */' 'may allocate'
try src/model/a.c '/* a */ free(x);' 'may allocate'
try src/model/a.c 'double u = drand48();' 'a hidden generator'
try src/model/a.c 'return tw_fail(ctx, TW_BAD_DATA, "raise --draws");' 'names an option'
try include/talweg/warning.h 'X(A, "a", "use --eps")' 'names an option'
try src/model/a.c 'x--; /* --x, "--y" */ puts("a-b - c");' ''
try src/cli/a.c 'puts("--draws");' ''
try src/cli/a.c 'printf("%s: ", o->model.data);' 'printed without tw_plain'
try src/cli/a.c 'fprintf(to, "%s of\n"
    "%s", tw_plain(name(k)), path);' 'printed without tw_plain'
try src/cli/a.c 'printf("%s\n", words);' 'printed without tw_plain'
try src/cli/a.c 'printf("%s: %s", tw_plain(o->model.data), tw_plain(words));
    snprintf(to, 9, "%s", path);' ''
try src/linalg/a.c '#include <lapacke.h>' ''
try src/cli/a.c '#include <talweg/talweg.h>' ''
try src/cli/a.c '#include "bench/measure.h"
#include "cli/options.h"
#include <sys/stat.h>
#include "talweg/run.h"' ''
try bindings/python/source/a.c '#include "binding.h"
#include <numpy/arrayobject.h>
void f(void) { free(malloc(8)); }' ''
try src/base/context.c 'free(malloc(8));' ''
try src/model/a.c '#include "data/data.h" /* free(x), rand() */ // malloc(8)
#include "talweg/base.h"
const char *s = "free(x) \" rand()"; tw_free(x); ctx->free(x); from.free(y);' ''

found=$(check .)
[ -z "$found" ] || { printf '%s\n' "$found" >&2; exit 1; }
