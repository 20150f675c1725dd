package roster

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/node"
)

// The states of a member's signature.
const (
	Signed   = "signed"
	Unsigned = "not signed"
	Other    = "signed other content"
)

// State is what a member has signed.
type State struct{ Name, State string }

// content returns what the members sign: who they are, and what they compare when a run
// begins.
func (r *Roster) content() *node.Config {
	c := &node.Config{Members: r.Members, Settings: r.Task.Settings, BeginAt: r.BeginAt}
	for _, f := range r.Task.Fields(r.Columns) {
		c.Agreement = append(c.Agreement, node.Field(f))
	}
	return c
}

// States returns what each member has signed, in the order of the file.
func (r *Roster) States() []State {
	c := r.content()
	list := make([]State, len(r.Members))
	for i, m := range r.Members {
		list[i] = State{m.Name, state(c, m, r.signatures)}
	}
	return list
}

// state returns what a member has signed, by signatures that may be of other content.
func state(c *node.Config, m node.Member, signatures map[string]string) string {
	text, ok := signatures[m.Name]
	if !ok {
		return Unsigned
	}
	if signature, err := base64.StdEncoding.DecodeString(text); err == nil && c.SignedBy(m, signature) {
		return Signed
	}
	return Other
}

// Collect puts signatures that members have written into their copies of an agreement into
// its file. It returns the names of the members whose signatures it took over, and copies
// with none under the content of the file.
func Collect(file string, copies ...string) (names, other []string, err error) {
	r, err := Read(file)
	if err != nil {
		return nil, nil, err
	}
	content, found := r.content(), map[string]string{}
	for _, path := range copies {
		from, err := config.ReadDraft(path)
		if err != nil {
			return nil, nil, err
		}
		any := false
		for _, m := range r.Members {
			if state(content, m, from.Signatures) != Signed {
				continue
			}
			any = true
			if state(content, m, r.signatures) != Signed {
				found[m.Name] = from.Signatures[m.Name]
			}
		}
		if !any {
			other = append(other, path)
		}
	}
	if len(found) > 0 {
		err = config.AddSignatures(file, found)
	}
	return slices.Sorted(maps.Keys(found)), other, err
}

// Check returns an error that names the members that have not signed the agreement as it
// is, and signatures of others.
func (r *Roster) Check() error {
	of := map[string][]string{}
	strangers := maps.Clone(r.signatures)
	for _, s := range r.States() {
		of[s.State] = append(of[s.State], s.Name)
		delete(strangers, s.Name)
	}
	var faults []string
	for _, f := range []struct {
		what  string
		names []string
	}{
		{"not signed by ", of[Unsigned]},
		{"signed with other content by ", of[Other]},
		{"signed by no member of the list: ", slices.Sorted(maps.Keys(strangers))},
	} {
		if len(f.names) > 0 {
			faults = append(faults, f.what+list(f.names))
		}
	}
	if faults == nil {
		return nil
	}
	return &config.Error{
		File: r.File, Msg: strings.Join(faults, "; "),
		Hint: "let each of the members read the file and sign it with collabdict consortium sign",
	}
}

// list names the first few.
func list(names []string) string {
	const most = 8
	if more := len(names) - most; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Sign puts the signatures of members, whose folders are given, into the file of an
// agreement, and returns their names and the agreement as it is then.
func Sign(file string, folders ...string) (names []string, r *Roster, err error) {
	if r, err = Read(file); err != nil {
		return nil, nil, err
	}
	signatures := map[string]string{}
	c := *r.content()
	for _, dir := range folders {
		c.Dir = dir
		m, signature, err := node.SignList(c)
		if err != nil {
			return nil, nil, err
		}
		names, signatures[m.Name] = append(names, m.Name), base64.StdEncoding.EncodeToString(signature)
	}
	if err := config.AddSignatures(file, signatures); err != nil {
		return nil, nil, err
	}
	r, err = Read(file)
	return names, r, err
}
