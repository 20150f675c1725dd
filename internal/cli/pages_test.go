package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Every command on the pages for users runs, and prints what the page shows.
//
// A block of the language console has commands after "$ ", each followed by what it prints,
// or by nothing if that does not matter. A line "..." stands for any lines, and "…" for any
// text in a line. Decimal numbers may differ a little. " # exit code N" marks a command that
// fails, and " &" one that runs until the page ends. Hidden steps are lines of a script
// in a comment, "<!-- script". A block after "<!-- file -->" is the file named in its first
// line, "# NAME".
func TestPages(t *testing.T) {
	if testkit.Raced || runtime.GOOS == "windows" {
		t.Skip("the scripts run the same commands; pages need sh")
	}
	if !testkit.Long { // long tests kill processes at certain times
		t.Parallel()
	}
	demo := sync.OnceValues(func() (string, error) { return demonstration(t) })
	for _, path := range userPages(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "../../"), ".md")
		p, err := parsePage(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if first := name == "README" || name == "docs/tutorial/first-run"; len(p.steps) == 0 || first == testkit.Long {
			continue // the other pages take long
		}
		script := filepath.Join(t.TempDir(), strings.ReplaceAll(name, "/", "-")+".txt")
		if err := os.WriteFile(script, []byte(p.script), 0o600); err != nil {
			t.Fatal(err)
		}
		params := scriptParams(t)
		params.Files = []string{script}
		params.Cmds["shown"] = func(ts *testscript.TestScript, _ bool, args []string) {
			n, err := strconv.Atoi(args[0])
			ts.Check(err)
			p.steps[n].run(ts, path)
		}
		params.Cmds["file"] = func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(p.files[args[0]]), 0o600))
		}
		params.Cmds["demo"] = func(ts *testscript.TestScript, _ bool, args []string) {
			if len(args) > 0 { // only the data, which take no time
				_, err := plants.WriteCSV(ts.MkAbs("demo/data"), plants.Generate(plants.Demo(), 1))
				ts.Check(err)
				return
			}
			from, err := demo()
			ts.Check(err)
			filesAreListed(t, from)
			ts.Check(os.CopyFS(ts.MkAbs("demo"), os.DirFS(from)))
		}
		testscript.Run(t, params)
	}
}

// userPages returns the paths of the pages that users read.
func userPages(t *testing.T) []string {
	pages := []string{"../../README.md"}
	for _, folder := range []string{"tutorial", "how-to", "models", "explanation"} {
		more, err := filepath.Glob("../../docs/" + folder + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	return pages
}

// demonstration returns the folder that `collabdict demo --out demo` makes.
func demonstration(t *testing.T) (string, error) {
	program, err := exec.LookPath("collabdict")
	if err != nil {
		return "", err
	}
	dir := t.TempDir()
	c := exec.Command(program, "demo", "--out", "demo")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("demo: %w: %s", err, out)
	}
	return filepath.Join(dir, "demo"), nil
}

// page is a script: the commands that a page shows, with hidden steps between them.
type page struct {
	script string
	steps  []shown
	files  map[string]string
}

// shown is a command with what it prints.
type shown struct {
	line     int
	command  string
	printed  []string
	anything bool // the page shows none of its output
}

// times begin the lines of a log, but not those that a terminal shows.
var times = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `)

func (s shown) run(ts *testscript.TestScript, path string) {
	err, code := ts.Exec("sh", "-c", "{ "+s.command+"\n} 2>&1"), 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	want := 0
	if m := exitCode.FindStringSubmatch(s.command); m != nil {
		want, err = strconv.Atoi(m[1])
		ts.Check(err)
	}
	got := times.ReplaceAllString(ts.ReadFile("stdout"), "")
	if code != want {
		ts.Fatalf("%s:%d: %s: exit code %d, want %d\n%s", path, s.line, s.command, code, want, got)
	}
	if !s.anything && !prints(strings.Split(strings.TrimSpace(got), "\n"), s.printed) {
		ts.Fatalf("%s:%d: %s prints\n%s\nbut the page shows\n%s", path, s.line, s.command, got, strings.Join(s.printed, "\n"))
	}
}

// parsePage reads a page as a script.
func parsePage(path string) (*page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &page{files: map[string]string{}}
	var script strings.Builder
	var block, fence, before string // its language and its end; the line before it
	var body []string
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			block, fence, body = strings.TrimPrefix(line, "```"), "```", nil
		case fence == "" && line == "<!-- script":
			block, fence, body = "hidden", "-->", nil
		case fence != "" && line == fence:
			if err := p.add(&script, block, before, body, i+1-len(body)); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			fence, before = "", ""
		case fence != "":
			body = append(body, line)
		case strings.TrimSpace(line) != "":
			before = line
			if bytes.Contains(text, []byte("```console")) && (strings.HasPrefix(line, "    collabdict ") || strings.HasPrefix(line, "    $ ")) {
				return nil, fmt.Errorf("line %d: a command in no block of the language console", i+1)
			}
		}
	}
	p.script = script.String()
	return p, nil
}

