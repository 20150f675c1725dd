package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/model"
)

// shares are the shares of false alarms that thresholds compares.
var shares = []float64{0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001}

// choices are thresholds to choose from.
type choices struct {
	Rows       int      `json:"rows"`             // rows scored
	Days       float64  `json:"days,omitempty"`   // time from the first row to the last, if rows have times
	Faults     *int     `json:"faults,omitempty"` // rows with label 1, if there are labels
	Thresholds []choice `json:"thresholds"`       // the highest first
}

// choice is a threshold and what it does with the rows.
type choice struct {
	FalseAlarm float64 `json:"false_alarm"`       // share of rows like the own ones that is above it at most
	Threshold  float64 `json:"threshold"`         // in nats
	Of         string  `json:"of"`                // what it comes from: model, own rows or these rows
	Anomalies  int     `json:"anomalies"`         // rows above it
	Found      *int    `json:"found,omitempty"`   // faults above it, if there are labels
	PerDay     float64 `json:"per_day,omitempty"` // anomalies per day, if rows have times
}

func (a *app) thresholds() *cobra.Command {
	var s scoredFlags
	cmd := &cobra.Command{
		Use: "thresholds [MODEL] [FILE]...", Short: "Compare thresholds on rows: alarms per day, and faults found",
		Long: `thresholds scores rows, such as those of the last week. For several shares of false alarms, it
shows the threshold that promises them, and how many of the rows are above it. It adds the number
per day if a column has times, and with --label the faults found. Give the share you choose to
score and evaluate with --false-alarm.

The promise is about rows like those of training. Without local.npz beside the model, the shares
are those of the rows given.`,
		Example: "  collabdict thresholds plant-a last-week.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.take(args)
			m, spec, err := s.load(a)
			if err != nil {
				return err
			}
			if m.Scorer() == nil {
				return &flagError{"model", fmt.Sprintf("model %s gives classes, and no scores", m.Manifest.Kind), ""}
			}
			if err := a.complete(m, &s); err != nil {
				return err
			}
			if err := forward(cmd.Context(), &spec); err != nil {
				return err
			}
			c, err := a.compareThresholds(m, spec)
			if err != nil {
				return err
			}
			return a.print(c, c.text)
		},
	}
	s.add(cmd, "score")
	s.addScores(cmd)
	cmd.Flags().StringVar(&s.label, "label", "", "`COLUMN` with 1 for faults")
	cmd.Flags().StringVar(&s.anomaly, "anomaly", "", anomalyHelp)
	a.addJSON(cmd)
	return cmd
}

// compareThresholds scores the rows of spec.
func (a *app) compareThresholds(m *model.Model, spec dataset.Spec) (*choices, error) {
	var scores, faults []float64
	var clock dataset.Clock
	var names []string
	timeAt, first, last, timed := -1, 0.0, 0.0, false
	gaps, err := eachScored(m, spec, func(carried []string) {
		names, timeAt = carried, slices.Index(carried, spec.Time)
	}, func(b dataset.Block, _ *mat.Dense, of []float64, isFault []bool) {
		if len(scores) == 0 && timeAt < 0 {
			timeAt = timeAmong(b.Carried[0])
		}
		if len(scores) == 0 {
			timeAt, clock.Serial = serialAmong(b, names, timeAt)
		}
		if timeAt >= 0 {
			if at, _, ok := clock.Read(b.Carried[0][timeAt]); ok && len(scores) == 0 {
				first, timed = at, true
			}
			at, _, ok := clock.Read(b.Carried[len(b.Carried)-1][timeAt])
			last, timed = at, timed && ok
		}
		scores = append(scores, of...)
		for i, score := range of {
			if isFault[i] {
				faults = append(faults, score)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	a.noteGaps(&gaps)
	c := &choices{Rows: len(scores)}
	if timed && last > first && clock.Dated() {
		c.Days = (last - first) / (24 * 3600)
	}
	if spec.Label != "" {
		n := len(faults)
		c.Faults = &n
	}
	slices.Sort(scores)
	slices.Sort(faults)
	c.list(m, scores, faults)
	return c, nil
}

// list lists thresholds. Both slices are in ascending order.
func (c *choices) list(m *model.Model, scores, faults []float64) {
	above := func(of []float64, limit float64) int {
		return len(of) - sort.Search(len(of), func(i int) bool { return of[i] > limit })
	}
	add := func(share, limit float64, of string) {
		x := choice{FalseAlarm: share, Threshold: limit, Of: of, Anomalies: above(scores, limit)}
		if c.Faults != nil {
			n := above(faults, limit)
			x.Found = &n
		}
		if c.Days > 0 {
			x.PerDay = float64(x.Anomalies) / c.Days
		}
		c.Thresholds = append(c.Thresholds, x)
	}
	if t := m.Threshold(); !math.IsNaN(t) {
		add(promised(m), t, "model")
	}
	for _, share := range shares {
		if len(c.Thresholds) > 0 && share == c.Thresholds[0].FalseAlarm {
			continue // the model's own
		}
		limit, enough, ok := m.ThresholdFor(share)
		switch {
		case ok && enough:
			add(share, limit, "own rows")
		case !ok && share*float64(len(scores)) >= 1:
			add(share, scores[len(scores)-1-int(share*float64(len(scores)))], "these rows")
		}
	}
	slices.SortStableFunc(c.Thresholds, func(x, y choice) int { return cmp.Compare(y.Threshold, x.Threshold) })
}

func (c *choices) text(w io.Writer) {
	fmt.Fprintf(w, "%s", count(c.Rows, "row"))
	if c.Days > 0 {
		fmt.Fprintf(w, " of %.3g days", c.Days)
	}
	if c.Faults != nil {
		fmt.Fprintf(w, ", %s", count(*c.Faults, "fault"))
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "--false-alarm\tthreshold\tanomalies\t"
	if c.Days > 0 {
		head += "per day\t"
	}
	if c.Faults != nil {
		head += "faults found\tother anomalies\t"
	}
	fmt.Fprintln(t, head)
	for _, x := range c.Thresholds {
		line := fmt.Sprintf("%.4g\t%.4g\t%d\t", x.FalseAlarm, x.Threshold, x.Anomalies)
		if c.Days > 0 {
			line += fmt.Sprintf("%.3g\t", x.PerDay)
		}
		if x.Found != nil {
			line += fmt.Sprintf("%d of %d\t%d\t", *x.Found, *c.Faults, x.Anomalies-*x.Found)
		}
		if x.Of == "model" {
			line += "  the model's"
		}
		fmt.Fprintln(t, line)
	}
	t.Flush()
	if slices.ContainsFunc(c.Thresholds, func(x choice) bool { return x.Of == "these rows" }) {
		fmt.Fprintln(w, "\nThe shares are those of the rows given: there are no scores of own rows beside the model.")
	}
}
