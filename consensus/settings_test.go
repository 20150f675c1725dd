package consensus

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// Invalid settings are refused with an error that names the option, or the members.
func TestRefusedSettings(t *testing.T) {
	chunks, none, sessions, shamir := chunking.Chunks, chunking.None, chunking.Sessions, chunking.Shamir
	for _, c := range []struct {
		size     int
		settings Settings
		name     string
	}{
		{0, Settings{Protect: none}, "members"},
		{1, Settings{Protect: none}, "members"},
		{2, Settings{Protect: chunks}, "members"},
		{2, Settings{Protect: sessions}, "members"},
		{2, Settings{Scheme: BaseK, Protect: shamir}, "members"},
		{2, Settings{}, "members"},

		{5, Settings{Scheme: "gossip", Protect: chunks}, "scheme"},
		{5, Settings{Step: "newton", Protect: chunks}, "step"},
		{5, Settings{Graph: "petersen", Protect: chunks}, "graph"},
		{6, Settings{Graph: graph.Hypercube, Protect: chunks}, "graph"},
		{6, Settings{Graph: graph.Margulis, Protect: chunks}, "graph"},
		{5, Settings{Graph: graph.RandomRegular, Degree: 3, Protect: chunks}, "graph"},
		{5, Settings{Degree: 1, Protect: chunks}, "degree"},
		{5, Settings{Degree: -4, Protect: chunks}, "degree"},
		{5, Settings{Tolerance: 1, Protect: chunks}, "tolerance"},
		{5, Settings{Tolerance: 1e-16, Protect: chunks}, "tolerance"},
		{5, Settings{Tolerance: -1, Protect: chunks}, "tolerance"},
		{5, Settings{Tolerance: math.NaN(), Protect: chunks}, "tolerance"},
		{5, Settings{Scheme: Exact, Fan: 17, Protect: chunks}, "fan"},
		{5, Settings{Scheme: BaseK, Fan: -1, Protect: chunks}, "fan"},
		{5, Settings{Parity: true, Protect: chunks}, "parity"},
		{5, Settings{Scheme: BaseK, Parity: true, Protect: chunks}, "parity"},
		{5, Settings{Scheme: Exact, Degree: 6}, "degree"},
		{5, Settings{Fan: 2}, "fan"},

		{5, Settings{Protect: "magic"}, "protect"},
		{5, Settings{Protect: shamir}, "protect"},
		{5, Settings{Scheme: Exact, Protect: shamir}, "protect"},
		{5, Settings{Protect: chunks, Chunks: 1}, "chunks"},
		{5, Settings{Protect: chunks, Chunks: -2}, "chunks"},
		{5, Settings{Protect: chunks, Chunks: 252}, "chunks"},
		{5, Settings{Protect: sessions, Chunks: 251}, "chunks"},
		{5, Settings{Protect: sessions, Full: true}, "full-chunks"},
		{5, Settings{Protect: none, Full: true}, "full-chunks"},
		{5, Settings{Protect: chunks, Threshold: 2}, "threshold"},
		{5, Settings{Protect: sessions, Threshold: 8}, "threshold"},
		{5, Settings{Scheme: BaseK, Protect: shamir, Threshold: 9}, "threshold"},
		{5, Settings{Scheme: BaseK, Protect: shamir, Chunks: 3, Threshold: 4}, "threshold"},
		{5, Settings{Scheme: BaseK, Protect: shamir, Threshold: -1}, "threshold"},
		{5, Settings{Protect: chunks, Recover: "guess"}, "recover"},

		{5, Settings{Protect: chunks, Quorum: 2}, "quorum"},
		{6, Settings{Protect: chunks, Quorum: 3}, "quorum"},
		{6, Settings{Protect: none, Quorum: -1}, "quorum"},
		{5, Settings{Protect: chunks, Quorum: 6}, "quorum"},
		{5, Settings{Protect: none, Colluders: 1}, "colluders"},
		{5, Settings{Protect: chunks, Colluders: 4}, "colluders"},
		{3, Settings{Protect: chunks, Colluders: 2}, "colluders"},
		{5, Settings{Protect: chunks, Colluders: -1}, "colluders"},
	} {
		err := c.settings.Validate(c.size)
		if err == nil || !strings.HasPrefix(err.Error(), c.name+": ") {
			t.Errorf("%d members, %+v: %v, want an error of %s", c.size, c.settings, err, c.name)
			continue
		}
		p := Params{Settings: c.settings, Members: make([]string, c.size)}
		if m, again := New(p); m != nil || c.size > 0 && again.Error() != err.Error() {
			t.Errorf("%d members, %+v: a machine, or %v", c.size, c.settings, again)
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

// Each setting has one option, and so a flag, a key in files and a field in agreements.
func TestEachSettingHasOneOption(t *testing.T) {
	var s Settings
	bound := map[any]int{}
	for _, o := range s.Options() {
		for _, f := range o.Fields {
			bound[f]++
		}
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if n := bound[v.Field(i).Addr().Interface()]; n != 1 {
			t.Errorf("%s: want one option, got %d", v.Type().Field(i).Name, n)
		}
	}
}

// A program that leaves defaults out agrees with members that use the command, which writes them
// out.
func TestDefaultsMayBeLeftOut(t *testing.T) {
	for _, scheme := range []Scheme{Laplacian, Exact, BaseK, Auto} {
		var s Settings
		table := s.Options()
		if err := errors.Join(table.Set("scheme", string(scheme)), table.Complete()); err != nil {
			t.Fatal(err)
		}
		if got, want := (Settings{Scheme: scheme}).Fields(), table.Fields(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", scheme, got, want)
		}
	}
	if got, want := (Settings{}).Fields(), (Settings{Scheme: Laplacian, Fan: 3}).Fields(); !slices.Equal(got, want) {
		t.Errorf("a setting that does not apply: got %v, want %v", got, want)
	}
}

// Auto averages short vectors in small rosters only.
func TestAutoDependsOnLengthAndMembers(t *testing.T) {
	for _, c := range []struct {
		values, members int
		want            Scheme
	}{
		{300, 5, Laplacian},
		{longVector, SmallRoster, Laplacian},
		{longVector + 1, 5, Exact},
		{300, SmallRoster + 1, Exact},
	} {
		if got := DefaultSettings().For(c.values, c.members).Scheme; got != c.want {
			t.Errorf("%d values of %d members: got %s, want %s", c.values, c.members, got, c.want)
		}
		if s := (Settings{Scheme: Laplacian}); s.For(c.values, c.members).Scheme != Laplacian {
			t.Errorf("%d values of %d members: a given scheme changes", c.values, c.members)
		}
	}
}

// A check of settings makes no graph: each member of a simulation makes one.
func TestValidateMakesNoGraph(t *testing.T) {
	s := DefaultSettings().For(1, 1)
	allocs := func(size int) float64 {
		return testing.AllocsPerRun(3, func() {
			if err := s.Validate(size); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(10), allocs(10_000); many > few {
		t.Errorf("%g allocations for 10,000 members, %g for 10", many, few)
	}
}
