package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/bench"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/ops/doctor"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/topology"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

// printedJSON are the objects that commands print with --json. The page of the reference describes
// them by their types: the names and types of fields, and their comments in the source.
var printedJSON = []struct {
	title    string
	commands []string
	intro    string
	value    any
}{
	{"A run", []string{"demo", "run", "sim", "up"}, "The same object is in `result.json`. That of `run` has only its own participant.", report.Run{}},
	{"A status", []string{"status"}, "The node also serves it at [`/status`](../how-to/operate.md#look-at-it).", operate.Status{}},
	{"A ledger", []string{"ledger"}, "It lists [what has left a folder](../explanation/privacy.md).", told{}},
	{"A check of files", []string{"check"}, "", checked{}},
	{"An examination", []string{"doctor"}, "", examined{}},
	{"A model", []string{"inspect"}, "", description{}},
	{"Events", []string{"score"}, "With a file for the lines, too.", scoredEvents{}},
	{"Two models", []string{"compare"}, "", comparison{}},
	{"Thresholds", []string{"thresholds"}, "", choices{}},
	{"An evaluation", []string{"evaluate"}, "", evaluated{}},
	{"Conditions of a new participant", []string{"adapt"}, "", adapted{}},
	{"An exported file", []string{"export"}, "", exported{}},
	{"An error", nil, "If a command fails, this object is the field `error` of what it prints. [Exit codes](exit-codes.md) have the names of codes. Optional fields say where the error is and what was found there, if the program knows it apart from the message.", failure{}},
	{"A topology", []string{"graph"}, "", topology.Report{}},
	{"A log of audits", []string{"audit verify"}, "", participant.Audited{}},
	{"Votes", []string{"evidence"}, "", contradictions{}},
	{"A folder", []string{"init"}, "", initialised{}},
	{"A peer ID", []string{"id"}, "", identified{}},
	{"Signatures", []string{"consortium verify"}, "", signatures{}},
	{"Added members", []string{"consortium invite"}, "", invited{}},
	{"Two agreements", []string{"consortium diff"}, "", compared{}},
	{"A version", []string{"version"}, "", versions{}},
	{"A benchmark of sums", []string{"bench consensus"}, "", bench.ConsensusReport{}},
	{"A benchmark of simulated sums", []string{"bench scale"}, "The command prints a list of these objects, one for each size.", bench.ScaleReport{}},
	{"A benchmark of EM", []string{"bench em"}, "", bench.EMReport{}},
	{"A benchmark of the graphical lasso", []string{"bench glasso"}, "", bench.GlassoReport{}},
	{"A benchmark of matrix products", []string{"bench blas"}, "", bench.BLASReport{}},
	{"A benchmark of auto-encoders", []string{"bench vae"}, "", bench.VAEReport{}},
}

