/* normal_tables.h: polynomials of exp, log and the normal functions; see normal.c for their use.
 * Written by scripts/generate_normal_tables.py: change that, not this. */
#ifndef TALWEG_MATH_NORMAL_TABLES_H
#define TALWEG_MATH_NORMAL_TABLES_H

/* (exp(x) - 1 - x) / x^2 for |x| <= log(2)/2. */
static inline double tw_exp_polynomial(double x)
{
    double p = 0x1.af390ba7e6f47p-26;
    p = p * x + 0x1.2891d4ffbb0f9p-22;
    p = p * x + 0x1.71de0d85293b8p-19;
    p = p * x + 0x1.a019b8ca26fcfp-16;
    p = p * x + 0x1.a01a01a7cebcdp-13;
    p = p * x + 0x1.6c16c1789d1d7p-10;
    p = p * x + 0x1.11111111109a6p-7;
    p = p * x + 0x1.5555555553d37p-5;
    p = p * x + 0x1.5555555555556p-3;
    p = p * x + 0x1.0000000000001p-1;
    return p;
}

/* (2 atanh(s)/s - 2) / q with q = s^2, for |s| <= 1/3. */
static inline double tw_atanh_polynomial(double q)
{
    double p = 0x1.4b38f5f00932ap-3;
    p = p * q + 0x1.684e456fabd5dp-4;
    p = p * q + 0x1.eb9904569e5bep-4;
    p = p * q + 0x1.10ac017455d97p-3;
    p = p * q + 0x1.3b18b9ae91151p-3;
    p = p * q + 0x1.745cf07017f6bp-3;
    p = p * q + 0x1.c71c72728d141p-3;
    p = p * q + 0x1.24924923d2aacp-2;
    p = p * q + 0x1.999999999a3f6p-2;
    p = p * q + 0x1.5555555555555p-1;
    return p;
}

/* u = 1/M(t) - t: N of N/D, t >= 0; relative error 1.7e-16. */
static inline double tw_mills_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.e3d3fcc1cda5ep+4;
    p = p * t + 0x1.cc72f3fada6e0p+8;
    p = p * t + 0x1.1d243a3a5cc57p+12;
    p = p * t + 0x1.f81c241ab5f54p+14;
    p = p * t + 0x1.4ab50a2c619bdp+17;
    p = p * t + 0x1.45a2a86c2ed1fp+19;
    p = p * t + 0x1.dbfc917a00d03p+20;
    p = p * t + 0x1.f0bef972df129p+21;
    p = p * t + 0x1.518a51267738bp+22;
    p = p * t + 0x1.ce242f9728f56p+21;
    return p;
}

/* u = 1/M(t) - t: D of N/D. */
static inline double tw_mills_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.e3d3fcc1cda5ep+4;
    p = p * t + 0x1.ce72f3fada6c4p+8;
    p = p * t + 0x1.20ebe233e09b7p+12;
    p = p * t + 0x1.0333dddd406fep+15;
    p = p * t + 0x1.5c2c9611411cep+17;
    p = p * t + 0x1.63d0546d16ff1p+19;
    p = p * t + 0x1.14252e1d5eae6p+21;
    p = p * t + 0x1.3f1f2b9ccd982p+22;
    p = p * t + 0x1.063ac2897b6adp+23;
    p = p * t + 0x1.15781afdbb81bp+23;
    p = p * t + 0x1.219aa9359f984p+22;
    return p;
}

/* d = u - w: N of N/D, t >= 0; relative error 1.1e-17. */
static inline double tw_slope_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.4602c4a2d8b91p+5;
    p = p * t + 0x1.9caeac3560bf6p+9;
    p = p * t + 0x1.5632fad92a650p+13;
    p = p * t + 0x1.9b6bd1cba0fe3p+16;
    p = p * t + 0x1.7791f1f59f3bfp+19;
    p = p * t + 0x1.0978ce49cf140p+22;
    p = p * t + 0x1.2305ddf034d62p+24;
    p = p * t + 0x1.e6b209915e1e6p+25;
    p = p * t + 0x1.29a05251f281bp+27;
    p = p * t + 0x1.e49f8d335db6ep+27;
    p = p * t + 0x1.96332cc34bfa0p+27;
    return p;
}

/* d = u - w: D of N/D. */
static inline double tw_slope_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.4602c4a2d8b91p+5;
    p = p * t + 0x1.a22eac3560bf9p+9;
    p = p * t + 0x1.6435194c29aaep+13;
    p = p * t + 0x1.bed6d49838c94p+16;
    p = p * t + 0x1.b225948df7744p+19;
    p = p * t + 0x1.4f9824d984889p+22;
    p = p * t + 0x1.a24307dfa52f2p+24;
    p = p * t + 0x1.a5bdc0c064202p+26;
    p = p * t + 0x1.5651402c5bd58p+28;
    p = p * t + 0x1.b8d0a6ba246ecp+29;
    p = p * t + 0x1.b5bede06dbe2fp+30;
    p = p * t + 0x1.3e4d74b7b7dedp+31;
    p = p * t + 0x1.31b8c5e80ea94p+31;
    p = p * t + 0x1.28890658fe8adp+30;
    return p;
}

/* b = -bend: N of N/D, t >= 0; relative error 6.1e-17. */
static inline double tw_bend_numerator(double t)
{
    double p = 0x1.8000000000000p+2;
    p = p * t + 0x1.9baf2555fdcc8p+7;
    p = p * t + 0x1.c2f7ee5d6b3e6p+11;
    p = p * t + 0x1.4be21d45284bdp+15;
    p = p * t + 0x1.65afb61dbf103p+18;
    p = p * t + 0x1.261cdb2e8639cp+21;
    p = p * t + 0x1.756ad6189aa07p+23;
    p = p * t + 0x1.6bdb2b2dcfc4dp+25;
    p = p * t + 0x1.08456c94edad8p+27;
    p = p * t + 0x1.0c880f8ad8198p+28;
    p = p * t + 0x1.49bc99fd3f939p+28;
    p = p * t + 0x1.3b56e1e9dadf4p+27;
    return p;
}

/* b = -bend: D of N/D. */
static inline double tw_bend_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.1274c38ea9330p+5;
    p = p * t + 0x1.36a549939cd40p+9;
    p = p * t + 0x1.e565103fd5987p+12;
    p = p * t + 0x1.1da0f792e3462p+16;
    p = p * t + 0x1.0a0e18c65bbbdp+19;
    p = p * t + 0x1.91ad5f1ef1e59p+21;
    p = p * t + 0x1.f2b1bf4127aa5p+23;
    p = p * t + 0x1.ff994bddff5c2p+25;
    p = p * t + 0x1.b1964858415b0p+27;
    p = p * t + 0x1.2d24192b6cfd3p+29;
    p = p * t + 0x1.51da12e44c3ddp+30;
    p = p * t + 0x1.2995478b456f7p+31;
    p = p * t + 0x1.890aaf3e56d2fp+31;
    p = p * t + 0x1.607c5f9347ebcp+31;
    p = p * t + 0x1.5771ef0d45c89p+30;
    return p;
}

#endif
