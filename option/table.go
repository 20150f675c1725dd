package option

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Table lists the options of a configuration, in the order in which help shows them.
type Table []*Option

// Find returns the option of that name, or nil if there is none.
func (t Table) Find(name string) *Option {
	for _, o := range t {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// Names returns the options' names.
func (t Table) Names() (names []string) {
	for _, o := range t {
		names = append(names, o.Name)
	}
	return names
}

// Set sets an option from a text.
func (t Table) Set(name, text string) error {
	o := t.Find(name)
	if o == nil {
		return Errorf(name, "no such option; the options are %s", strings.Join(t.Names(), ", "))
	}
	return o.Set(text)
}

// Complete sets the options that were not given to their defaults, and clears those that do not
// apply. It returns an *Error for the first option that cannot be used.
func (t Table) Complete() error {
	for _, o := range t {
		switch {
		case !o.Applies() && o.given:
			return o.unneeded()
		case !o.Applies():
			o.clear()
			continue
		case !o.given && o.byDefault != nil:
			o.byDefault()
		}
		if o.absent() && !o.given {
			continue
		}
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}

// Check is Complete for fields that a program has set itself, without the options: it returns an
// *Error for the first value that cannot be used, or that is not the default of an option that
// does not apply. It changes nothing.
func (t Table) Check() error {
	for _, o := range t {
		switch text := o.text(); {
		case o.Applies() && !o.absent():
			if err := o.check(); err != nil {
				return err
			}
		case !o.Applies() && text != o.zero && text != o.Default:
			return o.unneeded()
		}
	}
	return nil
}

// Entries returns the values of the options that apply and are not left out, under their names
// in files.
func (t Table) Entries() (list []Entry) {
	for _, o := range t {
		if !o.absent() && (o.Type != "file" || o.Text() != "") {
			list = append(list, o.entries()...)
		}
	}
	return list
}

// A Field is the name and the canonical text of a value that all members must share.
type Field struct{ Name, Value string }

// Fields returns the shared options that apply and are not left out, in their order. A file has
// its digest as value.
func (t Table) Fields() (list []Field) {
	for _, o := range t {
		if o.absent() || o.Local {
			continue
		}
		f := Field{o.Name, o.Text()}
		if o.Type == "file" {
			f.Value = o.Fields[0].(*FileContent).Digest
		}
		list = append(list, f)
	}
	return list
}

// Load sets the options from the values of a file, by the keys of [Table.Entries]. It returns
// the keys that no option has.
func (t Table) Load(values map[string]any) (unknown []string, err error) {
	known := map[string]bool{}
	for _, o := range t {
		k := key(o.Name)
		v, ok := values[k]
		known[k] = true
		if o.Type == "range" {
			known["most_"+k] = true
			if most, both := values["most_"+k]; ok && both {
				v = fmt.Sprintf("%s-%s", textOf(v), textOf(most))
			}
		}
		if !ok {
			continue
		}
		if err := o.Set(textOf(v)); err != nil {
			return nil, err
		}
	}
	for k := range values {
		if !known[k] {
			unknown = append(unknown, k)
		}
	}
	return unknown, nil
}

// textOf returns a value that was decoded from JSON or YAML as a text that Set takes.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = textOf(x)
		}
		return strings.Join(parts, ",")
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}
