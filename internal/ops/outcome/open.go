package outcome

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

// Open returns the page of the finished run in a folder: that of a member, or that of several, of
// which it shows the first. It changes nothing.
func Open(dir string, c operate.Clock) (*operate.Page, error) {
	r, err := resultIn(dir)
	if err != nil {
		return nil, err
	}
	begun, err := readJournal(dir, r.ID)
	if err != nil {
		return nil, err
	}
	p := operate.NewPage(c)
	name, err := show(dir, r, p)
	if err != nil {
		return nil, err
	}
	p.SetOutcome(Ended(dir, r, begun.end))
	replay(r, name, begun, p.Next)
	return p, nil
}

// OpenModel returns the page of the run in the folder of a model's file, or of the model alone if there is
// none.
func OpenModel(m *model.Model, path string, c operate.Clock) (*operate.Page, error) {
	if filepath.Base(path) == model.File {
		if p, err := Open(filepath.Dir(path), c); !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	p := operate.NewPage(c)
	p.SetModel(Learned(m))
	p.SetPrivacy(Privacy(&m.Manifest, m.Manifest.Warnings, nil, false))
	return p, nil
}

// Show shows what the finished run in a folder has come to on the page of the process that ran it.
func Show(dir string, p *operate.Page) error {
	r, err := resultIn(dir)
	if err != nil {
		return err
	}
	p.SetOutcome(Ended(dir, r, operate.AsPlanned))
	_, err = show(dir, r, p)
	return err
}

// Ended returns how the run has ended whose result is in a folder, empty if nothing is kept.
func Ended(dir string, r *report.Run, end operate.End) *operate.Outcome {
	o := &operate.Outcome{Ended: end, Rounds: r.Rounds, Converged: r.Converged}
	if n := len(r.Views); n > 0 {
		last := r.Views[n-1]
		o.Members = cmp.Or(last.Count, len(last.Members))
		o.All = o.Members + len(last.Missing)
	}
	o.LastGain, o.Settled = settled(r.RoundRows())
	o.Settled = o.Settled || r.Converged
	if path := modelPath(dir, r); dir != "" && path != "" {
		o.Folder = filepath.Dir(path)
	}
	if end == operate.AsPlanned && len(r.Participants) == 1 {
		o.Why = r.Participants[0].Left
	}
	return o
}

const (
	// leastJudged is the number of rounds from which on their objectives are judged. While the first ones choose
	// among candidates, objectives are of different models.
	leastJudged = 20
	// lastJudged is the number of the last rounds in which an objective that has settled only fluctuates.
	lastJudged = 10
	// littleGain is the share of the last round in the gain of the second half below which more rounds change little.
	littleGain = 0.01
)

// settled reports whether more rounds would change little: the last ones brought together no more than one of them,
// as the objective goes up and down, or the last one brought little of what the second half gained. That
// share is absent in the first case, and for few rounds.
func settled(rows []report.RoundRow) (share report.Figure, yes bool) {
	var values []float64
	for _, r := range rows {
		if r.Objective.Defined {
			values = append(values, r.Objective.Value)
		}
	}
	n := len(values)
	if n < leastJudged {
		return share, false
	}
	largest, last := 0.0, values[n-1]
	for i := n - lastJudged; i < n; i++ {
		largest = max(largest, math.Abs(values[i]-values[i-1]))
	}
	if math.Abs(last-values[n-lastJudged-1]) <= largest {
		return share, true
	}
	share = report.Of(math.Abs(last-values[n-2]) / math.Abs(last-values[n/2]))
	return share, share.Defined && share.Value < littleGain
}

// show returns the name of the member whose outcome the page shows.
func show(dir string, r *report.Run, p *operate.Page) (name string, err error) {
	m, err := modelIn(dir, r)
	if err != nil {
		return "", err
	}
	records, err := participant.Ledger(dir)
	if err != nil {
		return "", err
	}
	name = r.Participants[0].Name
	shown := &model.Manifest{Privacy: model.Ledger{Protection: r.Protection, LoneChanges: r.LoneChanges, Entries: r.Ledger}}
	if m != nil {
		shown, name = &m.Manifest, m.Manifest.Participant
		p.SetModel(Learned(m))
	}
	p.SetPrivacy(Privacy(shown, r.Warnings, Spent(records), r.ID == ""))
	return name, nil
}

// resultIn returns the result of a run. In a member's folder of a simulation, only its own part is; the
// result is in the folder above.
func resultIn(dir string) (*report.Run, error) {
	r, err := participant.ReadResult(dir)
	if err == nil && r.Participants == nil {
		r, err = participant.ReadResult(filepath.Join(dir, ".."))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: want the folder of a member whose run has ended, or of a finished sim, up or demo", err)
	case err == nil && len(r.Participants) == 0:
		return nil, fmt.Errorf("%s: want the result of a run with participants, got none: name the folder that the run was written to", filepath.Join(dir, participant.ResultFile))
	}
	return r, err
}

// modelIn returns the model in a folder with its private parts, or that of the first participant of a
// result; nil if there is none, as after a run that has failed.
func modelIn(dir string, r *report.Run) (*model.Model, error) {
	path := modelPath(dir, r)
	if path == "" {
		return nil, nil
	}
	m, err := model.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	complete := true // unless the model needs a private part that is not there
	if m.Personal() != nil {
		complete, err = readIfThere(m.ReadOwnFile, filepath.Join(filepath.Dir(path), model.OwnFile))
	}
	if err == nil && complete && m.Manifest.Local {
		_, err = readIfThere(m.ReadLocalFile, filepath.Join(filepath.Dir(path), model.LocalFile))
	}
	return m, err
}

// modelPath returns the path of a model in a folder, or of that of the first participant; "" if there is none.
func modelPath(dir string, r *report.Run) string {
	path := filepath.Join(dir, model.File)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	i := slices.IndexFunc(r.Participants, func(p report.Participant) bool { return filepath.IsLocal(p.ModelFile) })
	if i < 0 {
		return ""
	}
	return filepath.Join(dir, r.Participants[i].ModelFile)
}

func readIfThere(read func(string) error, path string) (there bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, read(path)
}

// begun is what the journal of a folder adds to a result.
type begun struct {
	at      time.Time
	members map[string]string // peer IDs by name
	rounds  map[int]time.Time // by round, the time of its last decision
	end     operate.End       // how the own part ended
}

// ends are the ways in which a journal says that a run has ended.
var ends = map[string]operate.End{journal.AsPlanned: operate.AsPlanned, journal.Stopped: operate.Stopped, journal.Failed: operate.Failed}

// readJournal returns what the journal of a folder knows of a run; nothing if there is none.
func readJournal(dir, run string) (*begun, error) {
	b, within := &begun{members: map[string]string{}, rounds: map[int]time.Time{}, end: operate.AsPlanned}, false
	if run == "" { // a simulation
		return b, nil
	}
	_, err := journal.Check(dir, func(l journal.Line) {
		switch l.Event {
		case journal.Begun, journal.Resumed:
			if within = l.Run == run; within && l.Event == journal.Begun {
				b.at = l.At
			}
		case journal.Ended:
			if l.Run == run {
				b.end = cmp.Or(ends[l.Why], operate.Failed)
			}
		case journal.Decided:
			if within {
				b.rounds[int(l.Round)] = l.At
			}
		}
		if within && l.Run == run {
			for _, m := range l.Members {
				b.members[m.Name] = m.ID
			}
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	return b, err
}

// replay calls next with the successive statuses of a finished run as a member saw it, so that its
// history is made in the same way as that of a running process.
func replay(r *report.Run, name string, b *begun, next func(*operate.Status)) {
	rows := r.RoundRows()
	s := operate.Status{Name: name, Model: r.Model, Run: r.ID, Phase: operate.Running, Began: b.at, Since: b.at, At: b.at}
	n := node.Status{Name: name, State: "finished"}
	roster := map[string]bool{}
	view, change, paused := -1, 0, uint32(0)
	// tell passes a status on, which must not change later.
	tell := func() {
		status, of := s, n
		of.Paused, of.PausedBy = paused > 0, paused
		status.Node = &of
		next(&status)
	}
	// sees takes the views up to round.
	sees := func(round int) {
		moved := false
		for view+1 < len(r.Views) && (view < 0 || r.Views[view+1].Round <= round) {
			view, moved = view+1, true
		}
		if !moved {
			return
		}
		v := r.Views[view]
		n.Members, n.Absent = v.Members, nil
		for _, m := range v.Missing {
			n.Absent = append(n.Absent, node.Absent{Name: m.Name, Reason: m.Reason, Lost: true})
			roster[m.Name] = true
		}
		for _, name := range v.Members {
			roster[name] = true
		}
		n.Want = cmp.Or(v.Count, len(v.Members)+len(v.Missing))
		s.Roster = listed(roster, b.members)
	}
	// changes takes the changes of the roster before round.
	changes := func(round int) {
		for ; change < len(r.RosterChanges) && r.RosterChanges[change].After < round; change++ {
			c := r.RosterChanges[change]
			for _, name := range c.Removed {
				delete(roster, name)
			}
			for _, name := range c.Added {
				roster[name] = true
			}
			s.Roster = listed(roster, b.members)
			if c.Paused {
				paused = uint32(change + 1)
			} else if c.Resumed {
				paused = 0
			}
			tell()
		}
	}
	sees(0)
	tell()
	for _, row := range rows {
		changes(row.Round)
		sees(row.Round)
		s.Round, s.At = row.Round, b.rounds[row.Round]
		s.Last = &operate.Round{Objective: row.Objective, Members: row.Members}
		tell()
	}
	changes(s.Round + 1)
	s.Last = lastOf(s.Last, r)
	n.LastDifference, n.LastIterations = r.Consensus.Error, r.Consensus.Iterations
	n.SetupSlots = r.SetupRounds
	n.Traffic.BytesSent, n.Traffic.MessagesSent = uint64(max(0, r.BytesSent)), uint64(max(0, r.Messages))
	s.Phase, s.Since, s.Round = operate.Ended, s.At, max(s.Round, r.Rounds)
	tell()
}

// lastOf returns the last round of a result.
func lastOf(last *operate.Round, r *report.Run) *operate.Round {
	if last == nil {
		return nil
	}
	of := *last
	of.Clusters, of.Converged = r.Clusters, r.Converged
	return &of
}

// listed returns names with their peer IDs, as far as these are known, in order.
func listed(names map[string]bool, ids map[string]string) (list []string) {
	for name := range names {
		if id := ids[name]; id != "" {
			name += " (" + id + ")"
		}
		list = append(list, name)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}
