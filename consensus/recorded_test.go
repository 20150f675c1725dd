package consensus

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A Recording is a run over a carrier that loses, doubles and reorders messages, with members
// that stop and come back. It records everything that leaves members, even if it is lost.
type Recording struct {
	Settings Settings
	Run      [32]byte
	Size     int
	Events   []Recorded
	*network
	attempts map[attemptKey]*recordedAttempt
	commits  map[uint64]Value // values of the slots that any member knows to be decided
}

// A Recorded is a member's call, a message that has left it, or its decision.
type Recorded struct {
	Member   int
	Slot     uint64
	Call     *Call
	To       int
	Message  Message
	Decision *Decision
}

type attemptKey struct {
	slot   uint64
	ballot uint32
}

type recordedAttempt struct {
	knownAttempt
	members []int
	seeds   map[[2]int]*Seeds
}

// recordedSettings are the settings of the recorded runs, each for one size of group.
var recordedSettings = []struct {
	size     int
	settings Settings
}{
	{4, exact},
	{5, exact},
	{5, Settings{Scheme: Exact, Fan: 2, Protect: chunking.Chunks, Colluders: 2}},
	{4, floating},
	{5, Settings{Graph: graph.Ring, Protect: chunking.Chunks}},
	{5, Settings{Graph: graph.Ring, Protect: chunking.Chunks, Colluders: 2}},
	{5, Settings{Scheme: BaseK, Protect: chunking.Chunks, Recover: Wait}},
}

// RecordedKinds returns the number of kinds of runs.
func RecordedKinds() int { return len(recordedSettings) }

// NewRecording plays a run of three slots in which two members stop at a write, one after the
// other, and come back. It calls looking whenever something has left a member.
func NewRecording(t testing.TB, kind int, seed uint64, looking func(r *Recording)) *Recording {
	t.Helper()
	c := recordedSettings[kind]
	calls := func(xs [][]float64) []func(int) Call {
		return []func(int) Call{sumOf(1, xs, oneBlock), sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock)}
	}
	r := newRecording(t, c.settings, c.size)
	r.play(seed, calls(powers(c.size)), looking)
	return r
}

func newRecording(t testing.TB, s Settings, size int) *Recording {
	t.Helper()
	r := &Recording{
		Settings: s, Size: size, network: signed(t, newNetwork(t, size, s)),
		attempts: map[attemptKey]*recordedAttempt{}, commits: map[uint64]Value{},
	}
	r.Run = r.params(0).Run
	return r
}

func (r *Recording) play(seed uint64, calls []func(s int) Call, looking func(r *Recording)) {
	t := r.t
	t.Helper()
	r.rng = rand.New(rand.NewPCG(seed, 5))
	r.loss = 0.15 * r.rng.Float64()
	r.called = func(s int, slot uint64, c Call) {
		r.Events = append(r.Events, Recorded{Member: s, Slot: slot, Call: &c})
	}
	r.watch = r.step
	r.leaves = func(from, to int, msg Message) { r.leave(from, to, msg, looking) }
	victims := r.rng.Perm(len(r.names))[:2]
	for i, s := range victims {
		r.members[s].stopAt = 1 + r.rng.IntN(24)
		r.learn(calls, time.Duration(10+20*r.rng.IntN(2))*time.Second)
		if r.members[s].dead && i < 1+r.rng.IntN(2) {
			r.restart(s)
		}
	}
	r.learn(calls, time.Minute)
	for s, m := range r.members {
		if m.dead && s < len(r.names) { // otherwise it was never let in
			r.restart(s)
		}
	}
	if !r.learn(calls, 10*time.Minute) {
		t.Fatalf("seed %d of %+v: does not continue\n%s", seed, r.Settings, r.describe())
	}
	for _, m := range r.members {
		if _, removed := as[*RemovedError](m.err); removed {
			m.err = nil
		}
	}
	r.checkLogs(powers(r.Size), oneBlock)
}

