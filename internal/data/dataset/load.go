package dataset

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/collabdict/collabdict/internal/data/partition"
)

// LoadAll reads the rows of all participants, at least two. If each has its own files, and all
// rows together exceed Memory, rows stay outside of memory. Errors in files and in the Spec are of
// type [*Error].
func LoadAll(spec Spec) (*Dataset, error) {
	files, err := Resolve(spec.Data)
	if err != nil {
		return nil, err
	}
	if spec.Window != 0 && spec.Split.Kind.Dealt() {
		return nil, &Error{Msg: "a window wants rows as they follow each other, and this --split deals them in another order", Hint: "take --split files or column=NAME, or leave out --window"}
	}
	names := make([]string, len(files))
	if spec.Split.Kind == partition.ByFile {
		if err := nameByFile(names, files); err != nil {
			return nil, err
		}
	}
	d, err := spec.loadWindowed(files, names)
	if err != nil {
		return nil, err
	}
	least := spec.leastRows()
	d.Participants = slices.DeleteFunc(d.Participants, func(p Participant) bool {
		if n := p.trainRows(); n < least {
			d.LeftOut = append(d.LeftOut, LeftOut{p.Name, n})
			return true
		}
		return false
	})
	if len(d.Participants) < 2 {
		return nil, spec.tooFew(d, files)
	}
	return d, nil
}

// LoadOne reads all files as the rows of one participant. It ignores Split. Fewer than MinRows
// training rows are an error. Rows that exceed Memory are checked, and stay outside of it.
func LoadOne(spec Spec) (*Dataset, error) {
	files, err := Resolve(spec.Data)
	if err != nil {
		return nil, err
	}
	name, err := spec.nameOne(spec.Name, files[0])
	if err != nil {
		return nil, err
	}
	spec.Split = partition.Split{}
	d, err := spec.loadWindowed(files, slices.Repeat([]string{name}, len(files)))
	if err != nil {
		return nil, err
	}
	if p := d.Participants[0]; p.trainRows() < spec.MinRows {
		msg := fmt.Sprintf("want at least %d training rows, got %d", spec.MinRows, p.trainRows())
		if n := p.KnownAnomalies(); n > 0 {
			msg += fmt.Sprintf(" without %d known anomalies", n)
		}
		return nil, &Error{File: spec.Data[0], Msg: msg}
	}
	return d, nil
}

// loadWindowed loads rows within the limit Memory, and adds windows.
func (s *Spec) loadWindowed(files, names []string) (*Dataset, error) {
	s.Ignore, s.pixels = trimmed(s.Ignore), allIDX(files) && !s.differs()
	d, err := s.loadWithin(files, names)
	if err != nil {
		return nil, err
	}
	d.Gaps.Aside = append(Aside(s.Data), d.Gaps.Aside...)
	for i := range d.Participants {
		d.Participants[i].window(s.Window, s.full())
		if s.Normal {
			d.Participants[i].leaveOutAnomalies(s.Window)
		}
	}
	return d, nil
}

func (s *Spec) leastRows() int {
	if s.Split.Min > 0 {
		return s.Split.Min
	}
	return max(s.MinRows, 1)
}

func (p *Participant) trainRows() int {
	if p.Train == nil {
		return 0
	}
	n, _ := p.Train.Dims()
	return n
}

func (s *Spec) tooFew(d *Dataset, files []string) error {
	least, hint := s.leastRows(), "give more data, or another --split"
	if s.Split.Min == 0 && least > 1 {
		hint = "give more data, fewer --components or another --split"
	}
	if s.Split.Kind == partition.ByFile && len(files) == 1 {
		hint = "name a file per participant, or divide the rows of this one, such as by --split column=NAME or --split iid:clients=5"
	}
	var small []string
	for _, l := range d.LeftOut {
		small = append(small, fmt.Sprintf("%q (%d)", l.Name, l.Rows))
	}
	msg := fmt.Sprintf("want at least 2 participants with %d training rows or more, got %d", least, len(d.Participants))
	if small != nil {
		msg += "; too small: " + listed(small)
	}
	return &Error{Msg: msg, Hint: hint}
}

