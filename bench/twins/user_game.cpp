// Barrel, the game of the tutorial (docs/tutorial_compiled.md), with alpha-beta: the nodes of gametree's engine with every
// refinement off. Reads depths, one a line, and prints value, nodes and CPU seconds for the start position.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

using u64 = uint64_t;
using i64 = int64_t;

struct State { u64 own, opp; };
constexpr u64 HOME = 0xFF, WEST = 0x0101010101010101ull, EAST = 0x8080808080808080ull;
constexpr i64 UNIT = 100, INFINITE = (1 << 23) - 1;

static u64 sideways(u64 x, i64 way) {
    if (way == 1) return (x & ~EAST) << 1 | (x & EAST) >> 7;
    if (way == 2) return (x & ~WEST) >> 1 | (x & WEST) << 7;
    return x;
}

static i64 legal_moves(const State& s, i64* out) {
    i64 n = 0;
    if (!(s.opp & HOME))
        for (i64 way = 0; way < 3; way++) {
            u64 targets = sideways(s.own << 8, way) & ~s.own;
            if (way == 0) targets &= ~s.opp;
            for (; targets; targets &= targets - 1) out[n++] = 3 * __builtin_ctzll(targets) + way;
        }
    return n;
}

static void play(State& s, i64 m) {
    u64 target = 1ull << m / 3, source = sideways(target >> 8, (3 - m % 3) % 3);
    s = {__builtin_bswap64(s.opp & ~target), __builtin_bswap64(s.own ^ source ^ target)};
}

static i64 evaluate(const State& s) {
    i64 ahead = s.own ? __builtin_clzll(s.own) : 64, behind = s.opp ? __builtin_ctzll(s.opp) : 64;
    return 5 * (__builtin_popcountll(s.own) - __builtin_popcountll(s.opp)) + behind / 8 - ahead / 8;
}

static i64 nodes;

static i64 alpha_beta(const State& s, i64 alpha, i64 beta, int depth) {
    nodes++;
    i64 moves[48];
    i64 n = legal_moves(s, moves);
    if (n == 0) return -UNIT;
    if (depth == 0) return evaluate(s);
    i64 best = -INFINITE;
    for (i64 i = 0; i < n; i++) {
        State child = s;
        play(child, moves[i]);
        i64 value = -alpha_beta(child, -beta, -alpha, depth - 1);
        if (value > best) {
            best = value;
            if (best >= beta) break;
            alpha = std::max(alpha, best);
        }
    }
    return best;
}

int main() {
    for (int depth; std::scanf("%d", &depth) == 1;) {
        nodes = 0;
        std::clock_t began = std::clock();
        i64 value = alpha_beta({0xFFFF, 0xFFFFull << 48}, -INFINITE, INFINITE, depth);
        std::printf("%ld %ld %.6f\n", value, nodes, double(std::clock() - began) / CLOCKS_PER_SEC);
    }
}
