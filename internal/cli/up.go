package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/model"
)

// upFlags choose the nodes to start.
type upFlags struct {
	sourceFlags
	memoryFlags
	taskFlags
	kept     []string
	out      string
	replace  bool
	patience float64
	logs     logFlags
}

func (a *app) up() *cobra.Command {
	var f upFlags
	cmd := &cobra.Command{
		Use: "up [FILE]...", Short: "Run all participants on this machine, one process each",
		Long: `up starts one process per participant and shows their progress. Each has its own folder and ports
on 127.0.0.1, and all have one agreement. up does not restart a process that has ended: the others
continue without it, and collabdict run OUT/NAME brings it back. The folders and their logs
stay under --out. If up is interrupted, the same command resumes the run.`,
		Example: `  collabdict up --data 'machines/*.csv' --label fault --test-where split=test
  collabdict up --data all.csv --split iid:clients=5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.data = append(f.data, args...)
			if err := f.logs.check(); err != nil {
				return err
			}
			if f.logs.format == jsonFormat {
				a.err = newLogs(a.err, &f.logs, time.Now)
			}
			t, err := f.begin()
			if err != nil {
				return err
			}
			src, err := f.source(t.Seed)
			if err != nil {
				return err
			}
			if err := noFile("out", f.out); err != nil {
				return err
			}
			if err := f.hold(&src.spec); err != nil {
				return err
			}
			if err := f.finish(t, src.standardise()); err != nil {
				return err
			}
			if err := f.checkBaselines("alone", "pooled"); err != nil {
				return asUsage(err)
			}
			if err := src.forward(cmd.Context()); err != nil {
				return err
			}
			return a.launch(cmd.Context(), src, t, &f)
		},
	}
	f.sourceFlags.add(cmd)
	f.memoryFlags.add(cmd)
	f.taskFlags.add(cmd)
	f.addBaselines(cmd, "alone, pooled")
	addKeep(cmd, &f.kept)
	addPatience(cmd, &f.patience)
	cmd.Flags().StringVar(&f.out, "out", "collabdict-out", "`DIR` for consortium.yaml, result.json, rounds.csv and a folder per participant")
	addReplace(cmd, &f.replace)
	f.logs.add(cmd)
	a.addVerbose(cmd)
	a.addJSON(cmd)
	return cmd
}

func (a *app) launch(ctx context.Context, src source, t *pipeline.Task, f *upFlags) error {
	began := time.Now()
	var data *dataset.Dataset
	m := newMonitor("", "", a.err, a.verbose)
	stopWatching := m.watch()
	err := interruptible(ctx, func() (err error) {
		data, err = src.load(t)
		return err
	})
	stopWatching()
	m.screen.end()
	if err != nil {
		return err
	}
	a.noteData(t, data)
	if err := checkData(t, data); err != nil {
		return err
	}
	if err := checkKept(data, f.kept); err != nil {
		return err
	}
	parts := data.Participants
	if err := checkWindow(t, parts); err != nil {
		return err
	}
	if err := t.Settings.Validate(len(parts)); err != nil {
		return &usageError{err, ""}
	}
	before := earlierIn(f.out, append(inFolders(namesOf(parts), participant.ModelFile, model.OwnFile, model.LocalFile, report.RoundsFile), "result.json", report.RoundsFile)...)
	if err := f.keep(src, before, namesOf(parts)); err != nil {
		return err
	}
	c := launch.Consortium{Dir: f.out, Task: t, Data: data, Rows: f.rows(src), Memory: f.memory, Float32: f.float32, Patience: f.patience, Keep: f.kept}
	if slices.Contains(f.baselines, simulate.BaselineAlone) {
		c.Baselines = []string{simulate.BaselineAlone}
	}
	if err := a.prepare(&c, f, before); err != nil {
		return err
	}
	a.warn(t.ShownWarnings())
	a.noteForecast(t, parts, len(parts))
	if err := a.noteOrder(t, parts); err != nil {
		return err
	}
	a.note("%d nodes on this machine; the folder of each is in %s", len(parts), f.out)
	shown, stop := a.openPage(ctx, f.out)
	defer stop()
	if shown != nil {
		records, err := participant.Ledger(filepath.Join(f.out, parts[0].Name))
		if err != nil {
			return err
		}
		shown.SetPrivacy(outcome.Planned(t.Resolved(len(data.Columns), len(parts)), len(parts), outcome.Spent(records)))
	}
	more := append(f.logs.args(), "--join-timeout", joinTimeout(len(parts), time.Since(began)).String())
	run, err := a.runAll(ctx, f.out, parts, more, shown, max(t.Settings.Rules(len(parts)).Quorum, len(parts)/2+1))
	if err != nil {
		shown.SetOutcome(outcomeOf(ctx, err))
		a.noteEarlier(before)
		return err
	}
	for _, l := range data.LeftOut {
		run.LeftOut = append(run.LeftOut, report.LeftOut(l))
	}
	if slices.Contains(f.baselines, simulate.BaselinePooled) {
		if err := simulate.AddBaselines(ctx, run, t, []string{simulate.BaselinePooled}, parts, nil); err != nil {
			return err
		}
	}
	run.Seconds = time.Since(began).Seconds()
	if err := participant.WriteResult(f.out, run); err != nil {
		return err
	}
	if err := before.remove(); err != nil {
		return err
	}
	if err := showOutcome(shown, f.out, run); err != nil {
		return err
	}
	a.warn(run.Warnings)
	return a.print(run, func(w io.Writer) {
		a.runTable(w, run)
		nextSteps(w, f.out, run, "FILE")
	})
}

// prepare sets the consortium up, or leaves it as it is to resume its unfinished run. It refuses to
// replace what another run has left, unless --replace is given.
func (a *app) prepare(c *launch.Consortium, f *upFlags, before earlier) error {
	unfinished, same, err := c.Unfinished()
	switch {
	case err != nil:
		return err
	case f.replace:
	case same:
		a.note("%s has an unfinished run of the same settings: it is resumed", f.out)
		return nil
	case unfinished:
		return &flagError{"out", f.out + " has an unfinished run with other settings", "repeat the command that began it to resume it, name another folder, or give it up with --replace"}
	default:
		if err := before.refuse(f.out); err != nil {
			return err
		}
	}
	return c.Write()
}

// keep returns an error if results, or the rows dealt to a participant, would overwrite an
// input file.
func (f *upFlags) keep(src source, before earlier, names []string) error {
	read, err := src.files()
	if err != nil {
		return err
	}
	if err := before.keep(read); err != nil || src.plants == nil && src.spec.Split.Kind == partition.ByFile {
		return err
	}
	var dealt []string
	for _, name := range names {
		dealt = append(dealt, filepath.Join(name, name+".csv"))
	}
	return earlierIn(f.out, dealt...).keep(read)
}

// rows returns a function that gives the settings for a participant's rows: its files, or none
// yet.
func (f *upFlags) rows(src source) func(name string) (*config.Node, error) {
	return func(name string) (*config.Node, error) {
		if src.plants != nil || src.spec.Split.Kind != partition.ByFile {
			return nil, nil
		}
		files, err := src.spec.FilesByName()
		if err != nil {
			return nil, err
		}
		ignore, err := src.spec.IgnoredIn(files[name])
		if err != nil {
			return nil, err
		}
		path, err := filepath.Abs(files[name])
		return &config.Node{
			Data: []string{path}, Label: f.label, Anomaly: f.anomaly, Where: f.where, TestWhere: f.testWhere, TimeColumn: f.timeColumn, Ignore: ignore,
		}, err
	}
}

// runAll runs the nodes and combines their results. A quorum of them must finish; the others
// are listed with the reason of their failure. The page is of the first node that still runs.
func (a *app) runAll(ctx context.Context, dir string, parts []dataset.Participant, more []string, shownOn *operate.Page, quorum int) (*report.Run, error) {
	names := namesOf(parts)
	args := func(folder string) []string {
		return append([]string{"run", "--dir", folder, "--with-parent", "--json"}, more...)
	}
	shown := newFleet(newScreen(a.err), a.verbose, dir, names)
	shown.page = shownOn
	shownOn.SetLog(launch.LogFile)
	stop := context.AfterFunc(ctx, func() {
		shown.line("interrupted: the nodes shut down cleanly; press Ctrl-C again to end at once")
	})
	ends, err := launch.RunAll(ctx, dir, names, args, shown.next, shown.ended)
	stop()
	shown.end()
	if err == nil {
		err = ctx.Err() // the errors of the children do not matter then
	}
	if err != nil {
		return nil, err
	}
	run, failed := report.Combine(names, ends)
	if len(names)-len(failed) < min(quorum, staying(run, names)) {
		return nil, tellingError(failed)
	}
	listMissing(run, parts, ends)
	return run, nil
}

// staying returns the number of participants that no change of the roster has removed, at least
// 1.
func staying(run *report.Run, names []string) int {
	n := len(names)
	if run != nil {
		for _, c := range run.RosterChanges {
			for _, name := range c.Removed {
				if slices.Contains(names, name) {
					n--
				}
			}
		}
	}
	return max(1, n)
}

// listMissing lists the participants without a result.
func listMissing(run *report.Run, parts []dataset.Participant, ends []report.End) {
	for i, end := range ends {
		if end.Run != nil {
			continue
		}
		rows, _ := parts[i].Train.Dims()
		left := report.Participant{Name: parts[i].Name, Rows: rows, Left: end.Err.Error()}
		for _, m := range run.Views[len(run.Views)-1].Missing {
			if m.Name == left.Name {
				left.Left = m.Reason
			}
		}
		run.Participants = append(run.Participants, left)
	}
	slices.SortFunc(run.Participants, func(p, q report.Participant) int { return strings.Compare(p.Name, q.Name) })
}

func namesOf(parts []dataset.Participant) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}

// joinTimeout limits how long a node waits for the others. They all start at the same time on
// this machine, and first read their rows, which took this process the time read.
func joinTimeout(nodes int, read time.Duration) time.Duration {
	return (2*time.Minute + time.Duration(nodes)*2*time.Second + 4*read).Round(time.Second)
}

// tellingError returns the most informative error: one that is not only the consequence of
// another member's end.
func tellingError(failed []error) error {
	return slices.MinFunc(failed, func(x, y error) int { return hearsay(x) - hearsay(y) })
}

func hearsay(err error) int {
	switch child, ok := errors.AsType[*launch.ChildError](err); {
	case ok && child.Code == membersLost.name:
		return 1
	case ok && child.Code == interrupted.name, errors.Is(err, context.Canceled):
		return 2
	}
	return 0
}
