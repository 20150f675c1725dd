package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// shares are the shares of false alarms that thresholds compares.
var shares = []float64{0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001}

// choices are thresholds to choose from.
type choices struct {
	Rows       int      `json:"rows"`                 // rows scored
	Days       float64  `json:"days,omitempty"`       // time that the rows of all files cover, if they have times
	Faults     *int     `json:"faults,omitempty"`     // faults, each of successive rows with label 1, if there are labels
	FaultRows  *int     `json:"fault_rows,omitempty"` // rows with label 1, if there are labels
	Thresholds []choice `json:"thresholds"`           // the lowest first
	// Participants are, of a folder of members, the thresholds of each, in the order of names. The rows
	// above are all of theirs.
	Participants []memberChoices `json:"participants,omitempty"`

	Kept string `json:"kept,omitempty"` // the file that now has the threshold with one event a week

	command string // scores with the threshold of OneAWeek, as far as it is the same for all
	rules   scoring.Rules
	file    string // to keep a threshold in
	known   bool   // many rows trained the model, and their scores are too low
}

// memberChoices are the thresholds of a member.
type memberChoices struct {
	Participant string `json:"participant"` // the member
	*choices
}

// choice is a threshold and what it does with the rows.
type choice struct {
	FalseAlarm   float64  `json:"false_alarm,omitempty"`    // share of rows like the own ones that is above it at most; absent if nothing is promised
	Threshold    float64  `json:"threshold"`                // in nats
	Of           string   `json:"of"`                       // what it comes from: model, own rows, these rows, or given for that of --threshold or --false-alarm
	Anomalies    int      `json:"anomalies"`                // rows above it
	Events       int      `json:"events"`                   // these rows joined as score does
	EventsPerDay *float64 `json:"events_per_day,omitempty"` // if rows have times
	Found        *int     `json:"found,omitempty"`          // faults with a row above it, if there are labels
	FoundRows    *int     `json:"found_rows,omitempty"`     // rows with label 1 above it, if there are labels
	Other        *int     `json:"other,omitempty"`          // events without a row of label 1, if there are labels
	OneAWeek     bool     `json:"one_a_week,omitempty"`     // the lowest of the thresholds with at most one event a week; with labels, one without a fault
}

// The values of choice.Of.
const (
	ofOwnRows   = "own rows"
	ofTheseRows = "these rows"
	ofFlag      = "given"
)

// scoredRow is a row with what counts for thresholds.
type scoredRow struct {
	score  float64
	number int
	file   string
	fault  int // number of its fault, from 1; 0 for none

	maintained bool // no anomaly counts then
}

