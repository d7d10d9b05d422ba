// The exact solver of gametree (src/gametree/search/solve.py) in C++: the same questions, table, ordering and windows,
// so that both visit the same nodes. A game is a class with the verbs as static functions and the constants.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

using u64 = uint64_t;
using i64 = int64_t;

inline i64 popcount(u64 x) { return __builtin_popcountll(x); }
inline i64 ctz(u64 x) { return __builtin_ctzll(x); }
inline u64 mix_in(u64 h, u64 word) { u64 x = (h ^ word) * 0x9E3779B97F4A7C15ull; return x ^ x >> 32; }
inline u64 mix(u64 x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

struct Entry { u64 check, data; };

struct Table {
    Entry* entries;
    u64 buckets;
    explicit Table(u64 mib) : buckets((mib << 20) / 64) {
        entries = static_cast<Entry*>(std::aligned_alloc(64, buckets * 64));
        std::fill_n(entries, buckets * 4, Entry{0, 0});
    }
    Entry* bucket(u64 key) const { return entries + 4 * u64(static_cast<unsigned __int128>(key) * buckets >> 64); }
    u64 find(u64 key) const {
        const Entry* e = bucket(key);
        for (int i = 0; i < 4; i++)
            if ((e[i].check ^ e[i].data) == key && e[i].data) return e[i].data;
        return 0;
    }
    void keep(u64 key, u64 word) {
        Entry *e = bucket(key), *target = e;
        i64 least = 1 << 20;
        for (int i = 0; i < 4; i++) {
            if (!e[i].data || (e[i].check ^ e[i].data) == key) { target = e + i; break; }
            i64 worth = e[i].data >> 32 & 0xFF;
            if (worth < least) { least = worth; target = e + i; }
        }
        *target = {key ^ word, word};
    }
};

inline u64 bounds_word(i64 low, i64 high, i64 worth, i64 move) {
    return u64(low + 32768 & 0xFFFF) | u64(high + 32768 & 0xFFFF) << 16 | u64(worth & 0xFF) << 32 | u64(move + 1) << 40;
}
inline i64 word_low(u64 w) { return i64(w & 0xFFFF) - 32768; }
inline i64 word_high(u64 w) { return i64(w >> 16 & 0xFFFF) - 32768; }
inline i64 word_move(u64 w) { return i64(w >> 40) - 1; }

template <class Game> struct Solver {
    using State = typename Game::State;
    static constexpr int N = Game::MOST_MOVES;
    Table table;
    i64 nodes = 0, best_move = -1;
    explicit Solver(u64 mib) : table(mib) {}

    static u64 table_key(const State& s, i64 left, i64& image) {
        u64 key = Game::hash_state(s);
        image = 0;
        if (left > Game::MERGE)
            for (int k = 1; k < Game::SYMMETRIES; k++) {
                State t = s;
                Game::mirror(t, k);
                u64 other = Game::hash_state(t);
                if (other < key) { key = other; image = k; }
            }
        return key;
    }
    static i64 canonical_move(i64 m, i64 image) { return image ? Game::mirror_move(m, image) : m; }

    i64 lean(const State& s, i64 alpha, i64 beta) {
        nodes++;
        i64 moves[N];
        i64 n = Game::solver_moves(s, moves);
        if (n == 0) return moves[0];
        i64 best = -32768;
        for (i64 i = 0; i < n; i++) {
            State child = s;
            Game::play(child, moves[i]);
            i64 value = -lean(child, -beta, -alpha);
            if (value > best) {
                best = value;
                if (best >= beta) break;
                if (best > alpha) alpha = best;
            }
        }
        return best;
    }

    static i64 shallow(const State& s, i64 alpha, i64 beta, i64 depth) {
        if (depth <= 0) return Game::evaluate(s);
        i64 moves[N];
        i64 n = Game::solver_moves(s, moves);
        if (n == 0) return moves[0] * Game::UNIT;
        i64 best = -(1 << 30);
        for (i64 i = 0; i < n; i++) {
            State child = s;
            Game::play(child, moves[i]);
            i64 value = -shallow(child, -beta, -alpha, depth - 1);
            if (value > best) {
                best = value;
                if (best >= beta) break;
                if (best > alpha) alpha = best;
            }
        }
        return best;
    }

    i64 deep(const State& s, u64 key, i64 image, i64 alpha, i64 beta, bool root) {
        nodes++;
        i64 moves[N];
        i64 n = root ? Game::legal_moves(s, moves) : Game::solver_moves(s, moves);
        if (n == 0) return moves[0];
        i64 low = Game::LOWEST, high = Game::HIGHEST;
        if (!root) Game::solver_bounds(s, low, high);
        i64 left = Game::plies_left(s), hint = -1;
        u64 word = table.find(key);
        if (word) {
            hint = word_move(word);
            if (!root) { low = std::max(low, word_low(word)); high = std::min(high, word_high(word)); }
        }
        if (low >= beta || low == high) return low;
        if (high <= alpha) return high;
        alpha = std::max(alpha, low);
        beta = std::min(beta, high);

        State children[N];
        i64 ranks[N], order[N], images[N];
        u64 hashes[N];
        bool near_end = left - 1 <= Game::LEAN, thinks = left > Game::THINK;
        for (i64 i = 0; i < n; i++) {
            children[i] = s;
            Game::play(children[i], moves[i]);
            i64 rank = Game::move_key(s, moves[i]) + Game::child_key(children[i]);
            if (thinks) rank = 10 * rank - shallow(children[i], -(1 << 30), 1 << 30, 2 + (left - Game::THINK) / 4);
            if (!near_end) {
                hashes[i] = table_key(children[i], left - 1, images[i]);
                __builtin_prefetch(table.bucket(hashes[i]));
            }
            if (left > Game::PROBE && !root) {
                u64 known = table.find(hashes[i]);
                if (known && -word_high(known) >= beta) return -word_high(known);
            }
            if (hint != -1 && canonical_move(moves[i], image) == hint) rank += 1 << 20;
            i64 j = i;
            while (j > 0 && ranks[j - 1] < rank) { ranks[j] = ranks[j - 1]; order[j] = order[j - 1]; j--; }
            ranks[j] = rank;
            order[j] = i;
        }

        i64 best = -32768, best_here = -1, bound = alpha;
        for (i64 j = 0; j < n; j++) {
            i64 i = order[j], value;
            const State& child = children[i];
            if (near_end) value = -lean(child, -beta, -bound);
            else if (j == 0 || beta - bound <= 1) value = -deep(child, hashes[i], images[i], -beta, -bound, false);
            else {
                value = -deep(child, hashes[i], images[i], -bound - 1, -bound, false);
                if (bound < value && value < beta) value = -deep(child, hashes[i], images[i], -beta, -bound, false);
            }
            if (value > best) {
                best = value;
                best_here = moves[i];
                if (best >= beta) break;
                if (best > bound) bound = best;
            }
        }
        if (root) best_move = best_here;
        if (best > alpha && best > low) low = best;
        if (best < beta && best < high) high = best;
        table.keep(key, bounds_word(low, high, left, best > alpha ? canonical_move(best_here, image) : hint));
        return best;
    }

    static i64 half_down(i64 x) { return x >> 1; }

    i64 prove(const State& s) {
        i64 image, low = Game::LOWEST, high = Game::HIGHEST, move = -1, moves[N];
        u64 key = table_key(s, Game::plies_left(s), image);
        if (Game::solver_moves(s, moves) == 0) low = high = moves[0];
        else Game::solver_bounds(s, low, high);
        while (low < high) {
            i64 middle = low + half_down(high - low);
            if (middle <= 0 && half_down(low) < middle) middle = half_down(low);
            else if (middle >= 0 && half_down(high) > middle) middle = half_down(high);
            middle = std::min(std::max(middle, low), high - 1);
            i64 value = deep(s, key, image, middle, middle + 1, true);
            if (value > middle) { low = std::max(low, value); move = best_move; }
            else high = std::min(high, value);
        }
        if (move < 0) deep(s, key, image, low - 1, low, true);
        return low;
    }
};

// Reads positions, one a line, and prints the value, the nodes and the CPU seconds of each.
template <class Game> int solve_lines(int count, char** words) {
    Solver<Game> solver(count > 1 ? std::atoi(words[1]) : 64);
    for (std::string line; std::getline(std::cin, line);) {
        typename Game::State s = Game::read(line);
        solver.nodes = 0;
        std::clock_t began = std::clock();
        i64 value = solver.prove(s);
        std::printf("%ld %ld %.6f\n", value, solver.nodes, double(std::clock() - began) / CLOCKS_PER_SEC);
    }
    return 0;
}
