package report

import "github.com/collabdict/collabdict/algorithm"

// Selection describes the parts of a mixture that was put together in one round, and the
// numbers of components that were tried.
type Selection = algorithm.Selection

// Choice is a number of components that was tried. The one with the least BIC was taken.
type Choice = algorithm.Choice

// Judged is a candidate setting with its figures on held-out rows.
type Judged = algorithm.Judged
