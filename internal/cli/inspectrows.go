package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/latent"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// lookFlags choose the rows that inspect looks at, and the folder for its figures.
type lookFlags struct {
	scoredFlags
	memory  memoryFlags
	plots   string
	html    string
	privacy bool
}

func (l *lookFlags) add(cmd *cobra.Command) {
	l.scoredFlags.add(cmd, "look at")
	l.memory.add(cmd)
	f := cmd.Flags()
	f.StringVar(&l.label, "label", "", "colour rows by `COLUMN`: classes, or 1 for anomalies and 0 or -1 for normal rows")
	f.StringVar(&l.missing, "missing", dataset.RefuseMissing, "what to do with `CELLS` that are missing (empty, NaN, NA, ?): end with an error (error), or leave their rows out (skip)")
	f.BoolVar(&l.privacy, "privacy", false, "list what others can see of the participant, and nothing else")
	f.StringVar(&l.html, "html", "", "write the model and its run as a page in one `FILE`, which a browser opens without a server; do not share it: it shows own weights")
	f.StringVar(&l.plots, "plots", "", "draw figures as SVG and PNG in `DIR`: a mixture, scores of rows, codes of rows, reconstructed images, published weights; do not share them: they show rows or own weights")
}

// open reads the model, and checks that it can do what the flags ask for.
func (l *lookFlags) open(cmd *cobra.Command) (*model.Model, error) {
	if l.model == "" {
		return nil, &flagError{"model", "missing", "name a model.npz"}
	}
	if l.missing != dataset.RefuseMissing && l.missing != dataset.SkipMissing {
		return nil, &flagError{"missing", fmt.Sprintf("want %s or %s, got %q", dataset.RefuseMissing, dataset.SkipMissing, l.missing), ""}
	}
	for _, name := range []string{"where", "label", "memory", "float32", "missing"} {
		if len(l.data) == 0 && cmd.Flags().Changed(name) {
			return nil, &flagError{name, "requires rows", "name them with --data"}
		}
	}
	if l.html != "" && filepath.Ext(l.html) != ".html" { // it could be the model, or somebody's data
		return nil, &flagError{"html", fmt.Sprintf("want a name that ends in .html, got %q", l.html), ""}
	}
	var err error
	if l.model, err = modelIn(l.model); err != nil {
		return nil, err
	}
	m, err := model.ReadFile(l.model)
	if err != nil {
		return nil, err
	}
	_, codes := m.Learned.(algorithm.Coder)
	_, mixture := m.Learned.(algorithm.Dictionary)
	switch {
	case mixture && len(l.data) > 0 && l.plots == "":
		return nil, &flagError{"data", "to draw the scores of rows, inspect needs --plots", "name a folder with --plots, or use score"}
	case mixture:
		return m, nil
	case len(l.data) > 0 && !codes:
		return nil, &flagError{"data", fmt.Sprintf("model %s has no latent variables, so inspect does not use rows", m.Manifest.Kind), "leave it out"}
	case l.plots == "" || len(l.data) > 0 || hasGrid(m) || hasWeights(m):
		return m, nil
	case codes:
		return nil, &flagError{"plots", "without rows, nothing of this model can be drawn", "name them with --data"}
	}
	return nil, &flagError{"plots", fmt.Sprintf("model %s has nothing to draw", m.Manifest.Kind), "leave it out"}
}

// look compares the rows with the model, if there are any, and draws the figures.
func (l *lookFlags) look(ctx context.Context, a *app, m *model.Model) (*report.Reconstruction, error) {
	_, mixture := m.Learned.(algorithm.Dictionary)
	if l.plots != "" && mixture {
		if err := drawMixture(l.plots, m); err != nil {
			return nil, err
		}
	}
	if l.plots != "" && hasGrid(m) {
		if err := drawGrid(l.plots, m); err != nil {
			return nil, err
		}
	}
	if l.plots != "" && hasWeights(m) {
		if err := plots.WriteWeights(l.plots, m.Manifest.Privacy.Weightings); err != nil {
			return nil, err
		}
	}
	if len(l.data) == 0 {
		return nil, nil
	}
	spec, err := l.spec()
	if err == nil {
		err = l.memory.hold(&spec)
	}
	if err != nil {
		return nil, err
	}
	spec.Columns, spec.Window, spec.MinRows, spec.Missing = m.DataColumns(), m.Manifest.Window, 1, l.missing
	if err := a.adaptRows(&spec, m, l.model); err != nil {
		return nil, err
	}
	spec.Folder = filepath.Dir(l.model)
	data, err := readOne(ctx, &spec)
	if err != nil {
		return nil, err
	}
	a.noteGaps(&data.Gaps)
	if mixture {
		h, err := histogram(m, data)
		if err != nil {
			return nil, err
		}
		return nil, plots.Draw(l.plots, h)
	}
	v, err := latent.At(m, data.Participants[0].Train)
	if err == nil && l.plots != "" {
		err = draw(l.plots, m, data, v)
	}
	if err != nil {
		return nil, err
	}
	return &v.Reconstruction, nil
}

// hasWeights reports whether the participants' weights are known.
func hasWeights(m *model.Model) bool { return len(m.Manifest.Privacy.Weightings) > 0 }

// worstColumns is the number of columns printed.
const worstColumns = 10

// reconstructionText prints the loss of rows, and the columns that lose most, unless they are
// pixels.
func reconstructionText(w io.Writer, r *report.Reconstruction, columns []string) {
	var variances []string
	for i, v := range r.Variances {
		variances = append(variances, fmt.Sprintf("%d: %s", i+1, report.Fixed(v, 3)))
	}
	chosen := ""
	if r.Rows < r.Of {
		chosen = fmt.Sprintf(" of %d, chosen evenly", r.Of)
	}
	fmt.Fprintf(w, "\n%s%s: variances of the means of latent variables %s\n", count(r.Rows, "row"), chosen, strings.Join(variances, ", "))
	fmt.Fprintf(w, "mean squared error of a reconstructed row: %.4g, on the scale of the model\n", r.SquaredError)
	if _, _, images := dataset.ImageShape(columns); images {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "column\tsquared error\tvariance\t")
	for _, c := range r.Columns[:min(worstColumns, len(r.Columns))] {
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t\n", c.Name, c.SquaredError, c.Variance)
	}
	t.Flush()
}
