package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/plants"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dataFlags say where rows come from.
type dataFlags struct {
	data, ignore            []string
	label, where, testWhere string
	limit                   int
}

func (d *dataFlags) add(cmd *cobra.Command) {
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringArrayVar(&d.data, "data", nil, "`FILE`, folder or quoted pattern of .csv, .csv.gz, .parquet, .npy, .npz and IDX files; may be repeated")
		f.StringVar(&d.label, "label", "", "`COLUMN` with 1 for anomalies, 0 or -1 for normal rows; other values are classes. With cgau the classes to learn, from 0")
		f.StringVar(&d.where, "where", "", "train on rows with `COLUMN=VALUE` only")
		f.StringVar(&d.testWhere, "test-where", "", "score, and do not train on, rows with `COLUMN=VALUE`")
		f.IntVar(&d.limit, "limit", 0, "train on the first `N` training rows of each participant only; 0 is all")
		f.StringSliceVar(&d.ignore, "ignore", nil, "`COLUMNS` that are no features, with commas between")
	})
}

// spec returns what to load.
func (d *dataFlags) spec() (dataset.Spec, error) {
	if len(d.data) == 0 {
		return dataset.Spec{}, &usageError{"--data is missing", "name a file, a folder or a quoted pattern"}
	}
	if d.limit < 0 {
		return dataset.Spec{}, &usageError{fmt.Sprintf("--limit: want at least 0, got %d", d.limit), ""}
	}
	where, err := dataset.ParseCondition(d.where)
	if err != nil {
		return dataset.Spec{}, &usageError{"--where: " + err.Error(), ""}
	}
	testWhere, err := dataset.ParseCondition(d.testWhere)
	if err != nil {
		return dataset.Spec{}, &usageError{"--test-where: " + err.Error(), ""}
	}
	return dataset.Spec{
		Data: d.data, Label: d.label, Where: where, TestWhere: testWhere,
		Limit: d.limit, Ignore: d.ignore,
	}, nil
}

// standard is the default of --normalise.
const standard = "standard"

// taskFlags say what is learned, and how sums are made.
type taskFlags struct {
	settingsFlags
	mixtureFlags
	networkFlags
	model, init                   string
	standardise, normalise        string
	ranges                        string
	pca                           int
	components                    string
	rounds, localSteps            int
	tol, lambda0, rho, falseAlarm float64
	seed                          uint64
	noStandardise                 bool
	baselines                     []string
}

func (t *taskFlags) add(cmd *cobra.Command) {
	section(cmd, ofModels, func(f *pflag.FlagSet) {
		f.StringVar(&t.model, "model", string(model.GGM), "`KIND` of model: ggm, a mixture of sparse Gaussian graphical models; fedgen, a Gaussian mixture in one round, for which every member shows all others its own mixture in the clear; dem, a Gaussian mixture by sums; fedgem, clusters whose number nobody knows, of which every member shows all others the centres; mtvae, a variational auto-encoder with a shared decoder, by sums; bvae, a beta-VAE by weighted means of the members' models; cgau, a classifier with conditions that are each member's own, by sums")
		f.IntVar(&t.rounds, "rounds", 100, "most rounds to train; of ggm, dem, fedgem (default of this 50, with --epsilon 10), mtvae and cgau (default 150), and bvae (default 25)")
		f.IntVar(&t.localSteps, "local-steps", 1, "of fedgem: `E` steps of EM in a round; of mtvae and cgau: own steps between two sums (default of these 20 and 10), of mtvae 0 to sum the gradients of each step")
		f.StringVar(&t.standardise, "standardise", "", "standardise columns by the moments of all rows (global), of each participant's (own), or none (default own with --split files or column, else global)")
		f.BoolVar(&t.noStandardise, "no-standardise", false, "the same as --standardise none")
		f.StringVar(&t.normalise, "normalise", standard, "bring columns, by the rows that --standardise says, and axes of --pca to mean 0 and variance 1 (standard), or to the range from 0 to 1 (minmax, of bvae the default)")
		f.StringVar(&t.ranges, "ranges", "", "bring columns from `RANGES` that all members agree on to that from 0 to 1, for which nothing is learned of any rows: LOW,HIGH for every column, or a YAML file of columns with [LOW, HIGH] each, * for the others")
		f.IntVar(&t.pca, "pca", 0, "learn from rows along the `K` principal axes of the rows of all: columns are scaled first, and axes after")
		f.Float64Var(&t.falseAlarm, "false-alarm", 0.01, "share of own training rows that lie above the anomaly threshold")
		f.Uint64Var(&t.seed, "seed", 1, "seed of everything public: starts, splits, generated data")
	})
	section(cmd, ofMixtures, func(f *pflag.FlagSet) {
		f.StringVar(&t.components, "components", "5", "`K`, the number of patterns in the shared dictionary; of fedgem of each participant's own clusters (default as many as classes in its --label, else by the BIC). Of fedgen and fedgem also a range, as 3-10, that the BIC chooses from")
		f.Float64Var(&t.tol, "tol", 1e-6, "stop when the objective changes by less than this share, or in fedgen and dem by less nats a row (default of these 0.001), or in fedgem when no centre moves by so many standard deviations; 0 runs all rounds")
		f.Float64Var(&t.lambda0, "lambda0", 1, "weight in rows of the prior mean; of ggm")
		f.Float64Var(&t.rho, "rho", 0, "of ggm: sparsity of the precision matrices, absolute; if left out 0.1·N/K with the N rows of all")
		f.StringVar(&t.init, "init", "", "of ggm: start from the means, precisions and weights in a JSON `FILE`")
	})
	t.mixtureFlags.add(cmd)
	t.networkFlags.add(cmd)
	t.settingsFlags.add(cmd)
}

