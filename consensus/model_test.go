package consensus

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// A model is the input of the search: real machines in one slot, a carrier that may deliver any
// message at any later time or never, and crashes and restarts with the disk intact. Messages
// of one kind and ballot are taken together if nothing happens before the last of them. Time
// stands still; the effects of timeouts may happen at any time.
type model struct {
	size     int
	ballots  uint32 // highest ballot that may be prepared
	called   bool   // all members have called when the search begins, and call as soon as they restart
	crashes  int
	restarts int
	settings Settings
	least    int // smallest view, if not that of the rules
	mutant   mutant
	running  bool // the sum continues a running total
	first    bool // the sum is the first of a running total, which has counted nobody
	hears    bool // all members hear each other all the time
	wants    *Amendment
	paused   bool   // an amendment has paused the run before the slot
	deaf     int    // member that ignores the pause and requests nothing; -1 for none
	firstBad string // fault that ends the search

	nodes   []node // interned
	nodeID  map[[32]byte]int32
	posts   []post // interned
	postID  map[string]int
	values  map[Value]int
	results map[localKey]result // of local steps
	knows   map[[4]knownAttempt]int
}

// A mutant breaks one rule of the protocol.
type mutant string

const (
	noReport      mutant = "promises do not report votes"
	forgetVotes   mutant = "votes are forgotten by a restart"
	breakPromises mutant = "promises are not kept"
	smallQuorum   mutant = "one vote less than a quorum decides"
	forgetEntered mutant = "what was dealt is forgotten by a restart"
	earlyPads     mutant = "pads are told with the vote"
	oneShare      mutant = "one share opens a pad"
	noShares      mutant = "nobody holds shares"
	leaveHeard    mutant = "a view leaves out whom all hear"
	ignorePause   mutant = "a view starts anew while the run is paused"

	countUncounted mutant = "a vector counts for its member that is not counted"
	keepOld        mutant = "the counted vector is not put in the place of the old one by a member that was lost meanwhile"
	otherRows      mutant = "the counted vector is computed again, from other rows"
	loseOwn        mutant = "the counted vector is not on the disk when the call is deleted"
	fullVector     mutant = "a member that comes back adds its whole vector"

	beginWithoutAll mutant = "a running total begins without a member"
)

// A node is a member: its machine, its disk, and whether it is up.
type node struct {
	self    int
	machine *Machine
	disk    map[string][]byte // entries of slot 0; entries of slot 1 have names with the prefix "1"
	log     *Decision
	up      bool
	failed  bool
}

// A post is a message that has been sent to one or several members.
type post struct {
	from   int
	kind   kind
	ballot uint32
	to     map[int]Message
	mask   uint8 // of to
	view   *View // of a View
	value  int   // value of a Done, interned
}

type kind uint8

const (
	otherKind kind = iota
	prepareKind
	promiseKind
	viewKind
	seedsKind
	stepKind
	doneKind
	padsKind
	sharesKind
)

func kindOf(b Body) kind {
	switch b.(type) {
	case *Prepare:
		return prepareKind
	case *Promise:
		return promiseKind
	case *View:
		return viewKind
	case *Seeds:
		return seedsKind
	case *Step:
		return stepKind
	case *Done:
		return doneKind
	case *Pads:
		return padsKind
	case *Shares:
		return sharesKind
	}
	return otherKind
}

var kindNames = [...]string{"other", "prepare", "promise", "view", "seeds", "step", "done", "pads", "shares"}

// An action is a step of one member, small enough to keep millions of them.
type action struct {
	what  byte // 'c' calls, 'p' prepares, 'm' takes messages, 'd' asks for decisions, 'o' asks to open, 's' sends shares, 'x' crashes, 'r' restarts
	self  int8
	other int8      // node that is asked
	n     int8      // messages
	posts [10]int16 // messages taken together
}

func (x *model) describe(a action) string {
	switch a.what {
	case 'c':
		return fmt.Sprintf("%d calls", a.self)
	case 'p':
		return fmt.Sprintf("%d prepares", a.self)
	case 'd', 'o':
		return fmt.Sprintf("%d asks %d", a.self, a.other)
	case 's':
		return fmt.Sprintf("%d tells shares", a.self)
	case 'x':
		return fmt.Sprintf("crash %d", a.self)
	case 'r':
		return fmt.Sprintf("restart %d", a.self)
	}
	var from []string
	last := x.posts[a.posts[0]]
	for _, p := range a.posts[:a.n] {
		from = append(from, fmt.Sprint(x.posts[p].from))
	}
	return fmt.Sprintf("%d <- %s@%d of %s", a.self, kindNames[last.kind], last.ballot, strings.Join(from, ""))
}

