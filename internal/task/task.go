package task

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/model"
)

// Standardise says by whose moments the columns are standardised.
type Standardise string

// The ways to standardise.
const (
	Global Standardise = "global" // of all participants together, by private sums
	Own    Standardise = "own"    // of each participant by itself
	None   Standardise = "none"
)

// Task is what all participants of a run agree on.
type Task struct {
	Model       model.Kind
	Components  int     // K
	Rounds      int     // at most
	Tol         float64 // relative change of the objective at which to stop; 0: never
	Lambda0     float64
	Rho         float64 // 0: 0.1·N/K
	Seed        uint64  // public
	Standardise Standardise
	FalseAlarm  float64 // share of the own training rows above the threshold
	// Init, if not nil, is the start; InitDigest tells members that theirs
	// differ.
	Init       *gmm.Parameters
	InitDigest string
	Settings   consensus.Settings
	// Shared, if not nil, is what participants in one process need not compute each
	// by itself.
	Shared *gmm.Solutions
}

// Error is a hyper-parameter that cannot be used.
type Error struct{ Field, Msg string }

func (e *Error) Error() string { return e.Field + ": " + e.Msg }

// Validate reports the first hyper-parameter that cannot be used, as *Error.
func (t Task) Validate() error {
	wrong := func(field, format string, args ...any) error {
		return &Error{Field: field, Msg: fmt.Sprintf(format, args...)}
	}
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	switch {
	case t.Model != model.GGM:
		return wrong("model", "want %q, got %q", model.GGM, t.Model)
	case t.Components < 1:
		return wrong("components", "want at least 1, got %d", t.Components)
	case t.Rounds < 1:
		return wrong("rounds", "want at least 1, got %d", t.Rounds)
	case !finite(t.Tol):
		return wrong("tol", "want a finite value of at least 0, got %g", t.Tol)
	case !finite(t.Lambda0) || t.Lambda0 == 0:
		return wrong("lambda0", "want a finite value above 0, got %g", t.Lambda0)
	case !finite(t.Rho):
		return wrong("rho", "want a finite value above 0, or 0 for 0.1·N/K, got %g", t.Rho)
	case t.Standardise != Global && t.Standardise != Own && t.Standardise != None:
		return wrong("standardise", "want %q, %q or %q, got %q", Global, Own, None, t.Standardise)
	case !(t.FalseAlarm > 0 && t.FalseAlarm < 1):
		return wrong("false-alarm", "want a share between 0 and 1, got %g", t.FalseAlarm)
	}
	if err := t.mixture().Validate(); err != nil {
		return &Error{Field: "init", Msg: err.Error()}
	}
	return nil
}

func (t Task) mixture() gmm.Config {
	return gmm.Config{Components: t.Components, Lambda0: t.Lambda0, Rho: t.Rho, Seed: t.Seed, Init: t.Init, Shared: t.Shared}
}

// Field is a name and a value that all members must share.
type Field struct{ Name, Value string }

// Fields lists what members must share, with the columns of their data, in a
// fixed order and form. The consensus settings are not among them: a node adds
// its own.
func (t Task) Fields(columns []string) []Field {
	g := func(v float64) string { return fmt.Sprintf("%g", v) }
	fields := []Field{
		{"model", string(t.Model)},
		{"components", fmt.Sprint(t.Components)},
		{"rounds", fmt.Sprint(t.Rounds)},
		{"tol", g(t.Tol)},
		{"lambda0", g(t.Lambda0)},
		{"rho", g(t.Rho)},
		{"seed", fmt.Sprint(t.Seed)},
		{"standardise", string(t.Standardise)},
		{"false-alarm", g(t.FalseAlarm)},
		{"init", t.InitDigest},
		{"number of columns", fmt.Sprint(len(columns))},
	}
	for i, c := range columns {
		fields = append(fields, Field{fmt.Sprintf("column %d", i+1), c})
	}
	return fields
}
