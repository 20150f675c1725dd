// Package algorithm defines a way of learning together: settings that members agree on, the
// part that each of them plays in a [collabdict.Group], and the resulting model. The program
// knows algorithms only through this package.
//
// A program runs any algorithm in the same four steps. It sets and completes the options, calls
// Prepare, and calls Learn at each participant:
//
//	a := kind.New()
//	table := a.Options()
//	if err := table.Set("components", "2"); err != nil {
//		return err
//	}
//	if err := table.Complete(); err != nil {
//		return err
//	}
//	if err := a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.None}); err != nil {
//		return err
//	}
//	out, err := a.Learn(ctx, group, algorithm.Data{Rows: rows, Seed: 1}, func(algorithm.Progress) {})
//	if err != nil {
//		return err
//	}
//	if d, ok := out.Model.(algorithm.Dictionary); ok {
//		fmt.Println(d.Weights())
//	}
//
// A [Kind] names an [Algorithm] and creates it with default settings. [Traits] and [Disclosure]
// describe to the program what the settings need, and what members reveal to each other. A
// [Model] shows by further interfaces what it can do: [Scorer], [Classifier], [Explainer],
// [Assigner], [Clusterer], [Dictionary], [Coder] and [Personal].
//
// To write an algorithm, implement [Algorithm] and a [Model], and name it by a [Kind]. If it
// has rounds, write a [collabdict.Learner] and let [Rounds] run it.
//
// Invariants:
//
//   - An Algorithm does not change after Prepare, so participants in one process can share it.
//   - Prepare, Traits and Disclosure depend on settings and coordinates alone, never on rows.
//
// Start reading at [Kind] and [Algorithm].
package algorithm
