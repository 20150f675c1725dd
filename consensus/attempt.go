package consensus

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// An attempt is one member's part in the NEW view of a ballot: what it deals, enters into the
// session, and gets as the result.
type attempt struct {
	*roster
	position
	naming  naming
	plans   *Plans
	view    *View
	secrets secrets
	here    bool // this process drew the secrets

	handedOut   []chunking.Mask
	dealtShares map[int]*chunking.Share
	seeds       map[int]*Seeds
	blobs       map[int]*Blob // this member's included
	early       []frame       // frames that came before the session began
	layout      *chunking.Layout
	lanes       []session.Session
	result      *Sealed
	digest      [32]byte // digest of result
	seal        *Sealed  // the sealer's result, not yet checked
	sealedBy    int
	rounds      int
	apart       float64 // ‖own − adopted‖₂
	allowed     float64 // largest distance allowed
	settled     bool    // has the result, and waits for the votes of others
}

type frame struct {
	from int
	step *Step
}

func newAttempt(r *roster, pos position, plans *Plans, v *View) *attempt {
	return &attempt{
		roster: r, position: pos, naming: naming{r.run, pos.number}, plans: plans, view: v,
		secrets: secrets{held: map[int]*chunking.Share{}, commits: map[int][32]byte{}},
		seeds:   map[int]*Seeds{}, blobs: map[int]*Blob{},
	}
}

// bare returns a copy of the attempt that has only its secrets.
func (a *attempt) bare() *attempt {
	b := newAttempt(a.roster, a.position, a.plans, a.view)
	b.secrets = a.secrets
	return b
}

// seats returns the arrangement of the view: seats, chunk partners and shareholders.
func (a *attempt) seats() *seats { return a.plans.seatsOf(a.roster, a.position, a.view) }

func (a *attempt) members() []int { return a.seats().ranks }

func (a *attempt) plan() *Plan { return a.plans.plan(len(a.view.Members)) }

// leave drops the session's state, since the session is never resumed.
func (a *attempt) leave() {
	a.here = false
	a.handedOut, a.dealtShares, a.early, a.lanes = nil, nil, nil, nil
	a.seeds, a.blobs = map[int]*Seeds{}, map[int]*Blob{}
}

// Dealing.

// receivers returns the members to which this one sends its Seeds or Blob.
func (a *attempt) receivers(k Kind) []int {
	if k == Gather {
		return others(a.members(), a.self)
	}
	return a.seats().receivers(a.self)
}

// draw draws the chunks, the pad and its shares from the call's entropy, which has no other use
// in this ballot.
func (a *attempt) draw(c *call, entropy [32]byte) error {
	var err error
	if a.layout, err = a.plans.layout(len(a.view.Members), c.blocks); err != nil {
		return fmt.Errorf("sum: %w", err)
	}
	x, k := a.seats(), &a.secrets
	a.seeds = sized(a.seeds, x.numDealers())
	if a.Sealed {
		k.commits = sized(k.commits, x.numDealers()+1)
		k.pad = a.naming.secret(entropy, a.view.Ballot, "pad")
		k.commits[a.self] = a.naming.commitment(a.self, a.view.Ballot, k.pad)
	}
	if a.Shares > 0 {
		holders := x.holders(a.self)
		k.held = sized(k.held, len(holders))
		shares := chunking.SplitSecret(k.pad, len(holders), a.Shares, a.naming.secret(entropy, a.view.Ballot, "shares"))
		a.dealtShares = make(map[int]*chunking.Share, len(holders))
		for i, h := range holders {
			a.dealtShares[h] = &shares[i]
		}
	}
	if a.plans.settings.Protect == chunking.Chunks {
		a.handedOut = a.handOut(entropy)
	}
	return nil
}

// sized returns a copy of a map with room for n entries.
func sized[T any](was map[int]T, n int) map[int]T {
	is := make(map[int]T, n)
	maps.Copy(is, was)
	return is
}

