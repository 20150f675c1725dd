package rendezvous

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// crowd returns a process that expects size members and has no list, and others that say hello
// to it, in the order of their peer IDs.
func crowd(t *testing.T, size, others int) (*Rendezvous, []*other) {
	t.Helper()
	g := opened(t, testConfig(t, 0, size))
	all := make([]*other, others)
	for i := range all {
		all[i] = newOther(t, g.registry, string(rune('a'+i)))
	}
	slices.SortFunc(all, func(a, b *other) int { return cmp.Compare(a.id, b.id) })
	return g, all
}

func (m *registry) met() (ids []peer.ID) {
	for id := range m.records {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// If more processes come than there are places, those with the smallest peer IDs get them,
// whatever the order. The others receive the reason.
func TestTheSamePlacesInAnyOrder(t *testing.T) {
	g, all := crowd(t, 3, 4)
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		clear(g.records)
		clear(g.claims)
		for _, i := range order {
			all[i].says(nil)
		}
		g.waits(t, "four others for two places")
		if got := g.met(); !slices.Equal(got, []peer.ID{all[0].id, all[1].id}) {
			t.Errorf("order %v: %v have places", order, got)
		}
		for i, o := range all {
			if told := g.hello(o.id).Refused != ""; told != (i > 1) {
				t.Errorf("order %v: process %d is refused: %t", order, i, told)
			}
		}
	}
	sign(t, g, all[:2]...)
	if h := g.hello(all[3].id); h.Refused != "" || len(h.Roster) != 3 {
		t.Errorf("the surplus process receives %q and %d members, want the roster that was signed", h.Refused, len(h.Roster))
	}
}

// A disconnected process loses its place to one that comes.
func TestADisconnectedProcessLosesItsPlace(t *testing.T) {
	g, all := crowd(t, 3, 3)
	for _, o := range all[:2] {
		o.says(nil)
	}
	g.lose(all[0].id) // it has no connection
	all[2].says(nil)
	if got := g.met(); !slices.Equal(got, []peer.ID{all[1].id, all[2].id}) {
		t.Errorf("%v have places", got)
	}
}

// Once another process has signed the roster that all had proposed, a later process changes
// nothing, and one that has come in between loses its place again.
func TestASignedRosterIsChosen(t *testing.T) {
	g, all := crowd(t, 3, 3)
	late, a, b := all[0], all[1], all[2]
	self := wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}
	full := membership.NewRoster(g.consortium, []wire.Entry{self, a.entry(), b.entry()})
	a.says(nil)
	b.says(nil)
	late.says(nil) // in the place of b
	b.says(b.signs(t, full.Entries...))
	a.says(a.signs(t, full.Entries...))
	b.says(nil)
	if _, agreed, failure := g.outcome(); failure != nil || !agreed {
		t.Fatalf("%v, agreed %v", failure, agreed)
	}
	if g.roster.Run() != full.Run() {
		t.Error("the roster is not the one that the others have signed")
	}
}

// A roster that this process has not announced is not signed, even if another has signed it.
func TestAnInventedRosterIsNotSigned(t *testing.T) {
	g, all := crowd(t, 3, 3)
	late, a, b := all[0], all[1], all[2]
	a.says(nil)
	b.says(nil)
	late.says(nil) // in the place of b
	self := wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}
	invented := membership.NewRoster(g.consortium, []wire.Entry{self, a.entry(), {Name: "x", ID: []byte(b.id)}})
	a.says(a.signs(t, invented.Entries...))
	if g.roster != nil {
		t.Fatal("a roster is signed that this process has not proposed")
	}
}

// A process has signed a roster, while this one has given its place to another. It gets back the
// place if this process would have to give way to it.
func TestASignatureGivesBackAPlace(t *testing.T) {
	for _, smaller := range []bool{true, false} {
		g := opened(t, testConfig(t, 0, 3))
		var all []*other
		for len(all) < 3 {
			if o := newOther(t, g.registry, string(rune('a'+len(all)))); (o.id < g.cfg.Host.ID()) == smaller {
				all = append(all, o)
			}
		}
		slices.SortFunc(all, func(a, b *other) int { return cmp.Compare(a.id, b.id) })
		for _, i := range []int{1, 2, 0} { // the last takes the place of the second
			all[i].says(nil)
		}
		self := wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}
		all[2].says(all[2].signs(t, self, all[1].entry(), all[2].entry()))
		want := []peer.ID{all[0].id, all[1].id}
		if smaller {
			want = []peer.ID{all[1].id, all[2].id}
		}
		if got := g.met(); !slices.Equal(got, want) || (g.roster != nil) != smaller {
			t.Errorf("others with smaller IDs, %t: %v have places, want %v; signed %t", smaller, got, want, g.roster != nil)
		}
	}
}

