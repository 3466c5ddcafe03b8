/* What every C kernel includes. An array argument arrives as a pointer and one int64_t per
 * dimension; a kernel whose Python twin returns an array takes `out`, made by the caller, as its
 * last argument. */
#ifndef PEER_H
#define PEER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#endif
