package roster

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/node"
)

// A Difference is a part of two agreements that is not the same in both.
type Difference struct {
	Part   string `json:"part"`           // member, columns, setting, changes or signature
	Name   string `json:"name,omitempty"` // that of the member or setting
	A      string `json:"a"`              // value in the first, "" if none
	B      string `json:"b"`              // the value in the second, "" if none
	Signed bool   `json:"signed"`         // whether signatures of one agreement are invalid for the other
	Text   string `json:"text"`           // in words
}

// Diff returns the differences between two agreements: in members, columns, settings (defaults
// included), and in parts that are not signed.
func Diff(a, b *Roster) []Difference {
	d := &differ{a: a.File, b: b.File}
	d.members(a.Members, b.Members)
	d.columns(a.Columns, b.Columns)
	d.settings(a, b)
	d.rest(a, b)
	return d.list
}

type differ struct {
	a, b string // files
	list []Difference
}

// add records a difference. The text consists of words and both values.
func (d *differ) add(part, name, words, a, b string, signed bool) {
	none := func(v string) string {
		if v == "" {
			return "nothing"
		}
		return v
	}
	text := fmt.Sprintf("%s: %s in %s, %s in %s", words, none(a), d.a, none(b), d.b)
	if !signed {
		text += " (not signed)"
	}
	d.list = append(d.list, Difference{part, name, a, b, signed, text})
}

func (d *differ) members(a, b []node.Member) {
	inB := map[string]node.Member{}
	for _, m := range b {
		inB[m.Name] = m
	}
	only := func(m node.Member, file, idA, idB string) {
		d.list = append(d.list, Difference{"member", m.Name, idA, idB, true, fmt.Sprintf("member %s: only in %s", m.Name, file)})
	}
	for _, m := range a {
		o, ok := inB[m.Name]
		delete(inB, m.Name)
		switch {
		case !ok:
			only(m, d.a, m.ID.String(), "")
			continue
		case o.ID != m.ID:
			d.add("member", m.Name, "member "+m.Name+": another key", m.ID.String(), o.ID.String(), true)
		}
		if !slices.Equal(m.Addrs, o.Addrs) {
			d.add("member", m.Name, "member "+m.Name+": other addresses", strings.Join(m.Addrs, " "), strings.Join(o.Addrs, " "), false)
		}
	}
	for _, m := range b {
		if _, left := inB[m.Name]; left {
			only(m, d.b, "", m.ID.String())
		}
	}
}

func (d *differ) columns(a, b []string) {
	if slices.Equal(a, b) {
		return
	}
	without := func(list, other []string) []string {
		return quoted(slices.DeleteFunc(slices.Clone(list), func(c string) bool { return slices.Contains(other, c) }))
	}
	var parts []string
	for _, side := range []struct {
		only []string
		file string
	}{{without(a, b), d.a}, {without(b, a), d.b}} {
		if len(side.only) > 0 {
			parts = append(parts, strings.Join(side.only, ", ")+" only in "+side.file)
		}
	}
	if parts == nil {
		parts = []string{"the same in another order"}
	}
	d.list = append(d.list, Difference{"columns", "", strings.Join(a, ", "), strings.Join(b, ", "), true, "columns: " + strings.Join(parts, "; ")})
}

// settings compares the signed settings other than members and columns, and the settings that
// each member may choose for itself.
func (d *differ) settings(a, b *Roster) {
	of := func(r *Roster) (names []string, values map[string]string, signed map[string]bool) {
		values, signed = map[string]string{}, map[string]bool{}
		put := func(name, value string, isSigned bool) {
			name = inFile(name)
			if _, twice := values[name]; !twice {
				names, values[name], signed[name] = append(names, name), value, isSigned
			}
		}
		for _, f := range r.content().Signed() {
			if !strings.HasPrefix(f.Name, "column ") && f.Name != "number of columns" {
				put(f.Name, f.Value, true)
			}
		}
		for _, o := range slices.Concat(r.Task.Options, r.Task.Shared) {
			if o.Local && o.Applies() {
				put(o.Name, o.Text(), false)
			}
		}
		for _, o := range r.Task.Options {
			if o.Type == "file" && values[o.Key()] != "" {
				values[o.Key()] = filepath.Base(o.Text()) + " with SHA-256 " + values[o.Key()]
			}
		}
		return names, values, signed
	}
	names, inA, signed := of(a)
	more, inB, signedB := of(b)
	for _, name := range more {
		if _, known := inA[name]; !known {
			names = append(names, name)
		}
	}
	maps.Copy(signed, signedB)
	for _, name := range names {
		if inA[name] != inB[name] {
			d.add("setting", name, name, inA[name], inB[name], signed[name])
		}
	}
}

// inFile returns the name in files of a field that members sign.
func inFile(field string) string {
	of, ofConsensus := strings.CutPrefix(field, "consensus: ")
	of = strings.NewReplacer(" ", "_", "-", "_").Replace(of)
	if ofConsensus {
		return "consensus: " + of
	}
	return of
}

// rest compares the parts that are not signed: changes during a run, and signatures.
func (d *differ) rest(a, b *Roster) {
	changes := func(r *Roster) string {
		parts := make([]string, len(r.Changes))
		for i, c := range r.Changes {
			parts[i] = describe(c)
		}
		return strings.Join(parts, ", then ")
	}
	if inA, inB := changes(a), changes(b); inA != inB {
		d.add("changes", "", "changes", inA, inB, false)
	}
	if slices.ContainsFunc(d.list, func(o Difference) bool { return o.Signed }) {
		return // a signed difference makes all signatures invalid
	}
	states := func(r *Roster) map[string]string {
		m := map[string]string{}
		for _, s := range r.States() {
			m[s.Name] = s.State
		}
		return m
	}
	inA, inB := states(a), states(b)
	for _, m := range a.Members {
		if other, both := inB[m.Name]; both && other != inA[m.Name] {
			d.add("signature", m.Name, "signature of "+m.Name, inA[m.Name], other, false)
		}
	}
}

// describe returns a change in words.
func describe(c node.Change) string {
	var parts []string
	for _, m := range c.Add {
		parts = append(parts, "add "+m.Name+" ("+m.ID.String()+")")
	}
	for _, name := range c.Remove {
		parts = append(parts, "remove "+name)
	}
	if c.Quorum != nil {
		parts = append(parts, fmt.Sprintf("quorum %d", *c.Quorum))
	}
	if c.Colluders != nil {
		parts = append(parts, fmt.Sprintf("colluders %d", *c.Colluders))
	}
	if c.Pause {
		parts = append(parts, "pause")
	}
	if c.Resume {
		parts = append(parts, "resume")
	}
	if parts == nil {
		return "another committee"
	}
	return strings.Join(parts, " and ")
}
