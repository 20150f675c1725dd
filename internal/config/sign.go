package config

import (
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"
)

// AddSignatures writes signatures, by name, into the file of an agreement, and replaces earlier
// ones of the same members. Everything else in the file stays, comments included; blank lines
// and indentation may change.
func AddSignatures(path string, signatures map[string]string) error {
	return rewrite(path, func(b []byte) ([]byte, error) { return withSignatures(path, b, signatures) })
}

// withSignatures returns the text of an agreement with signatures.
func withSignatures(path string, b []byte, signatures map[string]string) ([]byte, error) {
	if _, err := decodeConsortium(path, b); err != nil {
		return nil, err
	}
	return edited(path, b, func(root *yaml.Node, c *Consortium) {
		part := entry(root, "signatures")
		if part == nil || part.Kind != yaml.MappingNode {
			part = &yaml.Node{Kind: yaml.MappingNode}
		}
		c.Signatures = maps.Clone(c.Signatures)
		if c.Signatures == nil {
			c.Signatures = map[string]string{}
		}
		for _, name := range slices.Sorted(maps.Keys(signatures)) {
			set(part, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: signatures[name]})
			c.Signatures[name] = signatures[name]
		}
		set(root, "signatures", part)
	})
}

// entry returns a value of a mapping, nil if missing.
func entry(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if k := mapping.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key { // the value of an alias is its name
			return mapping.Content[i+1]
		}
	}
	return nil
}

// set sets a value of a mapping, and replaces an earlier one.
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

// Same reports whether two agreements have the same content, apart from signatures.
func (c *Consortium) Same(o *Consortium) bool {
	return c.Version == o.Version && c.BeginAt == o.BeginAt && reflect.DeepEqual(c.Members, o.Members) && reflect.DeepEqual(c.Changes, o.Changes) &&
		slices.Equal(c.Columns, o.Columns) && maps.Equal(c.Units, o.Units) && c.Model.Kind == o.Model.Kind && reflect.DeepEqual(c.Model.Ranges, o.Model.Ranges) &&
		maps.EqualFunc(c.Model.Options, o.Model.Options, sameNode) && maps.EqualFunc(c.Consensus, o.Consensus, sameNode)
}

func sameNode(n, o yaml.Node) bool {
	return n.Kind == o.Kind && n.Tag == o.Tag && n.Value == o.Value &&
		slices.EqualFunc(n.Content, o.Content, func(n, o *yaml.Node) bool { return sameNode(*n, *o) })
}
