package task

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/model"
)

// Standardise says by whose rows the columns are scaled.
type Standardise string

// The ways to standardise.
const (
	Global Standardise = "global" // of all participants together, by private sums
	Own    Standardise = "own"    // of each participant by itself
	Agreed Standardise = "agreed" // by no rows: by the ranges that the members have agreed on
	None   Standardise = "none"
)

// Task is what all participants of a run agree on.
type Task struct {
	Model      model.Kind
	Components int // K; of fedgem of each participant by itself, 0 each its own number
	// Rounds are at most so many: of fedgen the one round, and those that refine; of fedgem
	// with the last merge, the only one together unless MinRows is 1.
	Rounds int
	// Tol is the change of the objective at which to stop, 0 never: of ggm relative, of
	// fedgen and dem in nats a row. Of fedgem it is the step of every centre in standard
	// deviations of its cluster.
	Tol         float64
	Seed        uint64      // public
	Standardise Standardise // of columns
	Normalise   Normalise   // of columns, and of axes
	Ranges      Ranges      // if Standardise is Agreed
	PCA         int         // principal axes that rows are projected to; 0: rows stay as they are scaled
	FalseAlarm  float64     // share of the own training rows above the threshold
	Lambda0     float64     // of ggm
	Rho         float64     // of ggm; 0: 0.1·N/K
	// Init, if not nil, is the start of ggm; InitDigest tells members that theirs
	// differ.
	Init       *gmm.Parameters
	InitDigest string
	// MostComponents, if not 0, lets fedgen and fedgem choose the number of components,
	// from Components on.
	MostComponents int
	Covariance     string // of fedgen and dem: full, diag or spherical; of fedgem without diag
	// Synthetic is the number of rows that fedgen draws for each component gathered to
	// fit to them from scratch; 0: 100, to fit to them from the reduced mixture.
	Synthetic int
	Start     Start // of dem
	// MinRows is the fewest rows that a component or cluster may be of which fedgen, fedgem
	// or dem with its start k-fed shows; 0: the default, 1: any.
	MinRows int
	// LocalSteps are the EM steps of a round of fedgem, or the steps of a round of mtvae,
	// 0 to sum gradients of single ones, or of cgau. Radius is how far a centre may be moved in it,
	// and Final the rule for the last merge, both of fedgem.
	LocalSteps    int
	Radius, Final string
	Networks      Networks  // of mtvae, bvae and cgau
	Weighting     Weighting // of bvae
	Privacy       Privacy   // of fedgen and fedgem
	Settings      consensus.Settings
	// Shared, if not nil, is what participants in one process need not compute each
	// by itself.
	Shared *ggm.Solutions
	First  *gmm.Mixture // see ShareRows
	// Noise draws what Privacy adds, or the seed of what networks draw. It is this participant's alone: secret, and used
	// for one run.
	Noise rand.Source
}

// Error is a hyper-parameter that cannot be used.
type Error struct {
	Field, Msg string
	Hint       string // what to do, if that is not to correct the field
}

func (e *Error) Error() string { return e.Field + ": " + e.Msg }

func wrong(field, format string, args ...any) error {
	return &Error{Field: field, Msg: fmt.Sprintf(format, args...)}
}

