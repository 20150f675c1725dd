package blas

//go:generate go -C asm run . -out ../add_amd64.s -stubs ../add_amd64.go -pkg blas
