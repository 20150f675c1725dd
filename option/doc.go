// Package option binds the fields of a configuration to named options. One line gives the
// field, its name, default, help and valid values. Flags, settings files, the members'
// agreement, model files and reference pages all follow from that line.
//
//	type Config struct {
//		Components int
//		Rho        float64
//	}
//
//	func (c *Config) Options() option.Table {
//		return option.Table{
//			option.Int(&c.Components, "components", 5, "number of patterns", option.AtLeast(1)),
//			option.Float(&c.Rho, "rho", 0, "sparsity of the precision matrices", option.AtLeast(0.0)),
//		}
//	}
//
// A program sets the options that it was given, completes the table, and reads the fields:
//
//	var c Config
//	table := c.Options()
//	if err := table.Set("components", "3"); err != nil { // as from a flag
//		return err
//	}
//	if err := table.Complete(); err != nil { // defaults, and the rules of each option
//		return err
//	}
//	fmt.Println(c.Components)
//
// [Table.Fields] then returns what the members must agree on, and [Table.Entries] what a file
// holds. An [Option] that cannot be used is an [*Error] with the option's name, what is wrong,
// and a hint.
//
// Invariants:
//
//   - [Option.Set] takes each text that [Option.Text] returns.
//   - Fields holds canonical texts, so members can compare them byte by byte. An option that is
//     absent is in neither Fields nor Entries.
//
// Start reading at [Table] and [Int].
package option
