package algorithmtest

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

// unscaled are the coordinates of rows that are not scaled.
var unscaled = algorithm.Coordinates{ScaledBy: algorithm.None}

// Make returns an algorithm with settings, such as "rounds=3", or an error if they are wrong.
func Make(kind algorithm.Kind, c algorithm.Coordinates, settings ...string) (algorithm.Algorithm, error) {
	a, _, err := complete(kind, c, settings)
	return a, err
}

func complete(kind algorithm.Kind, c algorithm.Coordinates, settings []string) (algorithm.Algorithm, option.Table, error) {
	a := kind.New()
	table := a.Options()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := table.Set(name, value); err != nil {
			return nil, nil, err
		}
	}
	if err := table.Complete(); err != nil {
		return nil, nil, err
	}
	return a, table, a.Prepare(c)
}

// New is [Make] for valid settings and rows that are not scaled.
func New(t testing.TB, kind algorithm.Kind, settings ...string) algorithm.Algorithm {
	t.Helper()
	a, err := Make(kind, unscaled, settings...)
	if err != nil {
		t.Fatalf("%s %v: %v", kind.Name, settings, err)
	}
	return a
}

// Table returns the complete options for valid settings.
func Table(t testing.TB, kind algorithm.Kind, settings ...string) option.Table {
	t.Helper()
	_, table, err := complete(kind, unscaled, settings)
	if err != nil {
		t.Fatalf("%s %v: %v", kind.Name, settings, err)
	}
	return table
}

// Bound fails unless each option has a unique name and help, and each exported field of the
// settings is bound to one option.
func Bound(t *testing.T, kind algorithm.Kind) {
	t.Helper()
	a := kind.New()
	names, bound := map[string]bool{}, map[any]int{}
	for _, o := range a.Options() {
		if names[o.Name] || o.Help == "" {
			t.Errorf("%s: option %s: want a unique name, and help, got %q", kind.Name, o.Name, o.Help)
		}
		names[o.Name] = true
		for _, f := range o.Fields {
			bound[f]++
		}
	}
	once(t, kind.Name, reflect.ValueOf(a).Elem(), bound)
}

func once(t *testing.T, name string, v reflect.Value, bound map[any]int) {
	t.Helper()
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		switch {
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[option.FileContent]() && (f.IsExported() || f.Anonymous):
			once(t, name+"."+f.Name, field, bound)
		case !f.IsExported():
		case bound[field.Addr().Interface()] != 1:
			t.Errorf("%s.%s: want one option that binds the field, got %d", name, f.Name, bound[field.Addr().Interface()])
		}
	}
}

// Check fails unless the defaults are valid, fields are [Bound], and settings survive being
// written to and read from a file.
func Check(t *testing.T, kind algorithm.Kind, settings ...string) {
	t.Helper()
	New(t, kind)
	Bound(t, kind)
	table := kind.New().Options()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := table.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Complete(); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, e := range table.Entries() {
		values[e.Key] = e.Value
	}
	read := kind.New().Options()
	if unknown, err := read.Load(values); err != nil || len(unknown) > 0 {
		t.Fatalf("%v: unknown are %v, %v", values, unknown, err)
	}
	if err := read.Complete(); err != nil || !reflect.DeepEqual(read.Fields(), table.Fields()) {
		t.Errorf("got %v, want %v; %v", read.Fields(), table.Fields(), err)
	}
}

// Options checks that fields are [Bound], and that the defaults are as given, in order and
// without those that do not apply. Options that cannot be used must give errors with the [Fault]
// in wrong, whose keys are options as "name text, name text".
func Options(t *testing.T, kind algorithm.Kind, defaults string, wrong map[string]string) {
	t.Helper()
	Bound(t, kind)
	var list []string
	for _, f := range Table(t, kind).Fields() {
		list = append(list, f.Name+"="+f.Value)
	}
	if got := strings.Join(list, " "); got != defaults {
		t.Errorf("defaults are %s, want %s", got, defaults)
	}
	for options, want := range wrong {
		var settings []string
		for o := range strings.SplitSeq(options, ", ") {
			settings = append(settings, strings.Replace(o, " ", "=", 1))
		}
		_, err := Make(kind, unscaled, settings...)
		if got := Fault(err); got != want {
			t.Errorf("%s: got %s, want %s: %v", options, got, want, err)
		}
	}
}

// Fault returns the option that an error is about, as NAME=VALUE if its value alone is at fault;
// "" for an error of another type, or none.
func Fault(err error) string {
	var e *option.Error
	switch {
	case !errors.As(err, &e):
		return ""
	case e.Got != "":
		return e.Name + "=" + e.Got
	}
	return e.Name
}