// step records a member's effects before anything leaves it.
func (r *Recording) step(s int, _ Event, e Effects) {
	m := r.members[s]
	if c := m.slot.ballots.commit; c != nil {
		r.commits[m.slot.number] = c.Value
	}
	for _, d := range e.Decisions {
		r.commits[d.Slot] = d.Certificate.Value
		r.Events = append(r.Events, Recorded{Member: s, Slot: d.Slot, Decision: d})
		if d.Kind == Amend {
			r.members[len(r.names)].dead = false // the newcomer is let in
		}
	}
}

// leave records a message that has left a member. Every coalition may see it, except for Seeds.
func (r *Recording) leave(from, to int, msg Message, looking func(r *Recording)) {
	r.t.Helper()
	r.Events = append(r.Events, Recorded{Member: from, Slot: msg.Slot, To: to, Message: msg})
	var a *recordedAttempt
	switch msg.Body.(type) {
	case *Seeds, *Step, *Pads, *Shares:
		a = r.attempt(from, msg)
	default:
		return
	}
	before := a.knownAttempt
	switch b := msg.Body.(type) {
	case *Seeds:
		a.dealt |= 1 << from
		if first := a.seeds[[2]int{from, to}]; first != nil && (first.Commit != b.Commit || !slices.Equal(first.Chunk, b.Chunk)) {
			r.t.Fatalf("member %d has dealt twice in ballot %d of slot %d", from, msg.Ballot, msg.Slot)
		}
		a.seeds[[2]int{from, to}] = b
	case *Step:
		a.begun |= 1 << from
		r.checkResidue(from, msg, a, b)
	case *Pads:
		for _, p := range b.Pads {
			a.pads |= 1 << p.Member
		}
	case *Shares:
		a.shares |= 1 << from
	}
	if a.knownAttempt != before {
		looking(r)
	}
}

// attempt returns the record of the attempt that a message belongs to.
func (r *Recording) attempt(from int, msg Message) *recordedAttempt {
	r.t.Helper()
	key := attemptKey{msg.Slot, msg.Ballot}
	if a := r.attempts[key]; a != nil {
		return a
	}
	m := r.members[from]
	own := m.slot.attempts[msg.Ballot]
	if m.slot.number != msg.Slot || own == nil {
		r.t.Fatalf("%s of slot %d before it was dealt in", describeBody(msg), msg.Slot)
	}
	a := &recordedAttempt{seeds: map[[2]int]*Seeds{}}
	for _, s := range own.view.Members {
		a.members = append(a.members, int(s))
		a.view |= 1 << s
	}
	r.attempts[key] = a
	return a
}

// checkResidue asserts that a member's first frame, which is its residue, equals its vector and
// pad, minus the chunks that it dealt, plus those dealt to it. The knowledge test relies on
// that.
func (r *Recording) checkResidue(from int, msg Message, a *recordedAttempt, b *Step) {
	r.t.Helper()
	if b.Round > 0 {
		return
	}
	m := r.members[from]
	layout := must(chunking.NewLayout(r.Settings.Arithmetic(), len(a.members), oneBlock))
	units := must(layout.Encode(powers(r.Size)[from]))
	mask := chunking.Mask{Context: chunking.Context{Run: r.Run, Slot: msg.Slot, Ballot: msg.Ballot, From: from, To: from}, Purpose: chunking.ForPad}
	mask.Seed = m.slot.attempts[msg.Ballot].secrets.pad
	layout.AddMask(units, mask)
	mask.Purpose = chunking.ForChunk
	for edge, seeds := range a.seeds {
		mask.From, mask.To, mask.Seed = edge[0], edge[1], [32]byte(seeds.Chunk)
		switch from {
		case edge[0]:
			layout.SubtractMask(units, mask)
		case edge[1]:
			layout.AddMask(units, mask)
		}
	}
	if want := layout.ToSession(units); !slices.Equal(b.Words, want) {
		r.t.Fatalf("member %d enters the session of ballot %d, slot %d with %x, want %x", from, msg.Ballot, msg.Slot, b.Words, want)
	}
}

