package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
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
	shown, m := a.newProgress(c.Task), newMonitor(c.Node.Dir, c.Node.Name, l)
	m.learns(c.Task.Kind.Name, c.Task.Traits().Rounds)
	stop, err := m.serve(f.http, shown.line)
	if err != nil {
		return err
	}
	defer stop()
	if c.Audit, err = participant.OpenAudit(c.Node.Dir, time.Now); err != nil {
		return err
	}
	c.Signers = f.signers
	defer m.flush(c.Audit, shown)()
	defer m.interrupted(ctx, shown)()
	defer m.heartbeat(shown)()
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
	shown.end()
	if err := checkData(c.Task, &dataset.Dataset{Columns: c.Data.Columns, Participants: []dataset.Participant{c.Data}}); err != nil {
		return err
	}
	warnings = append(warnings, brief(c.Out, c.Task.MostState(len(c.Data.Columns)))...)
	collectInTime(c.Data.Train, c.Task.Traits().HoldsRows)
	a.warn(warnings)
	if !f.withParent { // up prints it once for all nodes
		a.noteForecast(c.Task, []dataset.Participant{c.Data}, max(1, len(c.Node.Members), c.Node.Expect))
		if err := a.noteOrder(c.Task, []dataset.Participant{c.Data}); err != nil {
			return err
		}
	}
	return a.participate(ctx, c, f, shown, m)
}

// participate runs a participant and shows its progress.
func (a *app) participate(ctx context.Context, c participant.Config, f *runFlags, shown *progress, m *monitor) error {
	began := m.began
	c.Began = began
	c.Node.Log = m.logs.slog()
	a.warnOfShown(c.Task)
	m.enter(operate.Joining)
	c.Node.OnStatus = func(s node.Status) {
		m.joining(s)
		shown.joining(s)
	}
	stopReminding := shown.remind()
	defer stopReminding()
	c.OnJoin = func(n *node.Node) (ended func()) {
		stopReminding()
		m.joined(n)
		stopWatching, stopFollowing := shown.watch(n), shown.follow(n, &f.agreement)
		return func() { stopFollowing(); stopWatching(); m.enter(operate.Saving) }
	}
	c.OnRound = func(p algorithm.Progress, s node.Status) {
		shown.members(s)
		m.ended(p.Number, shown.round(p, len(s.Members), int64(s.Traffic.BytesSent)))
	}
	c.OnWarning = func(line string) { shown.line("warning: " + line) }
	before := resultsIn(c.Out)
	result, err := participant.Run(ctx, c)
	shown.end()
	if err != nil {
		if result != nil {
			a.note("the model of round %d is saved in %s", result.Report.Rounds, c.Out)
		} else if shown.joined.Load() && shown.decided == 0 && !f.withParent { // up prints it once for all nodes
			a.noteEarlier(before)
		}
		if ctx.Err() != nil && shown.joined.Load() {
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
	a.warn(result.Report.Warnings)
	return a.print(result.Report, runTable(result.Report))
}
