// Package collabdict lets participants that may not share data learn one anomaly-detection
// model together, without a coordinator.
//
// A participant runs a [Learner] on its private rows against a [Group], which has two
// collectives over all members: a private Sum and a public Gather. [Train] is the round loop of
// Algorithm 1 of Idé, Phan and Raymond (2024). In each round a participant computes statistics of
// its rows, all members sum them, and each updates the shared parameters from the total. Nobody
// learns another member's statistics.
//
// This learner computes the mean of all participants' values:
//
//	type mean struct {
//		own   []float64 // each from 0 to 100; no participant has more than 1000
//		value float64
//	}
//
//	func (*mean) Start(context.Context, collabdict.Group) error { return nil }
//
//	func (m *mean) LocalUpdate() (collabdict.Summand, error) {
//		sum := 0.0
//		for _, v := range m.own {
//			sum += v
//		}
//		return collabdict.Summand{
//			Entry:  "mean", // what the total shows
//			Values: []float64{sum, float64(len(m.own))},
//			Blocks: []collabdict.Block{{Len: 1, Bound: 100_000}, {Len: 1, Bound: 1000}},
//		}, nil
//	}
//
//	func (m *mean) Optimize(total []float64, included bool) (objective float64, err error) {
//		m.value = total[0] / total[1]
//		return m.value, nil
//	}
//
// Each participant trains it with a group g:
//
//	m := &mean{own: ages}
//	if _, err := collabdict.Train(ctx, g, m, collabdict.Options{Rounds: 1}); err != nil {
//		return err
//	}
//	fmt.Println(m.value)
//
// The example of the package runs it with three participants.
//
// Package node provides a Group over libp2p. Package netsim provides one in a single process and
// in virtual time. [Solo] is a group of one, for baselines. The packages below gmm and vae have
// learners, package algorithm describes them to programs, and package model reads and writes the
// models. The folder examples/logistic has a learner to start from.
//
// Invariants:
//
//   - The package has no network, clock or randomness.
//   - All members call the same collectives in the same order. Which ones, and the length of their
//     vectors, depend only on shared data, never on private data.
//   - Each value of a vector has a bound, the same at all members. A value outside its bound is an
//     error, never a wrong sum.
//   - The stopping rule looks only at shared values, so all members stop in the same round.
//
// Start reading at [Learner], [Group] and [Train].
package collabdict
