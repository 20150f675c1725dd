package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// scoredFlags name a model and the rows to score.
type scoredFlags struct {
	dataFlags
	thresholdFlags
	model, own, with string
	missing          string // "" is an error
	alarms           string // file of rules, "" for that beside the model

	rules scoring.Rules
	kept  bool // the threshold is that of rules
}

func (s *scoredFlags) add(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", "", "model `FILE`, or the folder that it is in")
	f.StringArrayVar(&s.data, "data", nil, "`FILE` of rows, .csv, .csv.gz, .ndjson, .parquet, .npy, .npz, IDX or a query in .sql, or - for standard input; may be repeated")
	f.StringVar(&s.where, "where", "", what+" rows with `COLUMN=VALUE` only")
	f.StringVar(&s.timeColumn, "time-column", "", timeColumnHelp)
}

// addScoring adds the flags of commands that score rows: by what, what is an anomaly, and what
// happens to missing cells.
func (s *scoredFlags) addScoring(cmd *cobra.Command) {
	s.thresholdFlags.add(cmd)
	s.addScores(cmd)
}

// addScores adds the flags that say which scores rows get.
func (s *scoredFlags) addScores(cmd *cobra.Command) {
	addOwn(cmd, &s.own)
	s.addWith(cmd)
	cmd.Flags().StringVar(&s.missing, "missing", dataset.KeepMissing, "what to do with `CELLS` that are missing (empty, NaN, NA, ?) or not numbers: score the other cells (marginal), leave their rows out (skip), or end with an error (error)")
}

func (s *scoredFlags) addWith(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.with, "with", "", "`SCORES` by the shared model (shared), by the model of the own rows and the nearest of these (alone), or by all (blend) (default blend with local.npz beside the model, otherwise shared)")
}

// take takes a model and files that are given as arguments, before or after flags.
func (s *scoredFlags) take(args []string) {
	if s.model == "" && len(args) > 0 {
		s.model, args = args[0], args[1:]
	}
	s.data = append(s.data, args...)
}

// load reads the model, and returns it with the rows to read, in its columns.
func (s *scoredFlags) load(a *app) (*model.Model, dataset.Spec, error) {
	if s.model == "" {
		return nil, dataset.Spec{}, &flagError{"model", "missing", "name a model.npz"}
	}
	if !slices.Contains([]string{"", dataset.RefuseMissing, dataset.SkipMissing, dataset.KeepMissing}, s.missing) {
		return nil, dataset.Spec{}, &flagError{"missing", fmt.Sprintf("want %s, %s or %s, got %q", dataset.RefuseMissing, dataset.SkipMissing, dataset.KeepMissing, s.missing), ""}
	}
	var err error
	if s.model, err = modelIn(s.model); err != nil {
		return nil, dataset.Spec{}, err
	}
	spec, err := s.spec()
	if err != nil {
		return nil, spec, err
	}
	for _, path := range s.data {
		if _, err := os.Stat(filepath.Join(path, model.File)); err == nil {
			return nil, spec, &flagError{"data", fmt.Sprintf("want rows, got %s, the folder of a model", path), "name a file of rows"}
		}
	}
	m, err := model.ReadFile(s.model)
	if err != nil {
		return nil, spec, err
	}
	if err := checkTime(s.timeColumn, m.Manifest.Window); err != nil {
		return nil, spec, err
	}
	spec.Columns, spec.Window, spec.MinRows, spec.LabelFault = m.DataColumns(), m.Manifest.Window, 1, pipeline.LabelFault(m)
	spec.Missing, spec.Scored = s.missing, s.missing != ""
	return m, spec, a.adaptRows(&spec, m, s.model)
}

// loadFor is like load for a command that writes files, by their flags: they may be none of those
// that it reads, and with keepParts none of the parts beside the model.
func (s *scoredFlags) loadFor(a *app, keepParts bool, written map[string]string) (*model.Model, dataset.Spec, error) {
	m, spec, err := s.load(a)
	if err != nil {
		return nil, spec, err
	}
	read, err := spec.Files()
	if err != nil {
		return nil, spec, err
	}
	kept := append(read, s.model)
	if keepParts {
		kept = append(kept, s.own, ownBeside(s.model), localBeside(s.model))
	}
	for _, flag := range slices.Sorted(maps.Keys(written)) {
		if err := another(flag, written[flag], kept...); err != nil {
			return nil, spec, err
		}
	}
	return m, spec, nil
}

