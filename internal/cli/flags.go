package cli

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// dataFlags name the rows to read.
type dataFlags struct {
	data, ignore     []string
	label, anomaly   string
	where, testWhere string
	timeColumn       string
}

func (d *dataFlags) add(cmd *cobra.Command) {
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringArrayVar(&d.data, "data", nil, "`FILE`, folder or quoted pattern of rows: .csv, .csv.gz, .ndjson, .parquet, .npy, .npz and IDX files; a .sql file is a query to PostgreSQL, and - is standard input; may be repeated")
		f.StringVar(&d.label, "label", "", "`COLUMN` with 1 for anomalies, 0 or -1 for normal rows; other values are classes, which a classifier learns, numbered from 0. Known anomalies are tested on, and do not train")
		f.StringVar(&d.anomaly, "anomaly", "", anomalyHelp)
		f.StringVar(&d.where, "where", "", "train only on rows with `COLUMN=VALUE`")
		f.StringVar(&d.testWhere, "test-where", "", "score rows with `COLUMN=VALUE`, and do not train on them")
		f.StringVar(&d.timeColumn, "time-column", "", timeColumnHelp)
		f.StringSliceVar(&d.ignore, "ignore", nil, "`COLUMNS` that are not features, separated by commas")
	})
}

const anomalyHelp = "`VALUE` in the column --label that means an anomaly, such as fault or -1, or several separated by commas, in any case; rows with others are normal (default 1)"

const timeColumnHelp = "for --window: `COLUMN` of times, as numbers or as 2024-05-17T08:30:00Z; dates are joined with the times of day in another column. Rows must be in time order; a step of more than three times the median begins a new window"

// checkTime reports a time column that no window uses.
func checkTime(column string, window int) error {
	if window == 0 && column != "" {
		return &flagError{"time-column", "only a model with --window uses times", "leave it out, or train with --window"}
	}
	return nil
}

// spec returns the rows to load.
func (d *dataFlags) spec() (dataset.Spec, error) {
	if len(d.data) == 0 {
		return dataset.Spec{}, &flagError{"data", "missing", "name a file, a folder or a quoted pattern, or - for standard input"}
	}
	if slices.Contains(d.data, "") {
		return dataset.Spec{}, &flagError{"data", "want a file, got an empty text", "if it is a variable, give it a value"}
	}
	where, err := dataset.ParseCondition(d.where)
	if err != nil {
		return dataset.Spec{}, &flagError{"where", err.Error(), ""}
	}
	testWhere, err := dataset.ParseCondition(d.testWhere)
	if err != nil {
		return dataset.Spec{}, &flagError{"test-where", err.Error(), ""}
	}
	if d.anomaly != "" && d.label == "" {
		return dataset.Spec{}, &flagError{"anomaly", "want the column of labels, got none", "name it with --label COLUMN"}
	}
	return dataset.Spec{
		Data: d.data, Label: d.label, Anomaly: d.anomaly, Where: where, TestWhere: testWhere,
		Time: d.timeColumn, Ignore: d.ignore,
	}, nil
}

// readOne reads all rows of spec as those of one participant.
func readOne(ctx context.Context, spec *dataset.Spec) (*dataset.Dataset, error) {
	if len(spec.Engine) > 0 {
		return engine.Load(ctx, spec.Engine, *spec)
	}
	if err := forward(ctx, spec); err != nil {
		return nil, err
	}
	return dataset.LoadOne(*spec)
}

// silent is the time after which a source that is silent has shown enough of how it is written.
const silent = 200 * time.Millisecond

// forward begins to read sources that can be read only once.
func forward(ctx context.Context, spec *dataset.Spec) error {
	return spec.Forward(ctx, os.Stdin, func() <-chan time.Time { return time.After(silent) })
}

// addKeep adds the flag --keep.
func addKeep(cmd *cobra.Command, keep *[]string) {
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringSliceVar(keep, "keep", nil, "`COLUMNS` that are features although they look like times, row numbers or labels, separated by commas")
	})
}

// checkKept reports features that look like none and are not in keep, and names in keep that
// are not features.
func checkKept(d *dataset.Dataset, keep []string) error {
	for _, name := range keep {
		if !slices.Contains(d.Columns, name) {
			return &dataset.Error{Column: name, Msg: "the column to keep is not a feature", Hint: "features are " + listed(d.Columns)}
		}
	}
	return dataset.Undeclared(d.Suspects, keep)
}

// sourceFlags name the source of all participants' rows: files, or a generator.
type sourceFlags struct {
	dataFlags
	split, generate string
}

func (s *sourceFlags) add(cmd *cobra.Command) {
	s.dataFlags.add(cmd)
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringVar(&s.split, "split", "files", "split rows among participants by `SPEC`: files, column=NAME, iid:clients=N, dirichlet:, quantity:, classes: or pca-kmeans:, each with an optional min=ROWS")
		f.StringVar(&s.generate, "generate", "", "generate synthetic rows by `SPEC` instead of --data, such as participants=20,rows=200,columns=6,patterns=3")
	})
}

// source is where rows come from. Exactly one of its fields is set.
type source struct {
	spec   dataset.Spec
	plants *plants.Spec
}

func (s *sourceFlags) source(seed uint64) (source, error) {
	if s.generate != "" {
		if len(s.data) > 0 {
			return source{}, &flagError{"data", "contradicts --generate", "leave one out"}
		}
		p, err := plants.ParseSpec(s.generate)
		if err != nil {
			return source{}, &flagError{"generate", err.Error(), ""}
		}
		return source{plants: &p}, nil
	}
	spec, err := s.spec()
	if err != nil {
		return source{}, err
	}
	if spec.Split, err = partition.Parse(s.split); err != nil {
		return source{}, &flagError{"split", err.Error(), ""}
	}
	spec.Seed = seed
	return source{spec: spec}, nil
}

// forward begins to read sources that can be read only once.
func (s *source) forward(ctx context.Context) error {
	if s.plants != nil {
		return nil
	}
	return forward(ctx, &s.spec)
}

// files returns the files to read.
func (s source) files() ([]string, error) {
	if s.plants != nil {
		return nil, nil
	}
	return s.spec.Files()
}

// standardise returns how columns are standardised by default.
func (s source) standardise() string {
	if s.plants == nil && !s.spec.Split.Kind.Dealt() {
		return algorithm.Auto
	}
	return algorithm.Global
}

// load returns the rows of all participants. Participants with fewer rows than the task needs
// (Traits.LeastRows) are left out.
func (s source) load(t *pipeline.Task) (*dataset.Dataset, error) {
	if s.plants != nil {
		parts := dataset.Window(plants.Generate(*s.plants, t.Seed), t.Window)
		if len(parts) < 2 {
			return nil, &flagError{"generate", "want at least 2 participants", ""}
		}
		return &dataset.Dataset{Columns: parts[0].Columns, Participants: parts}, nil
	}
	if err := checkTime(s.spec.Time, t.Window); err != nil {
		return nil, err
	}
	s.spec.Anomalies, s.spec.Normal = t.Traits().Classes == nil, t.Traits().Classes == nil
	s.spec.Window, s.spec.MinRows, s.spec.LabelFault, s.spec.Missing = t.Window, t.Traits().LeastRows, t.LabelFault(), t.Missing
	return dataset.LoadAll(s.spec)
}