// Coalitions returns all sets of at most the given number of members.
func Coalitions(size, most int) (sets [][]int) {
	for set := 1; set < 1<<size; set++ {
		var c []int
		for s := range size {
			if set>>s&1 == 1 {
				c = append(c, s)
			}
		}
		if len(c) <= most {
			sets = append(sets, c)
		}
	}
	return sets
}

// learnt calls show with the knowledge of each coalition in a slot.
func (r *Recording) learnt(slot uint64, show func(coalition uint8, combinations [][]uint64)) (attempts int) {
	var list []knownAttempt
	for key, a := range r.attempts {
		if key.slot == slot {
			list = append(list, a.knownAttempt)
		}
	}
	rules := r.Settings.Rules(len(r.names))
	for _, c := range Coalitions(r.Size, rules.Colluders) {
		set := uint8(0)
		for _, s := range c {
			set |= 1 << s
		}
		show(set, known(r.Size, set, list, rules.Shares))
	}
	return len(list)
}

// checkKnowledge asserts that no coalition knows more than it may of the slot of the last
// message. It counts the coalitions that know the slot's total.
func (r *Recording) checkKnowledge(seed uint64, totals map[uint64]int) {
	t := r.t
	t.Helper()
	slot := r.Events[len(r.Events)-1].Slot
	v, decided := r.commits[slot]
	r.learnt(slot, func(coalition uint8, combinations [][]uint64) {
		switch {
		case len(combinations) == 0:
			return
		case !decided || len(combinations) > 1:
			t.Fatalf("%+v, seed %d, slot %d: members %b know %v; decided: %v", r.Settings, seed, slot, coalition, combinations, decided)
		}
		view := r.attempts[attemptKey{slot, v.Attempt}].view &^ coalition
		for s, weight := range combinations[0] {
			if weight != uint64(view>>s&1) {
				t.Fatalf("%+v, seed %d, slot %d: members %b know %v, which is not the total of %b", r.Settings, seed, slot, coalition, combinations[0], view)
			}
		}
		totals[slot]++
	})
}

const recordedSeeds uint64 = 25

// In every run and at every moment, no coalition of up to t members knows anything about the
// others' vectors before the slot is decided. Afterwards it knows only the total of the decided
// attempt, which it does know in the end. The coalition gets everything that has left any
// member, including lost messages, its own secrets, and the residue of every member that has
// begun a session.
func TestKnowledgeOfRecordedRuns(t *testing.T) {
	abandoned, finished, fromShares, opened := 0, 0, 0, 0
	seeds := testkit.LongOr(recordedSeeds, 10)
	for kind, c := range recordedSettings {
		for seed := range seeds {
			totals := map[uint64]int{}
			r := NewRecording(t, kind, seed, func(r *Recording) { r.checkKnowledge(seed, totals) })
			for slot := range uint64(3) {
				if totals[slot] == 0 {
					t.Errorf("%+v, seed %d: nobody knows the total of slot %d", c.settings, seed, slot)
				}
				opened++
			}
			for key := range r.attempts {
				if r.commits[key.slot].Attempt != key.ballot && r.attempts[key].begun != 0 {
					abandoned++
				}
			}
			for _, m := range r.members {
				for _, d := range m.log {
					if d.Certificate.Ballot != d.Attempt {
						finished++
					}
					fromShares += len(d.Cost.Lost)
				}
			}
		}
	}
	t.Logf("%d slots, %d sessions given up, %d decisions by a later ballot, %d pads from shares", opened, abandoned, finished, fromShares)
	if abandoned < 10 || finished < 10 || fromShares < 10 {
		t.Error("want more of each")
	}
}
