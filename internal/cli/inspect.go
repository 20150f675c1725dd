package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// description is a summary of a model: its manifest and its components.
type description struct {
	model.Manifest
	learned        algorithm.Model
	about          string
	Components     []report.Component     `json:"components,omitempty"`     // those of a mixture
	Own            *ownPart               `json:"own,omitempty"`            // the participant's own part, from own.npz
	LocalPart      *localPart             `json:"local_part,omitempty"`     // the model of the own rows, from local.npz
	Reconstruction *report.Reconstruction `json:"reconstruction,omitempty"` // that of the rows of --data
}

func (a *app) inspect() *cobra.Command {
	var l lookFlags
	cmd := &cobra.Command{
		Use: "inspect [MODEL] [FILE]...", Short: "Describe a model file: its origin and what it has learned",
		Long: `inspect describes a model. With --data, for a model with latent variables, it compares rows
with their reconstructions, column by column. With --plots, it draws a mixture: direct
dependencies between columns, weights and means, and with --data the scores of rows. Of a
network it draws published weights and the codes of rows. If columns are the pixels of images,
it also draws reconstructed images. Figures of networks show at most 5000 rows, chosen evenly.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			l.take(args)
			m, err := l.open(cmd)
			if err != nil {
				return err
			}
			d := describe(m)
			if d.Own, err = describeOwn(m, l.model, l.own); err != nil {
				return err
			}
			if d.Threshold = m.Manifest.Threshold; m.Personal() != nil && d.Own == nil {
				d.Threshold, d.FalseAlarm = 0, 0 // with conditions of 0 there is no threshold
			}
			if d.LocalPart, err = describeLocal(m, d.Own, l.model); err != nil {
				return err
			}
			if d.Reconstruction, err = l.look(cmd.Context(), a, m); err != nil {
				return err
			}
			if l.html != "" {
				if err := writePage(m, l.model, l.html); err != nil {
					return err
				}
				a.note("page in %s", l.html)
			}
			return a.print(d, func(w io.Writer) {
				if l.privacy {
					d.privacyText(w)
					return
				}
				d.text(w, a.verbose)
			})
		},
	}
	l.add(cmd)
	addOwn(cmd, &l.own)
	cmd.Flags().BoolVar(&a.verbose, "verbose", false, "also show the settings of the training, and what they were chosen from")
	a.addJSON(cmd)
	return cmd
}

func describe(m *model.Model) description {
	return description{Manifest: m.Manifest, learned: m.Learned, about: outcome.About(m), Components: export.Components(m)}
}

func (d description) text(w io.Writer, verbose bool) {
	fmt.Fprintln(w, d.about)
	if d.Window > 0 {
		fmt.Fprintf(w, "each column with its mean and deviation over the last %d rows\n", d.Window)
	}
	if p := d.PCA; p != nil {
		fmt.Fprintf(w, "projected to %d principal axes, which keep %.3g of the variance\n", p.Axes, p.Explained())
	}
	d.components(w)
	switch h := d.HeldOut; {
	case d.FalseAlarm > 0 && h != nil:
		fmt.Fprintf(w, "threshold %.4g: at most %s normal rows scores above it", d.limit(), oneIn(h.Promised))
		if h.Rows > 0 {
			fmt.Fprintf(w, " (%.0f of %d held-out rows do)", h.Measured.Value*float64(h.Rows), h.Rows)
		}
		fmt.Fprintln(w)
	case d.FalseAlarm > 0:
		fmt.Fprintf(w, "threshold %.4g: %g of the training rows lie above it\n", d.Threshold, d.FalseAlarm)
	}
	if d.HeldOut != nil && d.HeldOut.Verdict != nil {
		fmt.Fprintln(w, d.HeldOut.Verdict.Sentence())
	}
	if d.LocalPart != nil {
		fmt.Fprintf(w, "local part: %s\n", d.LocalPart)
	} else if d.Local {
		fmt.Fprintf(w, "local part: no %s beside the model, so scores use the shared model only\n", model.LocalFile)
	}
	if d.Own != nil {
		fmt.Fprintf(w, "own part: %s\n", d.Own)
	} else if _, personal := d.learned.(algorithm.Personal); personal {
		fmt.Fprintf(w, "own part: no %s beside it\n", model.OwnFile)
	}
	if e := d.encoder(); e != nil {
		fmt.Fprintf(w, "encoder: %s nats of information per row, %d of %d dimensions active\n", report.Fixed(e.Information, 2), e.Active, e.Latent)
	}
	d.weightings(w)
	if verbose {
		d.settings(w)
	}
	if d.Reconstruction != nil {
		reconstructionText(w, d.Reconstruction, d.Columns)
	}
	for _, line := range d.Warnings {
		fmt.Fprintf(w, "warning: %s\n", line)
	}
	fmt.Fprintln(w, "more: what others can see of this participant (--privacy), settings (--verbose), pictures (--plots DIR)")
}

// settings prints the settings of the training, and what they were chosen from.
func (d description) settings(w io.Writer) {
	fmt.Fprintf(w, "%s%s; %s, %s: %s\n",
		count(d.Rounds, "round"), converged(d.Kind, d.Converged), d.options(), scaled(d.Normalise), d.Standardise)
	if h := d.HeldOut; h != nil && h.Order.Order != "" {
		fmt.Fprintf(w, "order of rows: %s (%s)\n", h.Order.Order, h.Because)
	}
	d.choice(w)
}

// components prints the components of a mixture.
func (d description) components(w io.Writer) {
	if len(d.Components) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "component\tweight\tedges\tstrongest direct dependencies (partial correlation)")
	for k, c := range d.Components {
		fmt.Fprintf(t, "%d\t%.4f\t%d\t%s\n", k+1, c.Weight, len(c.Edges), strongest(c.Edges))
	}
	t.Flush()
	fmt.Fprintln(w)
}

// privacyText prints what others can see of the participant.
func (d description) privacyText(w io.Writer) {
	fmt.Fprintln(w, d.about)
	told := outcome.Told(&d.Privacy)
	fmt.Fprintln(w, "privacy: "+told[0])
	for _, line := range told[1:] {
		fmt.Fprintln(w, "  "+line)
	}
}

// limit returns the threshold for the scores that score writes.
func (d description) limit() float64 {
	if d.LocalPart != nil {
		return d.LocalPart.Threshold
	}
	return d.Threshold
}

// weightings prints the weights of participants: the own one, and others if published.
func (d description) weightings(w io.Writer) {
	history := d.Privacy.History
	if len(history) == 0 || history[len(history)-1].Weighting == nil {
		return
	}
	all := d.Privacy.Weightings
	if len(all) == 0 {
		own := *history[len(history)-1].Weighting
		own.Name = d.Participant
		all = append(all, own)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "participant\tdiscrepancy\tweight")
	for _, of := range all {
		fmt.Fprintf(t, "%s\t%s\t%.4f\n", of.Name, of.Discrepancy, of.Weight)
	}
	t.Flush()
}

// choice prints the candidates of a selection, and their figures on held-out rows.
func (d description) choice(w io.Writer) {
	if len(d.Choice) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "stage\tcomponents\tlambda\tgain\tkept")
	for _, c := range d.Choice {
		kept := "no"
		if c.Kept {
			kept = "yes"
		}
		fmt.Fprintf(t, "%d\t%d\t%g\t%s\t%s\n", c.Stage, c.Components, c.Lambda, report.Fixed(c.Gain, 4), kept)
	}
	t.Flush()
}

// encoder returns the figures of the encoder from the last round that has them, nil if there is
// none.
func (d description) encoder() (last *report.Encoder) {
	for _, r := range d.Privacy.History {
		if r.Encoder != nil {
			last = r.Encoder
		}
	}
	return last
}

func scaled(normalise string) string {
	switch normalise {
	case pipeline.MinMax:
		return "scaled to the range from 0 to 1"
	case pipeline.Robust:
		return "scaled by quartiles"
	}
	return "standardised"
}

// short formats a number in as few characters as possible.
func short(v any) string {
	if n, ok := v.(json.Number); ok && strings.ContainsAny(n.String(), ".e") {
		if f, err := n.Float64(); err == nil {
			return fmt.Sprintf("%.4g", f)
		}
	}
	return fmt.Sprint(v)
}

// options lists the options that the model was trained with, and its seed.
func (d description) options() string {
	var keys []string
	if k, err := pipeline.Named(d.Kind); err == nil {
		for _, o := range k.Options {
			keys = append(keys, strings.ReplaceAll(o.Name, "-", "_"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.Hyper)) {
		if !slices.Contains(keys, key) && fmt.Sprint(d.Hyper[key]) != "0" { // older files contain options of other models
			keys = append(keys, key)
		}
	}
	var parts []string
	for _, key := range keys {
		if v, ok := d.Hyper[key]; ok && v != "" && key != "rounds" {
			parts = append(parts, strings.ReplaceAll(key, "_", " ")+" "+short(v))
		}
	}
	return strings.Join(parts, ", ")
}

// strongest lists the first three edges.
func strongest(edges []report.Edge) string {
	var s []string
	for _, e := range edges[:min(3, len(edges))] {
		sign := ""
		if e.PartialCorrelation > 0 {
			sign = "+"
		}
		s = append(s, fmt.Sprintf("%s~%s %s%s", e.A, e.B, sign, report.Fixed(e.PartialCorrelation, 2)))
	}
	return strings.Join(s, ", ")
}
