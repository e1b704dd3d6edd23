/* checksum.c: the checksum of journals, run files and checkpoints, and of the data that all members of a team
 * must share: an FNV-1a hash with 64-bit words in place of bytes. */
#include <string.h>

#include "talweg/base.h"

/* Multiplication by an odd number is a bijection modulo 2^64,
 * so a change within one word always changes the sum. */
uint64_t tw_checksum(uint64_t sum, size_t words, const void *data)
{
    const char *at = data;
    for (size_t i = 0; i < words; i++, at += sizeof sum) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
    }
    return sum;
}

uint64_t tw_checksum_text(uint64_t sum, const char *text)
{
    uint64_t word;
    do {
        word = (unsigned char)*text;
        sum = tw_checksum(sum, 1, &word);
    } while (*text++);
    return sum;
}
