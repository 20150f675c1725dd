package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// comparison says which of two models is better for rows.
type comparison struct {
	Rows   int           `json:"rows"`                   // rows scored by both
	Faults *int          `json:"faults,omitempty"`       // rows with label 1, if there are any
	Events *int          `json:"fault_events,omitempty"` // faults, if there are any: label 1 in successive rows
	Old    comparedModel `json:"old"`                    // the first of the two models
	New    comparedModel `json:"new"`                    // the second of the two models
	Both   int           `json:"anomalies_of_both"`      // rows that count and that both call anomalies
	Judged int           `json:"judged_rows"`            // rows that count: without those that either model was trained on
	// Kept says which models have a threshold in alarms.yaml, if flags name none: both, whose thresholds are then
	// these, or old or new alone, in which case the thresholds are the models'.
	Kept string `json:"kept,omitempty"`
	// By is what the judgement rests on: faults, false_alarms of two models that find the same faults, or
	// exchanged: copies of rows in which one value is another row's. It is absent if there are too few rows.
	By     string        `json:"by,omitempty"`
	Error  report.Figure `json:"error,omitzero"`   // the half-width of the 95 % confidence interval of the difference of ROC-AUC
	Better string        `json:"better,omitempty"` // old or new; same if a difference that matters is ruled out; absent if it is not clear
	Why    string        `json:"because"`          // the figures that Better follows from

	falseAlarm float64 // share at which faults found are compared
	leftOut    []bool  // rows that do not count, as a model was trained on them; nil if all do
}

