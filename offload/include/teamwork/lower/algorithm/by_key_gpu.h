/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The kernel of by_key.h on a GPU: one launch that reads each element once.
 *
 * A tile goes through local memory, so that each work-item has elements that are one behind the other. It knows by a bit
 * which of them begin runs. A run is complete where the next one begins: there the key of the new run and the value of
 * the one before are collected in local memory, while one sub-group asks the tiles before (scan.h). Within a tile runs
 * are counted in 32 bits; only the run that is open at its end, and their number, go from tile to tile.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_BY_KEY_GPU_H
#define TEAMWORK_LOWER_ALGORITHM_BY_KEY_GPU_H

#include <teamwork/lower/algorithm/scan.h>

/* Elements of a work-item, which have up to 128 bytes if there are several, and of a tile. */
#define TW_INTERNAL_KEYED_BYTES(key_type, part_type) (sizeof(key_type) + sizeof(part_type))
#define TW_INTERNAL_KEYED(key_type, part_type)                                                                         \
    (TW_INTERNAL_KEYED_BYTES(key_type, part_type) <= 8    ? 16                                                         \
     : TW_INTERNAL_KEYED_BYTES(key_type, part_type) <= 16 ? 8                                                          \
     : TW_INTERNAL_KEYED_BYTES(key_type, part_type) <= 32 ? 4                                                          \
     : TW_INTERNAL_KEYED_BYTES(key_type, part_type) <= 64 ? 2                                                          \
                                                          : 1)
#define TW_INTERNAL_KEYED_TILE(key_type, part_type) (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_KEYED(key_type, part_type))

enum { TW_INTERNAL_KEYED_MOST_STAGED = 128 }; /* bytes of a key and a value */

#if TW_ON_GPU

