/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and names as text (line.h). */
#define _GNU_SOURCE
#include "line.h"

#include <stdbool.h>

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static unsigned count_digits(uint64_t number)
{
    unsigned digits = 1;
    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

void tw_put_digits(struct tw_line *line, uint64_t number)
{
    char *at = line->at += count_digits(number);
    for (; number >= 100; number /= 100) {
        at -= 2;
        memcpy(at, &pairs[2 * (number % 100)], 2);
    }
    if (number >= 10)
        memcpy(at - 2, &pairs[2 * number], 2);
    else
        at[-1] = (char)('0' + number);
}

/* Puts exactly two digits. */
static inline char *put_pair(char *at, uint32_t number)
{
    memcpy(at, &pairs[2 * (size_t)number], 2);
    return at + 2;
}

void tw_put_time(struct tw_line *line, uint64_t ns)
{
    const uint32_t rest = (uint32_t)(ns % 1000);
    tw_put_number(line, ns / 1000);
    if (!rest)
        return;
    *line->at++ = '.';
    *line->at++ = (char)('0' + rest / 100);
    line->at = put_pair(line->at, rest % 100);
}

void tw_put_moment(struct tw_line *line, uint64_t ns, struct tw_moment *last)
{
    if (!ns) {
        *line->at++ = '0';
        return;
    }
    const uint64_t most = ns / 10000000;
    const uint32_t rest = (uint32_t)(ns % 10000000); /* 10 ms */
    if (most != last->most || !last->bytes) {
        struct tw_line digits = {last->text, last->text};
        tw_put_digits(&digits, most);
        last->most = most;
        last->bytes = (size_t)(digits.at - last->text);
    }
    memcpy(line->at, last->text, sizeof last->text);
    char *at = line->at + last->bytes;
    at = put_pair(at, rest / 100000);
    at = put_pair(at, rest / 1000 % 100);
    *at++ = '.';
    *at++ = (char)('0' + rest / 100 % 10);
    line->at = put_pair(at, rest % 100);
}

/* Returns true if one of eight bytes has to be looked at for a string of JSON: others are ASCII, and stay as they are. */
static bool is_special(uint64_t bytes)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    const uint64_t quote = bytes ^ (ones * '"'), backslash = bytes ^ (ones * '\\');
    return (bytes | ((bytes - ones * 0x20) & ~bytes) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash))
           & highs;
}

/* Returns the length of the character of UTF-8 that text begins with, up to `past`; 0 if it begins with none. */
static size_t character_bytes(const char *text, const char *past)
{
    const unsigned char *const c = (const unsigned char *)text;
    const size_t most = (size_t)(past - text);
    const size_t bytes = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    if (!bytes || bytes > most)
        return 0;
    for (size_t i = 1; i < bytes; ++i)
        if ((c[i] & 0xc0u) != 0x80u)
            return 0;
    const bool is_overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool is_no_character = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return is_overlong || is_no_character ? 0 : bytes;
}

void tw_put_name(struct tw_line *line, const char *name)
{
    char *at = line->at;
    size_t bytes = strnlen(name, TW_LINE_NAME);
    while (bytes >= TW_LINE_NAME - 3 && ((unsigned char)name[bytes] & 0xC0u) == 0x80u)
        --bytes; /* cuts no character of UTF-8 */
    const char *const past = name + bytes;
    uint64_t eight;
    for (; past - name >= 8; name += 8, at += 8) {
        memcpy(&eight, name, 8);
        if (is_special(eight))
            break;
        memcpy(at, &eight, 8);
    }
    while (name < past) {
        const size_t character = character_bytes(name, past);
        if (*name == '"' || *name == '\\')
            *at++ = '\\';
        if (character > 1)
            memcpy(at, name, character);
        else
            *at = (char)(!character ? '?' : (unsigned char)*name < 0x20 ? ' ' : *name);
        at += character ? character : 1;
        name += character ? character : 1;
    }
    line->at = at;
}
