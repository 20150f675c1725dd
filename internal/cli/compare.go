package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

const (
	// comparedShare is the share of false alarms at which faults found are compared by default.
	comparedShare = 0.01
	// comparedBlock is the number of rows that follow each other and may be alike.
	comparedBlock = 30
)

// comparison says which of two models is better for rows.
type comparison struct {
	Rows   int           `json:"rows"`              // rows scored by both
	Faults *int          `json:"faults,omitempty"`  // rows with label 1, if there are any
	Old    comparedModel `json:"old"`               // the first of the two models
	New    comparedModel `json:"new"`               // the second of the two models
	Both   int           `json:"anomalies_of_both"` // rows that both call anomalies
	Judged int           `json:"judged_rows"`       // rows that count for what is better: without those that either model was trained on
	// HigherDensity is the share of rows without a fault in which the new model's density is higher,
	// if both are densities of the same columns.
	HigherDensity report.Figure `json:"higher_density,omitzero"`
	Error         report.Figure `json:"error,omitzero"`   // the standard error of that share, over blocks of rows
	Better        string        `json:"better,omitempty"` // old or new; empty if the difference is within chance
	Why           string        `json:"because"`          // the figures that Better follows from

	falseAlarm float64 // share at which faults found are compared
	leftOut    []bool  // rows that do not count, as a model was trained on them; nil if all do
}

// comparedModel is one of the two models.
type comparedModel struct {
	Model      string        `json:"model"`                // its file
	Kind       string        `json:"kind"`                 // the model, such as ggm
	TotalRows  int           `json:"total_rows"`           // rows of all participants that it was trained on
	Members    int           `json:"members"`              // participants of the training
	Components int           `json:"components"`           // of a mixture; 0 for others
	Threshold  report.Figure `json:"threshold,omitzero"`   // above which a row is an anomaly
	Anomalies  int           `json:"anomalies"`            // rows above it
	Known      int           `json:"known_rows,omitempty"` // rows that it was trained on, if these are more than a fifth; they do not count
	Found      *int          `json:"found,omitempty"`      // faults above the score that a share of the other rows exceeds, that of --false-alarm
	ROCAUC     report.Figure `json:"roc_auc,omitzero"`     // of the faults

	columns   []string
	numbers   []int
	scores    []float64
	densities []float64 // nil if the model has none
	isFault   []bool
	isAnomaly []bool
	isKnown   []bool
	knownRows *scoring.KnownRows
}

func (a *app) compare() *cobra.Command {
	var s scoredFlags
	cmd := &cobra.Command{
		Use: "compare OLD NEW [FILE]...", Short: "Say which of two models is better for rows",
		Long: `compare scores rows by two models, such as last week's and this week's, and says which is better for
them. Rows that one of them was trained on do not count, if there are many and local.npz shows them.

With --label, the better model finds more of the faults at the same share of false alarms. Without,
the rows should be normal: the better model gives more of them a higher density. Both judgements
need a difference beyond chance. Faults in successive rows count as one.`,
		Example: "  collabdict compare last-week/plant-a plant-a today.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{fmt.Errorf("want OLD NEW and files of rows, got %s", count(len(args), "argument")), "see collabdict compare --help"}
			}
			s.data = append(s.data, args[2:]...)
			for i := range 2 {
				var err error
				if args[i], err = modelIn(args[i]); err != nil {
					return err
				}
			}
			c := comparison{falseAlarm: cmp.Or(s.share, comparedShare)}
			for i, to := range []*comparedModel{&c.Old, &c.New} {
				of := s
				of.model = args[i]
				if err := a.compareModel(&of, to); err != nil {
					return err
				}
			}
			if err := c.judge(); err != nil {
				return err
			}
			c.noteKnown(a)
			return a.print(c, c.text)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&s.data, "data", nil, "`FILE` of rows; may be repeated")
	f.StringVar(&s.where, "where", "", "compare on rows with `COLUMN=VALUE` only")
	f.StringVar(&s.timeColumn, "time-column", "", timeColumnHelp)
	s.thresholdFlags.add(cmd)
	f.StringVar(&s.label, "label", "", "`COLUMN` with 1 for faults")
	f.StringVar(&s.anomaly, "anomaly", "", anomalyHelp)
	f.StringVar(&s.with, "with", "", "`SCORES` by the shared models (shared), by the models of the own rows and the nearest of these (alone), or by all (blend) (default blend with local.npz beside a model, otherwise shared)")
	a.addJSON(cmd)
	return cmd
}

