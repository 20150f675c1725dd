//go:build !race

package node

const manyHosts = 12
