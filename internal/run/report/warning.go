package report

// A Warning is a line of text, with what a reader needs to weigh it.
type Warning struct {
	Text string `json:"text"` // what it says
	// Kind is what it is about: known, estimated, guessed, past_run, shown, learned, unhidden, open_seats,
	// lone_rows, few_rows, seeded, absent, link or returned. It is absent for other lines.
	Kind WarningKind `json:"kind,omitempty"`
	// Members are those that it is about; absent if these are all, or the owner of the folder.
	Members []string `json:"members,omitempty"`
}

// WarningKind is what a warning is about.
type WarningKind string

// The kinds of warnings.
const (
	KnownWarning     WarningKind = "known"      // all members know something of few exactly
	EstimatedWarning WarningKind = "estimated"  // they know it up to an error
	GuessedWarning   WarningKind = "guessed"    // they can only guess it
	PastRunWarning   WarningKind = "past_run"   // they know it by an earlier run
	ShownWarning     WarningKind = "shown"      // the model shows something of each member in the clear
	LearnedWarning   WarningKind = "learned"    // sums at the start tell something about the rows of all
	UnhiddenWarning  WarningKind = "unhidden"   // colluders recover a member's part of a sum
	OpenSeatsWarning WarningKind = "open_seats" // anyone could be a member
	LoneRowsWarning  WarningKind = "lone_rows"  // components of the shared model have rows of one member alone
	FewRowsWarning   WarningKind = "few_rows"   // components of a member have few rows
	SeededWarning    WarningKind = "seeded"     // the noise of a simulation hides nothing
	AbsentWarning    WarningKind = "absent"     // a member is lost, or has left
	LinkWarning      WarningKind = "link"       // a member cannot be reached
	ReturnedWarning  WarningKind = "returned"   // a member is back
)

// OpenSeats warns that anyone could be a member.
const OpenSeats = "anyone on this network could take a seat, and see what members see: there was no secret and no list of members"

// warning returns the line with what it is about.
func (c LoneChange) warning() Warning {
	kind := KnownWarning
	switch {
	case c.Change:
		kind = EstimatedWarning
	case c.Slots[0] == c.Slots[1] || c.Known != "":
	case c.Error != nil && *c.Error >= 1:
		kind = GuessedWarning
	default:
		kind = EstimatedWarning
	}
	return Warning{Text: c.line(), Kind: kind, Members: c.Members}
}

// Warning returns the line with what it is about.
func (p *PastRun) Warning() Warning {
	w := Warning{Text: p.Line(), Kind: PastRunWarning}
	for _, names := range [][]string{p.Joined, p.Left, p.Changed} {
		w.Members = append(w.Members, names...)
	}
	return w
}

// Stated returns the warnings of sums that differ by few members, and of an earlier run, nil for none.
func Stated(changes []LoneChange, past *PastRun) (list []Warning) {
	for _, c := range changes {
		list = append(list, c.warning())
	}
	if past != nil {
		list = append(list, past.Warning())
	}
	return list
}