// compareModel scores the rows by one model.
func (a *app) compareModel(s *scoredFlags, to *comparedModel) error {
	s.missing = dataset.KeepMissing
	m, spec, err := s.load(a)
	if err != nil {
		return err
	}
	if spec.Input() {
		return &flagError{"data", "two models read the rows, and standard input can be read once", "save the rows in a file"}
	}
	if m.Scorer() == nil {
		return &flagError{"model", fmt.Sprintf("model %s gives classes, and no scores", m.Manifest.Kind), ""}
	}
	if err := a.complete(m, s); err != nil {
		return err
	}
	limits, err := s.threshold(m)
	if err != nil {
		return err
	}
	members := 0
	if v := m.Manifest.Views; len(v) > 0 {
		members = len(v[len(v)-1].Members)
	}
	*to = comparedModel{Model: s.model, Kind: m.Manifest.Kind, TotalRows: m.Manifest.TotalRows, Members: members, Components: m.Components(), columns: m.Manifest.Columns}
	if t := limits.Limit(); !math.IsNaN(t) {
		to.Threshold = report.Of(t)
	}
	by := scoring.New(m, limits, false)
	to.knownRows = by.Known
	_, err = eachLabelled(by, spec, func([]string) {}, func(r *scoring.Rows, isFault []bool) {
		densities := densities(m, r.Trained)
		for i, score := range r.Scores {
			if r.Empty[i] {
				continue
			}
			to.numbers, to.scores, to.isFault, to.isKnown = append(to.numbers, r.Numbers[i]), append(to.scores, score), append(to.isFault, isFault[i]), append(to.isKnown, r.Known[i])
			if densities != nil {
				to.densities = append(to.densities, densities[i])
			}
			above := r.Verdicts[i] == scoring.Anomalous
			to.isAnomaly = append(to.isAnomaly, above)
			to.Anomalies += one(above)
		}
	})
	return err
}

