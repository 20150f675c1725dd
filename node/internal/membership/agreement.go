package membership

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/collabdict/collabdict/internal/files/printable"
	"github.com/collabdict/collabdict/internal/wire"
)

// An Agreement holds the settings that must be the same at all members, in an order that reads
// well. The order itself does not matter.
type Agreement []Field

// A Field is one line of an agreement.
type Field struct{ Name, Value string }

// Validate returns a *ConfigError if a hello cannot hold the agreement.
func (a Agreement) Validate() error {
	seen := map[string]bool{}
	for _, f := range a {
		switch {
		case f.Name == "" || len(f.Name) > wire.MaxText || !printable.Text(f.Name):
			return &ConfigError{"agreement", fmt.Sprintf("a field named %q", f.Name), "1 to 1024 bytes of printable text"}
		case len(f.Value) > wire.MaxValue || !utf8.ValidString(f.Value):
			return &ConfigError{"agreement: " + f.Name, fmt.Sprintf("%d bytes", len(f.Value)), fmt.Sprintf("at most %d bytes of text", wire.MaxValue)}
		case seen[f.Name]:
			return &ConfigError{"agreement", "two fields named " + f.Name, "each name once"}
		}
		seen[f.Name] = true
	}
	if n := a.Bytes(); n > agreementMost {
		return &ConfigError{"agreement", fmt.Sprintf("%d bytes", n), fmt.Sprintf("at most %d bytes, names and values together", agreementMost)}
	}
	return nil
}

// agreementMost bounds an agreement so that hellos stay within wire.MaxHello.
const agreementMost = 1 << 20

// Bytes returns roughly the number of bytes that the agreement takes in a hello.
func (a Agreement) Bytes() (n int) {
	for _, f := range a {
		n += len(f.Name) + len(f.Value) + 16
	}
	return n
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

// Missing is the text shown for a field that one side does not have.
const Missing = "nothing"

// A Difference is a field whose values differ in two agreements. Both values are quoted.
type Difference struct{ Field, Own, Theirs string }

// Differences returns the fields that are not the same on both sides, in the order of a. Fields
// named "NAME 1", "NAME 2" and so on are a list. If the lists of both sides have other elements,
// they are one difference, which shows the elements that the other side lacks; the fields of the
// list and their number are then no differences of their own.
func (a Agreement) Differences(other []wire.Field) (list []Difference) {
	list, listed := a.lists(other)
	values := map[string]string{}
	for _, f := range other {
		if listed(f.Name) {
			continue
		}
		values[f.Name] = f.Value
	}
	for _, f := range a {
		if listed(f.Name) {
			continue
		}
		if v, ok := values[f.Name]; !ok {
			list = append(list, Difference{f.Name, Quoted(f.Value), Missing})
		} else if v != f.Value {
			list = append(list, Difference{f.Name, Quoted(f.Value), Quoted(v)})
		}
		delete(values, f.Name)
	}
	for _, f := range other {
		if _, left := values[f.Name]; left {
			list = append(list, Difference{Printable(f.Name), Missing, Quoted(f.Value)})
			delete(values, f.Name)
		}
	}
	return list
}

// element matches the name of an element of a list.
var element = regexp.MustCompile(`^(\D+) [1-9]\d*$`)

// lists returns the differences of lists with other elements. listed reports whether a field
// belongs to one of them.
func (a Agreement) lists(other []wire.Field) (list []Difference, listed func(field string) bool) {
	own, theirs := map[string][]string{}, map[string][]string{}
	for _, f := range a {
		if m := element.FindStringSubmatch(f.Name); m != nil {
			own[m[1]] = append(own[m[1]], f.Value)
		}
	}
	for _, f := range other {
		if m := element.FindStringSubmatch(f.Name); m != nil {
			theirs[m[1]] = append(theirs[m[1]], f.Value)
		}
	}
	lacking := func(from, in []string) []string {
		known := map[string]bool{}
		for _, v := range in {
			known[v] = true
		}
		return slices.DeleteFunc(slices.Clone(from), func(v string) bool { return known[v] })
	}
	differ := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		here, there := lacking(own[name], theirs[name]), lacking(theirs[name], own[name])
		if differ[name] = theirs[name] != nil && len(here)+len(there) > 0; differ[name] {
			list = append(list, Difference{name + "s", only(here), only(there)})
		}
	}
	return list, func(field string) bool {
		if m := element.FindStringSubmatch(field); m != nil {
			return differ[m[1]]
		}
		many, ok := strings.CutPrefix(field, "number of ")
		return ok && differ[strings.TrimSuffix(many, "s")]
	}
}

// only shows the elements that one side alone has.
func only(elements []string) string {
	if len(elements) == 0 {
		return Missing
	}
	return Quoted(strings.Join(elements, ", "))
}

// Difference returns the first of [Agreement.Differences].
func (a Agreement) Difference(other []wire.Field) (field, own, theirs string, differs bool) {
	list := a.Differences(other)
	if len(list) == 0 {
		return "", "", "", false
	}
	return list[0].Field, list[0].Own, list[0].Theirs, true
}
