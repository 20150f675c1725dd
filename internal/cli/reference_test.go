package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/option"
)

const references = "../../docs/reference/"

// The generated reference pages match the program. With -update they are written again.
func TestReferenceIsCurrent(t *testing.T) {
	json, err := jsonPage()
	if err != nil {
		t.Error(err)
	}
	leaves, err := inventoryPage()
	if err != nil {
		t.Error(err)
	}
	for name, page := range map[string]string{"commands.md": commandsPage(), "options.md": optionsPage(), "json.md": json, "inventory.md": leaves} {
		if *update {
			if err := os.WriteFile(references+name, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := os.ReadFile(references + name); err != nil || string(b) != page {
			t.Errorf("docs/reference/%s is stale: run go test ./internal/cli -run TestReferenceIsCurrent -update", name)
		}
	}
}

// Text of a page cannot end a cell of a table, or be taken for markup or a link.
func TestReferenceIsSafe(t *testing.T) {
	const text, want = "`A|B` A*x, <b>, [LOW, HIGH] or c|d: see --help-all, my_x", "`A\\|B` A\\*x, \\<b\\>, \\[LOW, HIGH\\] or c\\|d: see `--help-all`, my\\_x"
	if got := safe(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	markup   = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`)
	codeText = regexp.MustCompile("`[^`]*`|--[a-z0-9]+(-[a-z0-9]+)*")
)

// safe returns help as Markdown for a cell of a table: words in back quotes and flags are code.
func safe(text string) string {
	var b strings.Builder
	for {
		at := codeText.FindStringIndex(text)
		if at == nil {
			return b.String() + markup.Replace(text)
		}
		b.WriteString(markup.Replace(text[:at[0]]) + code(strings.Trim(text[at[0]:at[1]], "`")))
		text = text[at[1]:]
	}
}

func code(text string) string {
	return strings.ReplaceAll("`"+strings.ReplaceAll(text, "|", `\|`)+"`", "``", "")
}

// about returns a command's description. Its indented lists keep their form.
func about(c *cobra.Command) string {
	parts := strings.Split(cmp.Or(c.Long, c.Short+"."), "\n\n")
	for i, p := range parts {
		if strings.HasPrefix(p, "  ") {
			parts[i] = "```\n" + p + "\n```"
		} else {
			parts[i] = safe(p)
		}
	}
	return strings.Join(parts, "\n\n")
}

const generated = "<!-- Generated from the program: go test ./internal/cli -run TestReferenceIsCurrent -update -->\n\n"

func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands and their flags\n\n" + generated +
		"Here you find every command and flag. `collabdict COMMAND --help` prints the same. [How to give options](cli.md) is explained on a page of its own, and\n" +
		"[all options of models and sums](options.md) are listed on another.\n")
	root := (&app{out: io.Discard, err: io.Discard}).root()
	training := slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Flags().Lookup(helpAll) == nil })
	same := func(f *pflag.Flag) bool {
		return !slices.ContainsFunc(training, func(c *cobra.Command) bool {
			g := c.Flags().Lookup(f.Name)
			return g == nil || g.Usage != f.Usage || g.DefValue != f.DefValue
		})
	}
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), about(c), strings.TrimSpace(c.UseLine()+"\n\n"+c.Example))
		trains := slices.Contains(training, c)
		writeFlags(&b, c, func(f *pflag.Flag) bool { return !trains || !same(f) })
		switch {
		case trains:
			b.WriteString("\nAlso: [flags of all training commands](#flags-of-all-training-commands), [options of models](options.md), [options of\nall models](options.md#all-models) and [of sums](options.md#sums).\n")
		case c.Flags().Lookup(helpAll) != nil:
			b.WriteString("\nAlso: [options of models](options.md), [options of all models](options.md#all-models) and [of sums](options.md#sums).\n")
		case c.Flags().Lookup("scheme") != nil:
			fmt.Fprintf(&b, "\nAlso: [options of sums](options.md#sums); the default of `--scheme` is `%s`.\n", c.Flags().Lookup("scheme").DefValue)
		}
		for _, sub := range c.Commands() {
			write(sub)
		}
	}
	for _, c := range root.Commands() {
		write(c)
	}
	b.WriteString("\n## Flags of all training commands\n")
	writeFlags(&b, training[0], same)
	return b.String()
}

