package npz

import (
	"strconv"
	"strings"
)

// description is the header of a .npy file.
type description struct {
	kind    string  // "" for a structured type
	fields  []Field // of a structured type
	fortran bool
	shape   []int
}

// parseHeader splits a .npy file into its description and its data.
func parseHeader(name string, b []byte) (description, []byte, error) {
	const fixed = len(magic) + 2
	if len(b) < fixed || string(b[:6]) != magic[:6] {
		return description{}, nil, fault(ErrFormat, name, "not a NumPy array")
	}
	if string(b[6:8]) != magic[6:] {
		return description{}, nil, fault(ErrUnsupported, name, "want .npy version 1.0, got %d.%d", b[6], b[7])
	}
	end := fixed + int(b[8]) + int(b[9])<<8
	if end > len(b) {
		return description{}, nil, fault(ErrFormat, name, "the header ends after the file")
	}
	d, ok := parseDict(string(b[fixed:end]))
	if !ok {
		return description{}, nil, fault(ErrFormat, name, "malformed header %q", b[fixed:min(end, fixed+100)])
	}
	return d, b[end:], nil
}

// parseDict reads the Python dictionary with exactly these three keys, in any order: {'descr':
// '<f8', 'fortran_order': False, 'shape': (2, 3), }.
func parseDict(text string) (d description, ok bool) {
	p := parser{strings.TrimRight(text, " \n")}
	seen := make(map[string]bool)
	if !p.skip("{") {
		return d, false
	}
	for !p.skip("}") {
		key, ok := p.quoted()
		if !ok || seen[key] || !p.skip(":") || !p.value(key, &d) {
			return d, false
		}
		seen[key] = true
		if !p.skip(",") {
			if !p.skip("}") {
				return d, false
			}
			break
		}
	}
	return d, p.rest == "" && len(seen) == 3
}

// parser consumes rest from the left. Its methods return false if the text is not as expected;
// rest is then unusable.
type parser struct{ rest string }

// skip consumes token, and blanks before it, if it is next.
func (p *parser) skip(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), token)
	if ok {
		p.rest = rest
	}
	return ok
}

// quoted reads a string in single quotes without escapes.
func (p *parser) quoted() (s string, ok bool) {
	if !p.skip("'") {
		return "", false
	}
	s, p.rest, ok = strings.Cut(p.rest, "'")
	return s, ok && !strings.Contains(s, `\`)
}

func (p *parser) value(key string, d *description) (ok bool) {
	switch key {
	case "descr":
		if d.fields, ok = p.fields(); !ok {
			d.kind, ok = p.quoted()
		}
	case "fortran_order":
		d.fortran = p.skip("True")
		ok = d.fortran || p.skip("False")
	case "shape":
		d.shape, ok = p.tuple()
	}
	return ok
}

// fields reads [('x', '<f8'), ('y', '<i4')]. If there is no list, it consumes nothing.
func (p *parser) fields() (fields []Field, ok bool) {
	if !p.skip("[") {
		return nil, false
	}
	for !p.skip("]") {
		var f Field
		if len(fields) > 0 && !p.skip(",") || !p.skip("(") {
			return nil, false
		}
		if f.Name, ok = p.quoted(); !ok || !p.skip(",") {
			return nil, false
		}
		if f.Type, ok = p.quoted(); !ok || !p.skip(")") {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, len(fields) > 0
}

// tuple reads () or (2,) or (2, 3).
func (p *parser) tuple() (shape []int, ok bool) {
	if !p.skip("(") {
		return nil, false
	}
	for !p.skip(")") {
		p.rest = strings.TrimLeft(p.rest, " ")
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.Atoi(p.rest[:digits])
		if err != nil || len(shape) == maxRank {
			return nil, false
		}
		shape, p.rest = append(shape, n), p.rest[digits:]
		if !p.skip(",") {
			return shape, p.skip(")") && len(shape) > 1
		}
	}
	return shape, true
}
