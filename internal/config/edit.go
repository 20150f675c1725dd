package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/internal/files"
)

// rewrite replaces the content of a file, and keeps its mode.
func rewrite(path string, change func(b []byte) ([]byte, error)) error {
	b, err := content(path, ofConsortium)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if b, err = change(b); err != nil {
		return err
	}
	return files.WriteBytes(path, info.Mode().Perm(), b)
}

// create writes a file that only its owner can read. It fails if the file exists.
func create(path string, b []byte) error {
	_, err := os.Lstat(path)
	if err == nil {
		return &Error{path, errors.New("already exists"), "choose another name, or move it away"}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return files.WriteBytes(path, 0o600, b)
}

// edited returns the text of an agreement after change has been applied to its nodes and its
// content. Comments stay.
func edited(path string, b []byte, change func(root *yaml.Node, c *Consortium)) ([]byte, error) {
	want, err := decodeDraft(path, b)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(b, &document); err != nil {
		return nil, &Error{path, err, "correct the file"}
	}
	change(document.Content[0], want)
	var out bytes.Buffer
	if err := dump(&out, &document); err != nil {
		return nil, err
	}
	for _, text := range [][]byte{spaced(b, out.Bytes()), out.Bytes()} {
		if got, err := decodeDraft(path, text); err == nil && want.Same(got) && maps.Equal(got.Signatures, want.Signatures) {
			return text, nil
		}
	}
	return nil, &Error{path, errors.New("cannot be edited without changing other content"), "write it without anchors and tags"}
}

// spaced adds an empty line before each comment that has one in the text before.
func spaced(before, b []byte) []byte {
	isComment := func(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) }
	apart := map[string]bool{}
	var last []byte
	for line := range bytes.Lines(before) {
		if isComment(line) && len(bytes.TrimSpace(last)) == 0 {
			apart[string(bytes.TrimSpace(line))] = true
		}
		last = line
	}
	var out []byte
	for line := range bytes.Lines(b) {
		if isComment(line) && apart[string(bytes.TrimSpace(line))] && len(bytes.TrimSpace(last)) > 0 && len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, line...)
		last = line
	}
	return out
}

// PutMembers writes members into the file of an agreement. Each replaces the member of the same
// name, or is added at the end. Everything else in the file stays, as with [AddSignatures].
func PutMembers(path string, members []Member) error {
	return rewrite(path, func(b []byte) ([]byte, error) { return withMembers(path, b, members) })
}

func withMembers(path string, b []byte, members []Member) ([]byte, error) {
	return edited(path, b, func(root *yaml.Node, c *Consortium) {
		list := sequence(root, "members", c.Members)
		for _, m := range members {
			m.Addrs = append([]string{}, m.Addrs...)
			i := slices.IndexFunc(c.Members, func(o Member) bool { return o.Name == m.Name })
			if i < 0 {
				c.Members, list.Content = append(c.Members, m), append(list.Content, nodeOf(m))
				continue
			}
			c.Members[i] = m
			old := list.Content[i]
			n := nodeOf(m)
			n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
			list.Content[i] = n
		}
		list.Style &^= yaml.FlowStyle
	})
}

// AppendChange appends a change of the members to the file of an agreement, as [AddSignatures]
// does.
func AppendChange(path string, change Change) error {
	return rewrite(path, func(b []byte) ([]byte, error) { return withChange(path, b, change) })
}

func withChange(path string, b []byte, change Change) ([]byte, error) {
	change.Add = slices.Clone(change.Add)
	for i, m := range change.Add {
		change.Add[i].Addrs = append([]string{}, m.Addrs...)
	}
	return edited(path, b, func(root *yaml.Node, c *Consortium) {
		list := sequence(root, "changes", c.Changes)
		c.Changes, list.Content = append(c.Changes, change), append(list.Content, nodeOf(change))
		list.Style &^= yaml.FlowStyle
	})
}

// sequence returns the list of a field. A list that stands elsewhere, such as an alias, is
// first written out.
func sequence[T any](mapping *yaml.Node, key string, list []T) *yaml.Node {
	if n := entry(mapping, key); n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(list) {
		set(mapping, key, nodeOf(list))
	}
	return entry(mapping, key)
}

// nodeOf returns the YAML node of a value, with lists of texts in one line.
func nodeOf(v any) *yaml.Node {
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		panic(fmt.Sprintf("config: %v", err)) // plain data
	}
	flat(n)
	return n
}

// flat puts lists of scalars into one line.
func flat(n *yaml.Node) {
	if n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(x *yaml.Node) bool { return x.Kind != yaml.ScalarNode }) {
		n.Style = yaml.FlowStyle
	}
	for _, x := range n.Content {
		flat(x)
	}
}
