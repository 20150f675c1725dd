package em

import (
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// BenchmarkLocalUpdate measures a round's work at a participant with 24,000 rows of 38
// variables.
func BenchmarkLocalUpdate(b *testing.B) {
	l, err := NewLearner(gmm.Matrix(testkit.Patterns(24000, 38, 10, 9)), Config{Components: 10})
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Start(b.Context(), collabdict.Solo{}); err != nil {
		b.Fatal(err)
	}
	b.Run("LocalUpdate", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.LocalUpdate(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Start", func(b *testing.B) {
		for b.Loop() {
			if err := l.Start(b.Context(), collabdict.Solo{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Optimize", func(b *testing.B) {
		summand, err := l.LocalUpdate()
		if err != nil {
			b.Fatal(err)
		}
		x := summand.Values
		for b.Loop() {
			if _, err := l.Optimize(x, true); err != nil {
				b.Fatal(err)
			}
		}
	})
}