// jsonPage returns the page of the reference that describes all that is printed with --json.
func jsonPage() (page string, err error) {
	var b strings.Builder
	b.WriteString("# JSON output\n\n" + generated +
		"Here you find each field that a program of yours may read. With `--json`, a command prints one object on standard\n" +
		"output; everything else goes to standard error. Field names are a contract: fields are added, never renamed. An\n" +
		"optional field is absent if it does not apply. A number that the data do not define, such as the area under a curve\n" +
		"with only one class, is `null`. A missing value is never 0. Durations are in nanoseconds.\n")
	w := &jsonWriter{to: &b, seen: map[reflect.Type]bool{}, packages: map[string][]*ast.File{}}
	for _, o := range printedJSON {
		w.seen[reflect.TypeOf(o.value)] = true
	}
	for _, o := range printedJSON {
		intro := o.intro
		if o.commands != nil {
			intro = strings.TrimSpace("Printed by `" + strings.Join(o.commands, "`, `") + "`. " + intro)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", o.title, intro)
		w.fields(reflect.TypeOf(o.value))
		for len(w.open) > 0 {
			t := w.open[0]
			w.open = w.open[1:]
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", typeTitle(t), w.about(t))
			w.fields(t)
		}
	}
	return b.String(), w.err
}

// A jsonWriter describes types that are encoded as JSON.
type jsonWriter struct {
	to       *strings.Builder
	seen     map[reflect.Type]bool
	open     []reflect.Type // types that have been named and not described yet
	packages map[string][]*ast.File
	err      error // the first field without a comment
}

// fields writes a list of the fields of a type.
func (w *jsonWriter) fields(t reflect.Type) {
	for _, f := range jsonFields(t) {
		kind := w.kind(f.Type, false)
		if f.optional {
			kind += ", optional"
		}
		text := w.comments(f.of)[f.Name]
		if text == "" && w.err == nil {
			w.err = fmt.Errorf("%s.%s has no comment, which docs/reference/json.md needs", f.of, f.Name)
		}
		fmt.Fprintf(w.to, "- `%s` (%s): %s\n", f.name, kind, w.phrase(text, f.Name, f.of))
	}
}

// A jsonField is a field of a type, or of one that the type embeds, with its name in JSON.
type jsonField struct {
	reflect.StructField
	of       reflect.Type
	name     string
	optional bool
}

// jsonFields returns the fields of a type that JSON has, in their order.
func jsonFields(t reflect.Type) (all []jsonField) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			all = append(all, jsonFields(deref(f.Type))...)
		case f.IsExported() && name != "-" && (tagged || name != ""):
			all = append(all, jsonField{f, t, name, strings.Contains(options, "omit")})
		}
	}
	return all
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// kind returns the JSON type of a Go type in words.
func (w *jsonWriter) kind(t reflect.Type, several bool) string {
	t = deref(t)
	word := func(one, many string) string {
		if several {
			return many
		}
		return one
	}
	switch {
	case t == reflect.TypeFor[report.Figure]():
		return word("number", "numbers")
	case t == reflect.TypeFor[time.Time]():
		return word("time", "times")
	case t == reflect.TypeFor[time.Duration]():
		return word("duration", "durations")
	case t == reflect.TypeFor[model.Hyper]():
		return word("object of values", "objects of values")
	case t == reflect.TypeFor[peer.ID](), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return word("text", "texts")
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		panic("no description of " + t.String())
	}
	switch t.Kind() {
	case reflect.Bool:
		return word("true or false", "truth values")
	case reflect.String:
		return word("text", "texts")
	case reflect.Float32, reflect.Float64:
		return word("number", "numbers")
	case reflect.Slice, reflect.Array:
		return word("list of ", "lists of ") + w.kind(t.Elem(), true)
	case reflect.Map:
		return word("object of ", "objects of ") + w.kind(t.Elem(), true)
	case reflect.Struct:
		if !w.seen[t] {
			w.seen[t] = true
			w.open = append(w.open, t)
		}
		title := typeTitle(t)
		return fmt.Sprintf("%s[%s](#%s)", word("", "objects: "), title, strings.ToLower(strings.ReplaceAll(title, " ", "-")))
	}
	return word("whole number", "whole numbers")
}

var capital = regexp.MustCompile(`[a-z][A-Z]`)

// typeTitles are the headings of types whose names are taken, or say too little.
var typeTitles = map[reflect.Type]string{
	reflect.TypeFor[algorithm.Judged]():  "Settings tried",
	reflect.TypeFor[doctor.Finding]():    "Finding of doctor",
	reflect.TypeFor[export.Entry]():      "Part of a file",
	reflect.TypeFor[model.Ledger]():      "Privacy of a model",
	reflect.TypeFor[report.LoneChange](): "Sums that tell about few members",
	reflect.TypeFor[node.Status]():       "Node",
	reflect.TypeFor[report.Entry]():      "Entry of a ledger",
	reflect.TypeFor[report.View]():       "Members from a round on",
	reflect.TypeFor[added]():             "Added member",
	reflect.TypeFor[released]():          "Released model",
}

// typeTitle returns the heading of a type: its name as words.
func typeTitle(t reflect.Type) string {
	if title := typeTitles[t]; title != "" {
		return title
	}
	words := capital.ReplaceAllStringFunc(t.Name(), func(s string) string { return s[:1] + " " + strings.ToLower(s[1:]) })
	return strings.ToUpper(words[:1]) + words[1:]
}

// phrase returns a comment as Markdown, without its subject, the name of its field or type, and
// with the JSON names of other fields of the type.
func (w *jsonWriter) phrase(comment, subject string, t reflect.Type) string {
	words := strings.Fields(comment)
	if len(words) > 1 && (words[0] == "A" || words[0] == "An") && words[1] == subject {
		words = words[1:]
	}
	if len(words) > 0 && words[0] == subject {
		words = words[1:]
		if words[0] == "is" || words[0] == "are" {
			words = words[1:]
		}
	}
	for i, word := range words {
		if word == "nil" {
			words[i] = "absent"
		}
		bare := strings.Trim(word, ".,;:()")
		f, found := t.FieldByName(bare)
		if begins := i == 0 || strings.HasSuffix(words[i-1], ".") || words[i-1] == "peer"; begins || !found {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		words[i] = strings.Replace(word, bare, "`"+name+"`", 1)
	}
	return strings.TrimSuffix(safe(strings.Join(words, " ")), ".") + "."
}

// about returns the comment of a type as Markdown.
func (w *jsonWriter) about(t reflect.Type) string {
	_, text := w.spec(t)
	text = w.phrase(text, t.Name(), t)
	return wrap(strings.ToUpper(text[:1]) + text[1:])
}

// wrap breaks a paragraph into lines.
func wrap(text string) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case at == 0:
			at = n
		case at+1+n > 120:
			b.WriteString("\n")
			at = n
		default:
			b.WriteString(" ")
			at += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// comments returns the comments of a type's fields by the fields' names.
func (w *jsonWriter) comments(t reflect.Type) map[string]string {
	spec, _ := w.spec(t)
	all := map[string]string{}
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		text := strings.TrimSpace(f.Doc.Text())
		if text == "" {
			text = strings.TrimSpace(f.Comment.Text())
		}
		for _, name := range f.Names {
			all[name.Name] = strings.Join(strings.Fields(text), " ")
		}
	}
	return all
}

