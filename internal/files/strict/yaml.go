// Package strict decodes YAML. A field that the target does not have, or anything after the value,
// is an error. Errors are one line, and use the words of the file instead of Go's types. The package
// is apart from package files, so that nodes and readers of models link no YAML.
//
// Start reading at [YAML].
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// An Error is a fault at a place in the text.
type Error struct {
	Line, Column int // from 1; Column is 0 if the whole line is at fault
	Err          error
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// YAML reads one document into the value that into points to. Fields that the value does not
// have are an error. A stream without a document returns [io.EOF].
func YAML(r io.Reader, into any) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err = d.Decode(into); err == nil {
		var more yaml.Node
		if d.Decode(&more) == nil {
			return &Error{Line: more.Line, Err: errors.New("want one document, got another after ---")}
		}
		return nil
	}
	fault, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return err
	}
	message := strings.Join(strings.Fields(fault.Message), " ")
	var document yaml.Node
	if yaml.Unmarshal(text, &document) == nil && len(document.Content) > 0 {
		if better := explain(document.Content[0], reflect.TypeOf(into), fault.Mark); better != "" {
			message = better
		}
	}
	if fault.Mark.Line == 0 {
		return errors.New(message)
	}
	return &Error{fault.Mark.Line, fault.Mark.Column, errors.New(message)}
}

// explain describes the fault at a place in the tree under n, which was decoded into a value of
// type t. It returns "" if n and t do not show the fault.
func explain(n *yaml.Node, t reflect.Type, at yaml.Mark) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want, kind := wanted(t)
	if n.Kind != kind {
		if n.Line == at.Line && n.Column == at.Column {
			return "want " + want + ", got " + got(n)
		}
		return ""
	}
	switch kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if s := explain(item, t.Elem(), at); s != "" {
				return fmt.Sprintf("number %d: %s", i+1, s)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			of, known := fieldType(t, key.Value)
			if !known {
				if !takesAny(t) && key.Line == at.Line && key.Column == at.Column {
					return Unknown(key.Value, fieldNames(t))
				}
				continue
			}
			if s := explain(value, of, at); s != "" {
				return key.Value + ": " + s
			}
		}
	case yaml.ScalarNode:
		if n.Line == at.Line && n.Column == at.Column {
			return "want " + want + ", got " + got(n)
		}
	}
	return ""
}

// wanted returns how a file writes a value of type t, and the kind of its node, or 0 if any
// kind is valid.
func wanted(t reflect.Type) (string, yaml.Kind) {
	if v, says := reflect.Zero(t).Interface().(interface{ Wanted() string }); says {
		return v.Wanted(), yaml.ScalarNode
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number", yaml.ScalarNode
	case reflect.Uint64:
		return "a whole number of at least 0", yaml.ScalarNode
	case reflect.Float64:
		return "a number", yaml.ScalarNode
	case reflect.Bool:
		return "true or false", yaml.ScalarNode
	case reflect.String:
		return "text", yaml.ScalarNode
	case reflect.Slice, reflect.Array:
		return "a list", yaml.SequenceNode
	case reflect.Struct, reflect.Map:
		if t != reflect.TypeFor[yaml.Node]() {
			return "fields, as name: value", yaml.MappingNode
		}
	}
	return "", 0
}

// fieldType returns the type of a field of a struct, or of the values of a map.
func fieldType(t reflect.Type, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); tag == name {
			return f.Type, true
		}
	}
	return nil, false
}

// fieldNames returns the names in a file of the fields of a struct.
func fieldNames(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); tag != "" && tag != "-" {
			names = append(names, tag)
		}
	}
	return names
}

// takesAny reports whether a struct has a place for fields without a name of their own.
func takesAny(t reflect.Type) bool {
	for f := range t.Fields() {
		if _, options, _ := strings.Cut(f.Tag.Get("yaml"), ","); options == "inline" {
			return true
		}
	}
	return false
}

// longest is the most characters of a value that an error shows.
const longest = 40

// got describes the content of a node.
func got(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "fields"
	}
	value := []rune(n.Value)
	if len(value) > longest {
		value = append(value[:longest-3], '.', '.', '.')
	}
	return fmt.Sprintf("%q", string(value))
}