// Whenever processes come, and in whatever order their hellos arrive, one roster is signed by all
// its members. The processes without a place learn that it has been signed without them.
func TestOneRosterIsSignedByAll(t *testing.T) {
	const places, processes = 4, 6
	var configs [processes]Config
	for i := range configs {
		c := testConfig(t, i, places)
		key, err := crypto.UnmarshalEd25519PrivateKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(i)}, ed25519.SeedSize)))
		if err != nil {
			t.Fatal(err)
		}
		c.Key = key // a failure can be repeated
		configs[i] = opened(t, c).cfg
	}
	rapid.Check(t, func(t *rapid.T) {
		w := &meeting{random: rand.New(testkit.Seed(rapid.Uint64().Draw(t, "seed")))}
		many := rapid.IntRange(places+1, processes).Draw(t, "processes")
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "order")[:many] {
			r, err := New(context.Background(), configs[i])
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			came := w.now
			if len(w.all) >= places {
				came += time.Duration(rapid.IntRange(0, 200).Draw(t, "pause")) * time.Millisecond
			}
			w.join(r, came)
		}
		w.run(time.Minute)
		signed := map[[32]byte]int{}
		for _, r := range w.all {
			_, agreed, failure := r.outcome()
			var stranger *StrangerError
			switch {
			case agreed:
				signed[r.roster.Run()]++
			case !errors.As(failure, &stranger):
				t.Errorf("%s ends with %v, want it in the roster, or an error that it is signed without it", r.cfg.Name, failure)
			}
		}
		if len(signed) != 1 || slices.Collect(maps.Values(signed))[0] != places {
			t.Errorf("the numbers of processes that have signed each roster are %v, want one roster of %d", signed, places)
		}
	})
}

// A meeting is processes that visit each other, over links that take 50 ms and a little more.
type meeting struct {
	random *rand.Rand
	now    time.Duration
	all    []*Rendezvous
	visits map[[2]int]bool
	events []event // in any order
}

type event struct {
	at time.Duration
	do func()
}

func (w *meeting) after(d time.Duration, do func()) {
	w.events = append(w.events, event{w.now + d, do})
}

// arrive calls do when a message arrives that leaves now.
func (w *meeting) arrive(do func()) {
	w.after(50*time.Millisecond+time.Duration(w.random.IntN(5000))*time.Microsecond, do)
}

// join adds a process that visits all others from a time on.
func (w *meeting) join(r *Rendezvous, came time.Duration) {
	me := len(w.all)
	w.all = append(w.all, r)
	w.after(came, func() {
		for other := range me {
			w.visit(me, other)
		}
	})
}

// visit is visit of Rendezvous in virtual time.
func (w *meeting) visit(from, to int) {
	if w.visits[[2]int{from, to}] {
		return
	}
	if w.visits == nil {
		w.visits = map[[2]int]bool{}
	}
	w.visits[[2]int{from, to}] = true
	a, b, wait := w.all[from], w.all[to], visitFirst
	var exchange func()
	var next func(due time.Duration, news <-chan struct{})
	next = func(due time.Duration, news <-chan struct{}) {
		select {
		case <-news:
			wait = visitFirst
		default:
			if w.now < due {
				w.after(10*time.Millisecond, func() { next(due, news) })
				return
			}
			wait = pause(wait, 0)
		}
		exchange()
	}
	exchange = func() {
		_, _, failure := a.outcome()
		if a.done(b.cfg.Host.ID()) || failure != nil {
			return
		}
		news, h := a.news(), a.hello(b.cfg.Host.ID())
		w.arrive(func() {
			b.learn(a.cfg.Host.ID(), h)
			w.visit(to, from)
			h := b.hello(a.cfg.Host.ID())
			w.arrive(func() {
				a.learn(b.cfg.Host.ID(), h)
				next(w.now+wait, news)
			})
		})
	}
	exchange()
}

