/* constants.h: constants that more than one room needs. */
#ifndef TALWEG_MATH_CONSTANTS_H
#define TALWEG_MATH_CONSTANTS_H

#define TW_LOG_TWO_PI 1.8378770664093454836 /* log(2 pi) */
#define TW_HALF_LOG_TWO_PI (0.5 * TW_LOG_TWO_PI)

#endif
