package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

func (a *app) demo() *cobra.Command {
	t := taskFlags{}
	var out string
	cmd := &cobra.Command{
		Use: "demo", Short: "Five plants learn together on this machine; see what each gains",
		Long: `demo generates sensor data of five plants, with faults in the test rows, and starts five
real nodes on ports of 127.0.0.1. They train together. The table compares how well each finds
faults with what the others have taught it, and alone. The data, models and results stay in
collabdict-demo until the next demo.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			k, err := t.task(algorithm.Global)
			if err != nil {
				return err
			}
			return a.demonstrate(cmd.Context(), k, out)
		},
	}
	t.add(cmd)
	cmd.Flags().StringVar(&out, "out", "collabdict-demo", "`DIR` for the data, models and results; those of an earlier demo are replaced")
	a.addVerbose(cmd)
	a.addJSON(cmd)
	return cmd
}

func (a *app) demonstrate(ctx context.Context, t *pipeline.Task, dir string) error {
	began := time.Now()
	parts := plants.Generate(plants.Demo(), t.Seed)
	if err := checkWindow(t, parts); err != nil {
		return err
	}
	if err := noFile("out", dir); err != nil {
		return err
	}
	if err := t.CheckColumns(len(parts[0].Columns)); err != nil {
		return err
	}
	if err := clearDemo(dir, namesOf(parts)); err != nil {
		return err
	}
	if _, err := plants.WriteCSV(filepath.Join(dir, demoData), parts); err != nil {
		return err
	}
	few, columns := parts[0].Train.Dims()
	many, _ := parts[len(parts)-1].Train.Dims()
	parts = dataset.Window(parts, t.Window)
	shown, stop := a.openPage(ctx, dir)
	defer stop()
	a.note("%d plants with %d rows of %d sensors, the last with %d; a node of each, on 127.0.0.1, learns %s", len(parts), few, columns, many, t.Kind.About)
	run, err := a.nodes(ctx, t, parts, dir, shown)
	if err != nil {
		shown.SetOutcome(outcomeOf(ctx, err))
		return err
	}
	run.Seconds = time.Since(began).Seconds()
	if err := participant.WriteResult(dir, run); err != nil {
		return err
	}
	if err := showOutcome(shown, dir, run); err != nil {
		return err
	}
	a.warn(run.Warnings)
	return a.print(run, func(w io.Writer) {
		a.runTable(w, run)
		nextSteps(w, dir, run, filepath.Join(dir, demoData, parts[0].Name+".csv"))
	})
}

// demoData is the folder of a demo's rows.
const demoData = "data"

// demoMark is a file that says that a folder is of a demo, so that the next one may replace it.
const demoMark = "demo.txt"

// clearDemo removes what an earlier demo has left in a folder, and marks the folder. It refuses a
// folder that has other files: they could be somebody's data or key.
func clearDemo(dir string, names []string) error {
	if _, err := os.Stat(filepath.Join(dir, demoMark)); errors.Is(err, fs.ErrNotExist) {
		if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
			return &flagError{"out", dir + " has files that are of no demo", "name another folder"}
		}
		return files.WriteBytes(filepath.Join(dir, demoMark), 0o600, []byte("The next collabdict demo replaces what is in this folder.\n"))
	}
	for _, name := range append(slices.Clone(names), demoData, "result.json", report.RoundsFile) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// nodes runs a node for each plant in this process, and combines their results. The page is of the first.
func (a *app) nodes(ctx context.Context, t *pipeline.Task, parts []dataset.Participant, dir string, shown *operate.Page) (*report.Run, error) {
	names := namesOf(parts)
	layout, err := launch.Layout(dir, names)
	if err != nil {
		return nil, err
	}
	members, err := roster.Members(layout)
	if err != nil {
		return nil, err
	}
	m := newMonitor("", names[0], a.err, a.verbose)
	m.page = shown
	m.trains(t)
	defer m.screen.end()
	defer m.watch()()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ends := make([]report.End, len(parts))
	var running sync.WaitGroup
	for i, p := range parts {
		c := participant.Config{
			Task: t, Data: p, Out: filepath.Join(dir, p.Name),
			Node: node.Config{
				Name: p.Name, Dir: filepath.Join(dir, p.Name), Listen: layout[i].Addrs,
				Members: members, JoinTimeout: time.Minute,
			},
		}
		if i == 0 {
			m.enter(operate.Joining)
			c.Node.OnStatus = m.joining
			c.OnJoin = func(n *node.Node) (ended func()) {
				m.joined(n)
				m.plans(t, len(p.Columns), len(parts), c.Journal)
				return func() { m.enter(operate.Saving) }
			}
			c.OnRound = func(p algorithm.Progress, s node.Status) { m.completed(p, len(s.Members), 0) }
		}
		running.Go(func() {
			var r *participant.Result
			var err error
			if c.Journal, err = journal.Open(c.Node.Dir, time.Now); err == nil {
				r, err = participant.Run(ctx, c)
			}
			if ends[i].Err = err; err != nil {
				ends[i].Err = fmt.Errorf("%s: %w", p.Name, err)
				cancel() // the demonstration needs all nodes
			}
			if r != nil {
				ends[i].Run = r.Report
			}
		})
	}
	running.Wait()
	all, failed := report.Combine(names, ends)
	if len(failed) > 0 {
		return nil, tellingError(failed)
	}
	return all, nil
}