func (a *attempt) handOut(entropy [32]byte) []chunking.Mask {
	c := a.naming.context(a.view.Ballot, a.self)
	partners := a.seats().partners(a.self, entropy, c)
	chunks := make([]chunking.Mask, 0, len(partners))
	for _, to := range partners {
		c.To = to
		chunks = append(chunks, chunking.Mask{Context: c, Purpose: chunking.ForChunk, Seed: chunking.Seed(entropy, c)})
	}
	return chunks
}

// message returns this member's Seeds or Blob for another member.
func (a *attempt) message(c *call, to int) Body {
	if c.header.Kind == Gather {
		return &Blob{Header: c.header, View: a.seats().digest, Data: c.blob}
	}
	seeds := &Seeds{Header: c.header, View: a.seats().digest, Commit: a.secrets.commits[a.self], Share: a.dealtShares[to]}
	for i := range a.handedOut {
		chunk := &a.handedOut[i]
		if chunk.To != to {
			continue
		}
		if a.plans.settings.Full {
			seeds.Full = make([]uint64, a.layout.Words())
			a.layout.AddMask(seeds.Full, *chunk)
		} else {
			seeds.Chunk = chunk.Seed[:]
		}
	}
	return seeds
}

// checkHeader describes the difference if a member is about to compute something other than
// this member's call. Parameters are compared when all headers have come, since then the
// majority shows which differ.
func (a *attempt) checkHeader(call, h Header, view [32]byte) (fault string) {
	h.Parameters = call.Parameters
	switch {
	case h.Kind != call.Kind || h.Round != call.Round || h.Length != call.Length:
		fault = fmt.Sprintf("a %s of %d values in round %d, this member a %s of %d in round %d",
			h.Kind, h.Length, h.Round, call.Kind, call.Length, call.Round)
	case h.Running != call.Running && h.Running.Key == call.Running.Key:
		fault = fmt.Sprintf("with another running total %q than this member's", call.Running.Key)
	case h.Running != call.Running:
		fault = fmt.Sprintf("for the running total %q, this member for %q", h.Running.Key, call.Running.Key)
	case h != call:
		fault = "with other bounds or settings"
	case view != a.seats().digest:
		fault = "in another view or on another topology"
	default:
		return ""
	}
	return "calls " + fault + ": run the same version with the same settings everywhere"
}

// checkShare describes the fault if a member's Seeds lack this member's share or have one too
// many.
func (a *attempt) checkShare(from int, b *Seeds) (fault string) {
	deals, holds := a.seats().dealt(from, a.self)
	holds = holds && a.Shares > 0
	if holds == (b.Share != nil) && deals {
		return ""
	}
	return "dealt its pad to other members than this member expects: run the same version everywhere"
}

// data returns the contents of the blobs in the order of the view's members, none of them nil.
func (a *attempt) data() [][]byte {
	members := a.members()
	data := make([][]byte, len(members))
	for i, member := range members {
		data[i] = append([]byte{}, a.blobs[member].Data...)
	}
	return data
}

// awaited returns the members whose Seeds or Blob have not come yet.
func (a *attempt) awaited(k Kind) []int {
	from := others(a.members(), a.self)
	if k == Sum {
		from = a.seats().dealers(a.self)
	}
	return slices.DeleteFunc(from, func(member int) bool { return a.seeds[member] != nil || a.blobs[member] != nil })
}

// Averaging.

// begin starts the session with this member's residue, and keeps the others' shares and
// commitments. The caller must then process the early frames that it returns.
func (a *attempt) begin(values []float64, entropy [32]byte) (out []mail, early []frame, err error) {
	for from, b := range a.seeds {
		a.secrets.commits[from] = b.Commit
		if b.Share != nil {
			a.secrets.held[from] = b.Share
		}
	}
	lanes, err := a.residues(values, entropy)
	if err != nil {
		return nil, nil, err
	}
	for lane, words := range lanes {
		x := a.plan().Session(len(words)).New(a.seats().placement(lane, a.self), words)
		a.lanes = append(a.lanes, x)
		out = mailed(out, uint32(lane), x.Start())
	}
	early, a.early, a.seeds = a.early, nil, nil
	return out, early, nil
}

