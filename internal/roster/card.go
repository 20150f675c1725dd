package roster

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/node"
)

// NewCard returns the signed card of the participant with the folder dir.
func NewCard(dir, name string, addrs, columns []string) (*config.Card, error) {
	if err := dataset.CheckName(name); err != nil {
		return nil, err
	}
	addrs = append([]string{}, addrs...)
	m, signature, err := node.SignCard(dir, name, addrs, columns)
	if err != nil {
		return nil, err
	}
	return &config.Card{
		Version: config.Version, Member: config.Member{Name: name, ID: m.ID.String(), Addrs: addrs},
		Columns: columns, Signature: base64.StdEncoding.EncodeToString(signature),
	}, nil
}

// readCard reads a card, and returns an error unless its member can take part in an agreement
// on these columns.
func readCard(path string, columns []string) (*config.Card, error) {
	c, err := config.ReadCard(path)
	if err != nil {
		return nil, err
	}
	if err := dataset.CheckName(c.Member.Name); err != nil {
		return nil, &config.Error{File: path, Err: err}
	}
	m, err := node.NewMember(c.Member.Name, c.Member.ID, c.Member.Addrs)
	if err == nil {
		signature, fault := base64.StdEncoding.DecodeString(c.Signature)
		if fault != nil {
			signature = nil
		}
		err = node.CheckCard(m, c.Columns, signature)
	}
	if err != nil {
		return nil, &config.Error{File: path, Err: err, Hint: "ask the member to make its card again with collabdict consortium join"}
	}
	c.Member.ID = m.ID.String()
	if lacks := c.Lacks(columns); len(lacks) > 0 {
		return nil, &config.Error{
			File: path, Err: fmt.Errorf("want all columns of the agreement, but the rows of %s do not have %s", m.Name, list(quoted(lacks))),
			Hint: fmt.Sprintf("they have %s: rename them there, or agree on other columns", list(quoted(c.Columns))),
		}
	}
	return c, nil
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}

// Invite adds members to the file of an agreement by their cards. A member named in replace
// gets the entries of its new card.
func Invite(file string, cards, replace []string) (members []config.Member, err error) {
	agreed, err := config.ReadDraft(file)
	if err != nil {
		return nil, err
	}
	for _, name := range replace {
		if !slices.ContainsFunc(agreed.Members, func(m config.Member) bool { return m.Name == name }) {
			return nil, &config.Error{File: file, Err: fmt.Errorf("want a member %q to replace, got none of that name", name), Hint: "names are case sensitive"}
		}
	}
	known, err := Members(agreed.Members)
	if err != nil {
		return nil, &config.Error{File: file, Err: err, Hint: "correct the file"}
	}
	for _, path := range cards {
		c, err := readCard(path, agreed.Columns)
		if err != nil {
			return nil, err
		}
		name := c.Member.Name
		if slices.Contains(replace, name) {
			known = slices.DeleteFunc(known, func(m node.Member) bool { return m.Name == name })
			replace = slices.DeleteFunc(slices.Clone(replace), func(n string) bool { return n == name })
		}
		for _, m := range known {
			switch id := m.ID.String(); {
			case m.Name == name && id == c.Member.ID:
				return nil, &config.Error{File: path, Err: fmt.Errorf("%s is a member already", name), Hint: "to take over its addresses from the card, add --replace " + name}
			case m.Name == name:
				return nil, &config.Error{File: path, Err: fmt.Errorf("another member is named %s, with the peer ID %s", name, m.ID), Hint: "choose another name, or if the member has a new key, add --replace " + name}
			case id == c.Member.ID:
				return nil, &config.Error{File: path, Err: fmt.Errorf("the peer ID %s belongs to another member, %s", m.ID, m.Name), Hint: "each member needs its own folder and key"}
			}
		}
		m, err := node.NewMember(name, c.Member.ID, nil)
		if err != nil {
			return nil, err
		}
		known, members = append(known, m), append(members, c.Member)
	}
	if len(replace) > 0 {
		return nil, &config.Error{File: file, Err: fmt.Errorf("want the card of %q, which is to replace the member, got none", replace[0]), Hint: "give its file as well"}
	}
	return members, config.PutMembers(file, members)
}

// AppendChange appends a change during a run to the file of an agreement. The cards are those
// of members that the change adds.
func AppendChange(file string, cards []string, change config.Change) (node.Change, error) {
	r, err := Read(file)
	if err != nil {
		return node.Change{}, err
	}
	for _, path := range cards {
		c, err := readCard(path, r.Columns)
		if err != nil {
			return node.Change{}, err
		}
		change.Add = append(change.Add, c.Member)
	}
	made, err := Changes([]config.Change{change})
	if err == nil {
		err = node.CheckChanges(r.Members, r.Task.Settings, append(slices.Clone(r.Changes), made...))
	}
	if err != nil {
		return node.Change{}, &config.Error{File: file, Err: err}
	}
	return made[0], config.AppendChange(file, change)
}