// spec returns the declaration of a type of this module, and its comment.
func (w *jsonWriter) spec(t reflect.Type) (spec *ast.TypeSpec, text string) {
	const module = "github.com/collabdict/collabdict"
	dir := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(t.PkgPath(), module)))
	if w.packages[dir] == nil {
		names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				panic(err)
			}
			w.packages[dir] = append(w.packages[dir], f)
		}
	}
	for _, f := range w.packages[dir] {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == t.Name() {
					text := s.Doc.Text()
					if text == "" {
						text = g.Doc.Text()
					}
					return s, strings.Join(strings.Fields(text), " ")
				}
			}
		}
	}
	panic("no declaration of " + t.String())
}

// Each command that can print JSON has its description.
func TestTheReferenceHasAllJSON(t *testing.T) {
	var described []string
	for _, o := range printedJSON {
		for _, c := range o.commands {
			described = append(described, "collabdict "+c)
		}
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.Flags().Lookup("json") != nil && !slices.Contains(described, c.CommandPath()) {
			t.Errorf("no description of what %s --json prints", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look((&app{}).root())
}

// Commands print what the page describes, and nothing else.
func TestPrintedJSONIsDescribed(t *testing.T) {
	testkit.SkipRaced(t) // the scripts run the same commands
	t.Chdir(t.TempDir())
	seen := map[string]bool{}
	for _, args := range [][]string{
		{"version"},
		{"sim", "--generate", "participants=3,rows=40,columns=3,patterns=2", "--rounds", "6", "--baselines", "alone", "--out", "o"},
		{"inspect", "--model", "o/plant-a/model.npz"},
		{"ledger", "--dir", "o/plant-a"},
		{"graph", "--size", "5", "--run"},
		{"export", "--release", "--radius", "1", "--model", "o/plant-a/model.npz", "-o", "release.json"},
		{"init", "a", "--data", "a.csv"},
		{"id", "--dir", "a"},
		{"check", "a.csv"},
		{"score", "--model", "o/plant-a/model.npz", "--data", "a.csv"},
		{"thresholds", "--model", "o/plant-a/model.npz", "--data", "a.csv"},
		{"compare", "o/plant-a", "o/plant-b", "a.csv"},
		{"evaluate", "--model", "o/plant-a/model.npz", "--data", "a.csv"},
		{"doctor", "a", "--alone"},
		{"bench", "em", "--n", "100", "--m", "2", "--k", "2", "--reps", "1"},
	} {
		if args[0] == "init" {
			rows := "temp_1,flow_2,pressure_3\n1.5,2,3\n2.5,3,5\n4,6.5,7\n"
			if err := os.WriteFile("a.csv", []byte(rows), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		a := &app{out: &out, err: io.Discard}
		root := a.root()
		root.SetArgs(append(args, "--json"))
		if err := root.Execute(); err != nil && out.Len() == 0 {
			t.Errorf("%q: %v", args, err)
			continue
		}
		var printed any
		if err := json.Unmarshal(out.Bytes(), &printed); err != nil {
			t.Errorf("%q: %v\n%s", args, err, &out)
			continue
		}
		command := args[0]
		if command == "bench" {
			command += " " + args[1]
		}
		for _, o := range printedJSON {
			if slices.Contains(o.commands, command) {
				seen[command] = true
				checkDescribed(t, command, printed, reflect.TypeOf(o.value))
			}
		}
		if !seen[command] {
			t.Errorf("no description of what %s prints", command)
		}
	}
}

// checkDescribed checks that each field of a JSON value is one of the type's.
func checkDescribed(t *testing.T, at string, v any, of reflect.Type) {
	t.Helper()
	of = deref(of)
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			checkDescribed(t, at, e, of.Elem())
		}
	case map[string]any:
		if of.Kind() != reflect.Struct {
			return
		}
		fields := jsonFields(of)
		for name, value := range v {
			i := slices.IndexFunc(fields, func(f jsonField) bool { return f.name == name })
			if i < 0 {
				t.Errorf("%s: no description of the field %s of %s", at, name, of)
				continue
			}
			checkDescribed(t, at+"/"+name, value, fields[i].Type)
		}
		for _, f := range fields {
			if _, ok := v[f.name]; !ok && !f.optional {
				t.Errorf("%s: %s is not optional in %s, and is absent", at, f.name, of)
			}
		}
	}
}