// writeFlags writes a list for each section of a command's flags. Options have a page of
// their own.
func writeFlags(b *strings.Builder, c *cobra.Command, wanted func(*pflag.Flag) bool) {
	for _, title := range sections {
		intro := "\n"
		if title != "" {
			intro = "\n" + title + ":\n\n"
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, isOption := f.Value.(*optionFlag)
			if isOption || f.Hidden || f.Name == "help" || strings.Join(f.Annotations[sectionKey], "") != title || !wanted(f) {
				return
			}
			name, _ := pflag.UnquoteUsage(f)
			if f.Value.Type() == "bool" {
				name = ""
			}
			flag := strings.TrimSpace("--" + f.Name + " " + name)
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand + ", " + flag
			}
			byDefault := f.DefValue
			if slices.Contains([]string{"false", "0", "0s", "[]"}, byDefault) {
				byDefault = ""
			}
			item(b, intro, code(flag), "", byDefault, strings.ReplaceAll(strings.TrimSpace(safe(f.Usage)), "\n", "\n  - "))
			intro = ""
		})
	}
}

func optionsPage() string {
	var b strings.Builder
	b.WriteString("# Options\n\n" + generated +
		"Here you find what each option of a model or of sums sets. An option is a flag of `demo`, `run`, `up` and `sim`, and a key in `consortium.yaml`\n" +
		"([how to give options](cli.md)); the name in brackets is the key if it differs. `--help-all` shows also those for experts.\n" +
		"An option without a default is off, or its text names the default. In agreements and models, the end of a range has a\n" +
		"key of its own, such as `most_components`.\n")
	for _, k := range algorithms.All() {
		fmt.Fprintf(&b, "\n## Model %s\n\n`--model %s` learns %s.\n", k.Name, k.Name, safe(k.About))
		writeOptions(&b, pipeline.New(k).Options)
	}
	shared := pipeline.New(algorithms.Default())
	b.WriteString("\n## All models\n")
	writeOptions(&b, shared.Shared)
	for _, k := range algorithms.All() {
		for _, o := range pipeline.New(k).Shared {
			if o.Default != shared.Shared.Find(o.Name).Default {
				fmt.Fprintf(&b, "\nFor `%s`, the default of `--%s` is `%s`.\n", k.Name, o.Name, o.Default)
			}
		}
	}
	b.WriteString("\n## Sums\n\n`consortium.yaml` has these under `consensus:`.\n")
	writeOptions(&b, shared.Consensus)
	return b.String()
}

var types = map[string]string{
	"int": "whole number", "uint64": "whole number", "float": "number", "string": "text", "bool": "switch",
	"ints": "whole numbers", "range": "whole number or range", "file": "file",
}

func writeOptions(b *strings.Builder, table option.Table) {
	for _, expert := range []bool{false, true} {
		intro := "\n"
		if expert {
			intro = "\nFor experts:\n\n"
		}
		for _, o := range table {
			if o.Expert != expert {
				continue
			}
			kind, byDefault, meaning := types[o.Type], o.Default, safe(o.Help)
			if o.Values != nil {
				kind = "`" + strings.Join(o.Values, "`, `") + "`"
			}
			if strings.Contains(o.Help, "(default ") {
				byDefault = ""
			}
			if !strings.Contains(o.Help, o.Requires()) {
				meaning = strings.TrimSuffix(meaning, ".") + ". Requires " + safe(o.Requires())
			}
			name := code(o.Name)
			if key := o.Key(); key != o.Name {
				name += " (" + code(key) + ")"
			}
			item(b, intro, name, kind, byDefault, meaning)
			intro = ""
		}
	}
}

// item writes one item of a list: a name, the values that it takes, its default if any, and its
// meaning. intro comes before the first item.
func item(b *strings.Builder, intro, name, takes, byDefault, meaning string) {
	b.WriteString(intro + "- " + name)
	if takes != "" {
		b.WriteString(" " + takes)
	}
	if byDefault != "" {
		b.WriteString(", default " + code(byDefault))
	}
	fmt.Fprintf(b, ": %s.\n", strings.TrimSuffix(meaning, "."))
}
