package option

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Error reports an option that cannot be used.
type Error struct {
	Name string // name of the option
	Got  string // its value as text, if the value alone is at fault
	Msg  string // what is wrong
	Hint string // what to do, if correcting the option is not the remedy
}

func (e *Error) Error() string { return e.Name + ": " + e.Msg }

// Errorf returns an *Error without a hint.
func Errorf(name, format string, args ...any) error {
	return &Error{Name: name, Msg: fmt.Sprintf(format, args...)}
}

// An Option is one option of a configuration.
type Option struct {
	Name string
	// Help describes the option. A word in back quotes names the value, as in package flag.
	Help string
	// Type is int, uint64, float, string, bool, ints, range or file.
	Type string
	// Values lists the valid strings, if the list is closed.
	Values []string
	// Expert options are hidden in short help.
	Expert bool
	// Local options are set by each member for itself: no agreement has them.
	Local bool
	// Default is the default as text. It may follow from other options.
	Default string
	// Fields holds pointers to the bound fields.
	Fields []any

	set       func(text string) error
	text      func() string
	entries   func() []Entry
	byDefault func()
	check     func() error
	clear     func()
	content   func(b []byte) error // for files

	given   bool
	needs   string
	applies func() bool
	// zero is the text of the value 0, or of the empty one, which an absent option has. hint says
	// what to do if the given value of an optional one cannot be used.
	optional   bool
	zero, hint string
}

// An Entry is an option's value under its name in files.
type Entry struct {
	Key   string // the name with underscores
	Value any    // int, uint64, float64, string, bool or []int
}

// A Rule restricts the values of an option, or determines its default.
type Rule[T any] func(*spec[T])

type spec[T any] struct {
	checks    []func(T) error
	byDefault func() T
	values    []string
	optional  bool
	hint      string
	auto      *T // the value that the text auto stands for, nil if it is not accepted
}

// Check accepts values for which f returns nil. The error begins with the value wanted.
func Check[T any](f func(T) error) Rule[T] {
	return func(s *spec[T]) { s.checks = append(s.checks, f) }
}

// AtLeast accepts values from low up.
func AtLeast[T cmp.Ordered](low T) Rule[T] {
	return Check(func(v T) error {
		if !(v >= low) {
			return fmt.Errorf("want at least %v, got %v", low, v)
		}
		return nil
	})
}

// Between accepts values from low to high.
func Between[T cmp.Ordered](low, high T) Rule[T] {
	return Check(func(v T) error {
		if !(v >= low && v <= high) {
			return fmt.Errorf("want %v to %v, got %v", low, high, v)
		}
		return nil
	})
}

// Above accepts values above low, up to high.
func Above(low, high float64) Rule[float64] {
	return Check(func(v float64) error {
		switch {
		case v > low && v <= high:
			return nil
		case high == math.MaxFloat64:
			return fmt.Errorf("want a finite value above %g, got %g", low, v)
		}
		return fmt.Errorf("want a value above %g and up to %g, got %g", low, high, v)
	})
}

// Finite accepts finite values of at least 0.
func Finite() Rule[float64] {
	return Check(func(v float64) error {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("want a finite value of at least 0, got %g", v)
		}
		return nil
	})
}

// OneOf accepts the listed values.
func OneOf[S ~string](values ...S) Rule[S] {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return func(s *spec[S]) {
		s.values = names
		s.checks = append(s.checks, func(v S) error {
			if slices.Contains(names, string(v)) {
				return nil
			}
			return fmt.Errorf("want %s, got %q", Either(names...), string(v))
		})
	}
}

// Optional allows an option to be absent. Its value is then 0 or empty, and files and
// agreements leave it out. If the option is given, its value must satisfy the other rules. The
// hint says what to do instead.
func Optional[T any](hint string) Rule[T] {
	return func(s *spec[T]) { s.optional, s.hint = true, hint }
}

// automatic is the text of a value that the program determines itself.
const automatic = "auto"

// Auto also accepts the text auto, which stands for the value 0: the program then determines
// the value from the data. The number 0 itself is not accepted, and other rules apply to
// numbers alone.
func Auto[T any]() Rule[T] { return AutoAs(*new(T)) }

// AutoAs is like [Auto] for a value other than 0, such as -1 for an optional option, whose 0 means
// that it is absent. That number itself is not accepted.
func AutoAs[T any](value T) Rule[T] { return func(s *spec[T]) { s.auto = &value } }