// residues returns the vectors that this member enters into the sessions, one per lane. They
// add up to its vector, minus the chunks that it dealt, plus those dealt to it, plus its pad.
func (a *attempt) residues(values []float64, entropy [32]byte) ([][]uint64, error) {
	s := &a.plans.settings
	units, err := a.layout.Encode(values)
	if err != nil {
		return nil, fmt.Errorf("sum: %w", err)
	}
	if a.Sealed {
		a.layout.AddMask(units, a.naming.padMask(a.self, a.view.Ballot, a.secrets.pad))
	}
	c := a.naming.context(a.view.Ballot, a.self)
	c.To = a.self
	switch s.Protect {
	case chunking.Chunks:
		for _, chunk := range a.handedOut {
			a.layout.SubtractMask(units, chunk)
		}
		for _, from := range slices.Sorted(maps.Keys(a.seeds)) {
			if err := a.addHanded(from, units); err != nil {
				return nil, err
			}
		}
	case chunking.Sessions:
		lanes := a.layout.Lanes(units, s.lanes(), a.naming.secret(entropy, a.view.Ballot, "lanes"), c)
		for i := range lanes {
			lanes[i] = a.layout.ToSession(lanes[i])
		}
		return lanes, nil
	case chunking.Shamir:
		return chunking.Split(units, s.threshold(), s.lanes(), a.naming.secret(entropy, a.view.Ballot, "lanes"), c), nil
	}
	return [][]uint64{a.layout.ToSession(units)}, nil
}

// addHanded adds the chunk that a member dealt to this one, if any.
func (a *attempt) addHanded(from int, units []uint64) error {
	b := a.seeds[from]
	switch {
	case len(b.Full) > 0:
		if len(b.Full) != len(units) || a.layout.Check(b.Full) != nil {
			return a.memberError(from, fmt.Sprintf("dealt an invalid chunk of %d words, want %d: run the same version everywhere", len(b.Full), len(units)))
		}
		a.layout.Add(units, b.Full)
	case len(b.Chunk) > 0:
		c := a.naming.context(a.view.Ballot, from)
		c.To = a.self
		a.layout.AddMask(units, chunking.Mask{Context: c, Purpose: chunking.ForChunk, Seed: [32]byte(b.Chunk)})
	}
	return nil
}

// mailed appends the frames of a lane to out as messages.
func mailed(out []mail, lane uint32, frames []session.Frame) []mail {
	out = slices.Grow(out, len(frames))
	for _, f := range frames {
		out = append(out, mail{f.To, &Step{Lane: lane, Round: uint32(f.Round), Part: uint32(f.Part), Words: f.Words}})
	}
	return out
}

// receive takes a frame of the session, or keeps it until the session begins here. It reports
// whether a part of a long sum has come, and describes the fault of a frame that no honest
// member sends. values is the length of this member's vector, 0 without a call.
func (a *attempt) receive(from int, b *Step, values int) (part bool, fault string) {
	switch {
	case !a.here || a.result != nil || !a.view.has(from):
		return false, ""
	case a.lanes == nil:
		if len(a.early) < a.earlyFrames(values) && len(b.Words) <= a.frameWords() {
			a.early = append(a.early, frame{from, b})
		}
		return false, ""
	case int(b.Lane) >= len(a.lanes):
		return false, fmt.Sprintf("sent a frame of lane %d, want one of %d: run the same version everywhere", b.Lane, len(a.lanes))
	}
	before := a.heard()
	if err := a.lanes[b.Lane].Receive(from, int(b.Round), int(b.Part), b.Words); err != nil {
		return false, "sent an invalid frame: " + err.Error() + ": run the same version everywhere"
	}
	return a.heard() > before, ""
}

