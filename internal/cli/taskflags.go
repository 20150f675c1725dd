package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/option"
)

// taskFlags choose the model, and how sums are made. The options of all algorithms, the shared
// ones and those of the consensus are flags, names for --set and keys of a settings file.
// --model decides which of them apply.
type taskFlags struct {
	model         string
	values        map[string]*optionFlag
	sets          []string
	file          string
	lines         map[string]string // lines of the settings file, by option
	ranges        string
	noStandardise bool
	baselines     []string
	suited        map[string]string // defaults of this command for the default algorithm
	simulated     bool              // the command has all rows in one place
}

// modelFlag is the name of the model. When it changes, the model's options are shown and those
// of others are hidden, also from completion.
type modelFlag struct {
	name    *string
	changed func()
}

func (f *modelFlag) String() string { return *f.name }

func (f *modelFlag) Set(name string) error {
	*f.name = name
	f.changed()
	return nil
}

func (f *modelFlag) Type() string { return "string" }

// optionFlag is the text given for an option, checked once the task is known.
type optionFlag struct {
	*option.Option
	given []string
}

func (f *optionFlag) String() string {
	if len(f.given) == 0 {
		return f.Default
	}
	return f.given[len(f.given)-1]
}

func (f *optionFlag) Set(text string) error {
	f.given = append(f.given, text)
	return nil
}

func (f *optionFlag) Type() string { return f.Option.Type }

// consensusPrefix begins the names of consensus options among others.
const consensusPrefix = "consensus."

func (t *taskFlags) add(cmd *cobra.Command) {
	t.values = map[string]*optionFlag{}
	section(cmd, ofModels, func(f *pflag.FlagSet) {
		var kinds []string
		for _, k := range algorithms.All() {
			kinds = append(kinds, k.Name+": "+k.About)
		}
		t.model = algorithms.Default().Name
		f.Var(&modelFlag{&t.model, func() { showOptions(cmd, t.model, true) }}, "model", "`KIND` of model\n"+strings.Join(kinds, "\n")+"\n")
		f.BoolVar(&t.noStandardise, "no-standardise", false, "the same as --standardise none")
		f.StringVar(&t.ranges, "ranges", "", "scale columns from agreed `RANGES` to 0..1, which reveals nothing: LOW,HIGH for every column, or a YAML file with a line per column, such as temp_1: [0, 120]; \"*\" stands for the others")
		f.StringArrayVar(&t.sets, "set", nil, "set an option: `NAME=VALUE`, such as rho=2 or "+consensusPrefix+"degree=6; may be repeated")
		f.StringVar(&t.file, "settings", "", "read options from a YAML `FILE` with one line NAME: VALUE per option, those of the consensus under consensus:; flags and --set take precedence")
		t.define(f, pipeline.New(algorithms.Default()).Shared)
	})
	for _, k := range algorithms.All() {
		section(cmd, ofOptions, func(f *pflag.FlagSet) { t.define(f, pipeline.New(k).Options) })
	}
	section(cmd, ofSums, func(f *pflag.FlagSet) { t.define(f, pipeline.New(algorithms.Default()).Consensus) })
	section(cmd, "", func(f *pflag.FlagSet) { f.Bool(helpAll, false, "show all options, also those for experts") })
	t.complete(cmd)
	hideOthers(cmd, t)
}

// define adds a flag for each option that does not have one yet.
func (t *taskFlags) define(f *pflag.FlagSet, table option.Table) {
	for _, o := range table {
		if t.values[o.Name] == nil {
			defineOption(f, t.values, o)
		}
	}
}

func defineOption(f *pflag.FlagSet, values map[string]*optionFlag, o *option.Option) {
	v := &optionFlag{Option: o}
	values[o.Name] = v
	flag := f.VarPF(v, o.Name, "", o.Help)
	if o.Type == "bool" {
		flag.NoOptDefVal = "true"
	}
}

// complete offers the values of options with a closed list.
func (t *taskFlags) complete(cmd *cobra.Command) {
	offer := func(name string, values func() []string) {
		err := cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err)
		}
	}
	offer("model", func() (names []string) {
		for _, k := range algorithms.All() {
			names = append(names, k.Name+"\t"+k.About)
		}
		return names
	})
	for name, v := range t.values {
		if v.Values != nil {
			offer(name, func() []string { return t.find(name).Values })
		}
	}
}

// find returns an option of the chosen algorithm, or of another.
func (t *taskFlags) find(name string) *option.Option {
	if k, err := pipeline.Named(t.model); err == nil {
		if o := slices.Concat(k.Options, k.Shared, k.Consensus).Find(name); o != nil {
			return o
		}
	}
	return t.values[name].Option
}

// addBaselines adds the flag --baselines with the baselines that the command supports.
func (t *taskFlags) addBaselines(cmd *cobra.Command, which string) {
	section(cmd, ofModels, func(f *pflag.FlagSet) {
		f.StringSliceVar(&t.baselines, "baselines", nil, "also train the `BASELINES`, separated by commas, and show their figures: "+which)
	})
}

func (t *taskFlags) checkBaselines(known ...string) error {
	for _, b := range t.baselines {
		if !slices.Contains(known, b) {
			return &usageError{fmt.Sprintf("--baselines: want %s, got %q", strings.Join(known, " or "), b), ""}
		}
	}
	return nil
}

// asUsage turns an error of an option into one of its flag, or of its line in the file.
func (t *taskFlags) asUsage(err error) error {
	var bad *option.Error
	if errors.As(err, &bad) && t.lines[bad.Name] != "" {
		return &usageError{t.lines[bad.Name] + bad.Error(), bad.Hint}
	}
	return asUsage(err)
}

