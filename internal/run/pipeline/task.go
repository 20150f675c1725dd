package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/option"
)

// Ways to normalise columns and principal axes.
const (
	Standard = "standard" // mean 0, variance 1
	MinMax   = "minmax"   // range 0 to 1
	Robust   = "robust"   // median 0, interquartile range as that of a standard normal variable
)

// A Task holds the settings that all participants of a run agree on. Its option tables are
// bound to its fields, so set and complete a Task where [New] made it; afterwards it may be
// copied.
type Task struct {
	Kind      algorithm.Kind
	Algorithm algorithm.Algorithm
	Options   option.Table // for Algorithm
	Shared    option.Table // for the fields below, up to Ranges

	Seed       uint64  // public
	FalseAlarm float64 // share of this participant's training rows above the threshold
	// Standardise names the rows that columns are scaled by; see package algorithm.
	Standardise string
	Normalise   string // normalisation of columns and axes
	// Window, if not 0, adds the mean and standard deviation of each column over the last
	// Window rows, or, if it is FindWindow, over those on which the members settle.
	Window int
	PCA    int // number of principal axes, 0 for none
	// HoldOut is the share of rows held out of training. Order says how they are chosen:
	// InTime, NoOrder or FindOrder.
	HoldOut float64
	Order   string
	// Missing is the treatment of rows with missing cells; see package dataset.
	Missing string

	// ReleaseEpsilon, if not 0, bounds what all releases from a folder together reveal about a
	// row, as ε at ReleaseDelta.
	ReleaseEpsilon, ReleaseDelta float64

	Units  map[string]string // agreed units by column; columns without one are absent
	Ranges Ranges            // used if Standardise is [algorithm.Agreed]
	// ByDefault is the value of Standardise if nobody sets it.
	ByDefault string
	Consensus option.Table // of Settings
	Settings  consensus.Settings
}

// New returns the task of an algorithm with all options at their defaults.
func New(of algorithm.Kind) *Task {
	t := &Task{Kind: of, Algorithm: of.New(), ByDefault: algorithm.Global}
	t.Options = t.Algorithm.Options()
	t.Shared = option.Table{
		option.Uint64(&t.Seed, "seed", 1, "public `SEED` of starts, splits and generated data"),
		option.Float(&t.FalseAlarm, "false-alarm", 0.01, "largest `SHARE` of normal rows like this participant's above the anomaly threshold", option.Check(share)),
		option.String(&t.Standardise, "standardise", "", "`SOURCE` of column scales: all rows (global), own rows (own), either, as held-out rows decide (auto, for models that can choose), --ranges (agreed) or none (default auto with --split files or column, otherwise global)",
			option.DefaultBy(t.standardise), option.OneOf(algorithm.Global, algorithm.Own, algorithm.Auto, algorithm.None, algorithm.Agreed)),
		option.Int(&t.Window, "window", 0, "for time series: learn from each column's mean and standard deviation over the last `W` rows as well; auto takes 20 if neighbouring rows of more than half of the members are much alike",
			option.AutoAs(FindWindow), option.AtLeast(rows.LeastWindow), option.Check(windowed), option.Optional[int]("leave it out if neighbouring rows are unrelated")),
		option.Int(&t.PCA, "pca", 0, "project rows onto the first `K` principal axes of all members' rows",
			option.AtLeast(1), option.Optional[int]("leave it out to learn from the columns")).ForExperts(),
		option.Float(&t.HoldOut, "hold-out", 0, "`SHARE` of own rows, at most 100000, held out of training to choose settings, compare models and find thresholds (default 0.2 if they are used, otherwise 0)",
			option.DefaultBy(t.holdOut), option.Check(partly)).OfEach(),
		option.String(&t.Order, "order", FindOrder, "`ORDER` of rows: time, so that blocks of them are held out; none; or auto, which tests whether neighbouring rows are alike",
			option.OneOf(FindOrder, InTime, NoOrder)).OfEach().ForExperts(),
		option.String(&t.Missing, "missing", dataset.RefuseMissing, "treatment of missing `CELLS` (empty, NaN, NA, ?): error (end), skip (leave their rows out) or marginal (learn from the other cells; all members must agree); with --epsilon, skip",
			option.DefaultBy(t.missing), option.OneOf(dataset.RefuseMissing, dataset.SkipMissing, dataset.KeepMissing)).OfEach(),
		option.String(&t.Normalise, "normalise", t.normalise(), "`FORM` of scaled columns and principal axes: mean 0 and variance 1 (standard), range 0 to 1 (minmax), or median 0 and quartiles 1.349 apart, for outliers (robust)",
			option.DefaultBy(t.normalise), option.OneOf(Standard, MinMax, Robust)).ForExperts(),
		option.Float(&t.ReleaseEpsilon, "release-epsilon", 0, "limit for export --release: all releases of a folder together reveal at most epsilon `E` about a row (default no limit)",
			option.Above(0, 1000), option.Optional[float64]("leave it out for no limit")).ForExperts(),
		option.Float(&t.ReleaseDelta, "release-delta", 1e-5, "with --release-epsilon: `PROBABILITY` delta at which it is counted",
			option.Check(share)).Needs("--release-epsilon", func() bool { return t.ReleaseEpsilon != 0 }).ForExperts(),
	}
	t.Consensus = t.Settings.Options()
	return t
}