func finite(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// Validate reports the first hyper-parameter that cannot be used, as *Error.
func (t Task) Validate() error {
	k, known := kinds[t.Model]
	switch {
	case !known:
		return wrong("model", "want %s, got %q", model.KindNames(), t.Model)
	case t.Components < 1 && (t.Components != 0 || Takes(t.Model, "components") && !Takes(t.Model, "own components")):
		return wrong("components", "want at least 1, got %d", t.Components)
	case t.Rounds < 1:
		return wrong("rounds", "want at least 1, got %d", t.Rounds)
	case !finite(t.Tol):
		return wrong("tol", "want a finite value of at least 0, got %g", t.Tol)
	case t.MostComponents != 0 && !Takes(t.Model, "a range of components"):
		return wrong("components", "the model %s takes one number, got the range %d-%d", t.Model, t.Components, t.MostComponents)
	case t.foreign() != "":
		return wrong(t.foreign(), "the model %s has none", t.Model)
	case t.Privacy.Epsilon != 0 && !Takes(t.Model, "epsilon"):
		return wrong("epsilon", "the model %s shows exact sums, to which no noise is added: take fedgen or fedgem", t.Model)
	}
	if err := t.Privacy.check(); err != nil {
		return err
	}
	if err := t.checkMinRows(); err != nil {
		return err
	}
	if err := k.check(t); err != nil {
		return err
	}
	switch {
	case t.Standardise != Global && t.Standardise != Own && t.Standardise != Agreed && t.Standardise != None:
		return wrong("standardise", "want %q, %q, %q or %q, got %q", Global, Own, Agreed, None, t.Standardise)
	case t.Standardise == Agreed && len(t.Ranges) == 0:
		return wrong("ranges", "want those that the members have agreed on, got none")
	case t.Standardise != Agreed && len(t.Ranges) > 0:
		return wrong("ranges", "they are for --standardise %s, got %s", Agreed, t.Standardise)
	case t.Standardise == Agreed && t.Normalise != MinMax:
		return wrong("normalise", "want %s with agreed ranges, got standard", MinMax)
	case t.Normalise != Standard && t.Normalise != MinMax:
		return wrong("normalise", "want standard or %s, got %q", MinMax, t.Normalise)
	case t.Normalise == MinMax && t.Standardise == None && t.PCA == 0:
		return wrong("normalise", "%s of columns wants the ranges of all rows or of the own ones: --standardise %s or %s, not %s", MinMax, Global, Own, None)
	case t.PCA < 0:
		return wrong("pca", "want at least 1 axis, or 0 for none, got %d", t.PCA)
	case !(t.FalseAlarm > 0 && t.FalseAlarm < 1):
		return wrong("false-alarm", "want a share between 0 and 1, got %g", t.FalseAlarm)
	}
	return t.Ranges.check()
}

// yes writes what is set, and nothing else.
func yes(set bool) string {
	if set {
		return "true"
	}
	return ""
}

// Field is a name and a value that all members must share.
type Field struct{ Name, Value string }

// Fields lists what members must share, with the columns of their data, in a
// fixed order and form. The consensus settings are not among them: a node adds
// its own.
func (t Task) Fields(columns []string) []Field {
	g := func(v float64) string { return fmt.Sprintf("%g", v) }
	components := fmt.Sprint(t.Components)
	if t.MostComponents != 0 {
		components += fmt.Sprintf("-%d", t.MostComponents)
	}
	fields := []Field{
		{"model", string(t.Model)},
		{"components", components},
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
	// What not all runs have is there only if set: others agree on what they always did.
	for _, f := range []Field{
		{"covariance", t.Covariance},
		{"synthetic", fmt.Sprint(t.Synthetic)},
		{"start", string(t.Start)},
		{"min rows", fmt.Sprint(t.LeastRows())},
		{"local steps", fmt.Sprint(t.LocalSteps)},
		{"radius", t.Radius},
		{"final", t.Final},
		{"latent", fmt.Sprint(t.Networks.Latent)},
		{"hidden", units(t.Networks.Hidden)},
		{"batch", fmt.Sprint(t.Networks.Batch)},
		{"rate", g(t.Networks.Rate)},
		{"aggressive", fmt.Sprint(t.Networks.Aggressive)},
		{"classes", fmt.Sprint(t.Networks.Classes)},
		{"dropout", g(t.Networks.Dropout)},
		{"beta", g(t.Networks.Beta)},
		{"epochs", fmt.Sprint(t.Networks.Epochs)},
		{"condition", t.Networks.Condition},
		{"weights", string(t.Weighting.Weights)},
		{"effect", g(t.Weighting.Effect)},
		{"offset", t.Weighting.Offset},
		{"debias", yes(t.Weighting.Debias)},
		{"weigh every", fmt.Sprint(t.Weighting.Every)},
		{"publish weights", yes(t.Weighting.Publish)},
		{"epsilon", g(t.Privacy.Epsilon)},
		{"delta", g(t.Privacy.Delta)},
		{"clip", g(t.Privacy.Clip)},
		{"normalise", string(t.Normalise)},
		{"ranges", t.Ranges.String()},
		{"pca", fmt.Sprint(t.PCA)},
	} {
		if f.Value != "" && f.Value != "0" {
			fields = append(fields, f)
		}
	}
	for i, c := range columns {
		fields = append(fields, Field{fmt.Sprintf("column %d", i+1), c})
	}
	return fields
}