// asUsage turns an error of an option into one of its flag.
func asUsage(err error) error {
	var bad *option.Error
	if errors.As(err, &bad) {
		return &usageError{"--" + bad.Error(), bad.Hint}
	}
	return err
}

// task returns the task. The default of --standardise depends on how rows are divided.
func (t *taskFlags) task(byDefault string) (*pipeline.Task, error) {
	k, err := t.begin()
	if err != nil {
		return nil, err
	}
	return k, t.finish(k, byDefault)
}

// begin returns the task with all options given.
func (t *taskFlags) begin() (*pipeline.Task, error) {
	k, err := pipeline.Named(t.model)
	if err != nil {
		return nil, asUsage(err)
	}
	if k.Kind.Name == algorithms.Default().Name {
		for name, text := range t.suited {
			if err := t.put(k, name, text, ""); err != nil {
				return nil, err
			}
		}
	}
	if err := t.readFile(k); err != nil {
		return nil, err
	}
	for _, s := range t.sets {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, &usageError{fmt.Sprintf("--set: want NAME=VALUE, got %q", s), "for instance --set components=8"}
		}
		if err := t.put(k, name, text, "--set: "); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.values)) {
		if given := t.values[name].given; len(given) > 0 {
			if err := t.put(k, name, given[len(given)-1], "--"); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// put sets an option of a task. from is the beginning of the error if the task does not have
// it.
func (t *taskFlags) put(k *pipeline.Task, name, text, from string) error {
	table := slices.Concat(k.Options, k.Shared)
	short, ofConsensus := strings.CutPrefix(name, consensusPrefix)
	if ofConsensus || from == "--" && k.Consensus.Find(name) != nil {
		table = k.Consensus
	}
	if o := table.Find(short); o != nil {
		delete(t.lines, o.Name)
		if strings.HasPrefix(from, "--settings") {
			t.lines[o.Name] = from
		}
		return t.asUsage(o.Set(text))
	}
	hint := "see --model " + k.Kind.Name + " --help-all"
	if k.Consensus.Find(name) != nil {
		hint = "say " + consensusPrefix + name
	}
	instead := "; it has " + strings.Join(table.Names(), ", ")
	if t.values[short] == nil { // no other model has it either
		instead = strict.Instead(short, "it has", table.Names())
	}
	if ofConsensus {
		return &usageError{fmt.Sprintf("%s%s: the consensus has no such option%s", from, name, instead), hint}
	}
	return &usageError{fmt.Sprintf("%s%s: model %s has no such option%s", from, name, k.Kind.Name, instead), hint}
}

// readFile sets the options in the settings file.
func (t *taskFlags) readFile(k *pipeline.Task) error {
	if t.file == "" {
		return nil
	}
	b, err := readNamed("settings", t.file)
	if err != nil {
		return err
	}
	var values map[string]yaml.Node
	if err := strict.YAML(bytes.NewReader(b), &values); err != nil && !errors.Is(err, io.EOF) {
		return &usageError{fmt.Sprintf("--settings: %s: %v", t.file, err), "write one line per option, for example rho: 2"}
	}
	t.lines = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		n := values[name]
		if name+"." == consensusPrefix && n.Kind == yaml.MappingNode {
			var under map[string]yaml.Node
			if err := n.Decode(&under); err != nil {
				return &usageError{fmt.Sprintf("--settings: %s: line %d: %v", t.file, n.Line, err), ""}
			}
			for _, name := range slices.Sorted(maps.Keys(under)) {
				if err := t.putNode(k, consensusPrefix+name, under[name]); err != nil {
					return err
				}
			}
			continue
		}
		if err := t.putNode(k, name, n); err != nil {
			return err
		}
	}
	return nil
}

func (t *taskFlags) putNode(k *pipeline.Task, name string, n yaml.Node) error {
	text := n.Value
	if n.Kind == yaml.SequenceNode {
		var parts []string
		for _, x := range n.Content {
			parts = append(parts, x.Value)
		}
		text = strings.Join(parts, ",")
	}
	from := fmt.Sprintf("--settings: %s: line %d: ", t.file, n.Line)
	return t.put(k, strings.ReplaceAll(name, "_", "-"), text, from)
}

// finish completes a task.
func (t *taskFlags) finish(k *pipeline.Task, byDefault string) (err error) {
	k.ByDefault = byDefault
	if t.noStandardise {
		if k.Shared.Find("standardise").Given() && k.Standardise != algorithm.None {
			return &usageError{"--standardise and --no-standardise contradict each other", "leave one out"}
		}
		if err := k.Shared.Set("standardise", algorithm.None); err != nil {
			return err
		}
	}
	if t.ranges != "" {
		if err := t.setRanges(k); err != nil {
			return err
		}
	}
	if err := k.ReadFiles(""); err != nil {
		return asUsage(err)
	}
	if err := k.Complete(); err != nil {
		return t.asUsage(err)
	}
	if why := k.Traits().OnlySimulated; why != "" && !t.simulated {
		return &usageError{"--" + why, "choose other settings, or use collabdict sim"}
	}
	return nil
}

// readNamed reads the file that a flag names.
func readNamed(flag, path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &usageError{fmt.Sprintf("--%s: %s: no such file", flag, path), ""}
	case err != nil:
		return nil, &usageError{fmt.Sprintf("--%s: %v", flag, err), ""}
	}
	return b, nil
}