func nameByFile(names, files []string) error {
	for i, f := range files {
		if f == StandardInput {
			return &Error{File: f, Msg: "want a file for each participant, got the rows of one", Hint: "take --split column=NAME or another that deals rows, or let each participant read its own with run"}
		}
		names[i] = stem(f)
		if err := checkName(names[i], Error{File: f, Hint: "rename the file"}); err != nil {
			return err
		}
		if j := slices.Index(names[:i], names[i]); j >= 0 {
			return &Error{File: f, Msg: fmt.Sprintf("participant %q is already that of %s", names[i], files[j]), Hint: "rename one file"}
		}
	}
	return nil
}

// nameOne returns the name of the single participant: the given one, or else that of the file. When
// a model's columns are given, rows are only scored, and the name does not matter.
func (s *Spec) nameOne(given, file string) (string, error) {
	name := stem(file)
	switch {
	case given != "":
		return given, CheckName(given)
	case s.Columns != nil:
		return name, nil
	}
	return name, checkName(name, Error{File: file, Hint: "rename the file, or give another name with --name"})
}

// OwnName returns the participant's name for LoadOne: the given one, or else that of the first
// file.
func (s *Spec) OwnName(given string) (string, error) {
	files, err := Resolve(s.Data)
	if err != nil {
		return "", err
	}
	return s.nameOne(given, files[0])
}

func trimmed(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.TrimSpace(n)
	}
	return out
}

// load reads and groups the files. names are the participants of files, unless a column names
// them. Rows are held in memory, or marked and spooled if to is not nil.
func (s *Spec) load(files, names []string, to *spool) (*Dataset, error) {
	sch, err := s.settle(files[0])
	if err != nil {
		return nil, err
	}
	shares, err := s.readAll(sch, files, names, to)
	if err != nil {
		return nil, err
	}
	if err := s.check(shares, files[0]); err != nil {
		return nil, err
	}
	return s.assemble(sch, shares)
}

// readAll reads the files in parallel. If several are faulty, it reports the first.
func (s *Spec) readAll(sch schema, files, names []string, to *spool) ([]*share, error) {
	shares, errs := make([]*share, len(files)), make([]error, len(files))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range files {
		free <- struct{}{}
		wait.Go(func() {
			shares[i], errs[i] = s.read(sch, files[i], names[i], to)
			<-free
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// check reports conditions that no row meets, and ignored columns that no file has: probably
// misspelt names.
func (s *Spec) check(shares []*share, first string) error {
	for _, name := range s.Ignore {
		if !slices.ContainsFunc(shares, func(sh *share) bool { return slices.Contains(sh.header, name) }) {
			return &Error{File: first, Column: name, Msg: "the column to ignore is not there", Hint: "columns are " + quoted(shares[0].header)}
		}
	}
	if s.Piece != nil { // others have more rows
		return nil
	}
	train, test, both := 0, 0, false
	var seenWhere, seenTest []string
	for _, sh := range shares {
		both = both || sh.meetsBoth
		for _, g := range sh.groups {
			train, test = train+g.train.n, test+g.test.n
		}
		for _, v := range sh.seenWhere {
			note(&seenWhere, v)
		}
		for _, v := range sh.seenTest {
			note(&seenTest, v)
		}
	}
	switch {
	case s.TestWhere.Given() && test == 0:
		return &Error{File: first, Msg: fmt.Sprintf("no row meets --test-where %s", s.TestWhere), Hint: "values there are " + quoted(seenTest)}
	case train == 0 && both:
		return &Error{File: first, Msg: fmt.Sprintf("no row is left to train on: all that meet --where %s meet --test-where %s too", s.Where, s.TestWhere), Hint: "choose conditions that exclude each other"}
	case s.Where.Given() && train == 0:
		return &Error{File: first, Msg: fmt.Sprintf("no row meets --where %s", s.Where), Hint: "values there are " + quoted(seenWhere)}
	case train == 0:
		return &Error{File: first, Msg: fmt.Sprintf("no row is left to train on: all meet --test-where %s", s.TestWhere)}
	}
	return nil
}
