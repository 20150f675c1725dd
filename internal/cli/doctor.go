package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/ops/doctor"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/node"
)

func (a *app) doctor() *cobra.Command {
	var alone bool
	cmd := &cobra.Command{
		Use: "doctor DIR", Short: "Check a participant before a run: its files, rows and disk, and its connections",
		Long: `doctor checks the participant in a folder with node.yaml. First it checks node.yaml, the
agreement and its signatures, the key, the disk and the rows: columns, missing cells and ranges.
Then it connects to the other members. It shows which of them answer, directly or through a
member that relays, and compares agreements and clocks. It names pairs that do not reach each
other.

Members answer while they run or wait for a run, so start them first. doctor joins no run. If a
node runs in the folder, doctor shows the connections of that node.

Each finding has a cause and advice. The exit code is 0 if a run can begin, otherwise that of
the first fault.`,
		Example: `  collabdict doctor plant-a
  collabdict doctor plant-a --alone --json`,
		Args: oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			x := &examination{dir: args[0], found: []doctor.Finding{}}
			if err := interruptible(cmd.Context(), func() error { x.alone(); return nil }); err != nil {
				return err
			}
			if !alone {
				x.withOthers(cmd.Context())
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := a.print(examined{x.found, x.members}, x.write); err != nil {
				return err
			}
			return x.failure()
		},
	}
	cmd.Flags().BoolVar(&alone, "alone", false, "do not connect to the others")
	a.addJSON(cmd)
	return cmd
}

// examination holds the findings of doctor.
type examination struct {
	dir     string
	config  participant.Config
	state   int64 // most bytes that a run keeps; 0 if unknown
	ready   bool  // the configuration is usable
	found   []doctor.Finding
	members []probedMember
}

// examined is what doctor found.
type examined struct {
	Findings []doctor.Finding `json:"findings"`          // faults and advice; empty if all is well
	Members  []probedMember   `json:"members,omitempty"` // the other members; absent with --alone
}

// probedMember describes another member, as doctor found it.
type probedMember struct {
	Name    string   `json:"name"`                          // its name
	Answers bool     `json:"answers"`                       // reports whether it answers
	Via     string   `json:"via,omitempty"`                 // the member that relays to it, if any
	Trip    float64  `json:"trip_seconds,omitempty"`        // the duration of a round trip
	Ahead   float64  `json:"clock_ahead_seconds,omitempty"` // how far its clock is ahead of this one
	Relays  bool     `json:"relays,omitempty"`              // reports whether it relays for others
	InRun   bool     `json:"in_run,omitempty"`              // reports whether it is in a run
	Reaches []string `json:"reaches,omitempty"`             // members that it is connected with
}

// classes maps checks to the classes of their faults, which set the exit code, usageFailure for
// those that it lacks.
var classes = map[doctor.Check]class{
	doctor.Disk: diskFull, doctor.Rows: dataFailure, doctor.Missing: dataFailure, doctor.Ranges: dataFailure,
	doctor.Agreement: disagreement, doctor.Versions: disagreement, doctor.Reached: membersLost, doctor.Between: membersLost,
}

func (x *examination) add(found ...doctor.Finding) {
	x.found = append(x.found, found...)
}

// fault adds an error as a finding.
func (x *examination) fault(check doctor.Check, err error, fix string) {
	_, hint := classify(context.Background(), err)
	x.add(doctor.Finding{Check: check, Fault: true, Cause: err.Error(), Fix: cmp.Or(hint, fix)})
}

// alone makes the checks that need no other member.
func (x *examination) alone() {
	x.folder()
	if free, err := files.Free(x.dir); err == nil {
		x.add(doctor.Room(x.dir, free, x.state)...)
	}
}

// folder checks the files of the folder, and those that they name.
func (x *examination) folder() {
	f := &runFlags{dir: x.dir, unsigned: true}
	c, spec, _, err := f.fromFolder(new(cobra.Command))
	if err != nil {
		x.fault(doctor.Configuration, err, "correct the file")
		return
	}
	x.config = c
	if err := f.agreed.Check(); err != nil {
		x.fault(doctor.Signatures, err, "collect the signatures with collabdict consortium verify FILE COPY..., and send the file to all")
	}
	x.rows(f, spec)
	if err := node.CheckIdentity(c.Node); err != nil {
		x.fault(doctor.Identity, err, "restore the folder's key, or send a new card to the others")
		return
	}
	x.ready = true
}

// rows reads the rows as a run does, and checks each file.
func (x *examination) rows(f *runFlags, spec dataset.Spec) {
	if spec.Input() {
		return // such rows can be read only once
	}
	if len(spec.Engine) > 0 {
		x.engine(f, spec)
		return
	}
	p, _, err := f.loadOne(context.Background(), spec, x.config.Node.Name, x.dir)
	switch {
	case err == nil:
		x.config.Complete(p.Columns)
		x.state = x.config.Task.MostState(len(p.Columns))
	case x.config.Task.Window == 0:
		x.config.Complete(f.agreed.Columns)
		fallthrough
	default:
		x.fault(doctor.Rows, err, "correct the file or node.yaml")
	}
	files, err := dataset.Resolve(spec.Data)
	if err != nil {
		return
	}
	for _, file := range files {
		p, err := spec.Profile(file)
		if err != nil {
			continue // reported above, or a query
		}
		x.add(doctor.Table(p, f.agreed.Columns, f.agreed.Task.Ranges)...)
	}
}

