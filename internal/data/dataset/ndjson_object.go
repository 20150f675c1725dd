package dataset

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/files/printable"
)

// A jsonCell is a value of an object: a number as written, true and false as 1 and 0, or
// trimmed text.
type jsonCell struct {
	text string
	kind kind // kindEmpty is null
}

// members calls f with each key and value of the object in a line.
func (t *ndjsonFile) members(line []byte, row place, f func(key string, c jsonCell) error) error {
	fault := Error{File: t.path, Line: row.line, Hint: "want a flat JSON object in each line"}
	if !json.Valid(line) {
		line = standard(line)
	}
	switch {
	case line[0] == '[':
		fault.Msg, fault.Hint = "want an object, got an array", "write each of its objects in a line of its own, as jq -c '.[]' does"
		return &fault
	case !json.Valid(line):
		var any json.RawMessage
		fault.Msg = "malformed JSON: " + strings.TrimPrefix(json.Unmarshal(line, &any).Error(), "json: ")
		return &fault
	case line[0] != '{':
		fault.Msg = "want an object, got " + strconv.Quote(short(string(line)))
		return &fault
	}
	// The line is valid JSON, so only strings need care.
	s := unblanked(string(line)[1:])
	for s[0] != '}' {
		key, rest := jsonString(s)
		if key = strings.TrimSpace(key); key == "" || !printable.Text(key) {
			fault.Msg, fault.Hint = "want keys that are printable text in UTF-8, got "+strconv.Quote(key), "rename the key"
			return &fault
		}
		s = unblanked(unblanked(rest)[1:]) // the colon
		c, rest, nested := jsonValue(s)
		if nested != "" {
			fault.Column, fault.Msg, fault.Hint = key, "want a number, text, true, false or null, got "+nested, "write its members as keys of their own"
			return &fault
		}
		if err := f(key, c); err != nil {
			return err
		}
		if s = unblanked(rest); s[0] == ',' {
			s = unblanked(s[1:])
		}
	}
	return nil
}

// jsonValue reads the value at the start of valid JSON. nested names a type that cannot be a
// cell.
func jsonValue(s string) (c jsonCell, rest, nested string) {
	switch s[0] {
	case '"':
		text, rest := jsonString(s)
		return jsonCell{strings.TrimSpace(text), kindText}, rest, ""
	case 't':
		return jsonCell{"1", kindNumber}, s[len("true"):], ""
	case 'f':
		return jsonCell{"0", kindNumber}, s[len("false"):], ""
	case 'n':
		return jsonCell{"", kindEmpty}, s[len("null"):], ""
	case '{':
		return c, "", "an object"
	case '[':
		return c, "", "an array"
	}
	end := 0
	for ; s[end] > ' ' && s[end] != ',' && s[end] != '}'; end++ { // valid JSON has such an end
	}
	return jsonCell{s[:end], kindNumber}, s[end:], ""
}

// notFinite are numbers that some programs write although they are no JSON, and what stands for
// them.
var notFinite = []struct{ text, as string }{{"NaN", "null"}, {"-Infinity", "-1e999"}, {"Infinity", "1e999"}}

// standard replaces such numbers in a line.
func standard(line []byte) []byte {
	var out []byte
	quoted := false
next:
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line):
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted:
			for _, n := range notFinite {
				if bytes.HasPrefix(line[i:], []byte(n.text)) {
					out = append(out, n.as...)
					i += len(n.text) - 1
					continue next
				}
			}
		}
		out = append(out, line[i])
	}
	return out
}

// unblanked skips white space between parts of JSON.
func unblanked(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	return s
}

// jsonString reads the string at the start of valid JSON.
func jsonString(s string) (text, rest string) {
	if end := 1 + strings.IndexByte(s[1:], '"'); strings.IndexByte(s[1:end], '\\') < 0 {
		return s[1:end], s[end+1:]
	}
	escaped := false
	for i := 1; ; i++ {
		switch {
		case s[i] == '\\':
			escaped = true
			i++
		case s[i] == '"' && !escaped:
			return s[1:i], s[i+1:]
		case s[i] == '"':
			if err := json.Unmarshal([]byte(s[:i+1]), &text); err != nil {
				panic("dataset: a string of valid JSON is none: " + err.Error())
			}
			return text, s[i+1:]
		}
	}
}

// short returns the beginning of a text.
func short(s string) string {
	const most = 20
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
