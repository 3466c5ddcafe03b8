#include "simt/box.h"

void simt_fill_box(SimtBox *box, const uint32_t grid[3]) {
    *box = (SimtBox){{0}};
    for (int axis = 0; axis < 3; axis++) {
        box->sregs[WS_SREG_NCTAID + axis] = grid[axis];
        box->sregs[WS_SREG_END + axis] = grid[axis];
    }
}