// Named returns the task of the algorithm with that name.
func Named(name string) (*Task, error) {
	of, ok := algorithms.Lookup(name)
	if !ok {
		return nil, option.Errorf("model", "want %s, got %q", algorithms.Names(), name)
	}
	return New(of), nil
}

// Set sets an option from text. Names of consensus options begin with "consensus.".
func (t *Task) Set(name, text string) error {
	if short, ok := strings.CutPrefix(name, "consensus."); ok {
		return t.Consensus.Set(short, text)
	}
	return slices.Concat(t.Options, t.Shared).Set(name, text)
}

// DataColumns returns the columns of the data behind a participant's columns, which all members
// agree on.
func (t *Task) DataColumns(columns []string) []string { return rows.DataColumns(columns, t.Window) }

func share(v float64) error {
	if !(v > 0 && v < 1) {
		return fmt.Errorf("want a share between 0 and 1, got %g", v)
	}
	return nil
}

// partly checks a share from 0 to below 1.
func partly(v float64) error {
	if !(v >= 0 && v <= 0.5) {
		return fmt.Errorf("want a share from 0 to 0.5, got %g", v)
	}
	return nil
}

func (t *Task) holdOut() float64 {
	if t.Traits().HoldsOut {
		return 0.2
	}
	return 0
}

func (t *Task) standardise() string {
	if len(t.Ranges) > 0 {
		return algorithm.Agreed
	}
	return t.ByDefault
}

// ScalesOwn reports whether, at first, each participant scales columns by its own rows.
func (t *Task) ScalesOwn() bool {
	return t.Standardise == algorithm.Own || t.Standardise == algorithm.Auto
}

func (t *Task) normalise() string {
	unscaled := t.Standardise == algorithm.None && t.PCA == 0
	if t.Standardise == algorithm.Agreed || t.Algorithm.Traits().UnitRange && !unscaled {
		return MinMax
	}
	return Standard
}

// missing returns the default of Missing.
func (t *Task) missing() string {
	if t.Traits().Noise != nil {
		return dataset.SkipMissing
	}
	return dataset.RefuseMissing
}