// A localKey identifies a step of a node. For steps that ask, helper is the node asked.
type localKey struct {
	node, helper int32
	action       action
}

type result struct {
	node              int32
	posts             []int
	committed, opened bool
}

// maxPosts is the largest number of different messages in a search.
const maxPosts = 448

type world struct {
	nodes    [4]int32
	sent     [maxPosts / 64]uint64
	crashes  int8
	restarts int8
	_        [6]byte // padding
}

// digest returns a hash of a world. It is long enough to be free of collisions in a search.
func (w *world) digest() [2]uint64 {
	b := unsafe.Slice((*byte)(unsafe.Pointer(w)), unsafe.Sizeof(*w))
	return [2]uint64{maphash.Bytes(seedA, b), maphash.Bytes(seedB, b)}
}

var seedA, seedB = maphash.MakeSeed(), maphash.MakeSeed()

func (w *world) each(f func(p int)) {
	for i, word := range w.sent {
		for ; word != 0; word &= word - 1 {
			f(64*i + bits.TrailingZeros64(word))
		}
	}
}

var modelBlocks = []collabdict.Block{{Len: 1, Bound: 1 << 20}}

func modelValue(s int) float64 { return float64(int(1) << (4 * s)) }

// modelKey is the running total of the search. It has already counted a vector of each member:
// the part that its vectors have in common, and the part that differs.
const modelKey = "statistics"

func modelCommon(s int) float64 { return float64(3 + 100*s) }

func modelBefore(s int) []float64 { return []float64{modelCommon(s), 1} }

func (x *model) modelCall(s int, entropy [32]byte) Call {
	c := Call{Kind: Sum, Values: []float64{modelValue(s)}, Blocks: modelBlocks, Entropy: entropy}
	if x.wants != nil {
		c.Round = 1 // the slot is between two rounds
	}
	if x.first {
		c.Running.Key = modelKey
	}
	if x.running {
		c.Running.Key = modelKey
		c.Values = []float64{modelCommon(s), modelValue(s)}
		c.Blocks = []collabdict.Block{{Len: 2, Bound: modelBlocks[0].Bound}}
	}
	return c
}

// carryOver gives a machine the running total.
func (x *model) carryOver(m *Machine, self int) {
	r := &runningTotal{size: uint32(x.size), total: make([]float64, 2), counted: &tally{}, vector: modelBefore(self), began: true}
	for s := range x.size {
		r.counted.add(uint32(s), 0)
		for i, v := range modelBefore(s) {
			r.total[i] += v
		}
	}
	m.totals[modelKey] = r
	m.slot.dirty, m.slot.carries = true, true
}

// checkRunning returns an error in a member's state of the running total after the decision, or
// "". The total must be that of the last vectors counted, and the member must know which of its
// vectors is counted.
func (x *model) checkRunning(self int, m *Machine, d *Decision) string {
	want := make([]float64, 2)
	var own []float64
	for s := range x.size {
		last := modelBefore(s)
		if d.Counts(s) {
			last = x.modelCall(s, [32]byte{}).Values
		}
		if s == self {
			own = last
		}
		for i, v := range last {
			want[i] += v
		}
	}
	if !slices.Equal(d.Total, want) {
		return fmt.Sprintf("wrong sum: the running total with %v is %v, want %v", d.Running.Members, d.Total, want)
	}
	if m == nil {
		return ""
	}
	r := m.totals[modelKey]
	switch {
	case r == nil:
		return "R1: a member knows nothing of the running total"
	case !slices.Equal(r.total, want):
		return fmt.Sprintf("R1: a member goes on from %v, want %v", r.total, want)
	case !slices.Equal(r.vector, own):
		return fmt.Sprintf("R2: a member takes %v for what is counted of it, want %v", r.vector, own)
	}
	return ""
}

// spoil applies the mutants that concern a member's counted vector, after the decision or a
// restart.
func (x *model) spoil(self int, m *Machine, d *Decision, restarted bool) {
	r := m.totals[modelKey]
	if r == nil {
		return
	}
	again := m.entropy[1] == 99 // see enter
	switch {
	case x.mutant == countUncounted && d != nil && !restarted && !d.Counts(self):
		r.vector = x.modelCall(self, [32]byte{}).Values
	case x.mutant == keepOld && d != nil && !restarted && again:
		r.vector = modelBefore(self)
	case x.mutant == otherRows && restarted && r.vector != nil:
		r.vector = []float64{r.vector[0] + 1, r.vector[1]}
	case x.mutant == loseOwn && restarted && d != nil:
		delete(m.totals, modelKey)
	case x.mutant == fullVector && restarted && d == nil:
		r.vector = make([]float64, 2)
	}
}

