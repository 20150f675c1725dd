// Package algorithms is the registry of all algorithms in the program, one per line. Nothing
// else in the program names one.
package algorithms

import (
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/option"
)

// all are the algorithms, the default first.
var all = []algorithm.Kind{
	ggm.Kind,
	fedgen.Kind,
	dem.Kind,
	fedgem.Kind,
	multitask.Kind,
	beta.Kind,
	cgau.Kind,
}

// Default returns the default algorithm.
func Default() algorithm.Kind { return all[0] }

// All returns all algorithms.
func All() []algorithm.Kind { return slices.Clone(all) }

// Register adds an algorithm from outside this repository. It panics if the name is taken. It must
// be called before the other functions, and not at the same time.
func Register(k algorithm.Kind) {
	if _, ok := Lookup(k.Name); ok {
		panic("algorithms: two algorithms have the name " + k.Name)
	}
	all = append(all, k)
}

// Lookup returns the algorithm with the given name.
func Lookup(name string) (algorithm.Kind, bool) {
	i := slices.IndexFunc(all, func(k algorithm.Kind) bool { return k.Name == name })
	if i < 0 {
		return algorithm.Kind{}, false
	}
	return all[i], true
}

// Names returns the names of all algorithms as a choice in words: "a, b or c".
func Names() string {
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.Name
	}
	return option.Either(names...)
}
