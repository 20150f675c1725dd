package report

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFiguresInJSON(t *testing.T) {
	in := Participant{Name: "a", ROCAUC: Of(0.5), PRAUC: OfOK(0, false), Loglik: Of(math.NaN())}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"a","rows":0,"roc_auc":0.5,"pr_auc":null,"loglik":null}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	var out Participant
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(out); string(again) != want {
		t.Errorf("after reading it back: %s", again)
	}
}

func TestMean(t *testing.T) {
	for _, c := range []struct {
		in   []Figure
		want Figure
	}{
		{nil, Figure{}},
		{[]Figure{{}, {}}, Figure{}},
		{[]Figure{{}, OfOK(0, false)}, OfOK(0, false)},
		{[]Figure{Of(1), OfOK(7, false), Of(2)}, Of(1.5)},
	} {
		if got := Mean(c.in); got != c.want {
			t.Errorf("Mean(%v) = %+v, want %+v", c.in, got, c.want)
		}
	}
}
