#include "peer.h"

static inline void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(double *a, int64_t low, int64_t high) {
    for (int64_t i = low + 1; i <= high; i++) {
        double value = a[i];
        int64_t j = i - 1;
        for (; j >= low && a[j] > value; j--) a[j + 1] = a[j];
        a[j + 1] = value;
    }
}

static void quicksort(double *a, int64_t low, int64_t high) {
    if (high - low < 16) {
        insertion_sort(a, low, high);
        return;
    }
    int64_t middle = (low + high) / 2, i = low, j = high;
    if (a[middle] < a[low]) swap(&a[low], &a[middle]);
    if (a[high] < a[low]) swap(&a[low], &a[high]);
    if (a[high] < a[middle]) swap(&a[middle], &a[high]);
    double pivot = a[middle];
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) swap(&a[i++], &a[j--]);
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}

void run(const double *data, int64_t n, double *out) {
    memcpy(out, data, (size_t)n * sizeof *out);
    quicksort(out, 0, n - 1);
}