// run lets time pass up to a limit.
func (w *meeting) run(most time.Duration) {
	for len(w.events) > 0 && w.now < most {
		first := 0
		for i := range w.events {
			if w.events[i].at < w.events[first].at {
				first = i
			}
		}
		e := w.events[first]
		w.events = slices.Delete(w.events, first, first+1)
		w.now = max(w.now, e.at)
		e.do()
	}
}

// Strangers that say hello with other values, with none, or with the name of this process end
// nothing, as long as they are fewer than the other places.
func TestStrangersWithoutAListEndNothing(t *testing.T) {
	for name, change := range map[string]func(i int, h *wire.Hello){
		"empty":              func(_ int, h *wire.Hello) { *h = wire.Hello{} },
		"other values":       func(_ int, h *wire.Hello) { h.Agreement[1].Value = "2" },
		"each its own value": func(i int, h *wire.Hello) { h.Agreement[1].Value = string(rune('a' + i)) },
		"own name":           func(_ int, h *wire.Hello) { h.Name = "m0" },
		"refusals":           func(_ int, h *wire.Hello) { h.Refused = OtherFolder },
		"resumes":            func(_ int, h *wire.Hello) { h.Resume = [32]byte{1} },
		"over":               func(i int, h *wire.Hello) { h.Over, h.Agreement = [32]byte{1}, h.Agreement[:i%2] },
		"leaves":             func(_ int, h *wire.Hello) { h.Leaving = "x" },
	} {
		t.Run(name, func(t *testing.T) {
			g, all := crowd(t, 4, 7)
			many := 2
			if name != "empty" && name != "other values" {
				many = 4
			}
			for i, o := range all[:many] {
				o.says(func(h *wire.Hello) { change(i, h) })
				g.waits(t, name)
			}
			sign(t, g, all[4:]...)
		})
	}
}

// If enough others for all other places agree on different values, they are the run, and this
// process ends.
func TestAllOthersHaveAnotherValue(t *testing.T) {
	g, all := crowd(t, 4, 3)
	for i, o := range all {
		g.waits(t, "not yet all")
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
		if i == 1 {
			o.says(nil) // a second hello, which does not count again
		}
	}
	_, _, failure := g.outcome()
	var differs *DisagreementError
	if !errors.As(failure, &differs) || differs.Field != "rho" || differs.Own != `"0.1"` || differs.Theirs != `"2"` {
		t.Errorf("got %v, want rho to differ", failure)
	}
}

// A listed member with a different value counts as missing until it has the others' value. A
// quorum with different values ends this process.
func TestListedMembersWithOtherValues(t *testing.T) {
	others := identities(t, 4)
	g := listing(t, others...)
	right := others[0].Agreement[1].Value
	for _, o := range others[:2] {
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
		g.waits(t, "fewer than a quorum")
	}
	if len(g.records) != 0 || len(g.missing()) != 4 {
		t.Errorf("%d are met and %v are missing, want those with another value to be missing", len(g.records), g.missing())
	}
	for _, o := range others[:2] {
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = right; h.Process[1]++ })
	}
	sign(t, g, others...)
	g = listing(t, others...)
	for _, o := range others[:3] {
		g.waits(t, "fewer than a quorum")
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
	}
	var differs *DisagreementError
	if _, _, failure := g.outcome(); !errors.As(failure, &differs) {
		t.Errorf("a quorum has another value: %v", failure)
	}
}

// The data that a process keeps of strangers is bounded.
func TestStrangersFillNothing(t *testing.T) {
	g, _ := crowd(t, 4, 0)
	most := g.peersMost()
	key, _ := nodetest.Key(t)
	for i := range 2 * most {
		id := peer.ID(append([]byte("stranger"), byte(i), byte(i>>8)))
		o := &other{key: key, id: id, name: "s"}
		o.meets(g.registry)
		o.says(func(h *wire.Hello) {
			h.Name, h.Process = id.String(), [32]byte{byte(i), byte(i >> 8)}
			switch i % 4 {
			case 0:
				h.Agreement[0].Value = h.Name
			case 1:
				h.Resume = [32]byte{1}
			case 2:
				h.Refused = "x"
			}
		})
	}
	for name, n := range map[string]int{"records": len(g.records) + 1, "claims": len(g.claims), "resuming": len(g.resuming), "warned": len(g.warned) - 1} {
		if n > most || name == "records" && n > 4 {
			t.Errorf("%s: %d entries of %d strangers", name, n, 2*most)
		}
	}
	g.waits(t, "many strangers")
}