// Complete sets the options left out to their defaults. It returns an *option.Error for the
// first option that cannot be used.
func (t *Task) Complete() error {
	if err := t.Options.Complete(); err != nil {
		return err
	}
	if err := t.Shared.Complete(); err != nil {
		return err
	}
	if err := t.Consensus.Complete(); err != nil {
		return err
	}
	if t.Standardise == algorithm.Auto && (!t.Traits().Rescales || t.PCA > 0 || t.Normalise != Standard) {
		t.Standardise = algorithm.Own
	}
	switch {
	case t.Standardise == algorithm.Agreed && len(t.Ranges) == 0:
		return option.Errorf("ranges", "want the ranges that the members have agreed on, got none")
	case t.Standardise != algorithm.Agreed && len(t.Ranges) > 0:
		return option.Errorf("ranges", "require --standardise %s, got %s", algorithm.Agreed, t.Standardise)
	case t.Standardise == algorithm.Agreed && t.Normalise != MinMax:
		return option.Errorf("normalise", "want %s with agreed ranges, got %s", MinMax, t.Normalise)
	case t.Normalise == MinMax && t.Standardise == algorithm.None && t.PCA == 0:
		return option.Errorf("normalise", "%s of columns needs the ranges of all rows or of own rows: --standardise %s or %s, not %s", MinMax, algorithm.Global, algorithm.Own, algorithm.None)
	case t.Normalise == Robust && t.Standardise == algorithm.None:
		return option.Errorf("normalise", "%s needs the quartiles of all rows or of own rows: --standardise %s or %s, not %s", Robust, algorithm.Global, algorithm.Own, algorithm.None)
	}
	if t.Normalise == MinMax && t.Traits().Framed && (t.Standardise != algorithm.Agreed || t.PCA > 0) {
		return option.Errorf("normalise", "want %s or %s for the model %s, whose noise has one size for all columns, got %s", Standard, Robust, t.Kind.Name, MinMax)
	}
	if t.Traits().Noise != nil && t.Order == InTime {
		return option.Errorf("order", "want %s or %s with epsilon, because blocks of held-out rows move if a row is added, got %s", FindOrder, NoOrder, InTime)
	}
	if err := t.Ranges.check(); err != nil {
		return err
	}
	if err := t.checkMissing(); err != nil {
		return err
	}
	if err := t.Algorithm.Prepare(t.Coordinates()); err != nil {
		return err
	}
	return t.checkWindow()
}

// marginal reports whether rows of some member may have missing cells.
func (t *Task) marginal() bool { return t.Missing == dataset.KeepMissing }

func (t *Task) checkMissing() error {
	switch {
	case t.Traits().Noise != nil && t.Missing != dataset.SkipMissing:
		return option.Errorf("missing", "want %s with epsilon, got %s", dataset.SkipMissing, t.Missing)
	case !t.marginal():
		return nil
	case !t.Algorithm.Traits().Missing:
		return &option.Error{Name: "missing", Msg: fmt.Sprintf("the model %s does not learn from rows with missing cells", t.Kind.Name), Hint: "leave these rows out with --missing skip"}
	case t.PCA > 0:
		return &option.Error{Name: "missing", Msg: "rows with missing cells cannot be projected to principal axes", Hint: "leave these rows out with --missing skip, or leave --pca out"}
	}
	return nil
}

// Coordinates describes the coordinates that training uses.
func (t *Task) Coordinates() algorithm.Coordinates {
	return algorithm.Coordinates{
		ScaledBy:  t.Standardise,
		UnitRange: t.Normalise == MinMax, Axes: t.PCA, RowsEach: t.mostWindow(),
	}
}

// Traits returns what the algorithm requires of its caller.
func (t *Task) Traits() algorithm.Traits { return t.Algorithm.Traits() }

// Fields returns the settings that members must share, in a fixed order and form; columns are
// those of the data, before any window. A node adds its consensus settings.
func (t *Task) Fields(columns []string) []option.Field {
	fields := []option.Field{{Name: "model", Value: t.Kind.Name}}
	fields = append(fields, t.Options.Fields()...)
	fields = append(fields, t.Shared.Fields()...)
	if t.marginal() { // missing cells change what is summed
		fields = append(fields, option.Field{Name: "missing", Value: t.Missing})
	}
	fields = append(fields, option.Field{Name: "ranges", Value: t.Ranges.String()}, option.Field{Name: "number of columns", Value: fmt.Sprint(len(columns))})
	for i, c := range columns {
		fields = append(fields, option.Field{Name: fmt.Sprintf("column %d", i+1), Value: c})
	}
	for _, c := range columns {
		if unit := t.Units[c]; unit != "" {
			fields = append(fields, option.Field{Name: "unit of " + c, Value: unit})
		}
	}
	return fields
}

