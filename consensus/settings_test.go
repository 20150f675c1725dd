package consensus

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// Invalid settings are refused with an error that has the wanted and the given value.
func TestRefusedSettings(t *testing.T) {
	chunks, none, sessions, shamir := chunking.Chunks, chunking.None, chunking.Sessions, chunking.Shamir
	for _, c := range []struct {
		size     int
		settings Settings
		want     string
	}{
		{0, Settings{Protect: none}, "members: want at least 2, got 0"},
		{1, Settings{Protect: none}, "members: want at least 2, got 1"},
		{2, Settings{Protect: chunks}, `members: want at least 3 with protection "chunks", got 2: with two, each learns the other's vector from the total; add a member or choose protection "none"`},
		{2, Settings{Protect: sessions}, `members: want at least 3 with protection "sessions", got 2: with two, each learns the other's vector from the total; add a member or choose protection "none"`},
		{2, Settings{Scheme: BaseK, Protect: shamir}, `members: want at least 3 with protection "shamir", got 2: with two, each learns the other's vector from the total; add a member or choose protection "none"`},
		{2, Settings{}, `members: want at least 3 with protection "", got 2: with two, each learns the other's vector from the total; add a member or choose protection "none"`},

		{5, Settings{Scheme: "gossip", Protect: chunks}, `scheme: want "auto", "laplacian", "exact" or "base-k", got "gossip"`},
		{5, Settings{Step: "newton", Protect: chunks}, `step: want "chebyshev", "optimal", "metropolis" or "paper", got "newton"`},
		{5, Settings{Graph: "petersen", Protect: chunks}, `graph: want hamilton-cycles, inverse-chord, random-regular, margulis, hypercube, complete or ring, got "petersen"`},
		{6, Settings{Graph: graph.Hypercube, Protect: chunks}, "graph: hypercube wants a power of two as the number of members, got 6; choose 4 or 8 members, or hamilton-cycles"},
		{6, Settings{Graph: graph.Margulis, Protect: chunks}, "graph: margulis wants a square number of members, got 6; choose 4 or 9 members, or hamilton-cycles"},
		{5, Settings{Graph: graph.RandomRegular, Degree: 3, Protect: chunks}, "graph: random-regular has no graph of odd degree 3 on an odd number of members, 5; choose degree 4, or hamilton-cycles"},
		{5, Settings{Degree: 1, Protect: chunks}, "degree: want 0 for the default or at least 2, got 1"},
		{5, Settings{Degree: -4, Protect: chunks}, "degree: want 0 for the default or at least 2, got -4"},
		{5, Settings{Tolerance: 1, Protect: chunks}, "tolerance: want 0 for the default or a value from 1e-15 to below 1, got 1"},
		{5, Settings{Tolerance: 1e-16, Protect: chunks}, "tolerance: want 0 for the default or a value from 1e-15 to below 1, got 1e-16"},
		{5, Settings{Tolerance: -1, Protect: chunks}, "tolerance: want 0 for the default or a value from 1e-15 to below 1, got -1"},
		{5, Settings{Tolerance: math.NaN(), Protect: chunks}, "tolerance: want 0 for the default or a value from 1e-15 to below 1, got NaN"},
		{5, Settings{Scheme: Exact, Fan: 17, Protect: chunks}, "fan: want 0 for the default or 1 to 16, got 17"},
		{5, Settings{Scheme: BaseK, Fan: -1, Protect: chunks}, "fan: want 0 for the default or 1 to 16, got -1"},
		{5, Settings{Parity: true, Protect: chunks}, `parity: want the scheme "exact", got "laplacian"`},
		{5, Settings{Scheme: BaseK, Parity: true, Protect: chunks}, `parity: want the scheme "exact", got "base-k"`},

		{5, Settings{}, `protection: want "chunks", "sessions", "shamir" or "none", got ""`},
		{5, Settings{Protect: "magic"}, `protection: want "chunks", "sessions", "shamir" or "none", got "magic"`},
		{5, Settings{Protect: shamir}, `protection: "shamir" shares values over a field: want the scheme "base-k", got "laplacian"`},
		{5, Settings{Scheme: Exact, Protect: shamir}, `protection: "shamir" shares values over a field: want the scheme "base-k", got "exact"`},
		{5, Settings{Protect: chunks, Chunks: 1}, "chunks: want 0 for the default or 2 to 251, got 1"},
		{5, Settings{Protect: chunks, Chunks: -2}, "chunks: want 0 for the default or 2 to 251, got -2"},
		{5, Settings{Protect: chunks, Chunks: 252}, "chunks: want 0 for the default or 2 to 251, got 252"},
		{5, Settings{Protect: sessions, Chunks: 251}, "chunks: want 0 for the default or 2 to 250, got 251"},
		{5, Settings{Protect: sessions, Full: true}, `full chunks: want protection "chunks", got "sessions"`},
		{5, Settings{Protect: none, Full: true}, `full chunks: want protection "chunks", got "none"`},
		{5, Settings{Protect: chunks, Threshold: 2}, `threshold: want protection "shamir", got "chunks"`},
		{5, Settings{Protect: sessions, Threshold: 8}, `threshold: want protection "shamir", got "sessions"`},
		{5, Settings{Scheme: BaseK, Protect: shamir, Threshold: 9}, "threshold: want 0 for the default or 1 to 8, the number of lanes, got 9"},
		{5, Settings{Scheme: BaseK, Protect: shamir, Chunks: 3, Threshold: 4}, "threshold: want 0 for the default or 1 to 3, the number of lanes, got 4"},
		{5, Settings{Scheme: BaseK, Protect: shamir, Threshold: -1}, "threshold: want 0 for the default or 1 to 8, the number of lanes, got -1"},
		{5, Settings{Protect: chunks, Recover: "guess"}, `recover: want "shares" or "wait", got "guess"`},

		{5, Settings{Protect: chunks, Quorum: 2}, "quorum: want more than half of 5 members, got 2: two halves would decide two sums"},
		{6, Settings{Protect: chunks, Quorum: 3}, "quorum: want more than half of 6 members, got 3: two halves would decide two sums"},
		{6, Settings{Protect: none, Quorum: -1}, "quorum: want more than half of 6 members, got -1: two halves would decide two sums"},
		{5, Settings{Protect: chunks, Quorum: 6}, "quorum: want at most the 5 members, got 6"},
		{5, Settings{Protect: none, Colluders: 1}, `colluders: want 0 with protection "none", got 1`},
		{5, Settings{Protect: chunks, Colluders: 4}, "colluders: want 1 to 3, 2 fewer than the members, got 4"},
		{3, Settings{Protect: chunks, Colluders: 2}, "colluders: want 1 to 1, 2 fewer than the members, got 2"},
		{5, Settings{Protect: chunks, Colluders: -1}, "colluders: want 1 to 3, 2 fewer than the members, got -1"},
	} {
		err := c.settings.Validate(c.size)
		if err == nil || err.Error() != c.want {
			t.Errorf("%d members, %+v: %v, want %s", c.size, c.settings, err, c.want)
		}
		p := Params{Settings: c.settings, Members: make([]string, c.size)}
		if m, of := New(p); m != nil || c.size > 0 && of.Error() != c.want {
			t.Errorf("%d members, %+v: a machine, or %v", c.size, c.settings, of)
		}
	}
}

