package report

import (
	"strings"
	"testing"
)

func TestWriteRounds(t *testing.T) {
	r := &Run{
		Participants: []Participant{{}, {History: []Round{{Round: 1, Objective: -2.5}, {Round: 2, Objective: -2}, {Round: 3, Objective: -1.75}}}},
		Views: []View{
			{Round: 1, Members: []string{"a", "b", "c"}},
			{Round: 3, Members: []string{"a"}, Missing: []Missing{{Name: "b"}, {Name: "c, d"}}},
		},
	}
	rows := r.RoundRows()
	rows[0].Traffic = &Traffic{Messages: 7, Bytes: 1234, Error: 1e-9, Virtual: 0.25}
	var b strings.Builder
	if err := writeRounds(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `round,objective,members,missing,missing_names,messages,bytes_sent,error,virtual_seconds
1,-2.5,3,0,,7,1234,1e-09,0.25
2,-2,3,0,,,,,
3,-1.75,1,2,"b;c, d",,,,
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
