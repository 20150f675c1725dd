package dataset

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/internal/data/partition"
)

// deal distributes training and test rows one by one.
func (s *Spec) deal(all *group, width int) map[string]*group {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	hands, groups := s.hands()
	for to, dealt := range s.Split.Evenly(all.train.n, random) {
		for _, row := range dealt {
			hands[to].train.take(&all.train, row, width)
		}
	}
	for to, dealt := range s.Split.Evenly(all.test.n, random) {
		for _, row := range dealt {
			hands[to].test.take(&all.test, row, width)
		}
	}
	return groups
}

// hands returns the groups that rows are dealt to, in order and by name.
func (s *Spec) hands() ([]*group, map[string]*group) {
	hands, groups := make([]*group, s.Split.Clients), make(map[string]*group, s.Split.Clients)
	for i := range hands {
		hands[i] = &group{}
		groups[NumberedName(i, len(hands))] = hands[i]
	}
	return hands, groups
}

// dealClasses deals the rows of each class to participants, each row to one.
func (s *Spec) dealClasses(classes map[string]*group, width int) (map[string]*group, error) {
	names := slices.Sorted(maps.Keys(classes))
	names = slices.DeleteFunc(names, func(c string) bool { return classes[c].train.n+classes[c].test.n == 0 })
	random := rand.New(rand.NewPCG(s.Seed, 0))
	all := make([]partition.Class, len(names))
	for c, name := range names {
		all[c] = partition.Class{Name: name, Train: s.source(&classes[name].train, width, false), Test: s.source(&classes[name].test, width, true)}
	}
	owners, err := s.Split.Owners(all, random)
	if fault, ok := errors.AsType[*partition.Error](err); ok {
		return nil, &Error{Column: fault.Column, Msg: fault.Msg, Hint: fault.Hint}
	}
	if err != nil {
		return nil, err
	}
	hands, groups := s.hands()
	for c, name := range names {
		g := classes[name]
		for row, to := range owners[c].Train {
			hands[to].train.take(&g.train, row, width)
		}
		for row, to := range owners[c].Test {
			hands[to].test.take(&g.test, row, width)
		}
	}
	for _, h := range hands {
		// Classes come one after the other, but the first rows should be from all.
		h.train = h.train.permuted(random, width)
		h.test = h.test.permuted(random, width)
	}
	return groups, nil
}

// permuted returns the rows in another order.
func (r *rowSet) permuted(random *rand.Rand, width int) rowSet {
	var out rowSet
	for _, row := range random.Perm(r.n) {
		out.take(r, row, width)
	}
	return out
}
