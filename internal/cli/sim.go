package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/model"
)

func (a *app) sim() *cobra.Command {
	var s sourceFlags
	t := taskFlags{simulated: true}
	var under scenarioFlags
	var to outputs
	var kept []string
	cmd := &cobra.Command{
		Use: "sim [FILE]...", Short: "Train all participants in this process, over a simulated network in virtual time",
		Long: `sim trains all participants in this process. Only the network between them is simulated, in
virtual time. The same seed gives the same bytes. --faults and --scenario describe the network
and its faults; --plots draws the course of the run.

--adversary differencing runs the task 24 more times on other rows, and as often without the faults
if there are some, so it takes 25 or 49 times as long. Values that track a member's own numbers in all
these runs are readings.`,
		Example: `  collabdict sim --generate participants=20,rows=200,columns=6,patterns=3 --baselines alone,pooled
  collabdict sim --data 'machines/*.csv' --label fault --test-where split=test --components 8 --out result
  collabdict sim --generate participants=20 --faults 'churn:rate=0.05;loss:rate=0.01' --plots plots
  collabdict sim --generate participants=32 --chunks 3 --adversary coalition:t=8 --rounds 5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.data = append(s.data, args...)
			k, err := t.begin()
			if err != nil {
				return err
			}
			src, err := s.source(k.Seed)
			if err != nil {
				return err
			}
			if err := t.finish(k, src.standardise()); err != nil {
				return err
			}
			if err := t.checkBaselines("alone", "pooled"); err != nil {
				return asUsage(err)
			}
			c, err := under.conditions()
			if err != nil {
				return err
			}
			if err := src.forward(cmd.Context()); err != nil {
				return err
			}
			return a.simulate(cmd.Context(), src, k, t.baselines, kept, c, to)
		},
	}
	s.add(cmd)
	t.add(cmd)
	t.addBaselines(cmd, "alone, pooled")
	addKeep(cmd, &kept)
	addReplace(cmd, &to.replace)
	cmd.Flags().StringVar(&to.dir, "out", "", "write result.json and rounds.csv to `DIR`, and model.npz and result.json to a folder per participant")
	cmd.Flags().StringVar(&to.plots, "plots", "", "draw the objective, what there was to choose from, the convergence of a sum, bytes sent, members and faults over time, as SVG and PNG in `DIR`")
	under.add(cmd)
	a.addVerbose(cmd)
	a.addJSON(cmd)
	return cmd
}

// outputs are the folders that a simulation writes to; empty for none.
type outputs struct {
	dir, plots string
	replace    bool
}

// check returns an error if a folder cannot be written to.
func (o outputs) check() error {
	for _, to := range []struct{ flag, dir string }{{"out", o.dir}, {"plots", o.plots}} {
		if to.dir == "" {
			continue
		}
		if err := noFile(to.flag, to.dir); err != nil {
			return err
		}
		if err := files.CheckDir(to.dir); err != nil {
			return err
		}
	}
	return nil
}

// earlier returns the existing files that a simulation of these participants would replace.
func (o outputs) earlier(names []string) earlier {
	if o.dir == "" {
		return nil
	}
	return earlierIn(o.dir, append(inFolders(names, model.File, model.OwnFile, model.LocalFile, "result.json"), "result.json", report.RoundsFile)...)
}

// drawFailed draws a failed simulation up to its error.
func (a *app) drawFailed(run *simulate.Run, to outputs) {
	if run == nil || to.plots == "" {
		return
	}
	if err := plots.Write(to.plots, run.Course); err != nil {
		a.note("warning: cannot draw the run up to the error: %v", err)
		return
	}
	a.note("%s shows the run up to the error", filepath.Join(to.plots, "timeline.svg"))
}

// write writes the results of a simulation.
func (o outputs) write(run *simulate.Run) error {
	if o.plots != "" {
		if err := plots.Write(o.plots, run.Course); err != nil {
			return err
		}
	}
	if o.dir == "" {
		return nil
	}
	return writeRun(o.dir, run.Report, run.Course.Rounds, run.Models)
}

func (a *app) simulate(ctx context.Context, src source, t *pipeline.Task, baselines, kept []string, under simulate.Conditions, to outputs) error {
	began := time.Now()
	data, err := src.load(t)
	if err != nil {
		return err
	}
	a.noteData(t, data)
	if err := checkData(t, data); err != nil {
		return err
	}
	if err := checkKept(data, kept); err != nil {
		return err
	}
	if err := checkWindow(t, data.Participants); err != nil {
		return err
	}
	if err := t.Settings.Validate(len(data.Participants)); err != nil {
		return &usageError{err, ""}
	}
	if err := under.Adversary.Check(len(data.Participants)); err != nil {
		return asUsage(err)
	}
	if err := under.Check(t, data.Participants); err != nil {
		return &usageError{err, ""}
	}
	if err := to.check(); err != nil {
		return err
	}
	if to.dir != "" {
		folder, err := operate.Hold(to.dir) // another run would replace the results
		if err != nil {
			return err
		}
		defer folder.Release() //nolint:errcheck // it has no socket
	}
	before := to.earlier(namesOf(data.Participants))
	read, err := src.files()
	if err == nil {
		err = before.keep(read)
	}
	if err == nil && !to.replace {
		err = before.refuse(to.dir)
	}
	if err != nil {
		return err
	}
	a.noteForecast(t, data.Participants, len(data.Participants))
	if err := a.noteOrder(t, data.Participants); err != nil {
		return err
	}
	under.Converge = to.plots != ""
	if len(data.Participants) > consensus.SmallRoster {
		collectForMany(uint64(len(data.Participants)) * roomOfMany)
	}
	shown, stop := a.openPage(ctx, to.dir)
	defer stop()
	m := newMonitor("", "", a.err, a.verbose)
	m.page = shown
	m.trains(t)
	m.plans(t, len(data.Columns), len(data.Participants), nil)
	m.enter(operate.Running)
	run, err := simulate.SimulateUnder(ctx, under, t, data.Participants, func(p simulate.Progress) {
		p.Weighting, p.LowDiversity, p.Diversity = nil, nil, nil // one participant's alone
		m.completed(p.Progress, len(data.Participants), p.Virtual)
		for _, w := range p.Warnings {
			m.learned(w)
		}
	})
	m.screen.end()
	if err == nil {
		m.learns(run.Models[0], run.Report, nil)
	}
	if err != nil {
		shown.SetOutcome(outcomeOf(ctx, err))
		a.noteEarlier(before)
		a.drawFailed(run, to)
		return a.replayable(ctx, err, t.Seed)
	}
	if err := simulate.AddBaselines(ctx, run.Report, t, baselines, data.Participants, data.Participants); err != nil {
		return err
	}
	if under.Adversary.Differencing {
		a.note("reading what %d more runs open, each on other rows", simulate.Worlds)
		if err := simulate.AddReadings(ctx, run.Report, under, t, src.draw(t, data)); err != nil {
			return err
		}
	}
	for _, l := range data.LeftOut {
		run.Report.LeftOut = append(run.Report.LeftOut, report.LeftOut(l))
	}
	run.Report.Seconds = time.Since(began).Seconds()
	if err := to.write(run); err != nil {
		return err
	}
	if err := before.remove(); err != nil {
		return err
	}
	if err := showOutcome(shown, to.dir, run.Report); err != nil {
		return err
	}
	a.noteMemory(len(data.Participants))
	a.warn(run.Report.Warnings)
	return a.print(run.Report, func(w io.Writer) {
		a.runTable(w, run.Report)
		rows := "FILE"
		if src.spec.Time != "" && run.Report.Window > 0 { // no node.yaml beside the models has it
			rows = quoted(rows, []string{"--time-column", src.spec.Time})
		}
		nextSteps(w, to.dir, run.Report, rows)
	})
}

// draw returns a draw of rows for worlds. Of data, a world has 80 to 100 % of each participant's
// rows. Of generated data, it has 80 to 120 % of their number, out of more rows of the same plants.
func (s source) draw(t *pipeline.Task, data *dataset.Dataset) simulate.Draw {
	if s.plants == nil {
		return simulate.Subsets(data.Participants, 0.8, 1, t.Seed)
	}
	more := *s.plants
	more.Rows, more.Ample = 3*more.Rows, 3*more.Ample
	return simulate.Subsets(dataset.Window(plants.Generate(more, t.Seed), t.Window), 0.8/3, 1.2/3, t.Seed)
}

// checkWindow returns an error if no participant has the rows of one window.
func checkWindow(t *pipeline.Task, parts []dataset.Participant) error {
	most := 0
	for _, p := range parts {
		n, _ := p.Train.Dims()
		most = max(most, n)
	}
	if t.Window <= most {
		return nil
	}
	return &flagError{"window", fmt.Sprintf("want at most %d, the training rows of the participant with the most, got %d", most, t.Window), "shorten the window, or give more rows"}
}

// checkData reports rows that a task cannot use.
func checkData(t *pipeline.Task, d *dataset.Dataset) error {
	for _, p := range d.Participants {
		if err := errors.Join(t.CheckLabels(p), t.CheckRows(p)); err != nil {
			return asUsage(err)
		}
	}
	return asUsage(t.CheckColumns(len(d.Columns)))
}

// noteMemory prints the memory of a simulation of many participants. It is not part of the
// result, which is the same every time.
func (a *app) noteMemory(participants int) {
	if participants <= consensus.SmallRoster {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	a.note("memory: %.2f GB at most, %d kB per participant", float64(m.Sys)/1e9, int(m.Sys)/participants/1000)
}

// noteData prints the features, and what was left out of the data.
func (a *app) noteData(t *pipeline.Task, d *dataset.Dataset) {
	a.note("%s, %s: %s", count(len(d.Participants), "participant"), count(len(d.Columns), "feature"), listed(d.Columns))
	if classes := t.Traits().Classes; d.Participants[0].ClassLabels && (classes == nil || !classes.Learned) {
		text := areClasses + ofClasses(t)
		if classes == nil {
			text += "; " + noAnomalies
		}
		a.note("%s", text)
	}
	if len(d.Ignored) > 0 {
		a.note("not numbers, so not features: %s", strings.Join(d.Ignored, ", "))
	}
	a.noteGaps(&d.Gaps)
	a.warn(d.Sentinels)
	if len(d.Columns) == 1 && len(d.Ignored) > 1 {
		a.warn([]string{fmt.Sprintf("column %q is the only feature: if each row has the value of one sensor, make a column of each sensor, and a row of each time", d.Columns[0])})
	}
	known := 0
	for _, p := range d.Participants {
		known += p.KnownAnomalies()
	}
	if known > 0 {
		a.note("%s", leftOut(known))
	}
	for _, l := range d.LeftOut {
		a.note("left out: %s has only %s", l.Name, count(l.Rows, "training row"))
	}
}

// leftOut says that rows do not train because they are known anomalies.
func leftOut(rows int) string {
	return fmt.Sprintf("known anomalies do not train: %s left out", count(rows, "row"))
}

// ofClasses returns what class labels give for a model that does not learn them.
func ofClasses(t *pipeline.Task) string {
	of := t.Traits()
	if of.Classes != nil {
		return "weights, but no figures"
	}
	return figuresOfClasses(t.Kind.Name, of.Patterns)
}

// noAnomalies ends a sentence about labels that are classes.
const noAnomalies = "no row counts as an anomaly, and all train: if some labels mean anomalies, name them with --anomaly VALUE,VALUE"

// areClasses begins a sentence that ends with what class labels give.
const areClasses = "labels other than 0, 1 and -1 are classes: they give "

func figuresOfClasses(kind string, patterns bool) string {
	if patterns {
		return "the ARI, but no area under a curve"
	}
	return fmt.Sprintf("no figures for model %s", kind)
}

// listed joins names, and abridges a long list.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// writeRun writes a result: two files for all, and a folder per participant.
func writeRun(out string, r *report.Run, rounds []report.RoundRow, models []*model.Model) error {
	counted := report.Counted(r.Views)
	err := parallel.Try(len(models), func(i int) error {
		return writePart(out, &r.Participants[i], models[i], counted, len(models))
	})
	if err != nil {
		return err
	}
	if err := report.WriteRoundsFile(out, rounds); err != nil {
		return err
	}
	return files.WriteJSON(filepath.Join(out, "result.json"), r)
}

// writePart writes a participant's folder; m is nil if it has not finished.
func writePart(out string, p *report.Participant, m *model.Model, counted []report.View, participants int) error {
	if m != nil {
		if participants > consensus.SmallRoster { // otherwise the list of all names would be written once per participant
			m.Manifest.Views, m.Manifest.Privacy.LoneChanges, m.Manifest.Privacy.Entries, m.Manifest.Run = counted, nil, nil, "../result.json"
		}
		p.ModelFile = filepath.Join(p.Name, model.File)
		if err := model.Save(filepath.Join(out, p.Name), m); err != nil {
			return fmt.Errorf("write the model of %s: %w", p.Name, err)
		}
	}
	return files.WriteJSON(filepath.Join(out, p.Name, "result.json"), p)
}