// eachLabelled scores the rows of spec, calls begin with the names of the carried columns, and f with
// each block, and whether the label of each of its rows is that of a fault.
func eachLabelled(by *scoring.Scorer, spec dataset.Spec, begin func(carried []string), f func(r *scoring.Rows, isFault []bool)) (dataset.Gaps, error) {
	label, labelAt := spec.Label, -1
	scanned := spec
	scanned.Label = "" // its cells are carried
	return by.Each(scanned, func(carried []string) error {
		if labelAt = slices.Index(carried, label); label != "" && labelAt < 0 {
			return &dataset.Error{File: spec.Data[0], Column: label, Msg: "there is no such column", Hint: "correct --label"}
		}
		begin(carried)
		return nil
	}, func(r *scoring.Rows) error {
		isFault := make([]bool, len(r.Scores))
		for i := range isFault {
			if labelAt < 0 {
				break
			}
			if err := spec.CheckLabel(r.Carried[i][labelAt], r.Numbers[i]); err != nil {
				return err
			}
			isFault[i] = spec.IsAnomaly(r.Carried[i][labelAt])
		}
		f(r, isFault)
		return nil
	})
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// densities returns the logarithms of the shared model's densities of rows in the units of the data,
// nil if it has none. z is in the coordinates of training.
func densities(m *model.Model, z *mat.Dense) []float64 {
	by, ok := m.Learned.(interface {
		LogDensities(dst []float64, x *mat.Dense) []float64
	})
	if !ok || m.Projection != nil {
		return nil
	}
	out := by.LogDensities(nil, z)
	for i := range out {
		for j, v := range z.RawRowView(i) {
			if !math.IsNaN(v) {
				out[i] -= math.Log(m.Scaling.Scale[j])
			}
		}
	}
	return out
}

// judge compares what both models say of the rows.
func (c *comparison) judge() error {
	if c.Rows = len(c.Old.scores); c.Rows == 0 || !slices.Equal(c.Old.numbers, c.New.numbers) {
		return &flagError{"data", fmt.Sprintf("want rows that both models score, got %d and %d", c.Rows, len(c.New.scores)), ""}
	}
	for i, above := range c.Old.isAnomaly {
		c.Both += one(above && c.New.isAnomaly[i])
	}
	c.leaveOutKnown()
	c.Why = "there are neither labels nor densities of the same columns"
	if c.densities() {
		c.byDensities()
	}
	if slices.Contains(c.Old.isFault, true) {
		c.byFaults()
	}
	return nil
}

// leaveOutKnown leaves out the rows that a model was trained on if it was trained on many of them, as the
// better scores and densities there are no merit.
func (c *comparison) leaveOutKnown() {
	known := make([]bool, c.Rows)
	for _, m := range []*comparedModel{&c.Old, &c.New} {
		if !m.knownRows.Many() {
			continue
		}
		c.leftOut, m.Known = known, m.knownRows.Known
		for i, is := range m.isKnown {
			known[i] = known[i] || is
		}
	}
	c.Judged = c.Rows
	for _, is := range c.leftOut {
		c.Judged -= one(is)
	}
}

// noteKnown says which rows do not count.
func (c *comparison) noteKnown(a *app) {
	var parts []string
	for _, m := range []struct {
		name string
		of   *comparedModel
	}{{"old", &c.Old}, {"new", &c.New}} {
		if m.of.Known > 0 {
			parts = append(parts, fmt.Sprintf("the %s model was trained on %d of the rows", m.name, m.of.Known))
		}
	}
	if parts != nil {
		a.note("%s: scores of such rows are too low, so only the other %d count", strings.Join(parts, ", and "), c.Judged)
	}
}

// densities reports whether both models have densities of the same columns.
func (c *comparison) densities() bool {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	return len(c.Old.densities) == c.Rows && len(c.New.densities) == c.Rows && slices.Equal(sorted(c.Old.columns), sorted(c.New.columns))
}

// byDensities judges by the share of rows without a fault in which the new density is higher.
func (c *comparison) byDensities() {
	var blocks []float64 // means over blocks of rows
	sum, n, total, higher := 0.0, 0, 0, 0.0
	for i := range c.Rows {
		if c.Old.isFault[i] || c.leftOut != nil && c.leftOut[i] {
			continue
		}
		v := 0.5
		switch d := c.New.densities[i] - c.Old.densities[i]; {
		case d > 0:
			v = 1
		case d < 0:
			v = 0
		}
		sum, n, total, higher = sum+v, n+1, total+1, higher+v
		if n == comparedBlock {
			blocks, sum, n = append(blocks, sum/comparedBlock), 0, 0
		}
	}
	if total == 0 {
		c.Why = "there are no rows to judge by"
		return
	}
	share := higher / float64(total)
	c.HigherDensity = report.Of(share)
	c.Why = fmt.Sprintf("the new model's density is higher in %.0f %% of the rows", 100*share)
	if len(blocks) < 5 {
		c.Why += "; too few rows to say more"
		return
	}
	squares := 0.0
	for _, b := range blocks {
		squares += (b - share) * (b - share)
	}
	err := math.Sqrt(squares / float64(len(blocks)-1) / float64(len(blocks)))
	c.Error = report.Of(err)
	c.Why += fmt.Sprintf(" (± %.0f)", 200*err)
	c.Better = c.better(share-0.5, 2*err)
}

// byFaults judges by the faults that the models find.
func (c *comparison) byFaults() {
	p := metrics.Faults(c.New.scores, c.Old.scores, c.Old.isFault, c.leftOut)
	faults, found := len(p.Anomalies[0]), p.Found(c.falseAlarm)
	c.Faults, c.New.Found, c.Old.Found = &faults, &found[0], &found[1]
	areas, half, ok := p.AUC()
	c.New.ROCAUC, c.Old.ROCAUC = report.Of(areas[0]), report.Of(areas[1])
	c.Why = fmt.Sprintf("at false alarms in 1 of %.4g rows, the new model finds %d of %s, the old one %d", 1/c.falseAlarm, found[0], count(faults, "faulty row"), found[1])
	c.Better = ""
	switch {
	case ok:
		c.Why += fmt.Sprintf("; their ROC-AUC differs by %s ± %s", report.Fixed(areas[0]-areas[1], 3), report.Fixed(half, 3))
		c.Better = c.better(areas[0]-areas[1], half)
	case len(p.AnomalyGroups) == 1:
		c.Why += "; faults in successive rows count as one, so nothing can be said about the difference"
	default:
		c.Why += "; too few faults or other rows count to say more"
	}
}

// better returns the better model, if the new one's advantage is beyond chance.
func (c *comparison) better(advantage, chance float64) string {
	switch {
	case math.Abs(advantage) <= chance:
		return ""
	case advantage > 0:
		return "new"
	}
	return "old"
}

func (c comparison) text(w io.Writer) {
	verdict := "No difference beyond chance"
	if c.Better != "" {
		verdict = fmt.Sprintf("The %s model is better for these rows", c.Better)
	}
	fmt.Fprintf(w, "%s: %s.\n\n", verdict, c.Why)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, of func(comparedModel) any) {
		fmt.Fprintf(t, "%s\t%v\t%v\n", name, of(c.Old), of(c.New))
	}
	line("", func(m comparedModel) any { return m.Model })
	line("kind", func(m comparedModel) any { return m.Kind })
	line("trained on", func(m comparedModel) any { return count(m.TotalRows, "row") + " of " + count(m.Members, "member") })
	if c.Old.Components+c.New.Components > 0 {
		line("components", func(m comparedModel) any { return m.Components })
	}
	line("threshold", func(m comparedModel) any { return m.Threshold })
	line("anomalies", func(m comparedModel) any { return fmt.Sprintf("%d of %d rows", m.Anomalies, c.Rows) })
	if c.Faults != nil {
		line("found", func(m comparedModel) any { return fmt.Sprintf("%d of %s", *m.Found, count(*c.Faults, "faulty row")) })
		line("ROC-AUC", func(m comparedModel) any { return m.ROCAUC })
	}
	t.Flush()
	fmt.Fprintf(w, "\n%d rows are anomalies for both, %d only for the old model, %d only for the new one.\n", c.Both, c.Old.Anomalies-c.Both, c.New.Anomalies-c.Both)
	if names := lacking(c.Old.columns, c.New.columns); names != nil {
		fmt.Fprintf(w, "Columns of the old model alone: %s.\n", listed(names))
	}
	if names := lacking(c.New.columns, c.Old.columns); names != nil {
		fmt.Fprintf(w, "Columns of the new model alone: %s.\n", listed(names))
	}
}

// lacking returns the names that others do not have.
func lacking(names, others []string) (out []string) {
	for _, n := range names {
		if !slices.Contains(others, n) {
			out = append(out, n)
		}
	}
	return out
}