// addBaselines adds the flag --baselines with the ones that the command can do.
func (t *taskFlags) addBaselines(cmd *cobra.Command, which string) {
	section(cmd, ofModels, func(f *pflag.FlagSet) {
		f.StringSliceVar(&t.baselines, "baselines", nil, "train these too and show their figures: "+which)
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

// task returns what to learn. How to standardise by default depends on how rows
// are divided.
func (t *taskFlags) task(cmd *cobra.Command, byDefault task.Standardise) (task.Task, error) {
	settings, err := t.settings(cmd)
	if err != nil {
		return task.Task{}, err
	}
	if cmd.Flags().Changed("rho") && !(t.rho > 0) {
		return task.Task{}, &usageError{fmt.Sprintf("--rho: want a value above 0, got %g", t.rho), "leave it out for 0.1·N/K"}
	}
	k := task.Task{
		Model: model.Kind(t.model), Rounds: t.rounds, Tol: t.tol, Seed: t.seed, FalseAlarm: t.falseAlarm,
		Standardise: task.Standardise(t.standardise), Normalise: task.Normalise(t.normalise), PCA: t.pca,
		Settings: settings,
	}
	if t.normalise == standard {
		k.Normalise = task.Standard
	}
	if cmd.Flags().Changed("pca") && t.pca < 1 {
		return task.Task{}, &usageError{fmt.Sprintf("--pca: want at least 1 axis, got %d", t.pca), "leave it out to learn from the columns"}
	}
	if k.Components, k.MostComponents, err = parseComponents(t.components); err != nil {
		return k, err
	}
	if err := t.setOptions(cmd, &k); err != nil {
		return k, err
	}
	if t.standardise == "" {
		k.Standardise = byDefault
	}
	if t.noStandardise {
		if t.standardise != "" && t.standardise != string(task.None) {
			return k, &usageError{"--standardise and --no-standardise contradict each other", "leave one out"}
		}
		k.Standardise = task.None
	}
	if t.ranges != "" {
		if err := t.setRanges(cmd, &k); err != nil {
			return k, err
		}
	}
	if t.init != "" {
		if err := readInit(&k, t.init); err != nil {
			return k, err
		}
		if !cmd.Flags().Changed("components") {
			k.Components = len(k.Init.Weights)
		}
	}
	return k, k.Validate()
}

// readInit reads the start of a task from a file.
func readInit(t *task.Task, path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &usageError{"--init: " + path + ": no such file", ""}
	}
	if err != nil {
		return &usageError{"--init: " + err.Error(), ""}
	}
	if t.Init, err = gmm.ReadParameters(strings.NewReader(string(b))); err != nil {
		return &usageError{"--init: " + path + ": " + err.Error(), ""}
	}
	t.InitDigest = fmt.Sprintf("%x", sha256.Sum256(b))
	return nil
}

// sourceFlags say where the rows of all participants come from: files, or a
// generator.
type sourceFlags struct {
	dataFlags
	split, generate string
}

func (s *sourceFlags) add(cmd *cobra.Command) {
	s.dataFlags.add(cmd)
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringVar(&s.split, "split", "files", "who has which rows: files, column=NAME, iid:clients=N, dirichlet:, quantity:, classes: or pca-kmeans:, each with an optional min=ROWS")
		f.StringVar(&s.generate, "generate", "", "make data up in place of --data, as participants=20,rows=200,columns=6,patterns=3")
	})
}

// source is where rows come from: one of the two is set.
type source struct {
	spec   dataset.Spec
	plants *plants.Spec
}

func (s *sourceFlags) source(seed uint64) (source, error) {
	if s.generate != "" {
		if len(s.data) > 0 {
			return source{}, &usageError{"--data and --generate contradict each other", "leave one out"}
		}
		p, err := plants.ParseSpec(s.generate)
		if err != nil {
			return source{}, &usageError{"--generate: " + err.Error(), ""}
		}
		return source{plants: &p}, nil
	}
	spec, err := s.spec()
	if err != nil {
		return source{}, err
	}
	if spec.Split, err = dataset.ParseSplit(s.split); err != nil {
		return source{}, &usageError{"--split: " + err.Error(), ""}
	}
	spec.Seed = seed
	return source{spec: spec}, nil
}

// files returns those that are read.
func (s source) files() ([]string, error) {
	if s.plants != nil {
		return nil, nil
	}
	return s.spec.Files()
}

// standardise returns how columns are standardised by default.
func (s source) standardise() task.Standardise {
	if s.plants == nil && !s.spec.Split.Kind.Dealt() {
		return task.Own
	}
	return task.Global
}

// load returns the rows of all participants. A participant needs more rows than
// components, and as many as one that is shown.
func (s source) load(t task.Task) (*dataset.Dataset, error) {
	if s.plants != nil {
		parts := plants.Generate(*s.plants, t.Seed)
		if len(parts) < 2 {
			return nil, &usageError{"--generate: want at least 2 participants", ""}
		}
		return &dataset.Dataset{Columns: parts[0].Columns, Participants: parts}, nil
	}
	s.spec.MinRows, s.spec.LabelFault = max(t.Components+1, t.LeastRows()), t.LabelFault()
	return dataset.LoadAll(s.spec)
}