var ours = regexp.MustCompile(`(^|[;&|] *|go run \./cmd/)collabdict `)

// add adds a block, whose first line has the number line.
func (p *page) add(script *strings.Builder, language, before string, body []string, line int) error {
	if before == "<!-- file -->" {
		if len(body) == 0 || !strings.HasPrefix(body[0], "# ") {
			return fmt.Errorf("a file's first line is # and its name")
		}
		name := strings.TrimPrefix(body[0], "# ")
		if !strings.HasSuffix(name, ".csv") {
			p.files[name] = body[0] + "\n"
		}
		p.files[name] += strings.Join(append(body[1:], ""), "\n")
		fmt.Fprintf(script, "file %s\n", name)
		return nil
	}
	switch language {
	case "hidden":
		script.WriteString(strings.Join(append(body, ""), "\n"))
	case "console":
		return p.addCommands(script, body, line)
	case "sh":
		if ours.MatchString(strings.Join(body, "\n")) && !strings.HasPrefix(before, "<!-- not run: ") {
			return fmt.Errorf("a command of collabdict that does not run: make it a block of the language console, or write <!-- not run: REASON --> before it")
		}
	case "":
		return fmt.Errorf("a block without a language")
	}
	return nil
}

// rehearsed changes commands so that they run in a test: with the program under test, and with the
// flags of run in the file run.flags. A hidden step writes that file, for instance with a --peer on
// this machine.
var rehearsed = strings.NewReplacer("go run ./cmd/collabdict", "collabdict", "collabdict run ", "collabdict run $(cat run.flags 2>/dev/null) ")

// exitCode matches the comment behind a command that fails.
var exitCode = regexp.MustCompile(` # exit code (\d+)$`)

