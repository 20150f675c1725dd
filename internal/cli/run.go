package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/node"
)

// runFlags set up a node, and how it finds the others.
type runFlags struct {
	dataFlags
	memoryFlags
	taskFlags
	dir, name, mdns string
	listen, peers   []string
	expect          int
	secretFile      string
	open, unsigned  bool
	joinTimeout     time.Duration
	patience        float64
	kept            []string
	agreement       watchedFile    // that node.yaml names
	agreed          *roster.Roster // its content; nil without a folder
	withParent      bool
	http            string
	logs            logFlags
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run [DIR]", Short: "Take part in a run: find the other members, train with them, save the model",
		Long: `run takes part in a run as one member. It waits until all --expect members have found each
other on the local network (or through --peer), trains with them, and writes model.npz and
result.json into its folder. All members use the same --secret-file, so that nobody else takes
a seat. With a folder that init or up has made, and an agreement that all have signed, the folder
is enough.

If a member stops or crashes, the same command resumes the unfinished run in its folder.
Meanwhile, the others continue without it; if too few are left, they wait.`,
		Example: `  collabdict run --name plant-a --data plant-a.csv --expect 3 --secret-file our.secret
  collabdict run --name plant-b --data plant-b.csv --expect 3 --secret-file our.secret --peer /ip4/10.0.0.5/tcp/4001/p2p/12D3...`,
		Args: orArgument("dir"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if f.withParent {
				var cancel context.CancelFunc
				ctx, cancel = launch.WithParent(ctx)
				defer cancel()
			}
			return a.runMember(ctx, cmd, &f)
		},
	}
	f.add(cmd)
	a.addVerbose(cmd)
	a.addJSON(cmd)
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.dataFlags.add(cmd)
	f.memoryFlags.add(cmd)
	f.taskFlags.add(cmd)
	f.addBaselines(cmd, "alone")
	section(cmd, ofMembers, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.dir, "dir", "", "`FOLDER` of this participant: its identity, state, model and result (default its name)")
		fl.StringVar(&f.name, "name", "", "`NAME` that the others see (default that of the data file)")
		fl.IntVar(&f.expect, "expect", 0, "number `N` of members, this one included")
		fl.StringVar(&f.secretFile, "secret-file", "", "`FILE` with the members' secret, made by collabdict consortium secret: peers without it are refused")
		fl.BoolVar(&f.open, "open", false, "use no secret: anyone on this network can take a seat")
		fl.BoolVar(&f.unsigned, "unsigned", false, "take part although not all members have signed consortium.yaml")
		fl.StringSliceVar(&f.peers, "peer", nil, "`ADDRESS` of a member to begin with, as its run prints it; may be repeated")
		fl.StringSliceVar(&f.listen, "listen", nil, "`ADDRESS` to listen on, such as /ip4/0.0.0.0/tcp/4001 (default all interfaces, ports chosen by the system)")
		fl.StringVar(&f.mdns, "mdns", "collabdict", "`TAG` under which members find each other on the local network; empty turns that off")
		fl.DurationVar(&f.joinTimeout, "join-timeout", 0, "give up if members are missing after `TIME`, such as 10m; 0 waits without limit")
	})
	addKeep(cmd, &f.kept)
	addPatience(cmd, &f.patience)
	fl := cmd.Flags()
	forExperts(fl, "mdns", "unsigned")
	fl.BoolVar(&f.withParent, "with-parent", false, "end when standard input ends")
	fl.StringVar(&f.http, "http", "", "also serve status and metrics at `ADDRESS`, such as :9464; without a host, only to this machine")
	f.logs.add(cmd)
	if err := fl.MarkHidden("with-parent"); err != nil {
		panic(err)
	}
}

// config builds the configuration of the participant, from its folder or from flags, and
// returns the rows to read.
func (f *runFlags) config(cmd *cobra.Command) (participant.Config, dataset.Spec, []string, error) {
	if len(f.data) == 0 && f.dir != "" {
		return f.fromFolder(cmd)
	}
	c, spec, err := f.fromFlags()
	return c, spec, nil, err
}

