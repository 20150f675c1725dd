//go:build race

package together

// Under the race detector numerics take ten times as long, so studies are smaller.
const raced = true
