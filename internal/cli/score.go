package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/model"
)

// scoredFlags name a model and the rows to score.
type scoredFlags struct {
	dataFlags
	model, own, with, threshold string
	missing                     string // "" is an error
}

func (s *scoredFlags) add(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", "", "model `FILE`")
	f.StringArrayVar(&s.data, "data", nil, "`FILE` of rows, .csv, .csv.gz, .ndjson, .parquet, .npy, .npz, IDX or a query in .sql, or - for standard input; may be repeated")
	f.StringVar(&s.where, "where", "", what+" rows with `COLUMN=VALUE` only")
	f.StringVar(&s.timeColumn, "time-column", "", timeColumnHelp)
}

// addScoring adds the flags of commands that score rows: by what, what is an anomaly, and what
// happens to missing cells.
func (s *scoredFlags) addScoring(cmd *cobra.Command) {
	addOwn(cmd, &s.own)
	f := cmd.Flags()
	f.StringVar(&s.with, "with", "", "`SCORES` by the shared model (shared), by the model of the own rows (alone), or by both and the nearest own rows (blend) (default blend with local.npz beside the model, otherwise shared)")
	f.StringVar(&s.threshold, "threshold", ofModel, "`THRESHOLD` above which a row is an anomaly: the model's (model), a number, or rolling:N to take it from the N scores before the row, for streams that drift, such as rolling:1000")
	f.StringVar(&s.missing, "missing", dataset.KeepMissing, "what to do with `CELLS` that are missing (empty, NaN, NA, ?) or not numbers: score the other cells (marginal), leave their rows out (skip), or end with an error (error)")
}

// load reads the model, and returns it with the rows to read, in its columns.
func (s *scoredFlags) load(a *app) (*model.Model, dataset.Spec, error) {
	if s.model == "" {
		return nil, dataset.Spec{}, &flagError{"model", "missing", "name a model.npz"}
	}
	if !slices.Contains([]string{"", dataset.RefuseMissing, dataset.SkipMissing, dataset.KeepMissing}, s.missing) {
		return nil, dataset.Spec{}, &flagError{"missing", fmt.Sprintf("want %s, %s or %s, got %q", dataset.RefuseMissing, dataset.SkipMissing, dataset.KeepMissing, s.missing), ""}
	}
	spec, err := s.spec()
	if err != nil {
		return nil, spec, err
	}
	m, err := model.ReadFile(s.model)
	if err != nil {
		return nil, spec, err
	}
	if err := checkTime(s.timeColumn, m.Manifest.Window); err != nil {
		return nil, spec, err
	}
	spec.Columns, spec.Window, spec.MinRows, spec.LabelFault = m.DataColumns(), m.Manifest.Window, 1, pipeline.LabelFault(m)
	spec.Missing, spec.Scored = s.missing, s.missing != ""
	return m, spec, a.adaptRows(&spec, m, s.model)
}

