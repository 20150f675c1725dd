// Package strictyaml decodes YAML without passing over anything, and says what is
// wrong in one line, in the terms of who writes the file.
package strictyaml

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decode reads one document into what into points at. Fields that into does not
// have are an error; that there is no document is [io.EOF].
func Decode(r io.Reader, into any) error {
	d := yaml.NewDecoder(r)
	d.KnownFields(true)
	err := d.Decode(into)
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	var typed *yaml.TypeError
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		return errors.New(plain(typed.Errors[0]))
	}
	return errors.New(strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
}

var (
	wrongType    = regexp.MustCompile("cannot unmarshal (?:!!(\\w+)(?: (`.*`))?) into (.+)$")
	unknownField = regexp.MustCompile(`field (.+) not found in type .+$`)
)

// plain says an error of the library without the types of Go.
func plain(s string) string {
	if m := unknownField.FindStringSubmatchIndex(s); m != nil {
		return s[:m[0]] + "unknown field " + s[m[2]:m[3]]
	}
	m := wrongType.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	got := m[2]
	if got == "" {
		got = map[string]string{"seq": "a list", "map": "fields"}[m[1]]
	}
	return strings.Replace(s, m[0], "want "+kind(m[3])+", got "+got, 1)
}

// kind names what a value of a Go type is written like.
func kind(of string) string {
	of = strings.TrimPrefix(of, "*")
	switch {
	case strings.HasPrefix(of, "int"):
		return "a whole number"
	case strings.HasPrefix(of, "uint"):
		return "a whole number of at least 0"
	case strings.HasPrefix(of, "float"):
		return "a number"
	case of == "bool":
		return "true or false"
	case of == "string":
		return "text"
	case strings.HasPrefix(of, "["):
		return "a list"
	}
	return "fields, as name: value"
}