// DefaultBy computes the default from other options. These must come earlier in the table, or
// have no such default themselves. Help shows the default given at the option itself.
func DefaultBy[T any](f func() T) Rule[T] {
	return func(s *spec[T]) { s.byDefault = f }
}

// Either lists values in words: "a, b or c".
func Either(values ...string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// Needs makes the option depend on a condition: it applies only if applies returns true. It is an
// error to give an option that does not apply; the error says what the option requires.
func (o *Option) Needs(requires string, applies func() bool) *Option {
	o.needs, o.applies = requires, applies
	return o
}

// ForExperts hides the option from short help.
func (o *Option) ForExperts() *Option {
	o.Expert = true
	return o
}

// OfEach lets each member set the option for itself.
func (o *Option) OfEach() *Option {
	o.Local = true
	return o
}

// Requires returns, in words, the condition without which the option has no meaning; "" if
// there is none.
func (o *Option) Requires() string { return o.needs }

// Key returns the option's name in files.
func (o *Option) Key() string { return key(o.Name) }

// Given reports whether the option was set.
func (o *Option) Given() bool { return o.given }

// Applies reports whether the option has a meaning with the present values of the others.
func (o *Option) Applies() bool { return o.applies == nil || o.applies() }

// absent reports whether the option is left out, or does not apply.
func (o *Option) absent() bool { return !o.Applies() || o.optional && o.text() == o.zero }

// unneeded returns the error of an option that has a value and does not apply.
func (o *Option) unneeded() error {
	return &Error{Name: o.Name, Msg: "requires " + o.needs, Hint: "leave --" + o.Name + " out"}
}

// Text returns the value as a text that Set takes.
func (o *Option) Text() string { return o.text() }

// Set sets the option from a text.
func (o *Option) Set(text string) error {
	if err := o.set(text); err != nil {
		return &Error{Name: o.Name, Got: text, Msg: err.Error()}
	}
	o.given = true
	return nil
}

func key(name string) string { return strings.ReplaceAll(name, "-", "_") }

func bind[T any](p *T, name, kind string, byDefault T, help string, rules []Rule[T], parse func(string) (T, error), format func(T) string) *Option {
	var s spec[T]
	for _, r := range rules {
		r(&s)
	}
	var zero T
	isAuto := func(v T) bool { return s.auto != nil && any(v) == any(*s.auto) }
	if s.auto != nil {
		number, digits := parse, format
		parse = func(text string) (T, error) {
			if text == automatic {
				return *s.auto, nil
			}
			v, err := number(text)
			if err == nil && isAuto(v) {
				err = fmt.Errorf("want %s or a number above 0, got %s", automatic, text)
			}
			return v, err
		}
		format = func(v T) string {
			if isAuto(v) {
				return automatic
			}
			return digits(v)
		}
	}
	*p = byDefault
	o := &Option{Name: name, Help: help, Type: kind, Values: s.values, Default: format(byDefault), Fields: []any{p}, zero: format(zero)}
	if s.optional {
		o.optional, o.hint, o.Default = true, s.hint, ""
	}
	o.set = func(text string) error {
		v, err := parse(text)
		if err != nil {
			return err
		}
		*p = v
		return nil
	}
	o.text = func() string { return format(*p) }
	o.entries = func() []Entry {
		if isAuto(*p) {
			return []Entry{{key(name), automatic}}
		}
		return []Entry{{key(name), *p}}
	}
	if s.byDefault != nil {
		o.byDefault = func() { *p = s.byDefault() }
	}
	o.check = func() error {
		if isAuto(*p) {
			return nil
		}
		for _, check := range s.checks {
			if err := check(*p); err != nil {
				return &Error{Name: name, Got: o.text(), Msg: err.Error(), Hint: s.hint}
			}
		}
		return nil
	}
	o.clear = func() {
		*p = zero
	}
	return o
}

// Int binds a whole number.
func Int(p *int, name string, byDefault int, help string, rules ...Rule[int]) *Option {
	return bind(p, name, "int", byDefault, help, rules, wholeNumber, strconv.Itoa)
}

func wholeNumber(text string) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("want a whole number, got %q", text)
	}
	return v, nil
}

