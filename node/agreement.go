package node

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/collabdict/collabdict/internal/wire"
)

// Agreement is what must be the same at all members, in the order in which
// people should read it; the order itself does not matter.
type Agreement []Field

// Field is one line of an agreement.
type Field struct{ Name, Value string }

func (a Agreement) validate() error {
	seen := map[string]bool{}
	for _, f := range a {
		switch {
		case f.Name == "" || len(f.Name) > wire.MaxText || !utf8.ValidString(f.Name):
			return &ConfigError{"agreement", fmt.Sprintf("a field named %q", f.Name), "1 to 1024 bytes of text"}
		case len(f.Value) > wire.MaxValue || !utf8.ValidString(f.Value):
			return &ConfigError{"agreement: " + f.Name, fmt.Sprintf("%d bytes", len(f.Value)), fmt.Sprintf("at most %d bytes of text", wire.MaxValue)}
		case seen[f.Name]:
			return &ConfigError{"agreement", "two fields named " + f.Name, "each name once"}
		}
		seen[f.Name] = true
	}
	if n := a.bytes(); n > agreementMost {
		return &ConfigError{"agreement", fmt.Sprintf("%d bytes", n), fmt.Sprintf("at most %d bytes, names and values together", agreementMost)}
	}
	return nil
}

// agreementMost bounds an agreement so that hellos stay within wire.MaxHello.
const agreementMost = 1 << 20

// bytes returns about how many bytes the agreement takes in a hello.
func (a Agreement) bytes() (n int) {
	for _, f := range a {
		n += len(f.Name) + len(f.Value) + 16
	}
	return n
}

// complete returns the agreement with what the node itself needs everybody to
// have in common.
func (c *Config) complete() Agreement {
	s := c.Settings
	a := append(Agreement(nil), c.Agreement...)
	own := Agreement{
		{"protocol", fmt.Sprint(wire.Version)},
		{"members", c.roster()},
		{"consensus: scheme", string(s.Scheme)},
		{"consensus: step", string(s.Step)},
		{"consensus: graph", fmt.Sprint(s.Graph)},
		{"consensus: degree", fmt.Sprint(s.Degree)},
		{"consensus: tolerance", fmt.Sprint(s.Tolerance)},
		{"consensus: fan", fmt.Sprint(s.Fan)},
		{"consensus: parity", fmt.Sprint(s.Parity)},
		{"consensus: protection", string(s.Protect)},
		{"consensus: chunks", fmt.Sprint(s.Chunks)},
		{"consensus: full chunks", fmt.Sprint(s.Full)},
		{"consensus: threshold", fmt.Sprint(s.Threshold)},
		{"consensus: quorum", fmt.Sprint(s.Quorum)},
		{"consensus: colluders", fmt.Sprint(s.Colluders)},
		{"consensus: recover", string(s.Recover)},
		{"consensus: on lone change", string(s.OnLoneChange)},
	}
	for _, f := range own {
		if !slices.ContainsFunc(a, func(g Field) bool { return g.Name == f.Name }) {
			a = append(a, f)
		}
	}
	return a
}

// roster describes the members as far as they are known beforehand.
func (c *Config) roster() string {
	if len(c.Members) == 0 {
		return fmt.Sprint(c.Expect)
	}
	lines := make([]string, len(c.Members))
	for i, m := range c.Members {
		lines[i] = m.Name + " " + m.ID.String()
	}
	slices.Sort(lines)
	if len(lines) <= 8 {
		return strings.Join(lines, ", ")
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("%d, list %s", len(lines), hex.EncodeToString(sum[:8]))
}

// ID returns the identity of the consortium that has this agreement.
func (a Agreement) ID() [32]byte {
	sorted := slices.SortedFunc(slices.Values(a), byName)
	h := sha256.New()
	hashText(h, "collabdict/agreement/1")
	for _, f := range sorted {
		hashText(h, f.Name)
		hashText(h, f.Value)
	}
	return [32]byte(h.Sum(nil))
}

func byName(f, g Field) int { return cmp.Compare(f.Name, g.Name) }

// hashText writes a text so that no two sequences of texts hash alike.
func hashText(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

// missing is the value shown for a field that a side does not have.
const missing = "nothing"

// difference returns the first field, in the reader's own order, that is not the
// same on both sides, with both values.
func (a Agreement) difference(other []wire.Field) (field, own, theirs string, differs bool) {
	values := map[string]string{}
	for _, f := range other {
		values[f.Name] = f.Value
	}
	for _, f := range a {
		v, ok := values[f.Name]
		if !ok {
			return f.Name, quoted(f.Value), missing, true
		}
		if v != f.Value {
			return f.Name, quoted(f.Value), quoted(v), true
		}
		delete(values, f.Name)
	}
	for _, f := range other {
		if _, left := values[f.Name]; left {
			return f.Name, missing, quoted(f.Value), true
		}
	}
	return "", "", "", false
}

// quoted makes a value fit for a line of an error, whatever it holds.
func quoted(v string) string {
	const most = 120
	if len(v) > most {
		v = strings.ToValidUTF8(v[:most], "") + "..."
	}
	return fmt.Sprintf("%q", v)
}
