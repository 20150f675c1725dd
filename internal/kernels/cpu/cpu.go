package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Path names a set of instructions. Results do not depend on it, speed does.
type Path string

// The paths, fastest first.
const (
	AVX512   Path = "avx512"   // AVX-512 F, BW, DQ and VL, and AVX2
	AVX2     Path = "avx2"     // AVX2 and FMA
	Portable Path = "portable" // plain Go, the only path of other architectures and with build tag noasm
)

// Variable is the environment variable that selects another path than the fastest.
const Variable = "COLLABDICT_CPU"

var (
	all           = append(vectors(), Portable)
	active, wrong = choose(os.Getenv(Variable), all)
)

// Active returns the path of this process: the one that [Variable] names, otherwise the
// fastest.
func Active() Path { return active }

// All returns the paths that this machine can run, fastest first.
func All() []Path { return slices.Clone(all) }

// Check returns an error if [Variable] names no path, or one that this machine cannot run. The
// process then uses its fastest path.
func Check() error { return wrong }

// IsFMASlow reports whether [math.FMA] is emulated on this machine. The portable kernels then
// take some hundred times as long as others.
func IsFMASlow() bool { return isFMASlow }

func choose(wanted string, from []Path) (Path, error) {
	if wanted == "" {
		return from[0], nil
	}
	if i := slices.Index(from, Path(wanted)); i >= 0 {
		return from[i], nil
	}
	var names []string
	for _, p := range from {
		names = append(names, string(p))
	}
	return from[0], fmt.Errorf("%s: want one that this processor and program have (%s), got %q", Variable, strings.Join(names, ", "), wanted)
}