// comparedModel is one of the two models.
type comparedModel struct {
	Model       string        `json:"model"`                  // its file
	Kind        string        `json:"kind"`                   // the model, such as ggm
	TotalRows   int           `json:"total_rows"`             // rows of all participants that it was trained on
	Members     int           `json:"members"`                // participants of the training
	Components  int           `json:"components"`             // of a mixture; 0 for others
	Threshold   report.Figure `json:"threshold,omitzero"`     // above which a row is an anomaly
	Anomalies   int           `json:"anomalies"`              // rows that count above it
	Known       int           `json:"known_rows,omitempty"`   // rows that it was trained on, if these are more than a fifth; they do not count
	Events      *int          `json:"found_events,omitempty"` // faults with a row above the threshold
	FalseAlarms *int          `json:"false_alarms,omitempty"` // rows above the threshold that are no faults, if there are faults
	Found       *int          `json:"found,omitempty"`        // faulty rows above the score that a share of the other rows exceeds, that of --false-alarm
	ROCAUC      report.Figure `json:"roc_auc,omitzero"`       // of the faulty rows, or of the copies with an exchanged value

	m         *model.Model
	spec      dataset.Spec
	numbers   []int
	scores    []float64
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

With --label, the better model finds more of the faults at the same share of false alarms. Faults in
successive rows count as one. If neither does, and both find the same faults by their thresholds, false
alarms decide. Without, copies of rows are test faults: one value of each is exchanged with another
row's, and the better model puts more of them above the rows. Differences must be beyond chance. Thresholds
in alarms.yaml count if both models have one.

OLD and NEW may be folders of several members, as for score. Each file then belongs to the member with
its name.`,
		Example: "  collabdict compare last-week/plant-a plant-a today.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{fmt.Errorf("want OLD NEW and files of rows, got %s", count(len(args), "argument")), "see collabdict compare --help"}
			}
			s.data = append(s.data, args[2:]...)
			members, err := s.membersOf(args[0], args[1])
			if err != nil {
				return err
			}
			if members == nil {
				c, err := a.compareModels(s, args[0], args[1], "")
				if err != nil {
					return err
				}
				return a.print(c, func(w io.Writer) {
					c.text(w)
					if c.Kept == keptByOld || c.Kept == keptByNew {
						noteKept(w, c.Kept, nil, args[0], args[1], s.typed())
					}
				})
			}
			return a.compareMembers(s, args[0], args[1], members)
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

// compareModels compares two models, or those in two folders, on the rows of s. Notes begin with name.
func (a *app) compareModels(s scoredFlags, before, after, name string) (*comparison, error) {
	paths := []string{before, after}
	for i, path := range paths {
		var err error
		if paths[i], err = modelIn(path); err != nil {
			return nil, err
		}
	}
	c := &comparison{falseAlarm: cmp.Or(s.share, report.FoundAt)}
	of := [2]scoredFlags{s, s}
	for i, to := range []*comparedModel{&c.Old, &c.New} {
		of[i].model = paths[i]
		if err := a.openCompared(&of[i], to); err != nil {
			return nil, err
		}
	}
	c.takeKept(&of[0], &of[1])
	for i, to := range []*comparedModel{&c.Old, &c.New} {
		if err := to.score(&of[i]); err != nil {
			return nil, err
		}
	}
	if err := c.judge(); err != nil {
		return nil, err
	}
	c.noteKnown(a, name)
	return c, nil
}

// The values of comparison.Kept.
const (
	keptByBoth = "both"
	keptByOld  = "old"
	keptByNew  = "new"
)

// takeKept notes which models have a kept threshold. One of two does not count: alarms by a threshold that was
// chosen on rows and by a model's own are no comparison of models.
func (c *comparison) takeKept(before, after *scoredFlags) {
	switch {
	case before.kept && after.kept:
		c.Kept = keptByBoth
	case before.kept:
		c.Kept = keptByOld
		before.leaveKept()
	case after.kept:
		c.Kept = keptByNew
		after.leaveKept()
	}
}

// noteKept says why the threshold that one model alone keeps does not count, and how the other gets one. names are
// the members with such models, nil for all or for two models.
func noteKept(w io.Writer, by string, names []string, before, after string, flags []string) {
	without, only := after, "Only"
	if by == keptByNew {
		without = before
	}
	if names != nil {
		only = "Of " + listed(names) + ", only"
	}
	command := append([]string{"thresholds", without, "FILES"}, flags...)
	fmt.Fprintf(w, "%s the %s model has a threshold in %s, so the models' own count. For the other: %s, with rows of some weeks. Then compare again.\n",
		only, by, scoring.RulesFile, quoted("collabdict", append(command, "--keep")))
}

// typed returns the flags that say which rows of the files count, and how, as they were typed.
func (s *scoredFlags) typed() (flags []string) {
	share := ""
	if s.share != 0 {
		share = fmt.Sprint(s.share)
	}
	for _, f := range [][2]string{
		{"--where", s.where},
		{"--time-column", s.timeColumn},
		{"--label", s.label},
		{"--anomaly", s.anomaly},
		{"--threshold", s.text},
		{"--false-alarm", share},
		{"--with", s.with},
	} {
		if f[1] != "" {
			flags = append(flags, f[0], f[1])
		}
	}
	return flags
}

// openCompared reads a model and the rules beside it.
func (a *app) openCompared(s *scoredFlags, to *comparedModel) error {
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
	if err := s.readRules(m); err != nil {
		return err
	}
	members := 0
	if v := m.Manifest.Views; len(v) > 0 {
		members = len(v[len(v)-1].Members)
	}
	*to = comparedModel{Model: s.model, Kind: m.Manifest.Kind, TotalRows: m.Manifest.TotalRows, Members: members, Components: m.Components(), m: m, spec: spec}
	return nil
}

// score scores the rows by the model.
func (m *comparedModel) score(s *scoredFlags) error {
	limits, err := s.threshold(m.m)
	if err != nil {
		return err
	}
	if t := limits.Limit(); !math.IsNaN(t) {
		m.Threshold = report.Of(t)
	}
	by := scoring.New(m.m, limits, false)
	m.knownRows = by.Known
	_, err = eachLabelled(by, m.spec, func([]string) {}, func(r *scoring.Rows, isFault []bool) {
		for i, score := range r.Scores {
			if r.Empty[i] {
				continue
			}
			above := r.Verdicts[i] == scoring.Anomalous
			m.numbers, m.scores, m.isFault, m.isKnown = append(m.numbers, r.Numbers[i]), append(m.scores, score), append(m.isFault, isFault[i]), append(m.isKnown, r.Known[i])
			m.isAnomaly = append(m.isAnomaly, above)
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

// infinite replaces scores that are NaN.
func infinite(scores []float64) {
	for i, score := range scores {
		if math.IsNaN(score) {
			scores[i] = math.Inf(1)
		}
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (c comparison) text(w io.Writer) {
	verdict := fmt.Sprintf("The %s model is better for these rows", c.Better)
	switch c.Better {
	case report.Same:
		verdict = "No difference that matters"
	case "":
		verdict = "Which model is better is not clear"
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
	if c.Kept == keptByBoth {
		line("from", func(comparedModel) any { return scoring.RulesFile })
	}
	line("anomalies", func(m comparedModel) any { return fmt.Sprintf("%d of %d rows", m.Anomalies, c.Judged) })
	if c.Events != nil {
		line("faults found", func(m comparedModel) any { return fmt.Sprintf("%d of %d", *m.Events, *c.Events) })
		line("false alarms", func(m comparedModel) any {
			return fmt.Sprintf("%d of %d other rows", *m.FalseAlarms, c.Judged-*c.Faults)
		})
	}
	if c.Faults != nil {
		line("at "+oneIn(c.falseAlarm), func(m comparedModel) any { return fmt.Sprintf("%d of %s", *m.Found, count(*c.Faults, "faulty row")) })
	}
	if c.By != "" {
		line("ROC-AUC", func(m comparedModel) any { return m.ROCAUC })
	}
	t.Flush()
	fmt.Fprintf(w, "\nAnomalies for both: %d, only for the old model: %d, only for the new one: %d.\n", c.Both, c.Old.Anomalies-c.Both, c.New.Anomalies-c.Both)
	if names := lacking(c.Old.m.Manifest.Columns, c.New.m.Manifest.Columns); names != nil {
		fmt.Fprintf(w, "Columns of the old model alone: %s.\n", listed(names))
	}
	if names := lacking(c.New.m.Manifest.Columns, c.Old.m.Manifest.Columns); names != nil {
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
