package cli

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/testkit"
)

// The help of each command lists each of its flags once, names its value by more than a type, and
// has lines that fit.
func TestHelpHasAllFlags(t *testing.T) {
	testkit.SkipRaced(t)
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		help := cmd.UsageString()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := len(regexp.MustCompile(`(?m)^ {2,6}(-[a-z], )?--`+f.Name+` `).FindAllString(help, -1)); n != 1 && !f.Hidden {
				t.Errorf("%s: --%s is in its help %d times", cmd.CommandPath(), f.Name, n)
			}
		})
		if bad := regexp.MustCompile(`--[a-z-]+ (strings?|u?ints?|uint64|floats?|float64|range|file|duration|stringArray)\b`).FindString(help); bad != "" {
			t.Errorf("%s: the value of a flag has a type for a name: %s", cmd.CommandPath(), bad)
		}
		for line := range strings.Lines(cmd.Long + help) {
			if len([]rune(line)) > helpWidth+10 {
				t.Errorf("%s: a line of help has %d columns: %s", cmd.CommandPath(), len([]rune(line)), line)
			}
		}
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	root := (&app{out: io.Discard, err: io.Discard}).root()
	root.InitDefaultHelpCmd()
	check(root)
	if help := root.UsageString(); !strings.Contains(help, "\n  sim ") {
		t.Errorf("the help of the program has no list of commands: %s", help)
	}
}

// Short help has few flags: those for experts are in --help-all.
func TestShortHelpIsShort(t *testing.T) {
	const most = 45
	for _, name := range []string{"run", "up", "sim", "demo", "score"} {
		var short, all strings.Builder
		for arg, out := range map[string]*strings.Builder{"--help": &short, "--help-all": &all} {
			root := (&app{out: out, err: io.Discard}).root()
			root.SetArgs([]string{name, arg})
			_ = root.Execute() // score has no --help-all
		}
		flag := regexp.MustCompile(`(?m)^ {2,6}(-[a-z], )?--`)
		if n := len(flag.FindAllString(short.String(), -1)); n == 0 || n > most {
			t.Errorf("%s --help has %d flags, want at most %d", name, n, most)
		}
		if name == "run" && !(strings.Contains(all.String(), "--chunks") && strings.Contains(all.String(), "--unsigned")) {
			t.Error("run --help-all has no flags for experts")
		}
	}
}

func TestQuoted(t *testing.T) {
	got := quoted("collabdict", []string{"sim", "--data", "a b/*.csv", "--faults=crash:node=1,at=2m;loss:rate=0.1", "it's", "", "50%", "x~y"})
	want := `collabdict sim --data 'a b/*.csv' '--faults=crash:node=1,at=2m;loss:rate=0.1' 'it'\''s' '' 50% 'x~y'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