func newModel(size int, ballots uint32, crashes, restarts int) *model {
	return &model{
		size: size, ballots: ballots, crashes: crashes, restarts: restarts, deaf: -1,
		settings: Settings{Scheme: Exact, Fan: size - 1, Protect: chunking.Chunks, Quorum: size/2 + 1, Colluders: 1},
		nodeID:   map[[32]byte]int32{}, postID: map[string]int{}, values: map[Value]int{}, results: map[localKey]result{}, knows: map[[4]knownAttempt]int{},
	}
}

func (x *model) params(self int) Params {
	p := Params{Settings: x.settings, Self: self, Run: [32]byte{5}}
	for s := range x.size {
		p.Members = append(p.Members, fmt.Sprint(s))
	}
	if x.paused {
		p.Revision, p.Paused = 1, 1
	}
	return p
}

// of gives an amendment the model's quorum and colluders.
func (x *model) of(a *Amendment) *Amendment {
	a.Quorum, a.Colluders = x.settings.Quorum, x.settings.Colluders
	return a
}

// since returns the parameters after a member's decision.
func (x *model) since(p Params, d *Decision) Params {
	if d == nil || d.Kind != Amend {
		return p
	}
	return must(p.Amend(must(d.Amendment())))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// still prepares a machine for a world without time.
func (x *model) still(m *Machine) *Machine {
	m.p.Heartbeat, m.monitor.every = 0, 0
	m.roster.Rules = x.bend(m.roster.Rules)
	if x.mutant == beginWithoutAll && m.totals[modelKey] == nil { // it believes that the total has counted somebody
		m.totals[modelKey] = &runningTotal{size: uint32(x.size), counted: new(tally).with([]uint32{uint32(x.size)}, 0)}
	}
	if x.wants == nil || m.slot.number > 0 {
		return m
	}
	if x.paused { // as after any amendment
		m.slot.ballots.forgetPreset()
	}
	m.roster.paused = x.paused && x.mutant != ignorePause && m.p.Self != x.deaf
	if m.p.Self != x.deaf {
		m.amendment, m.amends = x.wants, x.wants.digest()
	}
	return m
}

// bend changes the rules to those of the model.
func (x *model) bend(r Rules) Rules {
	if x.least > 0 { // smaller views than the rules allow, with too few others for shares
		r.Least = x.least
		if !x.first || x.mutant != "" {
			r.Shares = 0
		}
	}
	switch x.mutant {
	case oneShare:
		r.Shares = 1
	case smallQuorum:
		r.Quorum--
	case leaveHeard:
		r.Colluders = -1 // no promise has to name it
	}
	return r
}

// deafen makes a machine consider all others silent, as it may at any time. State that only
// serves to judge failures is dropped after the step.
func (x *model) deafen(m *Machine) {
	if !x.hears {
		for i := range m.monitor.peers {
			m.monitor.peers[i].heard = -1
		}
	}
}

func (x *model) start() world {
	if x.mutant == noShares {
		x.settings.Recover = Wait
	}
	w := world{crashes: int8(x.crashes), restarts: int8(x.restarts)}
	for s := range x.size {
		n := node{self: s, machine: x.still(must(New(x.params(s)))), disk: map[string][]byte{}, up: true}
		if x.running {
			x.carryOver(n.machine, s)
			var e Effects
			n.machine.flush(&e)
			x.carryOut(s, &n, e)
		}
		w.nodes[s] = x.intern(n)
	}
	return w
}

// intern returns the number of a node. State that only serves to judge failures is not part of
// it.
func (x *model) intern(n node) int32 {
	var key [32]byte
	if n.machine != nil {
		n.machine.monitor = newMonitor(n.machine.roster, 0, n.machine.p.Patience)
		key = digestOf(n.machine)
	}
	h := newHashing("node", key)
	for _, name := range sortedKeys(n.disk) {
		h.bytes([]byte(name))
		h.bytes(n.disk[name])
	}
	h.bytes(fmt.Appendf(nil, "%v %v %v %v %v", n.self, n.machine == nil, n.log != nil, n.up, n.failed))
	key = h.sum()
	id, known := x.nodeID[key]
	if !known {
		id = int32(len(x.nodes))
		x.nodes = append(x.nodes, n)
		x.nodeID[key] = id
	}
	return id
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// local makes a step of one node, or returns its cached result.
func (x *model) local(key localKey, do func(m *Machine, e *Effects)) result {
	if r, known := x.results[key]; known {
		return r
	}
	n := x.nodes[key.node]
	next := node{self: n.self, machine: copyOf(n.machine), disk: map[string][]byte{}, log: n.log, up: true, failed: n.failed}
	for k, v := range n.disk {
		next.disk[k] = v
	}
	var e Effects
	do(next.machine, &e)
	for next.machine.err == nil && next.machine.advance(&e) {
	}
	x.settleCertificates(next.machine)
	for _, d := range e.Decisions {
		x.spoil(n.self, next.machine, d, false)
	}
	next.machine.flush(&e)
	r := result{posts: x.carryOut(n.self, &next, e)}
	r.committed = next.log != nil || next.machine.slot.ballots.commit != nil
	r.opened = next.log != nil
	r.node = x.intern(next)
	x.results[key] = r
	return r
}

// settleCertificates makes all certificates of a value equal. Without signatures it makes no
// difference whose votes they contain.
func (x *model) settleCertificates(m *Machine) {
	for _, s := range []*slot{m.slot, m.last} {
		if s == nil || s.ballots.commit == nil {
			continue
		}
		c := *s.ballots.commit
		c.Ballot = c.Value.Attempt
		c.Votes = nil
		for v := range m.roster.Quorum {
			c.Votes = append(c.Votes, SignedVote{Member: uint32(v)})
		}
		s.ballots.commit = &c
	}
}

// carryOut writes to the disk and posts the messages sent.
func (x *model) carryOut(self int, n *node, e Effects) (posts []int) {
	for _, w := range e.Writes {
		switch {
		case w.Slot > 0 && x.running && w.Slot == 1:
			n.disk["1"+w.Name] = w.Bytes()
		case w.Slot > 0:
		case w.Name == Forget:
			maps.DeleteFunc(n.disk, func(name string, _ []byte) bool { return !strings.HasPrefix(name, "1") })
		case w.Data == nil:
			delete(n.disk, w.Name)
		default:
			n.disk[w.Name] = w.Bytes()
		}
	}
	for _, d := range e.Decisions {
		if d.Slot == 0 {
			n.log = d
		}
	}
	n.failed = n.failed || e.Err != nil
	byKind := map[string]*post{}
	var order []string
	for _, send := range e.Sends {
		msg := send.Message
		if kindOf(msg.Body) == otherKind || msg.Slot > 0 {
			continue
		}
		if p, ok := msg.Body.(*Promise); ok && x.mutant == noReport {
			stripped := *p
			stripped.Vote = nil
			msg.Body = &stripped
		}
		key := fmt.Sprintf("%T@%d", msg.Body, msg.Ballot)
		p := byKind[key]
		if p == nil {
			p = &post{from: self, kind: kindOf(msg.Body), ballot: msg.Ballot, to: map[int]Message{}}
			byKind[key] = p
			order = append(order, key)
		}
		for to := range x.size {
			if to != self && (send.To == All || send.To == to) {
				p.to[to] = msg
			}
		}
		switch b := msg.Body.(type) {
		case *View:
			p.view = b
		case *Done:
			if _, known := x.values[b.Value]; !known {
				x.values[b.Value] = len(x.values)
			}
			p.value = x.values[b.Value]
		}
	}
	for _, key := range order {
		posts = append(posts, x.internPost(byKind[key]))
	}
	for _, key := range order {
		p := byKind[key]
		if x.mutant != earlyPads || p.kind != doneKind {
			continue
		}
		posts = append(posts, x.internPost(&post{from: self, kind: padsKind, ballot: p.ballot, to: map[int]Message{}}))
	}
	return posts
}

func (x *model) internPost(p *post) int {
	b := must(json.Marshal([]any{p.from, p.kind, p.ballot, p.to}))
	id, known := x.postID[string(b)]
	if !known {
		id = len(x.posts)
		for to := range p.to {
			p.mask |= 1 << to
		}
		if id == maxPosts {
			panic("too many different messages")
		}
		x.posts = append(x.posts, *p)
		x.postID[string(b)] = id
	}
	return id
}

// check returns an error in a decision, or "".
func (x *model) check(d *Decision) string {
	if d.Kind == Amend {
		return ""
	}
	var want float64
	for _, s := range d.Members {
		want += modelValue(int(s))
	}
	if math.Abs(d.Total[0]-want) > 1e-6 {
		return fmt.Sprintf("the total of %v is %g, want %g", d.Members, d.Total[0], want)
	}
	return ""
}