func (a *app) score() *cobra.Command {
	var s scoredFlags
	var out string
	var with columnsOfScores
	cmd := &cobra.Command{
		Use: "score", Short: "Write an anomaly score, or a class, of every row as CSV",
		Long: `score writes a CSV line per row:

  row      its number, from 1, counted over all files
  score    its anomaly score, in nats: the less likely the row, the higher. For an auto-encoder
           that was trained by a loss, that loss
  anomaly  1 if the score is above the threshold; empty if there is no threshold

With local.npz beside the model, the score is a blend: the mean, in nats, of three surprises.
They come from the shared model, from the model of the own rows alone, and from the distance to
the nearest own rows. A surprise is -ln of the share of own rows that score as high. A model that is better on
own held-out rows counts four times. --with selects one of the models instead.

With --threshold rolling:N, the N scores before a row give its threshold, as held-out rows give
the model's. While rows stay like the last N, at most --false-alarm of them lie above it. Until
there are enough scores for that share, the model's threshold applies.

--clusters adds the component of the row, numbered from 1 as in inspect.

--explain adds the surprises in a blend. It writes a line per row and sensor, that is per column
of the data, the largest share first:

  sensor    the column
  expected  what the other sensors predict, or what an auto-encoder reconstructs
  got       the value in the row
  share     its share of all sensors' deviations, from 0 to 1

With a model of windows, share is of the sensor's value, mean and deviation together. The column
"of" names the one that deviates most; expected and got are for that one.

Rows are written as they are read, so files may be larger than memory. A row with missing cells
is scored by the cells that it has, which also give the expected values. With --explain, "got" is
empty for missing cells.

For a classifier, the columns are row, the likeliest class and its probability, with
the participant's own conditions. --probabilities adds the probabilities of all classes.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, spec, err := s.load(a)
			if err != nil {
				return err
			}
			read, err := spec.Files()
			if err != nil {
				return err
			}
			if err := another(out, append(read, s.model, s.own, ownBeside(s.model), localBeside(s.model))...); err != nil {
				return err
			}
			if err := with.check(m); err != nil {
				return err
			}
			if err := a.complete(m, &s); err != nil {
				return err
			}
			limits, err := thresholdOf(s.threshold, m)
			if err != nil {
				return err
			}
			if err := spec.Forward(cmd.Context(), os.Stdin); err != nil {
				return err
			}
			write := func(w io.Writer) error { return a.writeScores(w, m, spec, with, limits) }
			if m.Classifier() != nil {
				write = func(w io.Writer) error { return a.writeClasses(w, m, spec, with.probabilities) }
			}
			if out == "" {
				return write(a.out)
			}
			return files.Write(out, 0o600, write) // scores follow from rows
		},
	}
	s.add(cmd, "score")
	s.addScoring(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	cmd.Flags().BoolVar(&with.clusters, "clusters", false, "add the cluster, or component, of each row")
	cmd.Flags().BoolVar(&with.explain, "explain", false, "write a line per row and sensor: what was expected, and its share of the deviation")
	cmd.Flags().BoolVar(&with.probabilities, "probabilities", false, "for a classifier: add the probability of each class")
	return cmd
}

// columnsOfScores are the optional columns beside the score.
type columnsOfScores struct{ clusters, explain, probabilities bool }

// check reports columns that a model does not have.
func (c columnsOfScores) check(m *model.Model) error {
	switch {
	case c.explain && m.Projection != nil:
		return &flagError{"explain", fmt.Sprintf("the model uses %d principal axes, so a deviation has no single column as its cause", m.Dim()), "leave --explain out, or train without --pca"}
	case c.explain && m.Explainer() == nil:
		return &flagError{"explain", fmt.Sprintf("model %s has no contributions of single variables", m.Manifest.Kind), ""}
	case c.probabilities && m.Classifier() == nil:
		return &flagError{"probabilities", fmt.Sprintf("model %s has no classes", m.Manifest.Kind), ""}
	case c.clusters && m.Components() == 0:
		return &flagError{"clusters", fmt.Sprintf("model %s has no clusters", m.Manifest.Kind), ""}
	}
	return nil
}

// writeScores writes the scores of the rows of spec.
func (a *app) writeScores(out io.Writer, m *model.Model, spec dataset.Spec, with columnsOfScores, limits *local.Threshold) error {
	head := []string{"row", "score", "anomaly"}
	if with.clusters {
		head = append(head, "cluster")
	}
	parts := surprisesOf(m, with.explain)
	head = append(head, parts.head()...)
	if with.explain {
		head = append(head, "sensor")
		if m.Manifest.Window > 0 {
			head = append(head, "of")
		}
		head = append(head, "expected", "got", "share")
	}
	defer parts.tell(a)
	line := make([]string, 0, len(head))
	return a.writeLines(out, spec, head, func(x *mat.Dense, numbers []int, write func([]string) error) error {
		var why sensors
		if with.explain {
			var err error
			if why, err = explained(m, x); err != nil {
				return err
			}
		}
		x = m.Trained(x)
		scores, err := parts.scores(m, x)
		if err != nil {
			return err
		}
		var clusters []int
		if with.clusters {
			clusters = m.Assign(x)
		}
		for i, score := range scores {
			line = append(line[:0], strconv.Itoa(numbers[i]), decimal(score), "0")
			switch above, known := limits.Above(score); {
			case !known:
				line[2] = ""
			case above:
				line[2] = "1"
			}
			if with.clusters {
				line = append(line, strconv.Itoa(clusters[i]+1))
			}
			line = parts.line(line, i)
			if with.explain {
				err = why.write(i, line, write)
			} else {
				err = write(line)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// sensors explain scores in the units of the data.
type sensors struct {
	names []string
	kinds []string // kinds of columns per sensor, if there are several
	got   *mat.Dense
	algorithm.Explanation
}

// explained explains the scores of rows, and keeps a copy of them.
func explained(m *model.Model, x *mat.Dense) (s sensors, err error) {
	s.names, s.got = m.DataColumns(), mat.DenseCopyOf(x)
	if w := m.Manifest.Window; w > 0 {
		s.kinds = rows.WindowKinds(w)
	}
	s.Explanation, err = m.ExplainRows(s.got)
	return s, err
}

// write writes one line, which starts with beginning, per sensor of row i, the largest share first.
func (s sensors) write(i int, beginning []string, write func([]string) error) error {
	all := s.Parts.RawRowView(i)
	parts, order := make([]float64, len(s.names)), make([]int, len(s.names))
	most := make([]int, len(s.names)) // column of each sensor that deviates most
	for j := range order {
		order[j], most[j] = j, j
		for c := j; c < len(all); c += len(s.names) {
			parts[j] += all[c]
			if all[c] > all[most[j]] {
				most[j] = c
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[b], parts[a]) })
	total := floats.Sum(parts)
	for _, j := range order {
		share := 0.0
		if total > 0 {
			share = parts[j] / total
		}
		got := ""
		c, line := most[j], append(beginning, s.names[j])
		if v := s.got.At(i, c); !math.IsNaN(v) {
			got = decimal(v)
		}
		if s.kinds != nil {
			line = append(line, s.kinds[c/len(s.names)])
		}
		line = append(line, strconv.FormatFloat(s.Expected.At(i, c), 'g', 6, 64), got, strconv.FormatFloat(share, 'f', 3, 64))
		if err := write(line); err != nil {
			return err
		}
	}
	return nil
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
