/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Formatted text without a C library (OpenCL 1.2, 6.12.13). Part of lower/kernel/printf.h, which uses it for calls with
 * vectors and halves: a device prints each call as one record, and its own formats know no vectors.
 *
 * Numbers come out as C's printf writes them in every detail: floating-point ones are expanded exactly, to the last
 * of up to 1074 decimal places, and rounded to nearest, ties to even.
 */
#ifndef TEAMWORK_LOWER_PRINTF_FORMAT_H
#define TEAMWORK_LOWER_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/export.h>
#include <teamwork/lower/kernel/region.h>
#include <teamwork/lower/vector/vector.h>

/* Compiled once a file and device, however many calls there are. */
#define TW_INTERNAL_TEXT_FUNCTION static __attribute__((noinline, unused))

/* An argument. Integers are extended to 64 bits, floating-point numbers are doubles' bits. */
struct tw_internal_value {
    unsigned char kind;  /* 'i' signed, 'u' unsigned, 'f' floating point, 'p' pointer */
    unsigned char lanes; /* 1 to 16 */
    unsigned char bytes; /* of an element, as it was given */
    uint64_t bits[16];
};

/* Where text goes; what does not fit is dropped, and `cut` set. */
struct tw_internal_text {
    char *to;
    unsigned used, room;
    bool cut;
};

/* A conversion specification. */
struct tw_internal_spec {
    bool left, plus, space, alternative, zeros;
    int width, precision; /* -1: none */
    unsigned bytes;       /* of the length modifier; 0: none */
    char conversion;
};

TW_DEVICE_INLINE void tw_internal_put(struct tw_internal_text *text, char c)
{
    if (text->used < text->room)
        text->to[text->used++] = c;
    else
        text->cut = true;
}

TW_DEVICE_INLINE void tw_internal_put_times(struct tw_internal_text *text, char c, int times)
{
    for (; times > 0; --times)
        tw_internal_put(text, c);
}

/* What stands before a number of `length` characters: spaces, its prefix, zeros. Returns the spaces to come after it.
   */
TW_INTERNAL_TEXT_FUNCTION int tw_internal_put_prefix(struct tw_internal_text *text, const struct tw_internal_spec *spec,
                                                     const char *prefix, int length, bool zeros)
{
    int prefix_length = 0;
    while (prefix[prefix_length])
        ++prefix_length;
    const int gap = spec->width - prefix_length - length;
    if (!spec->left && !zeros)
        tw_internal_put_times(text, ' ', gap);
    for (int i = 0; i < prefix_length; ++i)
        tw_internal_put(text, prefix[i]);
    if (!spec->left && zeros)
        tw_internal_put_times(text, '0', gap);
    return spec->left ? gap : 0;
}

/* ---- integers and strings ---------------------------------------------------------------------------------------- */

TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_integer(struct tw_internal_text *text,
                                                       const struct tw_internal_spec *spec, uint64_t bits,
                                                       unsigned bytes)
{
    const char c = spec->conversion;
    const bool is_signed = c == 'd' || c == 'i';
    const unsigned base = c == 'o' ? 8 : c == 'x' || c == 'X' || c == 'p' ? 16 : 10;
    const unsigned unused = 64 - 8 * bytes;
    uint64_t value = bits << unused >> unused;
    bool negative = false;
    if (is_signed && value >> (8 * bytes - 1)) {
        negative = true;
        value = (0 - value) << unused >> unused;
    }
    char digits[24], prefix[4] = {0};
    TW_INTERNAL_ON_STACK(digits, prefix)
    int count = 0, prefix_length = 0;
    for (uint64_t rest = value; rest; rest /= base) {
        const unsigned digit = (unsigned)(rest % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : (c == 'X' ? 'A' : 'a') + digit - 10);
    }
    int least = spec->precision >= 0 ? spec->precision : 1;
    if (c == 'o' && spec->alternative && least <= count)
        least = count + 1;
    if (negative || (is_signed && (spec->plus || spec->space)))
        prefix[prefix_length++] = negative ? '-' : spec->plus ? '+' : ' ';
    if (c == 'p' || (spec->alternative && base == 16 && value)) {
        prefix[prefix_length++] = '0';
        prefix[prefix_length++] = c == 'X' ? 'X' : 'x';
    }
    const int length = count > least ? count : least;
    const int after = tw_internal_put_prefix(text, spec, prefix, length, spec->zeros && spec->precision < 0);
    tw_internal_put_times(text, '0', least - count);
    while (count > 0)
        tw_internal_put(text, digits[--count]);
    tw_internal_put_times(text, ' ', after);
}

TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_string(struct tw_internal_text *text,
                                                      const struct tw_internal_spec *spec, const char *string)
{
    int length = 0;
    while ((spec->precision < 0 || length < spec->precision) && string[length])
        ++length;
    const int after = tw_internal_put_prefix(text, spec, "", length, false);
    for (int i = 0; i < length; ++i)
        tw_internal_put(text, string[i]);
    tw_internal_put_times(text, ' ', after);
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

/*
 * A number in full, in words of nine decimal digits, the highest first; word TW_INTERNAL_UNITS ends with the units. A
 * double has at most 309 digits before the point and 1074 after it.
 */
#define TW_INTERNAL_UNITS 35
#define TW_INTERNAL_WORDS (TW_INTERNAL_UNITS + 1 + 120)
#define TW_INTERNAL_WORD_BASE 1000000000u
struct tw_internal_decimal {
    uint32_t words[TW_INTERNAL_WORDS];
    int first, past; /* the words in use; all others are 0 and not set */
};

/* magnitude = mantissa * 2^exponent */
TW_INTERNAL_TEXT_FUNCTION void tw_internal_expand(struct tw_internal_decimal *d, uint64_t mantissa, int exponent)
{
    d->first = TW_INTERNAL_UNITS - 1;
    d->past = TW_INTERNAL_UNITS + 1;
    d->words[TW_INTERNAL_UNITS - 1] = (uint32_t)(mantissa / TW_INTERNAL_WORD_BASE);
    d->words[TW_INTERNAL_UNITS] = (uint32_t)(mantissa % TW_INTERNAL_WORD_BASE);
    while (exponent > 0) {
        const int step = exponent < 29 ? exponent : 29;
        uint64_t carry = 0;
        for (int i = d->past - 1; i >= d->first; --i) {
            carry += (uint64_t)d->words[i] << step;
            d->words[i] = (uint32_t)(carry % TW_INTERNAL_WORD_BASE);
            carry /= TW_INTERNAL_WORD_BASE;
        }
        if (carry)
            d->words[--d->first] = (uint32_t)carry;
        exponent -= step;
    }
    while (exponent < 0) {
        const int step = exponent > -9 ? -exponent : 9; /* the base is a multiple of 2^9 */
        uint32_t carry = 0;
        for (int i = d->first; i < d->past; ++i) {
            const uint32_t rest = d->words[i] & ((1u << step) - 1);
            d->words[i] = (d->words[i] >> step) + carry;
            carry = rest * (TW_INTERNAL_WORD_BASE >> step);
        }
        if (carry)
            d->words[d->past++] = carry;
        exponent += step;
    }
}

/* The word with the digit of 10^place; *unit is 10 to the digit's place in it. */
TW_DEVICE_INLINE int tw_internal_word_of(int place, uint32_t *unit)
{
    const int word = place >= 0 ? place / 9 : -((8 - place) / 9);
    *unit = 1;
    for (int i = place - 9 * word; i > 0; --i)
        *unit *= 10;
    return TW_INTERNAL_UNITS - word;
}

TW_INTERNAL_TEXT_FUNCTION unsigned tw_internal_digit(const struct tw_internal_decimal *d, int place)
{
    uint32_t unit = 1;
    TW_INTERNAL_ON_STACK(unit)
    const int word = tw_internal_word_of(place, &unit);
    return word < d->first || word >= d->past ? 0 : d->words[word] / unit % 10;
}

/* The place of the highest digit that is not 0; 0 for zero. */
TW_INTERNAL_TEXT_FUNCTION int tw_internal_top(const struct tw_internal_decimal *d)
{
    int word = d->first;
    while (word < d->past && !d->words[word])
        ++word;
    if (word == d->past)
        return 0;
    int place = (TW_INTERNAL_UNITS - word) * 9;
    for (uint32_t rest = d->words[word] / 10; rest; rest /= 10)
        ++place;
    return place;
}

/* Rounds to a multiple of 10^place. */
TW_INTERNAL_TEXT_FUNCTION void tw_internal_round_decimal(struct tw_internal_decimal *d, int place)
{
    uint32_t half_unit = 1, unit = 1;
    TW_INTERNAL_ON_STACK(half_unit, unit)
    const int half_word = tw_internal_word_of(place - 1, &half_unit);
    int word = tw_internal_word_of(place, &unit);
    if (half_word >= d->past)
        return;
    /* what is cut off, against one half: below, equal, above */
    const unsigned half = half_word < d->first ? 0 : d->words[half_word] / half_unit % 10;
    bool more = half_word >= d->first && d->words[half_word] % half_unit;
    for (int i = half_word + 1 > d->first ? half_word + 1 : d->first; i < d->past && !more; ++i)
        more = d->words[i] != 0;
    const bool up = half > 5 || (half == 5 && (more || tw_internal_digit(d, place) % 2));
    for (; d->first > word; --d->first)
        d->words[d->first - 1] = 0;
    d->words[word] -= d->words[word] % unit;
    for (int i = word + 1; i < d->past; ++i)
        d->words[i] = 0;
    for (uint32_t add = up ? unit : 0; add; add = 1) {
        if (word < d->first)
            d->words[d->first = word] = 0;
        d->words[word] += add;
        if (d->words[word] < TW_INTERNAL_WORD_BASE)
            break;
        d->words[word--] -= TW_INTERNAL_WORD_BASE;
    }
}

TW_DEVICE_INLINE void tw_internal_put_digits(struct tw_internal_text *text, const struct tw_internal_decimal *d,
                                             int from, int to)
{
    for (int place = from; place >= to; --place)
        tw_internal_put(text, (char)('0' + tw_internal_digit(d, place)));
}

/* %f with `places` after the point. */
TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_fixed(struct tw_internal_text *text, const struct tw_internal_spec *spec,
                                                     const struct tw_internal_decimal *d, const char *sign, int places)
{
    const int top = tw_internal_top(d), whole = top > 0 ? top : 0;
    const bool point = places > 0 || spec->alternative;
    const int after = tw_internal_put_prefix(text, spec, sign, whole + 1 + point + places, spec->zeros);
    tw_internal_put_digits(text, d, whole, 0);
    if (point)
        tw_internal_put(text, '.');
    tw_internal_put_digits(text, d, -1, -places);
    tw_internal_put_times(text, ' ', after);
}

/* %e with `places` after the point; `top` is the place of the first digit. */
TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_scientific(struct tw_internal_text *text,
                                                          const struct tw_internal_spec *spec,
                                                          const struct tw_internal_decimal *d, const char *sign,
                                                          int places, bool capital)
{
    const int top = tw_internal_top(d), exponent = top < 0 ? -top : top;
    const bool point = places > 0 || spec->alternative;
    const int length = 1 + point + places + (exponent > 99 ? 5 : 4);
    const int after = tw_internal_put_prefix(text, spec, sign, length, spec->zeros);
    tw_internal_put_digits(text, d, top, top);
    if (point)
        tw_internal_put(text, '.');
    tw_internal_put_digits(text, d, top - 1, top - places);
    tw_internal_put(text, capital ? 'E' : 'e');
    tw_internal_put(text, top < 0 ? '-' : '+');
    if (exponent > 99)
        tw_internal_put(text, (char)('0' + exponent / 100));
    tw_internal_put(text, (char)('0' + exponent / 10 % 10));
    tw_internal_put(text, (char)('0' + exponent % 10));
    tw_internal_put_times(text, ' ', after);
}

TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_decimal(struct tw_internal_text *text,
                                                       const struct tw_internal_spec *spec, const char *sign,
                                                       uint64_t mantissa, int exponent)
{
    struct tw_internal_decimal d;
    TW_INTERNAL_ON_STACK(d)
    const bool capital = spec->conversion < 'a';
    const char c = (char)(spec->conversion | 0x20);
    int places = spec->precision < 0 ? 6 : spec->precision;
    tw_internal_expand(&d, mantissa, exponent);
    if (c == 'f') {
        tw_internal_round_decimal(&d, -places);
        tw_internal_put_fixed(text, spec, &d, sign, places);
        return;
    }
    if (c == 'g')
        places = places > 1 ? places - 1 : 0;
    tw_internal_round_decimal(&d, tw_internal_top(&d) - places);
    const int top = tw_internal_top(&d);
    const bool fixed = c == 'g' && top >= -4 && top <= places;
    if (c == 'g' && !spec->alternative)
        while (places > 0 && !tw_internal_digit(&d, top - places))
            --places;
    if (fixed)
        tw_internal_put_fixed(text, spec, &d, sign, places > top ? places - top : 0);
    else
        tw_internal_put_scientific(text, spec, &d, sign, places, capital);
}

/* %a: one digit, the point, the fraction's hexadecimal digits. */
TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_hexadecimal(struct tw_internal_text *text,
                                                           const struct tw_internal_spec *spec, const char *sign,
                                                           uint64_t mantissa, int exponent)
{
    const bool capital = spec->conversion == 'A';
    const char *prefix[2] = {sign, capital ? "0X" : "0x"};
    char both[4] = {0};
    TW_INTERNAL_ON_STACK(prefix, both)
    int places = 13, power = mantissa ? exponent + 52 : 0, both_length = 0;
    for (int i = 0; i < 2; ++i)
        for (const char *p = prefix[i]; *p; ++p)
            both[both_length++] = *p;
    if (spec->precision < 0) {
        for (; places > 0 && !(mantissa & 15); --places)
            mantissa >>= 4;
        if (!mantissa)
            places = 0;
    } else if (spec->precision < 13) {
        const int shift = 4 * (13 - spec->precision);
        const uint64_t rest = mantissa & (((uint64_t)1 << shift) - 1), half = (uint64_t)1 << (shift - 1);
        mantissa >>= shift;
        mantissa += rest > half || (rest == half && mantissa & 1);
        places = spec->precision;
    }
    const int zeros = spec->precision > 13 ? spec->precision - 13 : 0, magnitude = power < 0 ? -power : power;
    const bool point = places > 0 || spec->alternative;
    const int power_digits = magnitude > 999 ? 4 : magnitude > 99 ? 3 : magnitude > 9 ? 2 : 1;
    const int after =
        tw_internal_put_prefix(text, spec, both, 1 + point + places + zeros + 2 + power_digits, spec->zeros);
    for (int i = places; i >= 0; --i) {
        const unsigned digit = (unsigned)(mantissa >> 4 * i & 15);
        tw_internal_put(text, (char)(digit < 10 ? '0' + digit : (capital ? 'A' : 'a') + digit - 10));
        if (i == places && point)
            tw_internal_put(text, '.');
    }
    tw_internal_put_times(text, '0', zeros);
    tw_internal_put(text, capital ? 'P' : 'p');
    tw_internal_put(text, power < 0 ? '-' : '+');
    for (int unit = power_digits == 4 ? 1000 : power_digits == 3 ? 100 : power_digits == 2 ? 10 : 1; unit; unit /= 10)
        tw_internal_put(text, (char)('0' + magnitude / unit % 10));
    tw_internal_put_times(text, ' ', after);
}

TW_INTERNAL_TEXT_FUNCTION void tw_internal_put_double(struct tw_internal_text *text,
                                                      const struct tw_internal_spec *spec, uint64_t bits)
{
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    const int biased = (int)(bits >> 52 & 2047);
    const bool capital = spec->conversion < 'a';
    const char *sign = bits >> 63 ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    if (biased == 2047) {
        const char *name = fraction ? capital ? "NAN" : "nan" : capital ? "INF" : "inf";
        const int after = tw_internal_put_prefix(text, spec, sign, 3, false);
        for (int i = 0; i < 3; ++i)
            tw_internal_put(text, name[i]);
        tw_internal_put_times(text, ' ', after);
        return;
    }
    const uint64_t mantissa = biased ? fraction | (uint64_t)1 << 52 : fraction;
    const int exponent = (biased ? biased : 1) - 1075;
    if ((spec->conversion | 0x20) == 'a')
        tw_internal_put_hexadecimal(text, spec, sign, mantissa, exponent);
    else
        tw_internal_put_decimal(text, spec, sign, mantissa, exponent);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

TW_DEVICE_INLINE const char *tw_internal_number(const char *p, int *number)
{
    *number = 0;
    for (; *p >= '0' && *p <= '9'; ++p)
        if (*number < 100000)
            *number = *number * 10 + (*p - '0');
    return p;
}

/* Reads what follows a %; returns the character after the conversion. */
TW_INTERNAL_TEXT_FUNCTION const char *tw_internal_read_spec(const char *p, struct tw_internal_spec *spec)
{
    struct tw_internal_spec s = {false, false, false, false, false, 0, -1, 0, 0};
    int lanes = 0;
    TW_INTERNAL_ON_STACK(s, lanes)
    for (bool is_flag = true; is_flag; p += is_flag) {
        is_flag = *p == '-' || *p == '+' || *p == ' ' || *p == '#' || *p == '0';
        s.left |= *p == '-';
        s.plus |= *p == '+';
        s.space |= *p == ' ';
        s.alternative |= *p == '#';
        s.zeros |= *p == '0';
    }
    p = tw_internal_number(p, &s.width);
    if (*p == '.')
        p = tw_internal_number(p + 1, &s.precision);
    if (*p == 'v') /* the argument knows how many elements it has */
        p = tw_internal_number(p + 1, &lanes);
    if (*p == 'h') {
        s.bytes = p[1] == 'h' ? 1 : p[1] == 'l' ? 4 : 2;
        p += s.bytes == 2 ? 1 : 2;
    } else {
        for (; *p == 'l' || *p == 'j' || *p == 'z' || *p == 't'; ++p)
            s.bytes = 8;
    }
    s.conversion = *p;
    *spec = s;
    return *p ? p + 1 : p;
}

/* One element, converted if it is no such number as the format says. */
TW_INTERNAL_TEXT_FUNCTION bool tw_internal_put_element(struct tw_internal_text *text,
                                                       const struct tw_internal_spec *spec,
                                                       const struct tw_internal_value *value, unsigned lane)
{
    uint64_t bits = value->bits[lane];
    double number = 0;
    TW_INTERNAL_ON_STACK(bits, number)
    switch (spec->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        if (value->kind == 'f') {
            __builtin_memcpy(&number, &bits, sizeof number);
            bits = number > -0x1p63 && number < 0x1p63 ? (uint64_t)(int64_t)number : 0;
        }
        tw_internal_put_integer(text, spec, bits, spec->bytes ? spec->bytes : value->bytes > 4 ? value->bytes : 4);
        return true;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (value->kind != 'f') {
            number = value->kind == 'u' ? (double)bits : (double)(int64_t)bits;
            __builtin_memcpy(&bits, &number, sizeof bits);
        }
        tw_internal_put_double(text, spec, bits);
        return true;
    case 'c': {
        const char one[2] = {(char)bits, 0};
        TW_INTERNAL_ON_STACK(one)
        const int after = tw_internal_put_prefix(text, spec, "", 1, false);
        tw_internal_put(text, one[0]);
        tw_internal_put_times(text, ' ', after);
        return true;
    }
    case 's':
        if (value->kind != 'p')
            return false;
        tw_internal_put_string(text, spec, bits ? (const char *)(uintptr_t)bits : "(null)");
        return true;
    case 'p':
        tw_internal_put_integer(text, spec, bits, 8);
        return true;
    default:
        return false;
    }
}

/* Writes the text of a call to `text`; false: the format is no format, or asks for more values than there are. */
TW_INTERNAL_TEXT_FUNCTION bool tw_internal_format_values(struct tw_internal_text *text, const char *format,
                                                         const struct tw_internal_value *values, unsigned count)
{
    unsigned next = 0;
    for (const char *p = format; *p;) {
        if (*p != '%' || p[1] == '%') {
            p += *p == '%';
            tw_internal_put(text, *p++);
            continue;
        }
        struct tw_internal_spec spec;
        TW_INTERNAL_ON_STACK(spec)
        p = tw_internal_read_spec(p + 1, &spec);
        if (next == count)
            return false;
        const struct tw_internal_value *value = &values[next++];
        for (unsigned lane = 0; lane < value->lanes; ++lane) {
            if (lane)
                tw_internal_put(text, ',');
            if (!tw_internal_put_element(text, &spec, value, lane))
                return false;
        }
    }
    return true;
}

#endif