func (a *app) thresholds() *cobra.Command {
	var s scoredFlags
	keep := false
	cmd := &cobra.Command{
		Use: "thresholds [MODEL] [FILE]...", Short: "Compare thresholds on rows: events per day, and faults found",
		Long: `thresholds scores rows, such as those of the last week. For several shares of false alarms, it
shows the threshold that promises them, how many of the rows are above it, and how many events these
are: score joins anomalies that follow each other. If a column has times, it adds events per day, or
per week if they are rare, and further thresholds until there is one with at most one event a day and
one a week. These are scores of the rows given, and promise nothing. With --label, it adds the faults
and their rows that are found, and the events without a fault: these are then counted for a week.
Successive rows with a fault are one fault. Give the share you choose to score and compare with
--false-alarm, or the threshold with --threshold; --keep writes that of one event a week into alarms.yaml
beside the model, where score finds it. The rules there about events apply, but for those of sensors. A
folder with the folders of several members stands for their models, as for score.

The promise is about rows like those of training. Without local.npz beside the model, there is none but
the model's.`,
		Example: "  collabdict thresholds plant-a last-week.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			s.take(args)
			if keep && (s.with != "" || s.alarms != "") {
				return &flagError{"keep", "it keeps a threshold of the scores by default in " + scoring.RulesFile + " beside the model", "leave --with and --alarms out"}
			}
			var command []string
			for _, name := range []string{"where", "time-column", "own", "with", "missing", "alarms"} {
				if f := cmd.Flags().Lookup(name); f.Changed {
					command = append(command, "--"+name, f.Value.String())
				}
			}
			members, err := s.members()
			if err != nil {
				return err
			}
			if members == nil {
				c, err := a.thresholdsOf(cmd.Context(), s, command)
				if err == nil && keep {
					err = c.keep(a, "")
				}
				if err != nil {
					return err
				}
				return a.print(c, func(w io.Writer) {
					c.text(w)
					noteMissed(w, []memberChoices{{"", c}})
				})
			}
			all := choices{Thresholds: []choice{}}
			var texts []func(io.Writer)
			for _, m := range members {
				of := s
				of.model, of.data = m.model, m.files
				c, err := a.thresholdsOf(cmd.Context(), of, command)
				if err == nil && keep {
					err = c.keep(a, m.name+": ")
				}
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				all.Rows += c.Rows
				all.Participants = append(all.Participants, memberChoices{m.name, c})
				texts = append(texts, c.text)
			}
			return a.print(all, func(w io.Writer) {
				textOfMembers(w, members, texts)
				noteMissed(w, all.Participants)
			})
		},
	}
	s.add(cmd, "score")
	s.addScoring(cmd)
	s.addAlarms(cmd)
	cmd.Flags().StringVar(&s.label, "label", "", "`COLUMN` with 1 for faults")
	cmd.Flags().StringVar(&s.anomaly, "anomaly", "", anomalyHelp)
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the threshold with one event a week for score, in alarms.yaml")
	a.addJSON(cmd)
	return cmd
}

