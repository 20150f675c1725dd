package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
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
	Rows       int      `json:"rows"`                 // rows scored
	Days       float64  `json:"days,omitempty"`       // time from the first row to the last, if rows have times
	Faults     *int     `json:"faults,omitempty"`     // faults, each of successive rows with label 1, if there are labels
	FaultRows  *int     `json:"fault_rows,omitempty"` // rows with label 1, if there are labels
	Thresholds []choice `json:"thresholds"`           // the largest share first
}

// choice is a threshold and what it does with the rows.
type choice struct {
	FalseAlarm   float64  `json:"false_alarm"`              // share of rows like the own ones that is above it at most
	Threshold    float64  `json:"threshold"`                // in nats
	Of           string   `json:"of"`                       // what it comes from: model, own rows or these rows
	Anomalies    int      `json:"anomalies"`                // rows above it
	Events       int      `json:"events"`                   // these rows joined as score does
	EventsPerDay *float64 `json:"events_per_day,omitempty"` // if rows have times
	Found        *int     `json:"found,omitempty"`          // faults with a row above it, if there are labels
	FoundRows    *int     `json:"found_rows,omitempty"`     // rows with label 1 above it, if there are labels
	Other        *int     `json:"other,omitempty"`          // events without a row of label 1, if there are labels
}

// scoredRow is a row with what counts for thresholds.
type scoredRow struct {
	score  float64
	number int
	file   string
	fault  int // number of its fault, from 1; 0 for none
}

func (a *app) thresholds() *cobra.Command {
	var s scoredFlags
	cmd := &cobra.Command{
		Use: "thresholds [MODEL] [FILE]...", Short: "Compare thresholds on rows: events per day, and faults found",
		Long: `thresholds scores rows, such as those of the last week. For several shares of false alarms, it
shows the threshold that promises them, how many of the rows are above it, and how many events these
are: score joins anomalies that follow each other. If a column has times, it adds events per day, or
per week if they are rare. With --label, it adds the faults and their rows that are found, and the
events without a fault. Successive rows with a fault are one fault. Give the share you choose to score,
compare and evaluate with --false-alarm.

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
	var scored []scoredRow
	var clock dataset.Clock
	var names []string
	known := knownOf(m)
	timeAt, fileAt, first, last, timed := -1, -1, 0.0, 0.0, false
	faults, faultRows := 0, 0
	gaps, err := eachScored(m, spec, func(carried []string) {
		names, timeAt, fileAt = carried, slices.Index(carried, spec.Time), slices.Index(carried, dataset.FileColumn)
	}, func(b dataset.Block, z *mat.Dense, of []float64, isFault []bool) {
		known.mark(z)
		if len(scored) == 0 && timeAt < 0 {
			timeAt = timeAmong(b.Carried[0])
		}
		if len(scored) == 0 {
			timeAt, clock.Serial = serialAmong(b, names, timeAt)
			clock.DayFirst = spec.CSV.DayFirst
			clock.Order(cellsOf(b, timeAt))
		}
		if timeAt >= 0 {
			if at, _, ok := clock.Read(b.Carried[0][timeAt]); ok && len(scored) == 0 {
				first, timed = at, true
			}
			at, _, ok := clock.Read(b.Carried[len(b.Carried)-1][timeAt])
			last, timed = at, timed && ok
		}
		for i, score := range of {
			row := scoredRow{score: score, number: b.Numbers[i], file: cell(b, i, fileAt)}
			if isFault[i] {
				faultRows++
				if n := len(scored); n == 0 || scored[n-1].fault == 0 || scored[n-1].file != row.file {
					faults++
				}
				row.fault = faults
			}
			scored = append(scored, row)
		}
	})
	if err != nil {
		return nil, err
	}
	a.noteGaps(&gaps)
	known.tell(a)
	c := &choices{Rows: len(scored)}
	if timed && last > first && clock.Dated() {
		c.Days = (last - first) / (24 * 3600)
	}
	if spec.Label != "" {
		c.Faults, c.FaultRows = &faults, &faultRows
	}
	c.list(m, scored)
	return c, nil
}

// list lists thresholds for rows in their order.
func (c *choices) list(m *model.Model, rows []scoredRow) {
	add := func(share, limit float64, of string) {
		x := choice{FalseAlarm: share, Threshold: limit, Of: of}
		x.count(rows, limit, c.Faults != nil)
		if c.Days > 0 {
			perDay := float64(x.Events) / c.Days
			x.EventsPerDay = &perDay
		}
		c.Thresholds = append(c.Thresholds, x)
	}
	if t := m.Threshold(); !math.IsNaN(t) {
		add(promised(m), t, "model")
	}
	scores := make([]float64, len(rows))
	for i, r := range rows {
		scores[i] = r.score
	}
	slices.Sort(scores)
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
	slices.SortStableFunc(c.Thresholds, func(x, y choice) int { return cmp.Compare(y.FalseAlarm, x.FalseAlarm) })
}

// count counts the rows above a limit, the events that they are joined to, and the faults among them.
func (x *choice) count(rows []scoredRow, limit float64, labelled bool) {
	var e event
	found, foundRows, other, lastFault, hit := 0, 0, 0, 0, true
	for _, r := range rows {
		if r.score <= limit {
			continue
		}
		if x.Anomalies++; x.Anomalies == 1 || !e.takes(r.file, r.number) {
			x.Events++
			other += one(!hit)
			e.File, hit = r.file, false
		}
		e.Last = r.number
		if r.fault > 0 {
			foundRows++
			found += one(r.fault != lastFault)
			lastFault, hit = r.fault, true
		}
	}
	other += one(!hit)
	if labelled {
		x.Found, x.FoundRows, x.Other = &found, &foundRows, &other
	}
}

// rate says how often events occur.
func rate(perDay float64) string {
	if perDay < 1 {
		return fmt.Sprintf("%.2g/week", 7*perDay)
	}
	return fmt.Sprintf("%.3g/day", perDay)
}

func (c *choices) text(w io.Writer) {
	fmt.Fprintf(w, "%s", count(c.Rows, "row"))
	if c.Days > 0 {
		fmt.Fprintf(w, " of %.3g days", c.Days)
	}
	if c.Faults != nil {
		fmt.Fprintf(w, ", %s in %s", count(*c.Faults, "fault"), count(*c.FaultRows, "row"))
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "--false-alarm\tthreshold\tanomalies\tevents\t"
	if c.Days > 0 {
		head += "event rate\t"
	}
	if c.Faults != nil {
		head += "faults found\ttheir rows\tother events\t"
	}
	fmt.Fprintln(t, head)
	for _, x := range c.Thresholds {
		line := fmt.Sprintf("%.4g\t%.4g\t%d\t%d\t", x.FalseAlarm, x.Threshold, x.Anomalies, x.Events)
		if x.EventsPerDay != nil {
			line += rate(*x.EventsPerDay) + "\t"
		}
		if x.Found != nil {
			line += fmt.Sprintf("%d of %d\t%d of %d\t%d\t", *x.Found, *c.Faults, *x.FoundRows, *c.FaultRows, *x.Other)
		}
		if x.Of == "model" {
			line += "  the model's"
		}
		fmt.Fprintln(t, line)
	}
	t.Flush()
	if slices.ContainsFunc(c.Thresholds, func(x choice) bool { return x.Of == "these rows" }) {
		fmt.Fprintln(w, "\nThe shares, except the model's, are those of the rows given: there are no scores of own rows beside the model.")
	}
}