func (f *runFlags) fromFlags() (c participant.Config, spec dataset.Spec, err error) {
	if c.Task, err = f.task(algorithm.Auto); err != nil {
		return c, spec, err
	}
	if err := f.checkBaselines("alone"); err != nil {
		return c, spec, asUsage(err)
	}
	if f.unsigned {
		return c, spec, &flagError{"unsigned", "want a folder with node.yaml, since flags are not signed", "leave it out"}
	}
	if f.expect < 2 {
		return c, spec, &flagError{"expect", fmt.Sprintf("want the number of members, at least 2, got %d", f.expect), "give the number of members, this one included"}
	}
	if err := c.Task.Settings.Validate(f.expect); err != nil {
		return c, spec, &usageError{err, ""}
	}
	secret, err := f.secret()
	if err != nil {
		return c, spec, err
	}
	if spec, err = f.spec(); err != nil {
		return c, spec, err
	}
	if err := f.hold(&spec); err != nil {
		return c, spec, err
	}
	if err := checkTime(f.timeColumn, c.Task.Window); err != nil {
		return c, spec, err
	}
	spec.Anomalies, spec.Normal = c.Task.Traits().Classes == nil, c.Task.Traits().Classes == nil
	spec.Window, spec.LabelFault, spec.Missing = c.Task.Window, c.Task.LabelFault(), c.Task.Missing
	if err := f.checkInput(spec, f.name); err != nil {
		return c, spec, err
	}
	name, err := spec.OwnName(f.name)
	if err != nil {
		return c, spec, err
	}
	c.Out = cmp.Or(f.dir, name)
	if err := keepRead(c.Out, spec); err != nil {
		return c, spec, err
	}
	c.Node = node.Config{
		Name: name, Dir: c.Out, Listen: f.listen, Peers: f.peers,
		Expect: f.expect, Secret: secret, Open: f.open, MDNS: f.mdns, JoinTimeout: f.joinTimeout, Patience: f.patience,
	}
	return c, spec, nil
}

// secret returns the members' shared secret, nil if anyone may join.
func (f *runFlags) secret() (node.Secret, error) {
	switch {
	case f.open && f.secretFile != "":
		return nil, &flagError{"open", "contradicts --secret-file", "leave one out"}
	case f.open:
		return nil, nil
	case f.secretFile == "":
		return nil, &flagError{
			"secret-file", "want the secret that all members have, got nothing",
			"one member makes it with collabdict consortium secret FILE and gives it to the others; or use --open, and anyone on this network can take a seat",
		}
	}
	s, err := node.ReadSecret(f.secretFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &flagError{"secret-file", fmt.Sprintf("%s: no such file", f.secretFile), "one member makes it with collabdict consortium secret FILE and gives it to the others"}
	}
	if err != nil {
		return nil, &flagError{"secret-file", err.Error(), ""}
	}
	return s, nil
}

// fromFolder reads node.yaml and the agreement that it names.
func (f *runFlags) fromFolder(cmd *cobra.Command) (c participant.Config, spec dataset.Spec, warnings []string, err error) {
	own, err := config.ReadNode(f.dir)
	if err != nil {
		return c, spec, nil, err
	}
	if err := onlyOfProcess(cmd); err != nil {
		return c, spec, nil, err
	}
	f.agreement.path = own.Consortium
	f.agreement.changed() // remember its current state
	agreed, err := roster.Read(own.Consortium)
	if err != nil {
		return c, spec, nil, err
	}
	if err := agreed.Check(); err != nil && !f.unsigned {
		return c, spec, nil, &usageError{err, "or use --unsigned to take part all the same"}
	} else if err != nil {
		warnings = append(warnings, err.Error())
	}
	for _, s := range agreed.States() {
		if s.State == roster.Signed {
			c.Signers = append(c.Signers, s.Name)
		}
	}
	f.agreed, c.Task = agreed, agreed.Task
	own.Memory, own.Float32, f.http = cmp.Or(f.memory, own.Memory), own.Float32 || f.float32, cmp.Or(f.http, own.HTTP)
	if spec, err = own.Spec(); err == nil {
		err = f.checkInput(spec, own.Name)
	}
	if err != nil {
		return c, spec, nil, err
	}
	if spec.Units, err = own.ColumnUnits(c.Task.Units); err != nil {
		return c, spec, nil, &config.Error{File: filepath.Join(f.dir, config.NodeFile), Err: err, Hint: "correct the file"}
	}
	spec.Anomalies, spec.Normal = c.Task.Traits().Classes == nil, c.Task.Traits().Classes == nil
	spec.Columns, spec.Window, spec.LabelFault, spec.Missing = agreed.Columns, c.Task.Window, c.Task.LabelFault(), cmp.Or(spec.Missing, c.Task.Missing)
	f.kept = own.Keep
	f.baselines = own.Baselines
	if err := f.checkBaselines("alone"); err != nil {
		return c, spec, nil, &config.Error{File: filepath.Join(f.dir, config.NodeFile), Err: err, Hint: "correct the file"}
	}
	c.Out = f.dir
	if err := keepRead(f.dir, spec); err != nil {
		return c, spec, nil, err
	}
	c.Node = node.Config{
		Name: own.Name, Dir: f.dir, Listen: own.Listen, Announce: own.Announce, MapPorts: own.MapPorts, Relay: own.Relay,
		Members: agreed.Members, Changes: agreed.Changes, BeginAt: agreed.BeginAt, JoinTimeout: f.joinTimeout,
		Patience: cmp.Or(f.patience, own.Patience), Durability: node.Durability(own.Durability),
	}
	return c, spec, warnings, nil
}

