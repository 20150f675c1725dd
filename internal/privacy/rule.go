package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// A Policy says what a participant does before it sends statistics of a component that rest on
// few of its rows.
type Policy string

// The policies.
const (
	Warn          Policy = "warn"           // send them, and warn at the end
	SkipComponent Policy = "skip-component" // count these rows for the other components
	DrawComponent Policy = "noise"          // send a draw from the shared component instead
	Stop          Policy = "stop"           // end with a [LowError], and send nothing
)

const leastDiversity = 5

// Rule is the entropy ℓ-diversity that members agree on. The zero value checks nothing.
type Rule struct {
	// Least is ℓ₀, the smallest effective number of rows behind a part; see [Shares.Below].
	Least  float64
	Policy Policy

	each float64 // training rows that one row of the data is part of; 0 means 1
}

// Prepare makes the rule count rows of the data. Each may be part of several training rows.
func (r *Rule) Prepare(c algorithm.Coordinates) { r.each = float64(c.RowsEach) }

// For returns the rule if each row of the data is part of the given number of training rows; 0 means
// the number of Prepare.
func (r Rule) For(each int) Rule {
	if each > 0 {
		r.each = float64(each)
	}
	return r
}

// OfData converts the shares of training rows to those of rows of the data. It does not change the
// number of rows. If a row of the data is part of W training rows, the effective number of rows
// is divided by W, and the largest share may be W times as large.
func (r Rule) OfData(s Shares) Shares {
	if r.each > 1 && s.Rows > 0 {
		s.Nats, s.Largest = r.nats(s.Nats), math.Min(1, r.each*s.Largest)
	}
	return s
}

// Diversity converts the diversity in training rows to that in rows of the data.
func (r Rule) Diversity(d Diversity) Diversity {
	return Diversity{Max: r.nats(d.Max), Min: r.nats(d.Min), MinResponsibility: r.nats(d.MinResponsibility)}
}

func (r Rule) nats(v float64) float64 {
	if r.each > 1 {
		return math.Max(0, v-math.Log(r.each))
	}
	return v
}

// Below reports whether a part of a component, given its shares of training rows, rests on fewer
// rows of the data than agreed; see [Shares.Below].
func (r Rule) Below(s Shares) bool { return r.OfData(s).Below(r.Least) }

// Options returns the options that set the rule.
func (r *Rule) Options() option.Table {
	return option.Table{
		option.Float(&r.Least, "diversity", leastDiversity, "smallest entropy l-diversity, in `ROWS`, of a participant's statistics of a component; with a lower one, few rows dominate what it sends, and --on-low-diversity applies", option.Above(1, 1e6)),
		option.String(&r.Policy, "on-low-diversity", Warn, "`POLICY` for statistics below --diversity: warn (send them), skip-component (count their rows for other components), noise (send a random draw from the shared component instead) or stop (send nothing and end this participant's run)",
			option.OneOf(Warn, SkipComponent, DrawComponent, Stop)),
	}
}

// Acts reports whether the rule changes what is sent.
func (r Rule) Acts() bool {
	return r.Policy == SkipComponent || r.Policy == DrawComponent || r.Policy == Stop
}

// Secret reports whether the rule needs a source of secrets.
func (r Rule) Secret() bool { return r.Policy == DrawComponent }

// LeastRows returns the smallest number of training rows with which a participant can follow the
// rule.
func (r Rule) LeastRows() int {
	if !r.Acts() {
		return 0
	}
	return int(math.Ceil(r.Least * math.Max(1, r.each)))
}

// A LowError means that a participant's statistics were not sent because of low diversity.
type LowError struct {
	Component, Components int // from 1
	Shares                    // of rows of the data
	Least                 float64
}

func (e *LowError) Error() string {
	return fmt.Sprintf("entropy l-diversity: the statistics of component %d of %d rest on about %.1f rows, one of them with %.0f %% of the weight: want at least %g: nothing of this round was sent",
		e.Component, e.Components, math.Exp(e.Nats), 100*e.Largest, e.Least)
}

// InRound returns a copy of done with the given round number.
func InRound(number int, done []algorithm.LowDiversity) []algorithm.LowDiversity {
	done = slices.Clone(done)
	for i := range done {
		done[i].Round = number
	}
	return done
}

// RuleWarnings returns warnings that list what the rule did in all rounds together.
func RuleWarnings(done []algorithm.LowDiversity) (out []string) {
	for _, policy := range []struct{ action, what string }{
		{string(SkipComponent), "their rows count for other components from then on"},
		{string(DrawComponent), "from then on, random draws from the shared components are sent instead"},
	} {
		var parts []string
		for _, d := range done {
			if d.Action == policy.action {
				parts = append(parts, fmt.Sprintf("component %d in round %d (about %.1f rows, one of them with %.0f %% of the weight)", d.Component, d.Round, d.Rows, 100*d.Largest))
			}
		}
		if parts != nil {
			out = append(out, fmt.Sprintf("privacy: this participant's statistics of some components were less diverse than agreed: %s: %s", strings.Join(parts, ", "), policy.what))
		}
	}
	return out
}
