/* normal_tables.h: polynomials of exp, log and the normal functions; see normal.c for their use.
 * Written by scripts/generate_normal_tables.py: change that, not this. */
#ifndef TALWEG_MATH_NORMAL_TABLES_H
#define TALWEG_MATH_NORMAL_TABLES_H

/* exp(x), |x| <= log(2)/2; relative error 4.6e-18. */
static inline double tw_exp_polynomial(double x)
{
    double p = 0x1.af6788b240ea5p-26;
    p = p * x + 0x1.28b79d4e262f7p-22;
    p = p * x + 0x1.71ddf30ba15edp-19;
    p = p * x + 0x1.a0198dc199639p-16;
    p = p * x + 0x1.a01a01b22c078p-13;
    p = p * x + 0x1.6c16c18975e77p-10;
    p = p * x + 0x1.111111110eff1p-7;
    p = p * x + 0x1.555555554e9a6p-5;
    p = p * x + 0x1.555555555555bp-3;
    p = p * x + 0x1.0000000000012p-1;
    p = p * x + 0x1.0000000000000p+0;
    p = p * x + 0x1.0000000000000p+0;
    return p;
}

/* exp(-x/2) / sqrt(2 pi), |x| <= log(2); relative error 3.2e-16. */
static inline double tw_density_polynomial(double x)
{
    double p = 0x1.d962fbe6844c9p-34;
    p = p * x + -0x1.28048c34d6c7ap-29;
    p = p * x + 0x1.4bfff7d4da66dp-25;
    p = p * x + -0x1.4bffd1e4b7edbp-21;
    p = p * x + 0x1.22803b4185d30p-17;
    p = p * x + -0x1.b3c058fab3978p-14;
    p = p * x + 0x1.1058377e2a149p-10;
    p = p * x + -0x1.1058377e2460fp-7;
    p = p * x + 0x1.9884533d43659p-5;
    p = p * x + -0x1.9884533d43686p-3;
    p = p * x + 0x1.9884533d43651p-2;
    return p;
}

/* -2 atanh(s)/s with q = s^2, |s| <= 1/3; relative error 2.0e-15. */
static inline double tw_log_polynomial(double q)
{
    double p = -0x1.803d5b3d7a442p-3;
    p = p * q + -0x1.e12a2c14d1e5ep-4;
    p = p * q + -0x1.3edd1672ff00cp-3;
    p = p * q + -0x1.741cb1c9cb3f6p-3;
    p = p * q + -0x1.c71eea26b005bp-3;
    p = p * q + -0x1.249242783e1bep-2;
    p = p * q + -0x1.999999aaf8870p-2;
    p = p * q + -0x1.555555554da0cp-1;
    p = p * q + -0x1.0000000000000p+1;
    return p;
}

/* exp(-x/2) / sqrt(2 pi), |x| <= log(2), in single precision; relative error 3.0e-09. */
static inline float tw_density_polynomial_single(float x)
{
    float p = 0x1.23a66ep-17f;
    p = p * x + -0x1.b60d02p-14f;
    p = p * x + 0x1.1057a2p-10f;
    p = p * x + -0x1.10570ep-7f;
    p = p * x + 0x1.988454p-5f;
    p = p * x + -0x1.988454p-3f;
    p = p * x + 0x1.988454p-2f;
    return p;
}

/* u = 1/M(t) - t: N of N/D, t >= 0; relative error 1.9e-16. */
static inline double tw_mills_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.f02b10a95f7afp+4;
    p = p * t + 0x1.e1a91158880c7p+8;
    p = p * t + 0x1.2f55d92acd0f2p+12;
    p = p * t + 0x1.102219301a8a1p+15;
    p = p * t + 0x1.69dc1bb56a125p+17;
    p = p * t + 0x1.68c22b8f021d7p+19;
    p = p * t + 0x1.0acc017adc9d4p+21;
    p = p * t + 0x1.19b0cd07dbd87p+22;
    p = p * t + 0x1.83731478d3483p+22;
    p = p * t + 0x1.0cdfef1cdadcfp+22;
    return p;
}

/* u = 1/M(t) - t: D of N/D. */
static inline double tw_mills_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.f02b10a95f7afp+4;
    p = p * t + 0x1.e3a9115888068p+8;
    p = p * t + 0x1.33362f4c20818p+12;
    p = p * t + 0x1.179cbd756c80ap+15;
    p = p * t + 0x1.7c7471367766fp+17;
    p = p * t + 0x1.89626fd2855a1p+19;
    p = p * t + 0x1.34a237ba7f9d7p+21;
    p = p * t + 0x1.685552f6dc872p+22;
    p = p * t + 0x1.2b07897359f58p+23;
    p = p * t + 0x1.3f88cad6ae8bbp+23;
    p = p * t + 0x1.50fc0938d8412p+22;
    return p;
}

