package blas

//go:generate go -C ../asm run ./blas -out ../blas/add_amd64.s -stubs ../blas/add_amd64.go -pkg blas
