package report

import "github.com/collabdict/collabdict/algorithm"

// Selection describes the parts of a mixture that was put together in one round, and the
// numbers of components that were tried.
type Selection = algorithm.Selection

// Judged is a candidate setting with its figures on held-out rows.
type Judged = algorithm.Judged