/* u = 1/M(t) - t in single precision: N of N/D, t >= 0; relative error 1.1e-08. */
static inline float tw_mills_single_numerator(float t)
{
    float p = 0x1.000000p+0f;
    p = p * t + 0x1.8312d4p+3f;
    p = p * t + 0x1.28679ap+6f;
    p = p * t + 0x1.100de8p+8f;
    p = p * t + 0x1.2a89d4p+9f;
    p = p * t + 0x1.4471e6p+9f;
    return p;
}

/* u = 1/M(t) - t in single precision: D of N/D. */
static inline float tw_mills_single_denominator(float t)
{
    float p = 0x1.000000p+0f;
    p = p * t + 0x1.8312d4p+3f;
    p = p * t + 0x1.30679cp+6f;
    p = p * t + 0x1.283ea0p+8f;
    p = p * t + 0x1.71adc6p+9f;
    p = p * t + 0x1.17ad58p+10f;
    p = p * t + 0x1.96a1a2p+9f;
    return p;
}

/* d = u - w: N of N/D, t >= 0; relative error 2.0e-17. */
static inline double tw_slope_numerator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.67df7a3091071p+5;
    p = p * t + 0x1.e34e62ea22a76p+9;
    p = p * t + 0x1.a22b7021b3bb7p+13;
    p = p * t + 0x1.03efd5c836d40p+17;
    p = p * t + 0x1.e801fbe352692p+19;
    p = p * t + 0x1.6171718341e1bp+22;
    p = p * t + 0x1.8c1646a7db920p+24;
    p = p * t + 0x1.521eb688793e4p+26;
    p = p * t + 0x1.a5fd698124dedp+27;
    p = p * t + 0x1.5ecf13d3526c3p+28;
    p = p * t + 0x1.2d113b019bb59p+28;
    return p;
}

/* d = u - w: D of N/D. */
static inline double tw_slope_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.67df7a3091071p+5;
    p = p * t + 0x1.e8ce62ea22a87p+9;
    p = p * t + 0x1.b1a20a61c9c7ap+13;
    p = p * t + 0x1.18ae34084961ep+17;
    p = p * t + 0x1.17cefca0e53dfp+20;
    p = p * t + 0x1.ba1a359f49b4ap+22;
    p = p * t + 0x1.18c5e21dbad0fp+25;
    p = p * t + 0x1.1fec3ddedd865p+27;
    p = p * t + 0x1.da9badf9810c5p+28;
    p = p * t + 0x1.35f1269605fa2p+30;
    p = p * t + 0x1.37ec2be821522p+31;
    p = p * t + 0x1.cb83497dc4282p+31;
    p = p * t + 0x1.bf11b29a9d125p+31;
    p = p * t + 0x1.b7927483f5c6cp+30;
    return p;
}

/* b = -bend: N of N/D, t >= 0; relative error 8.7e-17. */
static inline double tw_bend_numerator(double t)
{
    double p = 0x1.8000000000000p+2;
    p = p * t + 0x1.e13aedc3e2851p+7;
    p = p * t + 0x1.1ba1a22f4513fp+12;
    p = p * t + 0x1.b88c72325ee5fp+15;
    p = p * t + 0x1.eef897e85d86fp+18;
    p = p * t + 0x1.a58fd9ba3e024p+21;
    p = p * t + 0x1.13fda46a27cc0p+24;
    p = p * t + 0x1.14a58ff740c4ap+26;
    p = p * t + 0x1.9cc74c9726315p+27;
    p = p * t + 0x1.aea050f9f8128p+28;
    p = p * t + 0x1.0f55f70372662p+29;
    p = p * t + 0x1.07e227582c49dp+28;
    return p;
}

/* b = -bend: D of N/D. */
static inline double tw_bend_denominator(double t)
{
    double p = 0x1.0000000000000p+0;
    p = p * t + 0x1.40d1f3d7ec58cp+5;
    p = p * t + 0x1.842cd83f06c3ap+9;
    p = p * t + 0x1.3ec35dd91e05fp+13;
    p = p * t + 0x1.854411ba0d040p+16;
    p = p * t + 0x1.75cd224de5b9bp+19;
    p = p * t + 0x1.216f28a104572p+22;
    p = p * t + 0x1.6f626fd0a1cabp+24;
    p = p * t + 0x1.804cdc6b93846p+26;
    p = p * t + 0x1.4b7cc06c758e5p+28;
    p = p * t + 0x1.d3e80244d3712p+29;
    p = p * t + 0x1.0a73ef6d94981p+31;
    p = p * t + 0x1.dc18012459dc3p+31;
    p = p * t + 0x1.3edca6961901fp+32;
    p = p * t + 0x1.21f6937292067p+32;
    p = p * t + 0x1.1f67244f967b1p+31;
    return p;
}

#endif