// engine checks what an engine can tell without a pass over the rows.
func (x *examination) engine(f *runFlags, spec dataset.Spec) {
	columns, err := engine.Columns(context.Background(), spec.Engine, spec)
	if err != nil {
		x.fault(doctor.Rows, err, "correct node.yaml")
		columns = f.agreed.Columns
	} else {
		x.add(doctor.Finding{
			Check: doctor.Rows, Cause: "an engine reads the rows: of these, only the first piece was read, and only on this machine",
			Fix: "a run reads all, and says what is wrong, before it waits for the others",
		})
	}
	x.config.Complete(rows.WindowColumns(columns, x.config.Task.Window))
	x.state = x.config.Task.MostState(len(columns))
}

// withOthers checks the connections to the other members: those of the node that runs in the
// folder, if one does.
func (x *examination) withOthers(ctx context.Context) {
	if !x.ready {
		return
	}
	if c, err := operate.NewClient(x.dir); err == nil {
		if s, err := c.Status(ctx); err == nil {
			x.ofRunning(s)
			return
		}
	}
	answers, unreached, err := node.Probe(ctx, x.config.Node)
	switch setup, ok := errors.AsType[*node.ConfigError](err); {
	case ctx.Err() != nil:
		return
	case ok && setup.Field == "listen":
		x.add(doctor.Finding{Check: doctor.Listen, Fault: true, Cause: err.Error(), Fix: "find the program that uses the port (ss -lntup), or choose another in listen: of node.yaml"})
		return
	case err != nil:
		x.fault(doctor.Configuration, err, "correct the file")
		return
	}
	for _, p := range answers {
		m := probedMember{Name: p.Name, Answers: p.Err == nil, Via: p.Via, Trip: p.Trip.Seconds(), Ahead: p.Ahead.Seconds(), Relays: p.Relays, InRun: p.InRun}
		for _, l := range p.Reaches {
			m.Reaches = append(m.Reaches, l.Name)
		}
		x.members = append(x.members, m)
	}
	x.add(doctor.Members(x.config.Node.Name, answers, unreached)...)
}

// ofRunning takes over the connections of the node that runs in the folder.
func (x *examination) ofRunning(s *operate.Status) {
	if s.Node == nil {
		return
	}
	for _, l := range s.Node.Links {
		x.members = append(x.members, probedMember{Name: l.Name, Answers: true, Via: l.Via})
	}
	for _, u := range s.Node.Unreached {
		x.add(doctor.Apart(u))
	}
	for _, m := range x.config.Node.Members {
		linked := slices.ContainsFunc(s.Node.Links, func(l node.Link) bool { return l.Name == m.Name })
		if m.Name == x.config.Node.Name || linked {
			continue
		}
		x.members = append(x.members, probedMember{Name: m.Name})
		if !doctor.Pairs(s.Node.Unreached, x.config.Node.Name, m.Name) {
			x.add(doctor.Finding{Check: doctor.Reached, Fault: true, Cause: "the node that runs in this folder is not connected to " + m.Name, Fix: "check that it runs, its addrs in the agreement, and the firewalls on the way; the node logs why if this lasts"})
		}
	}
}

// write writes the findings as text.
func (x *examination) write(w io.Writer) {
	if len(x.members) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "member\tanswers\tround trip\tclock")
		for _, m := range x.members {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.Name, m.how(), seconds(m.Trip, time.Millisecond, false), seconds(m.Ahead, 100*time.Millisecond, true))
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	for _, f := range x.found {
		kind := "advice"
		if f.Fault {
			kind = "fault"
		}
		fmt.Fprintf(w, "%s: %s: %s\n    %s\n", kind, f.Check, f.Cause, f.Fix)
	}
	if len(doctor.Faults(x.found)) == 0 {
		fmt.Fprintln(w, "no faults: a run can begin")
	}
}

// how describes how a member is connected.
func (m *probedMember) how() string {
	switch {
	case !m.Answers:
		return "no"
	case m.Via != "":
		return "through " + m.Via
	}
	return "directly"
}

// seconds formats a duration for a table, "" if it rounds to 0.
func seconds(s float64, to time.Duration, sign bool) string {
	d := time.Duration(s * float64(time.Second)).Round(to)
	switch {
	case d == 0:
		return ""
	case sign && d > 0:
		return "+" + d.String()
	}
	return d.String()
}

// failure returns an error of the class of the first fault, nil if there is none.
func (x *examination) failure() error {
	faults := doctor.Faults(x.found)
	if len(faults) == 0 {
		return nil
	}
	var checks []string
	for _, f := range faults {
		checks = append(checks, string(f.Check))
	}
	of := cmp.Or(classes[faults[0].Check], usageFailure)
	return &printedError{fmt.Errorf("a run cannot begin: %s", strings.Join(slices.Compact(checks), ", ")), of}
}

// brief returns what may disturb a run, which keeps at most state bytes, although it can begin.
func brief(dir string, state int64) []string {
	free, err := files.Free(dir)
	if err != nil {
		return nil
	}
	var lines []string
	for _, f := range doctor.Room(dir, free, state) {
		lines = append(lines, f.Cause+"; "+f.Fix)
	}
	return lines
}
