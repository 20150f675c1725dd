package dataset

import (
	"slices"
	"strings"
)

// role reports whether a row trains or is only scored, never both. Without conditions, all rows
// train. Without TestWhere, participant later has the training rows scored as well.
func (s *Spec) role(lay *layout, row rowReader) (train, test bool) {
	test = lay.testWhere >= 0 && row.text(lay.testWhere) == s.TestWhere.Value
	train = !test && (lay.where < 0 || row.text(lay.where) == s.Where.Value)
	return train, test
}

// role returns the purpose of the present row, and records the values it has seen.
func (sc *scanner) role() (train, test bool) {
	train, test = sc.spec.role(&sc.layout, sc.rows)
	if i := sc.layout.testWhere; i >= 0 {
		note(&sc.out.seenTest, sc.rows.text(i))
	}
	if i := sc.layout.where; i >= 0 {
		value := sc.rows.text(i)
		note(&sc.out.seenWhere, value)
		sc.out.meetsBoth = sc.out.meetsBoth || test && value == sc.spec.Where.Value
	}
	return train, test
}

// mostSeen is the number of values that are noted.
const mostSeen = 40

// note collects a few distinct values.
func note(seen *[]string, value string) {
	if len(*seen) < mostSeen && !slices.Contains(*seen, value) {
		*seen = append(*seen, strings.Clone(value)) // a record's cells share one string
	}
}

// group returns the group of the participant that the row belongs to.
func (sc *scanner) group() (*group, error) {
	key := sc.key()
	if g, ok := sc.out.groups[key]; ok {
		return g, nil
	}
	if sc.layout.part >= 0 {
		if err := sc.text(key, sc.spec.Split.Column); err != nil {
			return nil, err
		}
		if sc.spec.Split.Kind.Dealt() { // a class names no participant
			return sc.newGroup(key), nil
		}
		fault := sc.fault(sc.spec.Split.Column, "", "", "fix the cells, or split by another column")
		if err := checkName(key, *fault); err != nil {
			return nil, err
		}
	}
	return sc.newGroup(key), nil
}

// dropped records the participant of a dropped row, so that one without other rows can be named. It
// skips a row that names no valid participant, because dropped rows may be unsound.
func (sc *scanner) dropped() {
	key := sc.key()
	g, ok := sc.out.groups[key]
	if !ok && sc.layout.part >= 0 && nameFault(key) != "" {
		return
	}
	if !ok {
		g = sc.newGroup(key)
	}
	g.read++
}

func (sc *scanner) key() string {
	if i := sc.layout.part; i >= 0 {
		return sc.rows.text(i)
	}
	return sc.name
}

func (sc *scanner) newGroup(key string) *group {
	g := &group{}
	key = strings.Clone(key)
	sc.out.groups[key] = g
	sc.out.order = append(sc.out.order, key)
	return g
}
