// Package dem learns one Gaussian mixture of the rows of all participants by distributed
// expectation maximisation. In each round, members sum the statistics of their rows, and
// every member makes the same EM step on the total. Sums are exact, so apart from rounding
// the result is that of EM on all rows in one place.
//
// A participant creates a [Learner] and passes it to collabdict.Train:
//
//	l, err := dem.NewLearner(gmm.Matrix(rows), dem.Config{
//		Form: gmm.Diag,
//		Centres: func(context.Context, collabdict.Group) (*mat.Dense, error) {
//			return dem.Spread(2, []float64{0, 0}, []float64{40, 100}, src), nil
//		},
//	})
//	if err != nil {
//		return err
//	}
//	if _, err := collabdict.Train(ctx, group, l, collabdict.Options{Rounds: 50, AbsTol: 1e-3}); err != nil {
//		return err
//	}
//	fmt.Println(l.Mixture().Weights())
//
// [Config] needs a start that is the same at all members. The package has the three starts of
// Zhang Pettersson et al. (2025), in which this algorithm is the baseline: centres spread
// over the ranges of the columns ([Spread]), a few shared rows ([SharedRows], for simulations
// only), and federated clustering (package kfed). It also refines the mixture that package
// fedgen learns in one round.
//
// [Config] can protect the sums further: Blur adds noise against the comparison of two
// totals, and Diversity keeps statistics of few rows from being sent. With a budget of
// differential privacy, [Algorithm] trains by package internal/dpem instead.
//
// The package uses no clock, file, socket or global random source. Steps have the same bits
// on machines of one architecture, whatever GOMAXPROCS is.
//
// Start reading at [Learner]. [Algorithm] connects it to the program.
package dem
