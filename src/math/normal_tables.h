/* normal_tables.h: polynomials of exp, log and the normal functions; see normal.c for their use.
 * Written by scripts/generate_normal_tables.py: change that, not this. */
#ifndef TALWEG_MATH_NORMAL_TABLES_H
#define TALWEG_MATH_NORMAL_TABLES_H

/* exp(x), |x| <= log(2)/2; relative error 4.2e-18. */
static inline double tw_exp_polynomial(double x)
{
    double p = 0x1.af639fa6e1b0bp-26;
    p = p * x + 0x1.28b46faf8c24cp-22;
    p = p * x + 0x1.71ddf52ded199p-19;
    p = p * x + 0x1.a01991399f987p-16;
    p = p * x + 0x1.a01a01b15de9dp-13;
    p = p * x + 0x1.6c16c18826db1p-10;
    p = p * x + 0x1.111111110f1e5p-7;
    p = p * x + 0x1.555555554f000p-5;
    p = p * x + 0x1.555555555555ap-3;
    p = p * x + 0x1.0000000000011p-1;
    p = p * x + 0x1.0000000000000p+0;
    p = p * x + 0x1.0000000000000p+0;
    return p;
}

/* exp(-x/4) / (2 pi)^(1/4), |x| <= log(2); relative error 1.8e-15. */
static inline double tw_root_density_polynomial(double x)
{
    double p = 0x1.0703ed2a5895ep-32;
    p = p * x + -0x1.0710966651830p-27;
    p = p * x + 0x1.cbee3d03b0266p-23;
    p = p * x + -0x1.58f2a9307e9a2p-18;
    p = p * x + 0x1.af2f61c5d5b40p-14;
    p = p * x + -0x1.af2f61c6c071bp-10;
    p = p * x + 0x1.43638953eae78p-6;
    p = p * x + -0x1.43638953ead0ep-3;
    p = p * x + 0x1.43638953eaed2p-1;
    return p;
}

/* -2 atanh(s)/s with q = s^2, |s| <= 1/3; relative error 1.8e-15. */
static inline double tw_log_polynomial(double q)
{
    double p = -0x1.802a0bb9f02a2p-3;
    p = p * q + -0x1.e11304c45c4bep-4;
    p = p * q + -0x1.3ee3597079f29p-3;
    p = p * q + -0x1.741ba346d2a33p-3;
    p = p * q + -0x1.c71f00220063cp-3;
    p = p * q + -0x1.24924201346fep-2;
    p = p * q + -0x1.999999ad7f2d3p-2;
    p = p * q + -0x1.555555554ab02p-1;
    p = p * q + -0x1.0000000000007p+1;
    return p;
}

/* u = 1/M(t) - t: N of N/D, t >= 0; relative error 6.0e-15. */
static inline double tw_mills_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.ab5e17ff195f1p+4;
    p = p * t + 0x1.66112dc3d3ff7p+8;
    p = p * t + 0x1.833a32cb92a4fp+11;
    p = p * t + 0x1.26fe3a4318c4cp+14;
    p = p * t + 0x1.470c5a2fe9a56p+16;
    p = p * t + 0x1.07f14e836f2b7p+18;
    p = p * t + 0x1.2c813de557974p+19;
    p = p * t + 0x1.babee09671850p+19;
    p = p * t + 0x1.48dd0920b6ee2p+19;
    return p;
}

/* u = 1/M(t) - t: D of N/D. */
static inline double tw_mills_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.ab5e17ff195e6p+4;
    p = p * t + 0x1.68112dc3d46f8p+8;
    p = p * t + 0x1.89e7ab2b799b1p+11;
    p = p * t + 0x1.3216c3b2c67bfp+14;
    p = p * t + 0x1.5e9fb9f5de328p+16;
    p = p * t + 0x1.2ac27d5c153ebp+18;
    p = p * t + 0x1.75bd1df80b1afp+19;
    p = p * t + 0x1.49432679e303ep+20;
    p = p * t + 0x1.734e82eaaffedp+20;
    p = p * t + 0x1.9c2b4f0002c52p+19;
    return p;
}

