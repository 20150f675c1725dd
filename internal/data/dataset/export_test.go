package dataset

import "testing"

// Spare makes spools leave this number of bytes free on the disk until the test ends.
func Spare(t *testing.T, n uint64) {
	before := spared
	spared = n
	t.Cleanup(func() { spared = before })
}

// SuspectsOf returns the suspects in a column with the given values.
func SuspectsOf(name string, values []float64) []Suspect {
	var w watch
	sch := schema{features: []string{name}, likeness: []likeness{new(Spec).likeness(name)}}
	for _, v := range values {
		w.add([]float64{v}, sch.likeness, spot{})
	}
	return w.suspects("", &sch)
}
