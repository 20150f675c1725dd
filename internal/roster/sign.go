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

// A State is the state of a member's signature.
type State struct{ Name, State string }

// content returns the content that members sign: their list, and all that they compare when a run
// begins.
func (r *Roster) content() *node.Config {
	c := &node.Config{Members: r.Members, Settings: r.Task.Settings, BeginAt: r.BeginAt}
	for _, f := range r.Task.Fields(r.Columns) {
		c.Agreement = append(c.Agreement, node.Field(f))
	}
	return c
}

// States returns the states of all members' signatures, in the order of the file.
func (r *Roster) States() []State {
	c := r.content()
	list := make([]State, len(r.Members))
	for i, m := range r.Members {
		list[i] = State{m.Name, state(c, m, r.signatures)}
	}
	return list
}

// state returns the state of a member's signature. The signatures may be those of other
// content.
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

// Collect copies members' signatures from their copies of an agreement into its file. It
// returns the names of the members whose signatures it has copied, and the copies that have no
// signature of the file's content.
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

// A SignatureError reports whose signatures of an agreement are missing or void.
type SignatureError struct {
	Unsigned  []string // members that have not signed
	Other     []string // members that have signed other content
	Strangers []string // names with a signature that are not members
}

func (e *SignatureError) Error() string {
	var faults []string
	for _, f := range []struct {
		what  string
		names []string
	}{
		{"not signed by ", e.Unsigned},
		{"signed with other content by ", e.Other},
		{"signed by names that are not in the list: ", e.Strangers},
	} {
		if len(f.names) > 0 {
			faults = append(faults, f.what+list(f.names))
		}
	}
	return strings.Join(faults, "; ")
}

// Check returns a *SignatureError in a *config.Error unless exactly the members have signed the
// present agreement.
func (r *Roster) Check() error {
	of := map[string][]string{}
	strangers := maps.Clone(r.signatures)
	for _, s := range r.States() {
		of[s.State] = append(of[s.State], s.Name)
		delete(strangers, s.Name)
	}
	e := &SignatureError{of[Unsigned], of[Other], slices.Sorted(maps.Keys(strangers))}
	if len(e.Unsigned)+len(e.Other)+len(e.Strangers) == 0 {
		return nil
	}
	return &config.Error{File: r.File, Err: e, Hint: "ask each of them to read the file and sign it with collabdict consortium sign"}
}

// list joins the first few names.
func list(names []string) string {
	const most = 8
	if more := len(names) - most; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Sign adds the signatures of the members whose folders are given to the file of an agreement.
// It returns their names and the resulting agreement.
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