/* What tiles tell: how many runs have begun in a word of 62 bits, then the value. */
#define TW_INTERNAL_DEFINE_RUN_TELL(name)                                                                              \
    TW_INTERNAL_ALWAYS_INLINE void name##_tell(unsigned long long *tiles, size_t stride, size_t tile,                  \
                                               const name##_run *run, unsigned kind)                                   \
    {                                                                                                                  \
        tw_atomic_store(&tiles[tile], (unsigned long long)kind << 62 | run->begun, TW_ORDER_RELAXED, TW_SCOPE_DEVICE); \
        tw_internal_tell(tiles + stride, stride, tile, &run->value, sizeof run->value, kind);                          \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_ask(const unsigned long long *tiles, size_t stride, size_t tile,         \
                                                  name##_run *run)                                                     \
    {                                                                                                                  \
        const unsigned long long told = tw_atomic_load(&tiles[tile], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);               \
        const unsigned kind = tw_internal_ask(tiles + stride, stride, tile, &run->value, sizeof run->value);           \
        run->begun = (size_t)(told & ((1ull << 62) - 1));                                                              \
        return kind == (unsigned)(told >> 62) ? kind : 0;                                                              \
    }

/* What is in front of a work-item, or behind the last one, in its tile: how many runs have begun, and what the last one
   has; of the first run what the tile has of it. `has` is false in front of the first work-item. */
#define TW_INTERNAL_DEFINE_RUN_PARTS(name, part_type, operation)                                                         \
    typedef struct {                                                                                                     \
        unsigned begun;                                                                                                  \
        bool has;                                                                                                        \
        part_type value;                                                                                                 \
    } name##_front;                                                                                                      \
    TW_INTERNAL_ALWAYS_INLINE void name##_append(name##_front *front, unsigned begun, part_type value)                   \
    {                                                                                                                    \
        if (front->has && !begun)                                                                                        \
            front->value = operation(front->value, value);                                                               \
        else                                                                                                             \
            front->value = value;                                                                                        \
        front->begun += begun;                                                                                           \
        front->has = true;                                                                                               \
    }                                                                                                                    \
    /* `begun` runs begin in this work-item; the last one, or that of the work-items before, has `value` in it. All    \
       parts of the tile together go to *tile. */ \
    TW_INTERNAL_ALWAYS_INLINE name##_front name##_front_of(tw_nd_item item, name##_front *parts, unsigned begun,         \
                                                           part_type value, name##_front *tile)                          \
    {                                                                                                                    \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                           \
        const unsigned lane = sub_group.tw_lane_;                                                                        \
        const unsigned long long up_to = (2ull << lane) - 1, begins = tw_group_ballot(sub_group, begun != 0) & up_to,    \
                                 begins_before = begins & up_to >> 1;                                                    \
        const unsigned reach =                                                                                           \
            begins ? lane + (unsigned)__builtin_clzll(begins) - 63 : lane; /* of the run, in lanes */                    \
        unsigned all = begun;                                                                                            \
        for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {                                                \
            part_type other;                                                                                             \
            const unsigned more =                                                                                        \
                (unsigned)tw_internal_shuffle_word(sub_group, (int)all, TW_INTERNAL_BEFORE, (int)delta);                 \
            tw_internal_shuffle_value(sub_group, &other, &value, sizeof value, TW_INTERNAL_BEFORE, delta);               \
            if (lane >= delta)                                                                                           \
                all += more;                                                                                             \
            if (reach >= delta)                                                                                          \
                value = operation(other, value);                                                                         \
        }                                                                                                                \
        if (lane == sub_group.tw_max_ - 1) {                                                                             \
            parts[sub_group.tw_id_].begun = all;                                                                         \
            parts[sub_group.tw_id_].value = value;                                                                       \
        }                                                                                                                \
        part_type left;                                                                                                  \
        tw_internal_shuffle_value(sub_group, &left, &value, sizeof left, TW_INTERNAL_BEFORE, 1);                         \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                                \
        name##_front front;                                                                                              \
        tile->begun = 0;                                                                                                 \
        tile->has = false;                                                                                               \
        front = *tile;                                                                                                   \
        for (unsigned i = 0; i < sub_group.tw_count_; ++i) {                                                             \
            if (i == sub_group.tw_id_)                                                                                   \
                front = *tile;                                                                                           \
            name##_append(tile, parts[i].begun, parts[i].value);                                                         \
        }                                                                                                                \
        if (lane) {                                                                                                      \
            name##_append(&front, begins_before != 0, left);                                                             \
            front.begun += all - begun - (begins_before != 0);                                                           \
        }                                                                                                                \
        return front;                                                                                                    \
    }

/* NAME_fetch(): `mine` elements for each work-item of a sub-group, from `start` on, in vectors of which a row is one piece
   of memory. Of a tile that is not full, those past `count` are any. NAME_turn(): through local memory of the sub-group
   each work-item gets elements that are one behind the other. */
#define TW_INTERNAL_KEYED_VECTOR(type, mine) ((mine) % TW_INTERNAL_VECTOR(type) ? 1 : TW_INTERNAL_VECTOR(type))
#define TW_INTERNAL_DEFINE_FETCH(name, type, mine)                                                                     \
    TW_INTERNAL_ALWAYS_INLINE void name##_fetch(tw_sub_group sub_group, const type *in, size_t start, size_t count,    \
                                                bool full, type *x)                                                    \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_KEYED_VECTOR(type, mine) };                                                        \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        if (full && (VECTOR == 1 || tw_internal_is_aligned(in))) {                                                     \
            _Pragma("unroll") for (unsigned i = 0; i < (mine); i += VECTOR) TW_INTERNAL_MOVE_VECTOR(                   \
                VECTOR, tw_internal_load_vector, x + i, in + start + i * lanes + lane * VECTOR);                       \
        } else {                                                                                                       \
            _Pragma("unroll") for (unsigned i = 0; i < (mine); ++i)                                                    \
            {                                                                                                          \
                const size_t at = start + i / VECTOR * VECTOR * lanes + lane * VECTOR + i % VECTOR;                    \
                x[i] = in[at < count ? at : count - 1];                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_turn(tw_sub_group sub_group, type *local, type *x)                           \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_KEYED_VECTOR(type, mine), ROWS = (mine) / VECTOR, BYTES = VECTOR * sizeof(type) }; \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS && (mine) > 1; ++r) TW_INTERNAL_MOVE_VECTOR(                   \
            VECTOR, tw_internal_store_vector,                                                                          \
            local + tw_internal_place_of_vector(r * lanes + lane, ROWS, BYTES) * VECTOR, x + r * VECTOR);              \
        tw_group_barrier(sub_group);                                                                                   \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS && (mine) > 1; ++r)                                            \
            TW_INTERNAL_MOVE_VECTOR(VECTOR, tw_internal_load_vector, x + r * VECTOR,                                   \
                                    local + tw_internal_place_of_vector(lane * ROWS + r, ROWS, BYTES) * VECTOR);       \
    }
