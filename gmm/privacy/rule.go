package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// Policy says what a participant does before it sends statistics of which one component's
// part rests on few of its rows.
type Policy string

// The policies.
const (
	Warn          Policy = "warn"           // send them all the same, and warn at the end
	SkipComponent Policy = "skip-component" // give these rows to the other components
	DrawComponent Policy = "noise"          // send a draw of the shared component for the part
	Stop          Policy = "stop"           // end with a [LowError], and send nothing
)

// Diversity ℓ₀ by default.
const leastDiversity = 5

// Rule is the entropy ℓ-diversity that members agree on. The zero value looks at nothing.
type Rule struct {
	// Least is ℓ₀, how many rows a part is to rest on; see [Shares.Below].
	Least  float64
	Policy Policy
}

// Options binds the rule.
func (r *Rule) Options() option.Table {
	return option.Table{
		option.Float(&r.Least, "diversity", leastDiversity, "the entropy l-diversity that each participant's part of a component is to have, in `ROWS`", option.Above(1, 1e6)),
		option.String(&r.Policy, "on-low-diversity", Warn, "`POLICY` before a part of lower diversity is sent: warn, skip-component (its rows count for other components), noise (a draw of the shared component in its place) or stop (end this participant's run)",
			option.OneOf(Warn, SkipComponent, DrawComponent, Stop)),
	}
}

// Acts reports whether the rule changes what is sent.
func (r Rule) Acts() bool {
	return r.Policy == SkipComponent || r.Policy == DrawComponent || r.Policy == Stop
}

// Secret reports whether the rule asks for a source of secrets.
func (r Rule) Secret() bool { return r.Policy == DrawComponent }

// LeastRows returns the fewest rows with which a participant can keep the rule.
func (r Rule) LeastRows() int {
	if !r.Acts() {
		return 0
	}
	return int(math.Ceil(r.Least))
}

// Warned returns ℓ₀ if low diversity is only warned about, else 0.
func (r Rule) Warned() float64 {
	if r.Acts() {
		return 0
	}
	return r.Least
}

// LowError says that a participant's statistics were not sent.
type LowError struct {
	Component, Components int // from 1
	Shares
	Least float64
}

func (e *LowError) Error() string {
	return fmt.Sprintf("entropy l-diversity: the part of component %d of %d rests on about %.1f rows, of which one has %.0f %% of the weight: want at least %g: nothing of this round was sent",
		e.Component, e.Components, math.Exp(e.Nats), 100*e.Largest, e.Least)
}

// InRound returns what was done, of that round.
func InRound(number int, done []algorithm.LowDiversity) []algorithm.LowDiversity {
	done = slices.Clone(done)
	for i := range done {
		done[i].Round = number
	}
	return done
}

// RuleWarnings tell a participant what its rule has done, in all rounds together.
func RuleWarnings(done []algorithm.LowDiversity) (out []string) {
	for _, policy := range []struct{ action, what string }{
		{string(SkipComponent), "these rows count for other components from then on"},
		{string(DrawComponent), "a draw of the shared component stands for each from then on"},
	} {
		var parts []string
		for _, d := range done {
			if d.Action == policy.action {
				parts = append(parts, fmt.Sprintf("component %d in round %d (about %.1f rows, one of them with %.0f %% of the weight)", d.Component, d.Round, d.Rows, 100*d.Largest))
			}
		}
		if parts != nil {
			out = append(out, fmt.Sprintf("privacy: what this participant would have added to components was less diverse than agreed: %s: %s", strings.Join(parts, ", "), policy.what))
		}
	}
	return out
}