// onlyOfProcess reports flags that repeat settings of the participant's folder.
func onlyOfProcess(cmd *cobra.Command) (err error) {
	process := []string{"dir", "unsigned", "memory", "float32", "join-timeout", "patience", "http", "log-format", "log-level", "with-parent", "verbose", "json"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(process, f.Name) {
			err = &flagError{
				f.Name, fmt.Sprintf("the folder's %s and its agreement already have this setting", config.NodeFile),
				"leave the flag out, or change the files",
			}
		}
	})
	return err
}

// resultsIn returns the results of an earlier run of a participant.
func resultsIn(dir string) earlier {
	return earlierIn(dir, participant.Results()...)
}

// keepRead reports results of a participant that would overwrite an input file.
func keepRead(dir string, spec dataset.Spec) error {
	if len(spec.Engine) > 0 {
		return nil
	}
	files, err := spec.Files()
	if err == nil {
		err = resultsIn(dir).keep(files)
	}
	return err
}

// checkInput reports why a run cannot read rows from standard input.
func (f *runFlags) checkInput(spec dataset.Spec, name string) error {
	switch {
	case spec.Input() && name == "":
		return &flagError{"name", "missing, and standard input has no name", "give this participant's name"}
	case spec.Input() && f.withParent:
		return &flagError{"with-parent", "want rows in files, got standard input, which ends when the parent ends", "save the rows in a file"}
	}
	return nil
}

// loadOne returns the rows of one participant, and warnings for its user. Rows that are slow to
// read are copied to a file without a name in the folder dir if memory does not hold them.
func (f *runFlags) loadOne(ctx context.Context, spec dataset.Spec, name, dir string) (dataset.Participant, []string, error) {
	spec.MinRows, spec.Name, spec.Folder = 1, name, dir
	data, err := readOne(ctx, &spec)
	if err == nil && !f.withParent { // up has checked all participants
		err = checkKept(data, f.kept)
	}
	if err != nil {
		return dataset.Participant{}, nil, err
	}
	warnings := append(data.Gaps.Forms(), data.Gaps.Aside...)
	if !f.withParent { // up has warned
		warnings = append(warnings, data.Sentinels...)
	}
	for _, c := range data.Ignored {
		warnings = append(warnings, c+" does not hold numbers, so it is not a feature")
	}
	if data.FirstClass != "" && spec.Anomalies && !f.withParent {
		warnings = append(warnings, "labels other than 0, 1 and -1 are classes, the first at "+data.FirstClass+"; "+noAnomalies)
	}
	if n := data.Participants[0].KnownAnomalies(); n > 0 {
		warnings = append(warnings, leftOut(n))
	}
	if text := data.Gaps.String(); text != "" {
		warnings = append(warnings, text)
	}
	if data.Uncopied != nil {
		warnings = append(warnings, fmt.Sprintf("the rows cannot be copied to %s, so each pass reads their files again, which is slow: %v", dir, data.Uncopied))
	}
	for _, query := range spec.Unordered() {
		warnings = append(warnings, query+" has no ORDER BY: if the rows come in another order when the run is resumed, they are refused")
	}
	return data.Participants[0], warnings, nil
}