#define TW_INTERNAL_FETCH_VALUES(name, sub_group, k, start, count, full, x)                                            \
    name##_values_fetch(sub_group, (k)->values, start, count, full, x)
#define TW_INTERNAL_TURN_VALUES(name, sub_group, local, x, mine) name##_values_turn(sub_group, local, x)
#define TW_INTERNAL_FETCH_NOTHING(name, sub_group, k, start, count, full, x) (void)(x)
#define TW_INTERNAL_TURN_ONES(name, sub_group, local, x, mine)                                                         \
    _Pragma("unroll") for (unsigned j = 0; j < (mine); ++j)(x)[j] = 1

/* The elements of a work-item: which begin runs, and what their runs have up to them, as far as that is in the
   work-item. `before` is the key before those of the sub-group, in its first work-item. */
#define TW_INTERNAL_DEFINE_RUN_ITEM(name, key_type, part_type, equal, operation)                                         \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_find_runs(tw_sub_group sub_group, size_t start, size_t count,              \
                                                        const key_type *key, key_type before, part_type *x)              \
    {                                                                                                                    \
        enum { MINE = TW_INTERNAL_KEYED(key_type, part_type) };                                                          \
        key_type left;                                                                                                   \
        unsigned begins;                                                                                                 \
        tw_internal_shuffle_value(sub_group, &left, &key[MINE - 1], sizeof left, TW_INTERNAL_BEFORE, 1);                 \
        if (sub_group.tw_lane_ == 0)                                                                                     \
            left = before;                                                                                               \
        begins = !(equal(left, key[0]));                                                                                 \
        _Pragma("unroll") for (unsigned j = 1; j < MINE; ++j)                                                            \
        {                                                                                                                \
            if (equal(key[j - 1], key[j]))                                                                               \
                x[j] = operation(x[j - 1], x[j]);                                                                        \
            else                                                                                                         \
                begins |= 1u << j;                                                                                       \
        }                                                                                                                \
        begins |= start == 0;                                                                                            \
        if (start + MINE <= count)                                                                                       \
            return begins;                                                                                               \
        return start < count ? begins & ((1u << (count - start)) - 1) : 0;                                               \
    }                                                                                                                    \
    /* Collects the keys of runs that begin, and the values of those before them, which for the first one of the tile  \
       is what the tile has of it, if it has something. */ \
    TW_INTERNAL_ALWAYS_INLINE void name##_collect(key_type *keys, part_type *values, unsigned begins,                    \
                                                  const key_type *key, const part_type *x, name##_front front)           \
    {                                                                                                                    \
        enum { MINE = TW_INTERNAL_KEYED(key_type, part_type) };                                                          \
        unsigned to = front.begun;                                                                                       \
        _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j) if (begins >> j & 1)                                       \
        {                                                                                                                \
            keys[to] = key[j];                                                                                           \
            if (j)                                                                                                       \
                values[to] = x[j - (j > 0)];                                                                             \
            ++to;                                                                                                        \
        }                                                                                                                \
        if (begins & 1) {                                                                                                \
            if (front.has)                                                                                               \
                values[front.begun] = front.value;                                                                       \
        } else if (begins && front.has) {                                                                                \
            values[front.begun] = operation(front.value, values[front.begun]);                                           \
        }                                                                                                                \
    }                                                                                                                    \
    /* What the run of element `last` of the work-item has up to it in the tile. */                                      \
    TW_INTERNAL_ALWAYS_INLINE part_type name##_value_up_to(unsigned begins, unsigned last, const part_type *x,           \
                                                           name##_front front)                                           \
    {                                                                                                                    \
        enum { MINE = TW_INTERNAL_KEYED(key_type, part_type) };                                                          \
        part_type value = x[0];                                                                                          \
        _Pragma("unroll") for (unsigned j = 1; j < MINE; ++j) if (j == last) value = x[j];                               \
        if (front.has && !(begins & ((2u << last) - 1)))                                                                 \
            value = operation(front.value, value);                                                                       \
        return value;                                                                                                    \
    }