func (p *page) addCommands(script *strings.Builder, body []string, line int) error {
	var command *shown
	for i, text := range body {
		start, isCommand := strings.CutPrefix(text, "$ ")
		switch {
		case isCommand:
			p.steps = append(p.steps, shown{line: line + i, anything: true})
			command = &p.steps[len(p.steps)-1]
			command.command = rehearsed.Replace(start)
			if inBackground, ok := strings.CutSuffix(command.command, " &"); ok {
				fmt.Fprintf(script, "exec sh -c '%s' &\n", strings.ReplaceAll("exec "+inBackground, "'", "''"))
				p.steps = p.steps[:len(p.steps)-1]
				continue
			}
			fmt.Fprintf(script, "shown %d\n", len(p.steps)-1)
		case command == nil:
			return fmt.Errorf("a block of the language console begins with a command: $ ...")
		case strings.HasSuffix(command.command, `\`):
			command.command += "\n" + text
		default:
			command.printed, command.anything = append(command.printed, strings.TrimRight(text, " ")), false
		}
	}
	return nil
}

// prints reports whether lines are those shown: "..." stands for any lines.
func prints(got, want []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for n := range len(got) + 1 {
			if prints(got[n:], want[1:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && printsLine(got[0], want[0]) && prints(got[1:], want[1:])
}

var (
	printedNumber = regexp.MustCompile(`-?\d+\.\d+|\d+ of \d\d+|…| +`)
	printedCount  = regexp.MustCompile(`^(\d+) of (\d+)$`)
)

// printsLine compares lines: "…" stands for any text, decimal numbers agree to 5 % or 0.05, numbers
// out of ten or more to a fifth of these, and the number of spaces between words does not matter.
func printsLine(got, want string) bool {
	pattern := "^"
	var values, tolerances []float64
	rest := strings.TrimSpace(want)
	for rest != "" {
		at := printedNumber.FindStringIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest)}
		}
		pattern += regexp.QuoteMeta(rest[:at[0]])
		switch token := rest[at[0]:at[1]]; {
		case token == "":
		case token == "…":
			pattern += ".*?"
		case strings.TrimSpace(token) == "":
			pattern += " +"
		case printedCount.MatchString(token):
			count := printedCount.FindStringSubmatch(token)
			v, _ := strconv.ParseFloat(count[1], 64)
			all, _ := strconv.ParseFloat(count[2], 64)
			values, tolerances = append(values, v), append(tolerances, all/5)
			pattern += `(\d+) of ` + count[2]
		default:
			v, err := strconv.ParseFloat(token, 64)
			if err != nil {
				return false
			}
			values, tolerances = append(values, v), append(tolerances, math.Max(0.05, 0.05*math.Abs(v)))
			pattern += `(-?\d+(?:\.\d+)?)`
		}
		rest = rest[at[1]:]
	}
	groups := regexp.MustCompile(pattern + "$").FindStringSubmatch(strings.TrimSpace(got))
	if groups == nil {
		return false
	}
	for i, v := range values {
		g, err := strconv.ParseFloat(groups[i+1], 64)
		if err != nil || math.Abs(g-v) > tolerances[i] {
			return false
		}
	}
	return true
}

// The comparison of output with a page finds differences, and allows those that a page may have.
func TestPrinted(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a\nb\nc", "a\n...\nc", true},
		{"a\nc", "a\n...\nc", true},
		{"a\nb\nc", "a\n...", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"id 12D3KooWxyz here", "id 12D3… here", true},
		{"  x   1.02  3", "x 1.0 3", true},
		{"x 1.2 3", "x 1.0 3", false},
		{"x 103.2", "x 100.0", true},
		{"x 4", "x 3", false},
		{"x 20 of 72", "x 30 of 72", true},
		{"x 10 of 72", "x 30 of 72", false},
		{"x 3 of 4", "x 2 of 4", false},
		{"x -1.0", "x 1.0", false},
	} {
		if same := prints(strings.Split(c.got, "\n"), strings.Split(c.want, "\n")); same != c.same {
			t.Errorf("%q as %q: %t", c.got, c.want, same)
		}
	}
}

var (
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	flagName   = regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	otherFlags = map[string]bool{"rm": true, "quick": true, "data-dir": true, "plant": true, "set-json": true} // of docker, lab, helm, and a program that exports rows
)

// Each flag that a page names exists in the program.
func TestPagesNameFlagsThatExist(t *testing.T) {
	known := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root := (&app{out: &bytes.Buffer{}, err: &bytes.Buffer{}}).root()
	root.InitDefaultVersionFlag()
	visit(root)
	more, err := filepath.Glob("../../docs/reference/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(userPages(t), more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check := func(code string) {
			for _, flag := range flagName.FindAllStringSubmatch(code, -1) {
				if !known[flag[1]] && !otherFlags[flag[1]] {
					t.Errorf("%s: %s has --%s, which no command has", path, code, flag[1])
				}
			}
		}
		for _, code := range inlineCode.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(code[1], "--") || strings.HasPrefix(code[1], "collabdict ") {
				check(code[1])
			}
		}
		for line := range strings.Lines(string(text)) {
			if ours.MatchString(strings.TrimPrefix(strings.TrimSpace(line), "$ ")) {
				check(line)
			}
		}
	}
}