// Uint64 binds a whole number of at least 0, such as a seed.
func Uint64(p *uint64, name string, byDefault uint64, help string, rules ...Rule[uint64]) *Option {
	return bind(p, name, "uint64", byDefault, help, rules, func(text string) (uint64, error) {
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("want a whole number of at least 0, got %q", text)
		}
		return v, nil
	}, func(v uint64) string { return strconv.FormatUint(v, 10) })
}

// Float binds a number.
func Float(p *float64, name string, byDefault float64, help string, rules ...Rule[float64]) *Option {
	return bind(p, name, "float", byDefault, help, rules, func(text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, fmt.Errorf("want a number, got %q", text)
		}
		return v, nil
	}, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
}

// String binds text.
func String[S ~string](p *S, name string, byDefault S, help string, rules ...Rule[S]) *Option {
	o := bind(p, name, "string", byDefault, help, rules,
		func(text string) (S, error) { return S(text), nil }, func(v S) string { return string(v) })
	o.entries = func() []Entry { return []Entry{{key(name), string(*p)}} }
	return o
}

// Bool binds a switch.
func Bool(p *bool, name string, byDefault bool, help string) *Option {
	return bind(p, name, "bool", byDefault, help, nil, func(text string) (bool, error) {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return false, fmt.Errorf("want true or false, got %q", text)
		}
		return v, nil
	}, strconv.FormatBool)
}

// Ints binds whole numbers, separated by commas; an empty text means none.
func Ints(p *[]int, name string, byDefault []int, help string, rules ...Rule[[]int]) *Option {
	return bind(p, name, "ints", byDefault, help, rules, func(text string) ([]int, error) {
		list := []int{}
		for _, part := range strings.Split(strings.Trim(text, "[]"), ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			v, err := strconv.Atoi(part)
			if err != nil {
				return nil, fmt.Errorf("want whole numbers separated by commas, got %q", text)
			}
			list = append(list, v)
		}
		return list, nil
	}, func(list []int) string {
		parts := make([]string, len(list))
		for i, v := range list {
			parts[i] = strconv.Itoa(v)
		}
		return strings.Join(parts, ",")
	})
}

// Range binds a whole number, or a range such as 3-10; most is 0 for a single number. In files
// the end of a range is a second entry, whose key begins with most_.
func Range(least, most *int, name string, byDefault int, help string, rules ...Rule[int]) *Option {
	o := bind(least, name, "range", byDefault, help, rules, wholeNumber, strconv.Itoa)
	number, format, one := o.set, o.text, o.entries
	*most = 0
	o.Fields = append(o.Fields, most)
	o.set = func(text string) error {
		if err := number(text); err == nil {
			*most = 0
			return nil
		}
		from, to, _ := strings.Cut(text, "-")
		low, bad := strconv.Atoi(from)
		high, err := strconv.Atoi(to)
		switch {
		case bad != nil || err != nil:
			return fmt.Errorf("want a number, or a range such as 3-10, got %q", text)
		case low > high:
			return fmt.Errorf("want a range whose first number is the smaller one, got %s", text)
		}
		if *least, *most = low, high; low == high {
			*most = 0
		}
		return nil
	}
	o.text = func() string {
		if *most == 0 {
			return format()
		}
		return fmt.Sprintf("%d-%d", *least, *most)
	}
	o.entries = func() []Entry {
		list := one()
		if *most != 0 {
			list = append(list, Entry{"most_" + key(name), *most})
		}
		return list
	}
	return o
}

// FileContent is a file that an option names.
type FileContent struct {
	Path   string
	Digest string // SHA-256 of the content, which members compare; set by Load
}

// File binds a file. [Option.Load] passes its content to take.
func File(p *FileContent, name, help string, take func(content []byte) (digest string, err error)) *Option {
	o := bind(p, name, "file", FileContent{}, help, nil,
		func(text string) (FileContent, error) { return FileContent{Path: text}, nil }, func(v FileContent) string { return v.Path })
	o.entries = func() []Entry { return []Entry{{key(name), p.Path}} }
	o.content = func(b []byte) (err error) {
		p.Digest, err = take(b)
		return err
	}
	return o
}

// Load passes a file's content to the option, which must be of type file.
func (o *Option) Load(content []byte) error {
	if o.content == nil {
		panic("option: " + o.Name + " is no file")
	}
	return o.content(content)
}
