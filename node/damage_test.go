package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/wire"
)

// halfWay stops a run of three members in the middle by killing the first one's process, and
// returns that member's configuration. Each sum has a page of its own in state.db, and the log
// has pages after those.
func halfWay(t *testing.T) (left Config) {
	dir := t.TempDir()
	simulate(t, 20*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		nodes := s.start(t, configs...)
		for rank, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
			if _, err := n.Gather(ctx, "test", []byte("start")); err != nil {
				return err
			}
			for r := 1; r <= 40; r++ {
				n.StartRound(r, [32]byte{})
				values := make([]float64, 300)
				for i := range values {
					values[i] = float64(n.Self() + i*r)
				}
				if _, err := n.Sum(ctx, collabdict.Summand{Values: values, Blocks: []collabdict.Block{{Len: 300, Bound: 1e6}}}); err != nil {
					return err
				}
			}
			return nil
		}) {
			if err != nil {
				t.Fatalf("member %d: %v", rank, err)
			}
		}
		nodes[0].Close()
		for _, c := range configs {
			if c.Name == nodes[0].Members()[0].Name {
				left = c
			}
		}
		copyFolder(t, dir, left.Dir)
	})
	left.Dir = dir
	return left
}

// copyFolder copies the files of a participant.
func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	for _, name := range []string{identityFile, store.StateFile, store.KeysFile} {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// resumed resumes the run as far as a restarted process can without the other members, and
// describes the state that it has found in the folder.
func resumed(c Config) (found string, err error) {
	key, err := loadIdentity(c.Dir)
	if err != nil {
		return "", err
	}
	st, err := store.Open(c.Dir)
	if err != nil {
		return "", err
	}
	defer st.Close()
	j, err := st.Last()
	if err != nil {
		return "", err
	}
	if j == nil {
		return "no run", nil
	}
	p := &joiner{cfg: &c, key: key, store: st}
	members, err := p.members(j)
	if err != nil {
		return "", err
	}
	m, err := p.machine(j, members)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%+v\n%+v %+v\n", j.Run, members.Load().All, m.Status())
	roster, err := st.Roster(j.Members[j.Self].Process)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%x %v\n", roster, st.Knows(j.ID))
	if err := j.Each(func(d *consensus.Decision) error {
		w := wire.MarshalDecision(d)
		_, err := fmt.Fprintf(&b, "%x\n", w.Bytes())
		return err
	}); err != nil {
		return "", err
	}
	saved, err := j.Saved()
	if err != nil {
		return "", err
	}
	for _, slot := range slices.Sorted(maps.Keys(saved.Slots)) {
		for _, name := range slices.Sorted(maps.Keys(saved.Slots[slot])) {
			fmt.Fprintf(&b, "%d %s %x\n", slot, name, saved.Slots[slot][name])
		}
	}
	return b.String(), j.Reached(0, []string{"/ip4/127.0.0.1/tcp/1"})
}

const pageSize = 4096

// damaged returns a file as a failing disk or a careless copy may leave it.
func damaged(file []byte, seed uint64) (what string, b []byte) {
	rng := rand.New(rand.NewPCG(seed, 1))
	b = bytes.Clone(file)
	used := (len(bytes.TrimRight(file, "\x00")) + pageSize - 1) / pageSize
	pages := func() (x, y int, px, py []byte) {
		x, y = rng.IntN(used), rng.IntN(used)
		return x, y, b[x*pageSize:][:pageSize], b[y*pageSize:][:pageSize]
	}
	switch x, y, px, py := pages(); seed % 5 {
	case 0:
		at, bit := rng.IntN(used*pageSize), rng.IntN(8)
		b[at] ^= 1 << bit
		return fmt.Sprintf("bit %d of byte %d is flipped", bit, at), b
	case 1:
		clear(px)
		return fmt.Sprintf("page %d is zeros", x), b
	case 2:
		at := rng.IntN(used * pageSize)
		return fmt.Sprintf("cut off at %d bytes", at), b[:at]
	case 3:
		old := bytes.Clone(px)
		copy(px, py)
		copy(py, old)
		return fmt.Sprintf("pages %d and %d are swapped", x, y), b
	default:
		copy(px, py)
		return fmt.Sprintf("page %d is a copy of page %d", x, y), b
	}
}

// The votes protect the log: a total that was replaced in a valid file is found, and so is a
// replaced vote.
func TestALogProvesItself(t *testing.T) {
	c := halfWay(t)
	file, err := os.ReadFile(filepath.Join(c.Dir, store.StateFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(d *consensus.Decision)
		want   string
	}{
		"another total":     {func(d *consensus.Decision) { d.Total[3]++ }, "slot 20: the total does not match its digest"},
		"without a member":  {func(d *consensus.Decision) { d.Members = d.Members[1:] }, "slot 20: it does not match its chain"},
		"another signature": {func(d *consensus.Decision) { d.Certificate.Votes[1].Signature[9]++ }, "slot 20: no quorum has signed it"},
		"too few votes":     {func(d *consensus.Decision) { d.Certificate.Votes = d.Certificate.Votes[:1] }, "slot 20: no quorum has signed it"},
		"another chain":     {func(d *consensus.Decision) { d.Chain[0]++ }, "slot 20: it does not match its chain"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(c.Dir, store.StateFile), file, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := rewrite(c.Dir, 20, tc.change); err != nil {
				t.Fatal(err)
			}
			var damage *store.DamageError
			if _, err := resumed(c); !errors.As(err, &damage) || !strings.Contains(damage.What, tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// rewrite changes a decision of the last run in a folder.
func rewrite(dir string, slot uint64, change func(d *consensus.Decision)) error {
	st, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer st.Close()
	j, err := st.Last()
	if err != nil {
		return err
	}
	d, err := j.Decision(slot)
	if err != nil {
		return err
	}
	if d.Kind == consensus.Gather {
		d.Blobs = d.Blobs[:3]
	}
	change(d)
	return j.Apply(nil, []*consensus.Decision{d})
}

// For any damage to the state of a half-finished run, a restarted process either finds all of
// the state or reports that the file is damaged. It never finds another state, and never
// crashes.
func TestDamageToTheStateIsFound(t *testing.T) {
	testkit.SkipRaced(t)
	c := halfWay(t)
	path := filepath.Join(c.Dir, store.StateFile)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(c.Dir, store.KeysFile))
	if err != nil {
		t.Fatal(err)
	}
	want, err := resumed(c)
	if err != nil || strings.Count(want, "\n") < 45 {
		t.Fatalf("the file as it is: %v, %s", err, want)
	}
	seeds := uint64(1000)
	if !testkit.Long {
		seeds = 100
	}
	found := 0
	for seed := range seeds {
		what, b := damaged(file, seed)
		if err := errors.Join(os.WriteFile(path, b, 0o600), os.WriteFile(filepath.Join(c.Dir, store.KeysFile), keys, 0o600)); err != nil {
			t.Fatal(err)
		}
		got, err := resumed(c)
		var damage *store.DamageError
		switch {
		case errors.As(err, &damage):
			found++
		case err != nil:
			t.Errorf("seed %d: %s: got the error %v, want one that reports a damaged file", seed, what, err)
		case got != want:
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("seed %d: %s: found silently another state of %d bytes, want %d, different from byte %d", seed, what, len(got), len(want), at)
		}
	}
	t.Logf("%d of %d are damage", found, seeds)
	if found < int(seeds)/2 {
		t.Error("most changes should have been damage")
	}
}