func TestRefusedRanks(t *testing.T) {
	for _, self := range []int{-1, 3, math.MaxInt} {
		m, err := New(Params{Settings: exact, Self: self, Members: []string{"a", "b", "c"}})
		if want := fmt.Sprintf("consensus: rank %d is not one of 3 members", self); m != nil || err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// In all valid settings, any two quorums share a member, a view minus the colluders has at
// least two members, and opening a pad takes more shares than the colluders hold.
func TestRules(t *testing.T) {
	accepted := 0
	for size := 2; size <= 12; size++ {
		for quorum := range size + 2 {
			for colluders := range size + 1 {
				for _, protect := range []chunking.Mode{chunking.Chunks, chunking.None} {
					for _, recovery := range []Recovery{FromShares, Wait} {
						s := Settings{Scheme: Exact, Protect: protect, Quorum: quorum, Colluders: colluders, Recover: recovery}
						if s.Validate(size) != nil {
							continue
						}
						accepted++
						r := s.Rules(size)
						switch {
						case 2*r.Quorum <= size || r.Quorum > size || r.Least < r.Quorum || r.Least > size:
							t.Errorf("%d members, %+v: %+v", size, s, r)
						case protect == chunking.None && (r.Sealed || r.Shares > 0 || r.Least != r.Quorum):
							t.Errorf("%d members, %+v: %+v", size, s, r)
						case protect != chunking.None && (!r.Sealed || r.Colluders < 1 || r.Least < r.Colluders+2):
							t.Errorf("%d members, %+v: %+v", size, s, r)
						case protect != chunking.None && (recovery == Wait) != (r.Shares == 0):
							t.Errorf("%d members, %+v: %+v", size, s, r)
						case r.Shares > 0 && (r.Shares <= r.Colluders || r.Shares > r.Least-1):
							t.Errorf("%d members, %+v: %+v", size, s, r)
						}
					}
				}
			}
		}
	}
	if accepted < 500 {
		t.Errorf("only %d settings are accepted", accepted)
	}
}

// The largest allowed values work.
func TestMostChunks(t *testing.T) {
	for _, s := range []Settings{
		{Protect: chunking.Sessions, Chunks: chunking.MaxFanout},
		{Scheme: Exact, Protect: chunking.Chunks, Chunks: chunking.MaxFanout + 1, Fan: 16},
		{Scheme: BaseK, Protect: chunking.Shamir, Chunks: chunking.MaxFanout, Threshold: chunking.MaxFanout},
	} {
		n := newNetwork(t, 3, s)
		n.play(sumOf(1, powers(3), oneBlock))
		checkTotal(t, n.checkDecisions(), powers(3), oneBlock, 1e-6)
	}
}

// A ballot has one owner, and each member owns its next ballot.
func TestBallotsHaveOneOwner(t *testing.T) {
	for size := 2; size <= 9; size++ {
		r := Settings{Scheme: Exact, Protect: chunking.None}.Rules(size)
		for above := range uint32(40) {
			for member := range size {
				b := r.next(member, above)
				if r.owner(b) != member || b <= above || b > above+uint32(size) {
					t.Errorf("of %d members, %d has ballot %d next above %d, which is %d's", size, member, b, above, r.owner(b))
				}
			}
		}
	}
}

// The hash of the settings is part of the wire format, and covers every field.
func TestHashOfSettings(t *testing.T) {
	hash := func(s Settings) string {
		h := newHashing("header", [32]byte{})
		h.settings(s)
		return fmt.Sprintf("%x", h.sum())
	}
	s := Settings{Protect: chunking.Chunks}.withDefaults()
	const want = "480511844ad7bee502ceb1d72b8972290e5056b8462a269f02158515753f674a"
	if got := hash(s); got != want {
		t.Errorf("the default settings have the hash %s, want %s", got, want)
	}
	seen := map[string]string{hash(s): "no field"}
	for i := range reflect.TypeFor[Settings]().NumField() {
		changed := s
		switch f := reflect.ValueOf(&changed).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Float64:
			f.SetFloat(f.Float() / 2)
		case reflect.Bool:
			f.SetBool(!f.Bool())
		default:
			t.Fatalf("a field of type %s: say in hashing.settings how it is encoded", f.Type())
		}
		name, got := reflect.TypeFor[Settings]().Field(i).Name, hash(changed)
		if other, same := seen[got]; same {
			t.Errorf("a change of %s gives the same hash as a change of %s", name, other)
		}
		seen[got] = name
	}
}

func TestCanonicalSettings(t *testing.T) {
	full := Settings{Scheme: Laplacian, Step: "chebyshev", Graph: graph.HamiltonCycles, Degree: 4, Tolerance: 1e-9, Protect: chunking.Chunks, Recover: FromShares, OnLoneReturn: AllowLoneReturn}
	exact := Settings{Scheme: Exact, Fan: 1, Protect: chunking.Chunks, Recover: FromShares, OnLoneReturn: AllowLoneReturn}
	auto := full
	auto.Scheme = Auto
	for _, c := range []struct{ given, want Settings }{
		{Settings{Scheme: Auto, Protect: chunking.Chunks}, auto},
		{Settings{Protect: chunking.Chunks}, full},
		{full, full},
		{Settings{Fan: 3, Protect: chunking.Chunks}, full},
		{Settings{Scheme: Exact, Degree: 6, Protect: chunking.Chunks}, exact},
		{exact, exact},
	} {
		if got := c.given.Canonical(); got != c.want {
			t.Errorf("%+v: got %+v, want %+v", c.given, got, c.want)
		}
	}
}