/* d = u - w: N of N/D, t >= 0; relative error 2.0e-17. */
static inline double tw_slope_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.67473b215b9b4p+5;
    p = p * t + 0x1.e2102f3c527c9p+9;
    p = p * t + 0x1.a0d48d4e86229p+13;
    p = p * t + 0x1.02fab49cd1ceap+17;
    p = p * t + 0x1.e604f67a7287cp+19;
    p = p * t + 0x1.5fe29f24076c3p+22;
    p = p * t + 0x1.8a394bf2f5c2bp+24;
    p = p * t + 0x1.506fd825a4c52p+26;
    p = p * t + 0x1.a3c727f9aef85p+27;
    p = p * t + 0x1.5ce03a1759644p+28;
    p = p * t + 0x1.2b5170e7b0310p+28;
    return p;
}

/* d = u - w: D of N/D. */
static inline double tw_slope_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.67473b215b9b4p+5;
    p = p * t + 0x1.e7902f3c527dap+9;
    p = p * t + 0x1.b0449cd8f4e3ep+13;
    p = p * t + 0x1.17ab66a46c5e3p+17;
    p = p * t + 0x1.16b310b43999ep+20;
    p = p * t + 0x1.b837972c762aap+22;
    p = p * t + 0x1.1780e086422f1p+25;
    p = p * t + 0x1.1e8e4ee3179fdp+27;
    p = p * t + 0x1.d8423ea278b78p+28;
    p = p * t + 0x1.3459adfdd9b22p+30;
    p = p * t + 0x1.3644451e8b5fap+31;
    p = p * t + 0x1.c8ff5195b199dp+31;
    p = p * t + 0x1.bc8c68407db69p+31;
    p = p * t + 0x1.b504a976ea79dp+30;
    return p;
}

/* b = -bend: N of N/D, t >= 0; relative error 8.6e-17. */
static inline double tw_bend_numerator(double t)
{
    double p = 0x1.8000000000000p+2;
    p = p * t + 0x1.df1ee0b404ebep+7;
    p = p * t + 0x1.19de2de4d47b0p+12;
    p = p * t + 0x1.b540b6088b31ep+15;
    p = p * t + 0x1.eace881769a89p+18;
    p = p * t + 0x1.a1b204dea4618p+21;
    p = p * t + 0x1.11481dcc19124p+24;
    p = p * t + 0x1.11c5a922bc746p+26;
    p = p * t + 0x1.98453bc511c10p+27;
    p = p * t + 0x1.a9b45311062d0p+28;
    p = p * t + 0x1.0c1a1c176745dp+29;
    p = p * t + 0x1.04a817da639f4p+28;
    return p;
}

/* b = -bend: D of N/D. */
static inline double tw_bend_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.3f69eb22adf29p+5;
    p = p * t + 0x1.81d2e7dbc5f7cp+9;
    p = p * t + 0x1.3c74bfb9bd569p+13;
    p = p * t + 0x1.821f4ef4933fbp+16;
    p = p * t + 0x1.72885e96a0dd9p+19;
    p = p * t + 0x1.1ebf09ba08edbp+22;
    p = p * t + 0x1.6bcd865bdce72p+24;
    p = p * t + 0x1.7c668a460ccc6p+26;
    p = p * t + 0x1.4801941c35413p+28;
    p = p * t + 0x1.ced810ea4aeabp+29;
    p = p * t + 0x1.077df15a53814p+31;
    p = p * t + 0x1.d6ac66c9bfe41p+31;
    p = p * t + 0x1.3b2585b4d1bf3p+32;
    p = p * t + 0x1.1e82543665499p+32;
    p = p * t + 0x1.1be374b895dcfp+31;
    return p;
}

#endif
