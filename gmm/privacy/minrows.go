package privacy

import (
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// MinRows is the default of the fewest rows that a component may be of which a
// participant publishes. A component's rows are N = Σ r_n, with a responsibility r_n ≤ 1
// for each row n. No count of how many rows it really rests on is smaller, as r_n² ≤ r_n
// and so on: with the shares p_n = r_n/N,
//
//	N ≤ 1/max p_n ≤ 1/Σ p_n² = (Σ r_n)²/Σ r_n² ≤ exp(−Σ p_n ln p_n) ≤ |{n: r_n > 0}|.
//
// So a component of N rows has no row with more than the N-th part of its weight.
const MinRows = 5

// MinRowsOption binds the fewest rows that a component may be of which is shown. It is 0
// where the option does not apply, as no component is shown, or noise hides its rows.
func MinRowsOption(p *int) *option.Option {
	return option.Int(p, "min-rows", MinRows, "before showing its components, merge those of fewer than `N` rows with others, so that none reveals single rows; 1 shows all of them, even those of a single row", option.AtLeast(1))
}

// NoNoise is what [MinRowsOption] requires where noise may hide rows.
const NoNoise = "no --epsilon, whose noise hides rows"

// LeastRows returns the fewest rows that a component may be of which d's owner shows in a
// group, where least is agreed: any to nobody. It is an error to have fewer. What the
// others show gives away their sums over rows; with these, a sum over all leaves that of
// the few rows, even if their owner shows nothing else.
func LeastRows(g collabdict.Group, d algorithm.Data, least int) (int, error) {
	if _, alone := g.(collabdict.Solo); alone {
		return min(least, 1), nil
	}
	if n, _ := d.Rows.Dims(); n < least {
		return 0, &option.Error{
			Name: "min-rows", Msg: fmt.Sprintf("want at least %d training rows of each participant, got %d of %s", least, n, d.Name),
			Hint: "leave this participant out (--split ...,min=ROWS), give it more rows, or agree on fewer, which may reveal single rows",
		}
	}
	return least, nil
}

// OfRows adds to what is shown of how many rows each is at least.
func OfRows(shown, each string, least int) string {
	if least > 1 {
		return fmt.Sprintf("%s; %s of at least %d rows", shown, each, least)
	}
	return shown
}

// FewWarnings tell that so many own components were merged, if any were.
func FewWarnings(few, least int) []string {
	if few == 0 {
		return nil
	}
	return []string{fmt.Sprintf("privacy: own components of fewer than %d rows (%d) were merged into others before they were shown, so the shared model cannot tell them apart: lower --components, or add rows", least, few)}
}
