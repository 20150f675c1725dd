package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/option"
)

// taskFlags choose the model, and how sums are made. The options of all algorithms, the shared
// ones and those of the consensus are flags. --model decides which of them apply.
type taskFlags struct {
	model     string
	values    optionFlags
	ranges    string
	baselines []string
	simulated bool // the command has all rows in one place
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
	text  string
	given bool
}

func (f *optionFlag) String() string {
	if !f.given {
		return f.Default
	}
	return f.text
}

func (f *optionFlag) Set(text string) error {
	f.text, f.given = text, true
	return nil
}

func (f *optionFlag) Type() string { return f.Option.Type }

// optionFlags are flags by the names of their options.
type optionFlags map[string]*optionFlag

// define adds a flag for each option that does not have one yet.
func (v optionFlags) define(f *pflag.FlagSet, table option.Table) {
	for _, o := range table {
		if v[o.Name] != nil {
			continue
		}
		v[o.Name] = &optionFlag{Option: o}
		flag := f.VarPF(v[o.Name], o.Name, "", o.Help)
		if o.Type == "bool" {
			flag.NoOptDefVal = "true"
		}
	}
}

// set sets the options of a table whose flags were given.
func (v optionFlags) set(table option.Table) error {
	for _, o := range table {
		if f := v[o.Name]; f.given {
			if err := o.Set(f.text); err != nil {
				return asUsage(err)
			}
		}
	}
	return nil
}

func (t *taskFlags) add(cmd *cobra.Command) {
	t.values = optionFlags{}
	section(cmd, ofModels, func(f *pflag.FlagSet) {
		var kinds []string
		for _, k := range algorithms.All() {
			kinds = append(kinds, k.Name+": "+k.About)
		}
		t.model = algorithms.Default().Name
		f.Var(&modelFlag{&t.model, func() { showOptions(cmd, t.model, true) }}, "model", "`KIND` of model\n"+strings.Join(kinds, "\n")+"\n")
		f.StringVar(&t.ranges, "ranges", "", "scale columns from agreed `RANGES` to 0..1, which reveals nothing: LOW,HIGH for every column, or a YAML file with a line per column, such as temp_1: [0, 120]; \"*\" stands for the others")
		t.values.define(f, pipeline.New(algorithms.Default()).Shared)
	})
	for _, k := range algorithms.All() {
		section(cmd, ofOptions, func(f *pflag.FlagSet) { t.values.define(f, pipeline.New(k).Options) })
	}
	section(cmd, ofSums, func(f *pflag.FlagSet) { t.values.define(f, pipeline.New(algorithms.Default()).Consensus) })
	section(cmd, "", func(f *pflag.FlagSet) { f.Bool(helpAll, false, "show all options, also those for experts") })
	t.complete(cmd)
	hideOthers(cmd, t)
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
			return &option.Error{Name: "baselines", Got: b, Msg: fmt.Sprintf("want %s, got %q", strings.Join(known, " or "), b)}
		}
	}
	return nil
}

// asUsage turns an error of an option into one of its flag.
func asUsage(err error) error {
	if bad, ok := errors.AsType[*option.Error](err); ok {
		return &usageError{fmt.Errorf("--%w", bad), bad.Hint}
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
	table := slices.Concat(k.Options, k.Shared, k.Consensus)
	for _, name := range slices.Sorted(maps.Keys(t.values)) {
		if t.values[name].given && table.Find(name) == nil {
			hint := "see --model " + k.Kind.Name + " --help-all"
			for _, other := range synonyms[name] {
				if table.Find(other) != nil {
					hint = "did you mean --" + other + "? Or " + hint
				}
			}
			return nil, &flagError{
				name, fmt.Sprintf("model %s has no such option; it has %s", k.Kind.Name, strings.Join(slices.Concat(k.Options, k.Shared).Names(), ", ")),
				hint,
			}
		}
	}
	return k, t.values.set(table)
}

// finish completes a task.
func (t *taskFlags) finish(k *pipeline.Task, byDefault string) (err error) {
	k.ByDefault = byDefault
	if t.ranges != "" {
		if err := t.setRanges(k); err != nil {
			return err
		}
	}
	if err := k.ReadFiles(""); err != nil {
		return asUsage(err)
	}
	if err := k.Complete(); err != nil {
		return asUsage(err)
	}
	if why := k.Traits().OnlySimulated; why != nil && !t.simulated {
		return asUsage(why)
	}
	return nil
}