// mostValues bounds the length of the vector of each round: nodes cannot sum longer ones.
const mostValues = 1 << 25

// Resolved returns the task for data with the given number of columns and a run that begins with
// the given number of members, with the scheme of its sums chosen.
func (t *Task) Resolved(columns, members int) *Task {
	of := *t
	of.Settings = t.Settings.For(t.values(cmp.Or(t.PCA, columns)), members)
	return &of
}

// values returns the length of the vector summed per round, 0 if it is short.
func (t *Task) values(coordinates int) int {
	if of := t.Traits().Values; of != nil {
		return of(coordinates)
	}
	return 0
}

// MostState returns the largest size of a run's state on disk, in bytes, for data with the
// given number of columns. It assumes that training runs all rounds: the log holds the total of
// each.
func (t *Task) MostState(columns int) int64 {
	const (
		beside   = 16 << 10 // per total: votes, bounds, and free space in pages
		before   = 100      // short sums before the first round
		underWay = 10       // totals kept for the slots under way
		step     = 16 << 20 // growth step of the file; a shorter file doubles
	)
	rounds, values := int64(t.Traits().Rounds), int64(t.values(cmp.Or(t.PCA, t.mostColumns(columns))))
	bytes := (before+rounds)*beside + (rounds+underWay)*8*values
	return bytes + min(bytes, step)
}

// CheckColumns returns an *option.Error for the first option that cannot be used with the given
// number of columns.
func (t *Task) CheckColumns(columns int) error {
	if t.PCA > columns {
		return option.Errorf("pca", "want at most %d axes, one per column, got %d", columns, t.PCA)
	}
	inputs := cmp.Or(t.PCA, columns)
	n := t.values(inputs)
	if n <= mostValues {
		return nil
	}
	name, hint := "hidden", "use fewer hidden units, latent dimensions or columns"
	if t.Options.Find(name) == nil {
		name, hint = "components", "use fewer components or columns"
	}
	return &option.Error{
		Name: name, Msg: fmt.Sprintf("want sums of at most %d values, got %d with these settings and %d columns", mostValues, n, inputs), Hint: hint,
	}
}

// Forecast returns a warning if the noise of the run is likely to cost more than sharing gains,
// for a participant with the given number of rows, held-out ones included. It assumes that
// every member has as many. It returns "" if there is nothing to warn about.
func (t *Task) Forecast(rows, members, columns int) string {
	held, _ := t.held(rows)
	noise, trained := t.Traits().Noise, rows-held
	if noise == nil || noise.Outweighed == nil || !noise.Outweighed(trained, trained*members, cmp.Or(t.PCA, columns)) {
		return ""
	}
	return fmt.Sprintf("privacy: with epsilon %g and %d members of %d rows in %d columns, noise is likely to cost more than sharing gains. A model of your own rows alone is then better. More rows, fewer columns or a larger epsilon would help", noise.Epsilon, members, rows, columns)
}

// ReadFiles reads the files that the task's options name. Relative paths start at folder.
// Errors are *option.Error.
func (t *Task) ReadFiles(folder string) error {
	for _, o := range t.Options {
		if o.Type != "file" || o.Text() == "" {
			continue
		}
		if folder != "" && !filepath.IsAbs(o.Text()) {
			if err := o.Set(filepath.Join(folder, o.Text())); err != nil {
				return err
			}
		}
		b, err := os.ReadFile(o.Text())
		if errors.Is(err, fs.ErrNotExist) {
			return option.Errorf(o.Name, "%s: no such file", o.Text())
		}
		if err != nil {
			return option.Errorf(o.Name, "%v", err)
		}
		if err := o.Load(b); err != nil {
			return option.Errorf(o.Name, "%s: %v", o.Text(), err)
		}
	}
	return nil
}
