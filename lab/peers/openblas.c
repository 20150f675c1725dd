// Rates of OpenBLAS on one core, best of many calls, as one line of JSON:
//
//	gcc -O2 -o openblas openblas.c -lopenblas && OPENBLAS_NUM_THREADS=1 ./openblas
//
// OPENBLAS_CORETYPE=Haswell makes it use its AVX2 kernels. Multiplications and
// additions are counted; of X'X, where X is 4096 x 64, those of one triangle.
#define _POSIX_C_SOURCE 199309L
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern char *openblas_get_corename(void);

enum { N = 512, ROWS = 4096, COLUMNS = 64 };
static double x[ROWS * COLUMNS], a[N * N], b[N * N], c[N * N];
static float fa[N * N], fb[N * N], fc[N * N];

static void dgemm(CBLAS_TRANSPOSE t) { cblas_dgemm(CblasRowMajor, t, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N); }
static void dgemm_nn(void) { dgemm(CblasNoTrans); }
static void dgemm_tn(void) { dgemm(CblasTrans); }
static void sgemm(CBLAS_TRANSPOSE t) { cblas_sgemm(CblasRowMajor, t, CblasNoTrans, N, N, N, 1, fa, N, fb, N, 0, fc, N); }
static void sgemm_nn(void) { sgemm(CblasNoTrans); }
static void sgemm_tn(void) { sgemm(CblasTrans); }
static void syrk(void) { cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, COLUMNS, ROWS, 1, x, COLUMNS, 0, c, COLUMNS); }

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// gflops returns the rate of the fastest of the calls that half a second holds.
static double gflops(double flops, void (*f)(void)) {
	double best = 1e9, began = now();
	do {
		double start = now(), took;
		f();
		took = now() - start;
		if (took < best) best = took;
	} while (now() - began < 0.5);
	return flops / best / 1e9;
}

int main(void) {
	double cube = 2.0 * N * N * N;
	srand(1);
	for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = rand() / (double)RAND_MAX - 0.5;
	for (int i = 0; i < N * N; i++) fa[i] = a[i] = x[i], fb[i] = b[i] = x[N * N - 1 - i];
	printf("{\"peer\":\"openblas\",\"path\":\"%s\",\"threads\":1,", openblas_get_corename());
	printf("\"dgemm_512_gflops\":%.1f,", gflops(cube, dgemm_nn));
	printf("\"dgemm_tn_512_gflops\":%.1f,", gflops(cube, dgemm_tn));
	printf("\"sgemm_512_gflops\":%.1f,", gflops(cube, sgemm_nn));
	printf("\"sgemm_tn_512_gflops\":%.1f,", gflops(cube, sgemm_tn));
	printf("\"syrk_4096x64_gflops\":%.1f}\n", gflops((double)COLUMNS * (COLUMNS + 1) * ROWS, syrk));
	return 0;
}
