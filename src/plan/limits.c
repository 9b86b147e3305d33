/* The reject limit, on integers: a percentage with decimals is never a floating-point number. */
#include "plan/plan_int.h"

__extension__ typedef __int128 wide; /* 10^18 * 100 * 2^63 does not fit 64 bits */

struct str plan_limit_text(const struct plan *plan, struct arena *arena) {
    int64_t value = plan->limit_scaled, unit = 1;
    int scale = plan->limit_scale;
    for (; scale > 0 && value % 10 == 0; scale--) value /= 10;
    for (int i = 0; i < scale; i++) unit *= 10;
    if (scale == 0) return str_printf(arena, "%lld", (long long)value);
    return str_printf(arena, "%lld.%0*lld", (long long)(value / unit), scale, (long long)(value % unit));
}

bool plan_limit_exceeded(const struct plan *plan, int64_t rejected, int64_t landed) {
    wide left = (wide)rejected * 100;
    for (int i = 0; i < plan->limit_scale; i++) left *= 10;
    return left > (wide)plan->limit_scaled * landed;
}
