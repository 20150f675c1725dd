package privacy

import (
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// MinRows is the default of the smallest number of rows of a component that a participant
// publishes. A component's number of rows is N = Σ r_n, where each row n has a responsibility
// r_n ≤ 1. As r_n² ≤ r_n, no other measure of the effective number of rows is smaller: with the
// shares p_n = r_n/N,
//
//	N ≤ 1/max p_n ≤ 1/Σ p_n² = (Σ r_n)²/Σ r_n² ≤ exp(−Σ p_n ln p_n) ≤ |{n: r_n > 0}|.
//
// So no row has more than 1/N of the weight of a component of N rows.
const MinRows = 5

// MinRowsOption returns the option for the smallest number of rows of a component that is
// shown. Its value is 0 if the option does not apply, because no component is shown or noise
// hides the rows.
func MinRowsOption(p *int) *option.Option {
	return option.Int(p, "min-rows", MinRows, "before showing its components, merge those of fewer than `N` rows with others, so that none reveals single rows. With 1, a component may show a single row", option.AtLeast(1))
}

// NoNoise is what [MinRowsOption] requires if noise may hide rows.
const NoNoise = "no --epsilon, whose noise hides rows"

// LeastRows returns the smallest number of rows of a component that d's owner may show to a
// group, where least is agreed. A participant that learns alone shows nothing, so any number
// will do. It is an error to have fewer rows. The others' shown components reveal their sums
// over rows. Subtracted from a sum over all members, these leave the sum of the few rows, even
// if their owner showed nothing else.
func LeastRows(g collabdict.Group, d algorithm.Data, least int) (int, error) {
	if g.Membership().Alone {
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

// OfRows adds the smallest number of rows to a description of what is shown.
func OfRows(shown, each string, least int) string {
	if least > 1 {
		return fmt.Sprintf("%s; %s of at least %d rows", shown, each, least)
	}
	return shown
}

// FewWarnings returns a warning if few, the number of own components that were merged, is not
// 0.
func FewWarnings(few, least int) []string {
	if few == 0 {
		return nil
	}
	return []string{fmt.Sprintf("privacy: own components of fewer than %d rows (%d) were merged into others before they were shown, so the shared model cannot tell them apart: lower --components, or add rows", least, few)}
}
