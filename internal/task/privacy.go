package task

import "fmt"

// Privacy makes what participants show in the clear differentially private in each
// single row, by noise. The zero value adds none.
type Privacy struct {
	Epsilon, Delta float64
	// Clip bounds the rows without a look at them, in the coordinates trained on: of
	// fedgen, each value lies within ±Clip; of fedgem, rows of M columns are no longer
	// than Clip·√M. What is beyond is taken as at the bound.
	Clip float64
}

// check reports the first value that cannot be, for a kind that takes them.
func (p Privacy) check() error {
	switch {
	case p == Privacy{}:
		return nil
	case !(p.Epsilon > 0 && p.Epsilon <= 100):
		return wrong("epsilon", "want a value above 0 and up to 100, got %g", p.Epsilon)
	case !(p.Delta > 0 && p.Delta < 1):
		return wrong("delta", "want a probability between 0 and 1, got %g", p.Delta)
	case !(p.Clip > 0 && p.Clip <= 1e9):
		return wrong("clip", "want a bound of the values above 0 and up to 1e9, got %g", p.Clip)
	}
	return nil
}

// hides says whether there is noise. Who learns alone has no source of it, and shows
// nothing. It does not hang on the group's size, which is that of the last collective.
func (t Task) hides() bool { return t.Privacy.Epsilon != 0 && t.Noise != nil }

// lax says whether δ is so large that to show a row drawn from that many would be private.
func (p Privacy) lax(rows int) bool { return p.Epsilon != 0 && p.Delta*float64(rows) >= 1 }

// noisy says what is shown, with noise if there is any, and what the noise does not cover.
func (t Task) noisy(shown string) string {
	p := t.Privacy
	if p.Epsilon == 0 {
		return shown
	}
	s := fmt.Sprintf("with noise, (%g, %g)-differentially private in each row: %s", p.Epsilon, p.Delta, shown)
	if t.scaledByRows() {
		s += ". Not covered: how columns are scaled and projected; a single row that is far from the others changes it, and can be told by that whatever epsilon is"
	}
	return s
}

// scaledByRows says whether the coordinates trained on follow from rows.
func (t Task) scaledByRows() bool {
	return t.PCA > 0 || t.Standardise == Own || t.Standardise == Global
}