// keep writes the threshold with one event a week into the file of rules, if there is one. Otherwise it notes
// that none is kept, after a name.
func (c *choices) keep(a *app, name string) error {
	i := c.oneAWeek()
	if i < 0 {
		a.note("%sno threshold is kept: these rows show none with one event a week", name)
		return nil
	}
	text, err := os.ReadFile(c.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line := fmt.Appendf(nil, "threshold: %.10g", c.Thresholds[i].Threshold)
	if old := thresholdLine.FindIndex(text); old != nil {
		text = slices.Concat(text[:old[0]], line, text[old[1]:])
	} else {
		text = slices.Concat(line, []byte("\n"), text)
	}
	c.Kept = c.file
	return files.WriteBytes(c.file, 0o600, text)
}

// thresholdLine is the line of a file of rules that has the threshold, without a comment after it.
var thresholdLine = regexp.MustCompile(`(?m)^threshold:[^#\r\n]*[^#\s]`)

// oneAWeek returns the place of the threshold with one event a week, -1 for none.
func (c *choices) oneAWeek() int {
	return slices.IndexFunc(c.Thresholds, func(x choice) bool { return x.OneAWeek })
}

// thresholdsOf compares thresholds on the rows of s. command has the flags that score needs, too.
func (a *app) thresholdsOf(ctx context.Context, s scoredFlags, command []string) (*choices, error) {
	folder := s.model
	if filepath.Base(folder) == model.File {
		folder = filepath.Dir(folder)
	}
	m, spec, err := s.load(a)
	if err != nil {
		return nil, err
	}
	if m.Scorer() == nil {
		return nil, &flagError{"model", fmt.Sprintf("model %s gives classes, and no scores", m.Manifest.Kind), ""}
	}
	if err := a.complete(m, &s); err != nil {
		return nil, err
	}
	if err := s.readRules(m); err != nil {
		return nil, err
	}
	if err := forward(ctx, &spec); err != nil {
		return nil, err
	}
	limits, err := s.threshold(m)
	if err != nil {
		return nil, err
	}
	if limits.Rolls() {
		return nil, &flagError{"threshold", "a rolling threshold has no line in the table", "give a number"}
	}
	var given *choice
	if !s.ofModel() || s.share != 0 {
		given = &choice{FalseAlarm: s.promise(m), Threshold: limits.Limit(), Of: ofFlag}
	}
	c := &choices{command: quoted("collabdict", append([]string{"score", folder, "FILE"}, command...)), rules: s.rules, file: s.alarmsPath()}
	return c, a.compareThresholds(c, m, spec, given)
}

// compareThresholds scores the rows of spec. given is the threshold that the user names, nil for none.
func (a *app) compareThresholds(c *choices, m *model.Model, spec dataset.Spec, given *choice) error {
	var scored []scoredRow
	var places *scoring.Places
	spans := map[string]*span{}
	faults, faultRows := 0, 0
	by := scoring.New(m, local.Fixed(math.NaN()), false)
	gaps, err := eachLabelled(by, spec, func(carried []string) {
		places = scoring.NewPlaces(carried, spec.Time)
		places.Clock.DayFirst = spec.CSV.DayFirst
	}, func(r *scoring.Rows, isFault []bool) {
		places.See(r.Block)
		for i, score := range r.Scores {
			if r.Empty[i] {
				continue
			}
			row := scoredRow{score: score, number: r.Numbers[i], file: places.FileOf(r.Block, i)}
			if places.Time >= 0 {
				if spans[row.file] == nil {
					spans[row.file] = &span{}
				}
				if at, ok := places.Seconds(r.Block, i); ok && places.Clock.Dated() {
					spans[row.file].add(at)
					row.maintained = c.rules.Maintained(at)
				}
			}
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
		return err
	}
	a.noteGaps(&gaps)
	a.noteKnown(by.Known)
	c.known = by.Known.Many() && !by.Known.LeavesOut()
	c.Rows = len(scored)
	for _, file := range slices.Sorted(maps.Keys(spans)) {
		c.Days += spans[file].days()
	}
	if spec.Label != "" {
		c.Faults, c.FaultRows = &faults, &faultRows
	}
	c.list(m, scored, given)
	return nil
}

// span is the time from the first row of a file to its last, in any order.
type span struct {
	from, to float64 // in seconds
	rows     int
}

func (s *span) add(at float64) {
	if s.rows == 0 {
		s.from, s.to = at, at
	}
	s.from, s.to, s.rows = min(s.from, at), max(s.to, at), s.rows+1
}

// days returns the time that the rows cover: one step more than from the first to the last, so that the rows
// of a week are a week.
func (s *span) days() float64 {
	if s.rows < 2 {
		return 0
	}
	return (s.to - s.from) / (24 * 3600) * float64(s.rows) / float64(s.rows-1)
}

// list lists thresholds for rows in their order, with the one given, nil for none.
func (c *choices) list(m *model.Model, rows []scoredRow, given *choice) {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		scores[i] = r.score
	}
	slices.Sort(scores)
	if t := m.Threshold(); !math.IsNaN(t) {
		c.add(rows, choice{FalseAlarm: promised(m), Threshold: t, Of: ofModel})
	}
	for _, share := range shares {
		limit, enough, ok := m.ThresholdFor(share)
		switch {
		case ok && enough:
			c.add(rows, choice{FalseAlarm: share, Threshold: limit, Of: ofOwnRows})
		case !ok && share*float64(len(scores)) >= 1:
			limit := scores[len(scores)-1-int(share*float64(len(scores)))]
			c.add(rows, choice{Threshold: roundedUp(limit, scores), Of: ofTheseRows})
		}
	}
	scores = slices.Compact(scores)
	for _, days := range []float64{1, 7} {
		if c.Days < 0.95*days {
			continue
		}
		limit, ok := c.lowest(rows, scores, days)
		if i := c.first(days); ok && i >= 0 {
			var x choice
			x.count(rows, limit, c.Faults != nil, &c.rules)
			ok = days == 7 && x.Events > c.Thresholds[i].Events // the table's would be needlessly high
		}
		if ok {
			c.add(rows, choice{Threshold: limit, Of: ofTheseRows})
		}
	}
	if i := c.first(7); i >= 0 {
		c.Thresholds[i].OneAWeek = true
	}
	if given != nil {
		c.add(rows, *given)
	}
}

// add adds a threshold in its place, and counts rows. Of equal thresholds, it keeps the first, and of two
// of the own rows the last, which promises more.
func (c *choices) add(rows []scoredRow, x choice) {
	i, found := slices.BinarySearchFunc(c.Thresholds, x.Threshold, func(x choice, t float64) int { return cmp.Compare(x.Threshold, t) })
	if found {
		if same := &c.Thresholds[i]; same.Of == ofOwnRows && x.Of == ofOwnRows {
			same.FalseAlarm = x.FalseAlarm
		}
		return
	}
	x.count(rows, x.Threshold, c.Faults != nil, &c.rules)
	if c.Days > 0 {
		perDay := float64(x.Events) / c.Days
		x.EventsPerDay = &perDay
	}
	c.Thresholds = slices.Insert(c.Thresholds, i, x)
}

// rare reports whether there is at most one event in the given number of days; with labels, at most one
// without a fault.
func (c *choices) rare(x *choice, days float64) bool {
	events := x.Events
	if x.Other != nil {
		events = *x.Other
	}
	const rounding = 1e-6
	return float64(events)*days <= c.Days*(1+rounding)
}

// first returns the place of the lowest threshold that is rarely exceeded, -1 if there is none.
func (c *choices) first(days float64) int {
	return slices.IndexFunc(c.Thresholds, func(x choice) bool { return c.Days >= 0.95*days && c.rare(&x, days) })
}

// lowest returns a score of the rows that is rarely exceeded, while the next lower one is not, rounded up. ok is
// false if there is none, because scores are infinite.
func (c *choices) lowest(rows []scoredRow, scores []float64, days float64) (limit float64, ok bool) {
	i := sort.Search(len(scores), func(i int) bool {
		var x choice
		x.count(rows, scores[i], c.Faults != nil, &c.rules)
		return c.rare(&x, days)
	})
	if i == len(scores) || math.IsInf(scores[i], 0) {
		return 0, false
	}
	return roundedUp(scores[i], scores), true
}

// roundedUp returns the number with the fewest digits that has the same of the sorted scores above it as the
// score v.
func roundedUp(v float64, scores []float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	next := math.Inf(1)
	if i := sort.Search(len(scores), func(i int) bool { return scores[i] > v }); i < len(scores) {
		next = scores[i]
	}
	size := math.Floor(math.Log10(math.Abs(v)))
	for digits := range 16 {
		text := strconv.FormatFloat(v, 'e', digits, 64)
		rounded, _ := strconv.ParseFloat(text, 64)
		if rounded < v {
			step := math.Pow(10, size-float64(digits))
			rounded, _ = strconv.ParseFloat(strconv.FormatFloat(rounded+step, 'e', digits, 64), 64)
		}
		if rounded >= v && rounded < next {
			return rounded
		}
	}
	return v
}

// count counts the rows above a limit, the events that they are joined to by rules, and the faults in events.
func (x *choice) count(rows []scoredRow, limit float64, labelled bool, rules *scoring.Rules) {
	joiner, counts := scoring.NewJoiner(rules), false
	found, foundRows, other, lastFault := 0, 0, 0, 0
	var faults []int // of the rows of the event that goes on
	end := func() {
		if counts {
			x.Events++
			other += one(len(faults) == 0)
			for _, fault := range faults {
				foundRows++
				found += one(fault != lastFault)
				lastFault = fault
			}
		}
		faults, counts = nil, false
	}
	for _, r := range rows {
		if r.score <= limit {
			continue
		}
		if x.Anomalies++; r.maintained {
			continue
		}
		begins, enough := joiner.Add(r.file, r.number)
		if begins {
			end()
		}
		counts = counts || enough
		if r.fault > 0 {
			faults = append(faults, r.fault)
		}
	}
	end()
	if labelled {
		x.Found, x.FoundRows, x.Other = &found, &foundRows, &other
	}
}
