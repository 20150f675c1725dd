package algorithm

import "github.com/collabdict/collabdict"

// An Item of the inventory is something that depends on a member's rows and leaves the member.
type Item struct {
	// Entry is the name of the collectives that show it, or a name of its own.
	Entry collabdict.Entry
	What  string // such as "the number of all rows"
	Form  Form
	When  When
	// Hidden is what hides a member's part, besides the sum of a total. It is empty if nothing
	// does.
	Hidden string
	// Epsilon tells whether differential privacy covers it. With epsilon, all items of a run are
	// covered or free of rows.
	Epsilon Coverage
}

// Form is the way in which something is shown.
type Form string

// The forms.
const (
	Published Form = "in the clear"
	Summed    Form = "in totals"
	Inferred  Form = "computed from totals"
)

// When is the time at which something is shown.
type When string

// The times.
const (
	AtStart   When = "before the first round"
	EachRound When = "in each round"
	Once      When = "in one round"
)

// Coverage tells whether differential privacy covers an item.
type Coverage string

// The degrees of coverage.
const (
	Uncovered  Coverage = ""
	Covered    Coverage = "covered"
	FreeOfRows Coverage = "no row changes it"
)

// ClassesEntry names what [AgreeClasses] shows.
const ClassesEntry collabdict.Entry = "classes"

// ClassesItem describes what [AgreeClasses] shows.
func ClassesItem() Item {
	return Item{Entry: ClassesEntry, What: "for each class, how many members have no higher one", Form: Summed, When: AtStart}
}
