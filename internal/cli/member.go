package cli

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/node"
)

// runMember runs a participant from its rows to its results.
func (a *app) runMember(ctx context.Context, cmd *cobra.Command, f *runFlags) error {
	if err := f.logs.check(); err != nil {
		return err
	}
	l := newLogs(a.err, &f.logs, time.Now)
	a.err = l
	c, spec, warnings, err := f.config(cmd)
	if err != nil {
		return err
	}
	m := newMonitor(c.Node.Dir, c.Node.Name, l, a.verbose)
	m.trains(c.Task)
	if f.withParent {
		m.statuses = json.NewEncoder(a.out)
	}
	stop, err := m.serve(f.http)
	if err != nil {
		return err
	}
	defer stop()
	var closePage func()
	m.page, closePage = a.openPage(ctx, c.Out)
	defer closePage()
	m.page.SetPort(m.port)
	if c.Journal, err = journal.Open(c.Node.Dir, time.Now); err != nil {
		return err
	}
	defer m.keeps(c.Journal)()
	defer m.interrupted(ctx)()
	defer m.watch()()
	collectOften() // also while rows are read: discarded text takes as much memory as the rows
	err = interruptible(ctx, func() (err error) {
		var ofData []string
		c.Data, ofData, err = f.loadOne(ctx, spec, c.Node.Name, c.Out)
		warnings = append(warnings, ofData...)
		return err
	})
	if err != nil {
		return err
	}
	m.screen.end()
	if err := checkData(c.Task, &dataset.Dataset{Columns: c.Data.Columns, Participants: []dataset.Participant{c.Data}}); err != nil {
		return err
	}
	warnings = append(warnings, brief(c.Out, c.Task.MostState(len(c.Data.Columns)))...)
	collectInTime(c.Data.Train, c.Task.Traits().HoldsRows)
	a.warn(warnings)
	if !f.withParent { // up prints it once for all nodes
		a.noteForecast(c.Task, []dataset.Participant{c.Data}, max(len(c.Node.Members), c.Node.Expect))
		if err := a.noteOrder(c.Task, []dataset.Participant{c.Data}); err != nil {
			return err
		}
	}
	return a.participate(ctx, c, f, m)
}

// participate runs a participant and shows its progress.
func (a *app) participate(ctx context.Context, c participant.Config, f *runFlags, m *monitor) error {
	began := m.state.Began
	c.Node.Log = m.logs.slog()
	a.warn(c.Task.ShownWarnings())
	m.enter(operate.Joining)
	c.Node.OnStatus = m.joining
	c.OnJoin = func(n *node.Node) (ended func()) {
		m.joined(n)
		m.plans(c.Task, len(c.Data.Columns), len(n.Roster()), c.Journal)
		stopFollowing := m.follow(n, &f.agreement)
		return func() { stopFollowing(); m.enter(operate.Saving) }
	}
	c.OnRound = func(p algorithm.Progress, s node.Status) { m.completed(p, len(s.Members), 0) }
	c.OnWarning = m.learned
	c.Keep = !f.withParent // up has asked before
	before := resultsIn(c.Out)
	result, err := participant.Run(ctx, c)
	m.screen.end()
	if result != nil {
		m.learns(result.Model, result.Report, c.Journal)
	}
	if result != nil && result.Kept != "" {
		a.note("the results of the earlier run are kept in %s", result.Kept)
	}
	if err != nil {
		m.page.SetOutcome(outcomeOf(ctx, err))
		joined, resumed := m.begun()
		if result != nil {
			a.note("the model of round %d is saved in %s", result.Report.Rounds, c.Out)
		} else if joined && !resumed && !f.withParent { // up prints it once for all nodes
			a.noteEarlier(before)
		}
		if ctx.Err() != nil && joined {
			again := "the same command"
			if f.withParent { // the same up command would begin another run
				again = "collabdict run --dir " + c.Out
			}
			a.note("%s resumes the run", again)
		}
		return err
	}
	if err := simulate.AddBaselines(ctx, result.Report, c.Task, f.baselines, []dataset.Participant{c.Data}, nil); err != nil {
		return err
	}
	result.Report.Seconds = time.Since(began).Seconds()
	if err := participant.WriteResult(c.Out, result.Report); err != nil {
		return err
	}
	if err := showOutcome(m.page, c.Out, result.Report); err != nil {
		return err
	}
	a.warn(result.Report.Warnings)
	return a.print(result.Report, func(w io.Writer) { a.runTable(w, result.Report) })
}
