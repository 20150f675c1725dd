package option_test

import (
	"errors"
	"testing"

	"github.com/collabdict/collabdict/option"
)

// An absent option is in no list, and a given one must be valid.
func TestOptional(t *testing.T) {
	for text, want := range map[string]option.Error{
		"":    {},
		"2":   {},
		"3-5": {},
		"0":   {Name: "components", Got: "0", Msg: "want at least 1, got 0", Hint: "leave it out"},
		"-1":  {Name: "components", Got: "-1", Msg: "want at least 1, got -1", Hint: "leave it out"},
		"0-2": {Name: "components", Got: "0-2", Msg: "want at least 1, got 0", Hint: "leave it out"},
	} {
		var least, most int
		table := option.Table{option.Range(&least, &most, "components", 0, "", option.AtLeast(1), option.Optional[int]("leave it out"))}
		if text != "" {
			if err := table.Set("components", text); err != nil {
				t.Fatal(err)
			}
		}
		var got *option.Error
		if err := table.Complete(); want.Name == "" && err != nil || want.Name != "" && (!errors.As(err, &got) || *got != want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
		if text == "" && len(table.Entries())+len(table.Fields()) > 0 {
			t.Errorf("left out, there are %v and %v", table.Entries(), table.Fields())
		}
		if text == "3-5" && (len(table.Entries()) != 2 || len(table.Fields()) != 1) {
			t.Errorf("given, there are %v and %v", table.Entries(), table.Fields())
		}
	}
}

// The text auto stands for its value, which is no number. Absent and automatic options differ.
func TestAutoAs(t *testing.T) {
	for text, want := range map[string]struct {
		value  int
		fields string
		got    string // of the error
	}{
		"":     {0, "", ""},
		"auto": {-1, "auto", ""},
		"2":    {2, "2", ""},
		"1":    {1, "", "1"},
		"0":    {0, "", "0"},
		"-1":   {0, "", "-1"},
	} {
		var value int
		table := option.Table{option.Int(&value, "window", 0, "", option.AutoAs(-1), option.AtLeast(2), option.Optional[int]("leave it out"))}
		var err error
		if text != "" {
			err = table.Set("window", text)
		}
		if err == nil {
			err = table.Complete()
		}
		var fault *option.Error
		if errors.As(err, &fault); (fault == nil) != (want.got == "") || fault != nil && fault.Got != want.got {
			t.Errorf("%q: got %v, want an error of %q", text, err, want.got)
		}
		if fault != nil {
			continue
		}
		fields, entries := table.Fields(), table.Entries()
		if value != want.value || (len(fields) > 0) != (want.fields != "") || len(fields) > 0 && fields[0].Value != want.fields {
			t.Errorf("%q: got %d, fields %v, want %+v", text, value, fields, want)
		}
		if text == "auto" && (len(entries) != 1 || entries[0].Value != "auto") {
			t.Errorf("%q: entries %v", text, entries)
		}
	}
}
