package config

import (
	"bytes"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/internal/atomicfile"
)

// AddSignatures puts signatures, by name, into the file of an agreement, in place of
// earlier ones of the same members. All else in the file stays, comments included; blank
// lines and indentation may differ.
func AddSignatures(path string, signatures map[string]string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if b, err = withSignatures(path, b, signatures); err != nil {
		return err
	}
	return atomicfile.Write(path, info.Mode().Perm(), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// withSignatures returns the text of an agreement with signatures.
func withSignatures(path string, b []byte, signatures map[string]string) ([]byte, error) {
	before, err := decodeConsortium(path, b)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(b, &document); err != nil {
		return nil, &Error{path, err.Error(), "correct the file"}
	}
	part := entry(document.Content[0], "signatures")
	if part == nil || part.Kind != yaml.MappingNode {
		part = &yaml.Node{Kind: yaml.MappingNode}
	}
	for _, name := range slices.Sorted(maps.Keys(signatures)) {
		set(part, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: signatures[name]})
	}
	set(document.Content[0], "signatures", part)
	var out bytes.Buffer
	if err := dump(&out, &document); err != nil {
		return nil, err
	}
	want := maps.Clone(signatures)
	for name, s := range before.Signatures {
		if _, replaced := want[name]; !replaced {
			want[name] = s
		}
	}
	after, err := decodeConsortium(path, out.Bytes())
	if err != nil || !before.same(after) || !maps.Equal(after.Signatures, want) {
		return nil, &Error{path, "cannot be rewritten without a change of its content", "write it without anchors and tags"}
	}
	return out.Bytes(), nil
}

// entry returns a value of a mapping, nil if there is none.
func entry(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// set gives a mapping a value, in the place of an earlier one.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	if old := entry(mapping, key); old != nil {
		if old != value {
			value.LineComment = old.LineComment
			*old = *value
		}
		return
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// same reports whether two agreements have the same content, but for signatures.
func (c *Consortium) same(o *Consortium) bool {
	return c.Version == o.Version && reflect.DeepEqual(c.Members, o.Members) && reflect.DeepEqual(c.Changes, o.Changes) &&
		slices.Equal(c.Columns, o.Columns) && c.Model.Kind == o.Model.Kind && reflect.DeepEqual(c.Model.Ranges, o.Model.Ranges) &&
		maps.EqualFunc(c.Model.Options, o.Model.Options, sameNode) && maps.EqualFunc(c.Consensus, o.Consensus, sameNode)
}

func sameNode(n, o yaml.Node) bool {
	return n.Kind == o.Kind && n.Tag == o.Tag && n.Value == o.Value &&
		slices.EqualFunc(n.Content, o.Content, func(n, o *yaml.Node) bool { return sameNode(*n, *o) })
}
