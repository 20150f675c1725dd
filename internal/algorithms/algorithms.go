// Package algorithms is the registry: all algorithms that the program has, a line each.
// Nothing else in the program names one.
package algorithms

import (
	"slices"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm/dem"
	"github.com/collabdict/collabdict/gmm/fedgem"
	"github.com/collabdict/collabdict/gmm/fedgen"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/option"
	"github.com/collabdict/collabdict/vae/beta"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/multitask"
)

var all = []algorithm.Kind{
	ggm.Kind,
	fedgen.Kind,
	dem.Kind,
	fedgem.Kind,
	multitask.Kind,
	beta.Kind,
	cgau.Kind,
}

// Default is the algorithm of those who do not say which.
func Default() algorithm.Kind { return all[0] }

// All returns all algorithms.
func All() []algorithm.Kind { return slices.Clone(all) }

// Register adds an algorithm of a program's own, before anything else is done. It panics
// if there is one of that name.
func Register(k algorithm.Kind) {
	if _, ok := Lookup(k.Name); ok {
		panic("algorithms: two algorithms have the name " + k.Name)
	}
	all = append(all, k)
}

// Lookup returns the algorithm of that name.
func Lookup(name string) (algorithm.Kind, bool) {
	i := slices.IndexFunc(all, func(k algorithm.Kind) bool { return k.Name == name })
	if i < 0 {
		return algorithm.Kind{}, false
	}
	return all[i], true
}

// Names lists all names in words: "a, b or c".
func Names() string {
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.Name
	}
	return option.Either(names...)
}
