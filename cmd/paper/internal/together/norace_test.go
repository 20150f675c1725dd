//go:build !race

package together

const raced = false