// modelIn returns the path of the model in a folder, and other paths as they are. A file of rows is
// an error: the model comes first.
func modelIn(path string) (string, error) {
	rows, err := dataset.Resolve([]string{path})
	isRows := path == "-" || err == nil && rows[0] == path && !strings.EqualFold(filepath.Ext(path), filepath.Ext(model.File))
	if isRows {
		return "", &flagError{"model", fmt.Sprintf("want a model, got the rows %s", path), "name the model before the rows"}
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil //nolint:nilerr // reading it reports the error
	}
	within := filepath.Join(path, model.File)
	if _, err := os.Stat(within); err == nil {
		return within, nil
	}
	hint := "name a model.npz, or the folder of a member"
	if members, _ := filepath.Glob(filepath.Join(path, "*", model.File)); len(members) > 0 {
		hint = "name the folder of a member, such as " + filepath.Dir(members[0])
	}
	return "", &flagError{"model", "there is no " + model.File + " in " + path, hint}
}

// scoreFlags say what score writes.
type scoreFlags struct {
	scoredFlags
	columnsOfScores
	out, state, plots string
	follow            string // file that is followed, "" for none
	carry             []string
	events            bool
}

func (a *app) score() *cobra.Command {
	var s scoreFlags
	cmd := &cobra.Command{
		Use: "score [MODEL] [FILE]...", Short: "Write an anomaly score, or a class, of every row as CSV",
		Long: `score writes a CSV line per row:

  row      its number, from 1, counted over all files
  file     its file, if there are several
  …        its cells in the columns that are no features, such as its time, or those of --carry
  score    its anomaly score, in nats: the less likely the row, the higher. For an auto-encoder
           that was trained by a loss, that loss
  anomaly  1 if the score is above the threshold; empty if there is no threshold

With --plots, it draws the scores over time with the threshold and the events, a picture per file.
Below are the sensors of the strongest events, with the values that the model expected. Arrows stand
for values far beyond an axis.

With --events, and for files on a terminal, score prints events instead: anomalies that follow each other,
with their beginning, end and highest score, and the sensors at fault with their values there. With
--output, it writes the lines to a file, and prints the events.

With local.npz beside the model, the score is a blend: the mean, in nats, of three surprises.
They come from the shared model, from the model of the own rows alone, and from the distance to
the nearest own rows. A surprise is -ln of the share of own rows that score as high. The shared model counts
four times, or the own one if own held-out rows show that it is better. --with selects one of the models instead.

--false-alarm takes another threshold: at most that share of rows like the own ones lies above it.
With --threshold rolling:N, the N scores before a row give its threshold, as held-out rows give
the model's. Until there are enough scores for that share, the model's threshold applies.

--clusters adds the component of the row, numbered from 1 as in inspect.

--explain adds the surprises in a blend. For an anomaly, it writes a line per sensor, that is per
column of the data, for the --top ones. First come the sensors at fault: without them, the rest of the
row is no anomaly. The others follow. Both are in the order of their shares:

  sensor    the column
  expected  what the sensors that are not at fault predict, or what an auto-encoder reconstructs;
            empty if that is far outside the own rows
  got       the value in the row
  share     its share of all sensors' deviations, from 0 to 1

With a model of windows, share is of the sensor's value, mean and deviation together. The column
"of" names the one that deviates most; expected and got are for that one.

Lines are written as rows are read, so files may be larger than memory, and standard input may be
a stream without end. A warning names the first cell of each column there that cannot be read, at once.
A row with missing cells is scored by the cells that it has, which also give the expected values. A
row without any has no score, and "anomaly" is empty. With --explain, "got" is empty for missing
cells. A row whose window has too few rows before it is scored by its values. With --state FILE,
windows, rolling thresholds, events and the numbers of rows go on where the last call with that FILE
has ended, so a file a minute has the scores of one long file.

--follow FILE scores rows as they are appended to a file, until it is interrupted. A line waits for
its end. If the file is renamed and made anew, or copied and truncated, the new one continues it, and
may lack a header. With --state, the next call goes on after the last row, in the file beside FILE
to which that was renamed or copied since, if there was one rotation. After a kill without a signal,
the last lines may come twice.

For a classifier, the columns are row, the likeliest class and its probability, with
the participant's own conditions. --probabilities adds the probabilities of all classes.`,
		Example: `  collabdict score plant-a/model.npz today.csv
  collabdict score plant-a today.csv --explain -o scores.csv
  collabdict score result today/*.csv
  collabdict score plant-a --follow today.csv --state state.json >>scores.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.explain != "" && (slices.Contains(args, explainAnomalies) || slices.Contains(args, explainAll)) {
				return &flagError{"explain", "want its value after =, as the flag can stand alone", "write --explain=" + explainAll + ", or --explain"}
			}
			s.take(args)
			s.events = s.events || a.json
			if err := s.checkFollow(); err != nil {
				return err
			}
			var members []scoredMember
			if s.follow == "" {
				var err error
				if members, err = s.members(); err != nil {
					return err
				}
			}
			if members != nil {
				return a.scoreMembers(cmd.Context(), &s, members)
			}
			found, err := a.scoreRows(cmd.Context(), &s)
			if err != nil || found == nil {
				return err
			}
			return a.print(scoredEvents{Events: found.Events}, found.text)
		},
	}
	s.add(cmd, "score")
	s.addScoring(cmd)
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "", "write lines to `FILE` instead of standard output")
	f.StringSliceVar(&s.carry, "carry", nil, "`COLUMNS` whose cells are copied, separated by commas, or none (default all that are no features)")
	f.BoolVar(&s.events, "events", false, "print events in place of a line per row; --json prints them as JSON, and so does --follow, a line as each begins and as it ends")
	f.BoolVar(&s.clusters, "clusters", false, "add the cluster, or component, of each row")
	f.StringVar(&s.explain, "explain", "", "write lines per sensor for `ROWS`: what was expected, and its share of the deviation; anomalies, or all")
	f.Lookup("explain").NoOptDefVal = explainAnomalies
	f.IntVar(&s.top, "top", 3, "with --explain: the `N` sensors with the largest share; 0 for all")
	f.BoolVar(&s.probabilities, "probabilities", false, "for a classifier: add the probability of each class")
	f.StringVar(&s.plots, "plots", "", "draw scores over time, and the sensors of the strongest events, as SVG and PNG in `DIR`; do not share them: they show rows")
	s.addAlarms(cmd)
	f.StringVar(&s.follow, "follow", "", "score the rows that are appended to `FILE`, also after it was rotated")
	f.StringVar(&s.state, "state", "", "continue windows, rolling thresholds and events where the call before has left them in `FILE`")
	a.addJSON(cmd)
	return cmd
}

// scoreRows scores rows, and writes lines. It returns events if these are to be printed.
func (a *app) scoreRows(ctx context.Context, s *scoreFlags) (*foundEvents, error) {
	m, spec, err := s.loadFor(a, true, map[string]string{"output": s.out, "state": s.state})
	if err != nil {
		return nil, err
	}
	if err := s.check(m); err != nil {
		return nil, err
	}
	if err := a.complete(m, &s.scoredFlags); err != nil {
		return nil, err
	}
	if err := s.readRules(m); err != nil {
		return nil, err
	}
	limits, err := s.threshold(m)
	if err != nil {
		return nil, err
	}
	spec.Carry = s.carry
	if len(s.carry) == 1 && s.carry[0] == "none" {
		spec.Carry = []string{}
	}
	lines := s.lines(m, limits)
	if s.state != "" || s.follow != "" || s.hooked(&spec) {
		return a.scoreSeries(ctx, spec, s, lines)
	}
	return a.readScored(ctx, spec, s, lines)
}

// lines returns what writes the lines of rows that a model scores, or classifies.
func (s *scoreFlags) lines(m *model.Model, limits *local.Threshold) *scoreLines {
	return &scoreLines{columnsOfScores: s.columnsOfScores, scorer: scoring.New(m, limits, s.explain != ""), rules: s.rules, promised: s.promise(m)}
}

// readScored begins to read the rows, and writes their scores.
func (a *app) readScored(ctx context.Context, spec dataset.Spec, s *scoreFlags, lines *scoreLines) (*foundEvents, error) {
	if err := forward(ctx, &spec); err != nil {
		return nil, err
	}
	return a.writeScored(spec, s, lines)
}

// printsEvents reports whether events are printed. On a terminal, a stream and columns that were
// asked for are shown as lines.
func (s *scoreFlags) printsEvents(a *app, spec *dataset.Spec) bool {
	lines := spec.Input() || s.explain != "" || s.clusters
	return s.events || s.out != "" || newScreen(a.out).terminal != nil && !lines
}

// writeScored writes the scores or classes of the rows of spec as lines. It returns events if these are to be
// printed.
func (a *app) writeScored(spec dataset.Spec, s *scoreFlags, lines *scoreLines) (*foundEvents, error) {
	if m := lines.scorer.Model; m.Classifier() != nil {
		noScores := fmt.Sprintf("model %s gives classes, and no scores", m.Manifest.Kind)
		switch {
		case s.events:
			return nil, &flagError{"events", noScores, "leave it out"}
		case s.plots != "":
			return nil, &flagError{"plots", noScores, "leave it out"}
		}
		return nil, a.toFile(s.out, func(w io.Writer) error { return a.writeClasses(w, m, spec, s.probabilities) })
	}
	events := s.printsEvents(a, &spec)
	lines.finds = lines.finds || events || s.plots != ""
	if s.plots != "" {
		only := ""
		if files, err := spec.Files(); err == nil && len(files) > 0 {
			only = files[0]
		}
		lines.pictures = newScorePictures(s.plots, only, spec.CSV.DayFirst)
	}
	var err error
	if events && s.out == "" {
		err = a.writeScores(io.Discard, spec, lines)
	} else {
		err = a.toFile(s.out, func(w io.Writer) error { return a.writeScores(w, spec, lines) })
	}
	if err == nil {
		err = lines.pictures.end(lines.found)
	}
	if err == nil && lines.found != nil && lines.found.Undated() {
		a.note("the maintenance in %s leaves nothing out, as no column has dates", scoring.RulesFile)
	}
	if err != nil || !events {
		return nil, err
	}
	return &foundEvents{lines.found.Found(), lines.found.Places.File >= 0}, nil
}

// toFile writes to a file, or to standard output if it has no name.
func (a *app) toFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(a.out)
	}
	return files.Write(name, 0o600, write) // scores follow from rows
}

// columnsOfScores are the optional columns beside the score.
type columnsOfScores struct {
	clusters, probabilities bool
	explain                 string // explainAnomalies, explainAll or ""
	top                     int    // sensors per row, 0 for all
}

// values of --explain
const (
	explainAnomalies = "anomalies"
	explainAll       = "all"
)

// check reports columns that a model does not have.
func (c columnsOfScores) check(m *model.Model) error {
	switch {
	case c.explain != "" && c.explain != explainAnomalies && c.explain != explainAll:
		return &flagError{"explain", fmt.Sprintf("want %s or %s, got %q", explainAnomalies, explainAll, c.explain), "write --explain, or --explain=all"}
	case c.top < 0:
		return &flagError{"top", fmt.Sprintf("want 0 or a number of sensors, got %d", c.top), ""}
	case c.explain != "" && m.Projection != nil:
		return &flagError{"explain", fmt.Sprintf("the model uses %d principal axes, so a deviation has no single column as its cause", m.Dim()), "leave --explain out, or train without --pca"}
	case c.explain != "" && m.Explainer() == nil:
		return &flagError{"explain", fmt.Sprintf("model %s has no contributions of single variables", m.Manifest.Kind), ""}
	case c.probabilities && m.Classifier() == nil:
		return &flagError{"probabilities", fmt.Sprintf("model %s has no classes", m.Manifest.Kind), ""}
	case c.clusters && m.Components() == 0:
		return &flagError{"clusters", fmt.Sprintf("model %s has no clusters", m.Manifest.Kind), ""}
	}
	return nil
}

// scoreLines writes lines of scores, and finds events.
type scoreLines struct {
	columnsOfScores
	scorer   *scoring.Scorer
	finds    bool            // events
	rules    scoring.Rules   // for events
	promised float64         // share of false alarms, for events
	found    *scoring.Finder // nil if there are no events to find
	pictures *scorePictures  // nil for none
	line     []string
	// each, if not nil, scores the rows of a spec in place of the scorer's method.
	each func(dataset.Spec, func(carried []string) error, func(*scoring.Rows) error) (dataset.Gaps, error)
}

// series returns the rows as a series that other calls continue.
func (l *scoreLines) series() scoring.Series {
	l.finds, l.found = true, l.finder(scoring.NewPlaces(nil, ""))
	l.found.Continued = true
	return scoring.Series{Scorer: l.scorer, Finder: l.found}
}

func (l *scoreLines) finder(places *scoring.Places) *scoring.Finder {
	return scoring.NewFinder(l.scorer, scoring.NewExplainer(l.scorer.Model), &l.rules, l.promised, places)
}

// writeScores writes the scores of the rows of spec.
func (a *app) writeScores(out io.Writer, spec dataset.Spec, l *scoreLines) error {
	m := l.scorer.Model
	own := slices.Clone(scoring.Columns)
	if l.clusters {
		own = append(own, "cluster")
	}
	if s := l.scorer.Surprises; s != nil {
		for _, member := range s.Of.Members {
			own = append(own, "surprise_"+member.Name)
		}
	}
	ofSensors := 0
	if l.explain != "" {
		ofSensors = len(own)
		own = append(own, sensorColumns(m)...)
		ofSensors = len(own) - ofSensors
	}
	defer a.noteSurprises(l.scorer.Surprises)
	var explain *scoring.Explainer
	each := l.each
	if each == nil {
		each = l.scorer.Each
	}
	err := writeLines(a, out, spec, func(carried []string) []string {
		places := scoring.NewPlaces(carried, spec.Time)
		switch {
		case l.found != nil:
			l.found.Places = places
		case l.finds:
			l.found = l.finder(places)
		}
		if explain = scoring.NewExplainer(m); l.found != nil {
			explain = l.found.Explainer
		}
		return scoring.Header(carried, own)
	}, each, func(r *scoring.Rows, write func([]string) error) error {
		why, err := explain.Rows(r, func(i int) bool {
			return !r.Empty[i] && (l.explain == explainAll || l.explain != "" && r.Verdicts[i] != scoring.Normal)
		})
		if err != nil {
			return err
		}
		if l.found != nil {
			if err := l.found.Add(r); err != nil {
				return err
			}
			if err := l.pictures.add(l.found, r); err != nil {
				return err
			}
		}
		var clusters []int
		if l.clusters {
			clusters = m.Assign(r.Trained)
		}
		for i := range r.Scores {
			line := r.AppendLine(l.line[:0], i)
			if r.Empty[i] {
				line = append(line, make([]string, len(own)-ofSensors-len(scoring.Columns))...)
			} else {
				line = l.optional(line, r, i, clusters)
			}
			l.line = line
			if l.explain == "" || !why.Has(i) {
				err = write(append(line, make([]string, ofSensors)...))
			}
			for _, c := range why.Causes(i, l.top) {
				if err == nil {
					err = write(causeCells(line, c, m.Manifest.Window > 0))
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		a.noteKnown(l.scorer.Known)
	}
	return err
}

// optional appends the cells about row i between those that each line has and those of sensors.
func (l *scoreLines) optional(line []string, r *scoring.Rows, i int, clusters []int) []string {
	if clusters != nil {
		line = append(line, strconv.Itoa(clusters[i]+1))
	}
	if r.Surprises != nil {
		for _, v := range r.Surprises.RawRowView(i) {
			line = append(line, scoring.Decimal(v))
		}
	}
	return line
}

// noteSurprises prints how many rows score higher than every own row: own rows cannot rank these
// further.
func (a *app) noteSurprises(s *scoring.Surprises) {
	if s == nil || s.Rows == 0 {
		return
	}
	var parts []string
	for j, m := range s.Of.Members {
		parts = append(parts, fmt.Sprintf("%s %s %%", m.Name, report.Fixed(100*float64(s.Beyond[j])/float64(s.Rows), 1)))
	}
	a.note("rows that score higher than every own row: %s", strings.Join(parts, ", "))
}

// noteKnown notes that rows trained the model, if their scores show it.
func (a *app) noteKnown(k *scoring.KnownRows) {
	if k.Many() && !k.LeavesOut() {
		a.note("%d of %s trained the model: their scores are too low, so faults among them may look normal", k.Known, count(k.Rows, "row"))
	}
}

// sensorColumns returns the names of the columns about a sensor.
func sensorColumns(m *model.Model) []string {
	if m.Manifest.Window > 0 {
		return []string{"sensor", "of", "expected", "got", "share"}
	}
	return []string{"sensor", "expected", "got", "share"}
}

// causeCells appends the cells of these columns to a line.
func causeCells(line []string, c scoring.Cause, windows bool) []string {
	line = append(line, c.Sensor)
	if windows {
		line = append(line, c.Of)
	}
	return append(line, sixDigits(c.Expected), exactly(c.Got), strconv.FormatFloat(c.Share, 'f', 3, 64))
}

// sixDigits formats a number with six digits, exactly with eight; both give "" for nil.
func sixDigits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func exactly(v *float64) string {
	if v == nil {
		return ""
	}
	return scoring.Decimal(*v)
}