// heard returns the number of frames received in the session of a long sum, 0 for others. It
// shows progress within a round.
func (a *attempt) heard() (frames uint32) {
	if a == nil || a.lanes == nil || a.layout.Words() <= session.PartWords {
		return 0
	}
	for _, x := range a.lanes {
		frames += uint32(x.Progress().Frames)
	}
	return frames
}

// earlyFrames returns the largest number of frames that can come before this member's session
// begins: two per neighbour in Laplacian sessions, all frames in others. Where vectors travel
// in parts, these are the parts of two vectors.
func (a *attempt) earlyFrames(values int) int {
	frames := a.plan().Rounds()*(a.plans.settings.Fan+1) + 2*len(a.view.Members)
	if a.layout != nil && a.frameWords() < a.layout.Words() {
		frames += partsOf(values)
	}
	return a.plans.settings.lanes() * frames
}

// frameWords returns the largest number of words in a frame of the attempt's sessions, 0 in a
// Gather.
func (a *attempt) frameWords() int {
	if a.layout == nil {
		return 0
	}
	words := a.layout.Words()
	if _, inParts := a.plan().Session(words).(*session.Circulant); inParts {
		words = min(words, session.PartWords)
	}
	return words
}

// average continues the lanes. Once enough lanes have ended, it returns the words of the
// result.
func (a *attempt) average() (out []mail, step bool, words []uint64, err error) {
	results := make([][]uint64, len(a.lanes))
	ended := 0
	for lane, x := range a.lanes {
		before := x.Round()
		frames := x.Advance()
		out = mailed(out, uint32(lane), frames)
		step = step || len(frames) > 0 || x.Round() > before
		if x.Done() {
			results[lane] = x.Result()
			ended++
		}
	}
	if ended < a.plans.settings.threshold() {
		return out, step, nil, nil
	}
	for _, x := range a.lanes {
		a.rounds = max(a.rounds, x.Round())
	}
	words, err = a.join(results)
	return out, step, words, err
}

func (a *attempt) join(results [][]uint64) ([]uint64, error) {
	switch a.plans.settings.Protect {
	case chunking.Sessions:
		for i, words := range results {
			units, err := a.layout.FromSession(words)
			if err != nil {
				return nil, err
			}
			results[i] = units
		}
		units, err := a.layout.JoinLanes(results)
		return a.layout.ToSession(units), err
	case chunking.Shamir:
		return chunking.Join(results, a.plans.settings.threshold())
	}
	return results[0], nil
}

// commits returns the commitments to the pads of the view's members, in their order; nil in a
// large roster, where members do not hear from all others.
func (a *attempt) commits() (commits [][32]byte) {
	if a.Sealed && a.Committee == nil {
		for _, s := range a.view.Members {
			commits = append(commits, a.secrets.commits[int(s)])
		}
	}
	return commits
}

// again returns this member's frames of a round, and of the next, for a member that lacks them.
func (a *attempt) again(to int, round uint32) (out []mail) {
	for lane, x := range a.lanes {
		for r := int(round); r <= int(round)+1; r++ {
			out = mailed(out, uint32(lane), x.Again(to, r))
		}
	}
	return out
}

func (a *attempt) waiting() []int {
	var w []int
	for _, x := range a.lanes {
		w = append(w, x.Waiting()...)
	}
	slices.Sort(w)
	return slices.Compact(w)
}

// round returns the lowest round of the lanes that have not ended. Others send again the frames
// that this lane lacks.
func (a *attempt) round() uint32 {
	least := -1
	for _, x := range a.lanes {
		if least < 0 || !x.Done() && x.Round() < least {
			least = x.Round()
		}
	}
	return uint32(max(least, 0))
}

// partsOf returns the number of parts of two vectors with up to two words per value, 0 if the
// length is unknown.
func partsOf(values int) int {
	if values == 0 {
		return 0
	}
	return 4 * (values + 1) / session.PartWords
}

// choose returns k of the numbers 0 to n-1 in an order derived from a public seed.
func choose(seed [32]byte, n, k int) []int {
	return rand.New(rand.NewChaCha8(seed)).Perm(n)[:min(n, k)]
}