#define TW_INTERNAL_DEFINE_RUN_TILES(name, key_type, value_type, part_type, equal, operation, FETCH, TURN)             \
    TW_INTERNAL_DEFINE_RUN_TELL(name)                                                                                  \
    TW_INTERNAL_DEFINE_LOOK_BACK(name, name##_run, name##_join)                                                        \
    TW_INTERNAL_DEFINE_FETCH(name##_keys, key_type, TW_INTERNAL_KEYED(key_type, part_type))                            \
    TW_INTERNAL_DEFINE_FETCH(name##_values, value_type, TW_INTERNAL_KEYED(key_type, part_type))                        \
    TW_INTERNAL_DEFINE_RUN_PARTS(name, part_type, operation)                                                           \
    TW_INTERNAL_DEFINE_RUN_ITEM(name, key_type, part_type, equal, operation)                                           \
    static inline void name##_tiles(tw_nd_item item, const struct name##_by_key *k)                                    \
    {                                                                                                                  \
        enum {                                                                                                         \
            MINE = TW_INTERNAL_KEYED(key_type, part_type),                                                             \
            TILE = TW_INTERNAL_KEYED_TILE(key_type, part_type),                                                        \
            STAGED = TW_INTERNAL_KEYED_BYTES(key_type, part_type) <= TW_INTERNAL_KEYED_MOST_STAGED                     \
        };                                                                                                             \
        union keys {                                                                                                   \
            tw_internal_vector align[1];                                                                               \
            key_type x[STAGED ? TILE : 1];                                                                             \
        };                                                                                                             \
        union values {                                                                                                 \
            tw_internal_vector align[1];                                                                               \
            part_type x[STAGED ? TILE : 1];                                                                            \
        };                                                                                                             \
        TW_LOCAL(union keys, keys);                                                                                    \
        TW_LOCAL(union values, values);                                                                                \
        TW_LOCAL(name##_front, parts, [TW_INTERNAL_TILE_ITEMS / 32]);                                                  \
        TW_LOCAL(name##_run, before_tile, [1]);                                                                        \
        TW_LOCAL(part_type, last_value, [1]);                                                                          \
        TW_LOCAL(bool, begins_anew, [1]); /* whether element 0 of the tile begins a run */                             \
        TW_INTERNAL_TAKE_TILE(item, k->common.scratch);                                                                \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned me = (unsigned)tw_local_id(item, 0);                                                            \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE, start = first + me * MINE;            \
        if (first >= count) {                                                                                          \
            if (tile == 0 && me == 0)                                                                                  \
                *k->runs = 0;                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        const bool full = count - first >= TILE, is_last = count - first <= TILE;                                      \
        const size_t row = first + sub_group.tw_id_ * MINE * sub_group.tw_max_; /* of the sub-group */                 \
        const unsigned local = MINE > 1 ? (unsigned)(row - first) : 0;                                                 \
        key_type key[MINE];                                                                                            \
        part_type x[MINE];                                                                                             \
        name##_keys_fetch(sub_group, k->in, row, count, full, key);                                                    \
        FETCH(name, sub_group, k, row, count, full, x);                                                                \
        key_type left = key[0];                                                                                        \
        if (sub_group.tw_lane_ == 0)                                                                                   \
            left = k->in[row && row < count ? row - 1 : 0];                                                            \
        name##_keys_turn(sub_group, keys.x + local, key);                                                              \
        TURN(name, sub_group, values.x + local, x, MINE);                                                              \
        const unsigned begins = name##_find_runs(sub_group, start, count, key, left, x);                               \
        name##_front all;                                                                                              \
        const name##_front front =                                                                                     \
            name##_front_of(item, parts, (unsigned)__builtin_popcount(begins), x[MINE - 1], &all);                     \
        if (me == 0)                                                                                                   \
            begins_anew[0] = begins & 1;                                                                               \
        if (is_last && count - 1 - start < MINE)                                                                       \
            last_value[0] = name##_value_up_to(begins, (unsigned)(count - 1 - start), x, front);                       \
        unsigned long long *const tiles =                                                                              \
            (unsigned long long *)tw_internal_at(k->common.scratch, TW_INTERNAL_SCAN_HEAD);                            \
        const size_t stride = tw_internal_divide_up(k->common.count, TILE);                                            \
        const bool tells = me == 0 && tile + 1 < stride;                                                               \
        name##_run run;                                                                                                \
        run.begun = all.begun;                                                                                         \
        run.value = all.value;                                                                                         \
        if (tells && tile)                                                                                             \
            name##_tell(tiles, stride, tile, &run, TW_INTERNAL_TILE_ALONE);                                            \
        if (STAGED)                                                                                                    \
            name##_collect(keys.x, values.x, begins, key, x, front);                                                   \
        if (sub_group.tw_id_ == 0) {                                                                                   \
            name##_run told = run;                                                                                     \
            if (tile) {                                                                                                \
                told = name##_look_back(sub_group, tiles, stride, tile);                                               \
                run = name##_join(told, run);                                                                          \
            }                                                                                                          \
            if (tells)                                                                                                 \
                name##_tell(tiles, stride, tile, &run, TW_INTERNAL_TILE_WHOLE);                                        \
            if (me == 0)                                                                                               \
                before_tile[0] = told;                                                                                 \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        const size_t before = tile ? before_tile[0].begun : 0;                                                         \
        key_type *const keys_out = k->out + before;                                                                    \
        value_type *const values_out =                                                                                 \
            k->values_out + before; /* of the runs that begin: those before them go to - 1 */                          \
        for (unsigned i = STAGED ? me : front.begun; i < (STAGED ? all.begun : front.begun + begins);                  \
             i += TW_INTERNAL_TILE_ITEMS) {                                                                            \
            value_type value;                                                                                          \
            if (STAGED) {                                                                                              \
                keys_out[i] = keys.x[STAGED ? i : 0];                                                                  \
                value = values.x[STAGED ? i : 0];                                                                      \
            } else {                                                                                                   \
                keys_out[i] = key[0];                                                                                  \
                value = front.value;                                                                                   \
            }                                                                                                          \
            if (i == 0 && tile) {                                                                                      \
                if (begins_anew[0])                                                                                    \
                    value = before_tile[0].value;                                                                      \
                else                                                                                                   \
                    value = operation(before_tile[0].value, value);                                                    \
            }                                                                                                          \
            if (i || tile)                                                                                             \
                values_out[(ptrdiff_t)i - 1] = value;                                                                  \
        }                                                                                                              \
        if (is_last && me == 0) {                                                                                      \
            value_type value = last_value[0];                                                                          \
            if (!all.begun)                                                                                            \
                value = operation(before_tile[0].value, value);                                                        \
            values_out[(ptrdiff_t)all.begun - 1] = value;                                                              \
            *k->runs = before + all.begun;                                                                             \
        }                                                                                                              \
    }

#else

#define TW_INTERNAL_DEFINE_RUN_TILES(name, key_type, value_type, part_type, equal, operation, FETCH, TURN)             \
    TW_INTERNAL_NO_GPU_KERNEL(name##_tiles, name##_by_key)

#endif
#endif
