// Othello for the solver's twin: the same rules and knowledge as src/gametree/games/othello.py, on 8 × 8.
#include "solver.hpp"

struct Othello {
    struct State { u64 own, opp; };
    static constexpr i64 MOST_MOVES = 33, LOWEST = -64, HIGHEST = 64, PASS = 64;
    static constexpr i64 LEAN = 6, MERGE = 28, PROBE = 11, THINK = 16, UNIT = 10, SYMMETRIES = 8;
    static constexpr u64 INNER = 0x7E7E7E7E7E7E7E7Eull, CORNERS = 0x8100000000000081ull;
    static constexpr u64 FIRST_COLUMN = 0x0101010101010101ull, LAST_COLUMN = 0x8080808080808080ull;
    static constexpr u64 DIAGONALS = 0x0042000000004200ull;

    static u64 run_both(u64 own, u64 through, int step) {
        u64 run = through & own << step, back = through & own >> step;
        run |= through & run << step;
        back |= through & back >> step;
        u64 up = through & through << step, down = through & through >> step;
        run |= up & run << 2 * step;
        back |= down & back >> 2 * step;
        run |= up & run << 2 * step;
        back |= down & back >> 2 * step;
        return run << step | back >> step;
    }
    static u64 mobility(u64 own, u64 opp) {
        u64 inner = opp & INNER;
        u64 found = run_both(own, inner, 1) | run_both(own, opp, 8) | run_both(own, inner, 7) | run_both(own, inner, 9);
        return found & ~(own | opp);
    }
    static u64 flips_both(u64 own, u64 through, u64 square, int step) {
        u64 run = through & square << step, back = through & square >> step;
        run |= through & run << step;
        back |= through & back >> step;
        u64 up = through & through << step, down = through & through >> step;
        run |= up & run << 2 * step;
        back |= down & back >> 2 * step;
        run |= up & run << 2 * step;
        back |= down & back >> 2 * step;
        if (!(run << step & own)) run = 0;
        if (!(back >> step & own)) back = 0;
        return run | back;
    }
    static i64 legal_moves(const State& s, i64* out) {
        i64 n = 0;
        for (u64 found = mobility(s.own, s.opp); found; found &= found - 1) out[n++] = ctz(found);
        if (n == 0 && mobility(s.opp, s.own)) out[n++] = PASS;
        return n;
    }
    static void play(State& s, i64 m) {
        u64 own = s.own, opp = s.opp;
        if (m == PASS) { s = {opp, own}; return; }
        u64 square = 1ull << m, inner = opp & INNER;
        u64 turned = flips_both(own, inner, square, 1) | flips_both(own, opp, square, 8) |
                     flips_both(own, inner, square, 7) | flips_both(own, inner, square, 9);
        s = {opp & ~turned, own | turned | square};
    }
    static i64 utility(const State& s) {
        i64 mine = popcount(s.own), yours = popcount(s.opp);
        return mine > yours ? 64 - 2 * yours : yours > mine ? 2 * mine - 64 : 0;
    }
    static i64 evaluate(const State& s) {
        u64 own = s.own, opp = s.opp, empty = ~(own | opp), open_corners = empty & CORNERS;
        u64 sides = empty | (empty & ~LAST_COLUMN) << 1 | (empty & ~FIRST_COLUMN) >> 1;
        u64 frontier = sides | sides << 8 | sides >> 8;
        u64 given = (open_corners << 9 | open_corners >> 9 | open_corners << 7 | open_corners >> 7) & DIAGONALS;
        i64 value = 12 * (popcount(mobility(own, opp)) - popcount(mobility(opp, own))) +
                    80 * (popcount(own & CORNERS) - popcount(opp & CORNERS)) -
                    40 * (popcount(own & given) - popcount(opp & given)) -
                    4 * (popcount(own & frontier) - popcount(opp & frontier));
        return std::min<i64>(std::max<i64>(value, -63 * UNIT), 63 * UNIT);
    }
    static i64 solver_moves(const State& s, i64* out) {
        u64 found = mobility(s.own, s.opp);
        if (!found) {
            if (!mobility(s.opp, s.own)) { out[0] = utility(s); return 0; }
            out[0] = PASS;
            return 1;
        }
        u64 empty = ~(s.own | s.opp), odd = 0;
        for (u64 quarter : {0x000000000F0F0F0Full, 0x00000000F0F0F0F0ull, 0x0F0F0F0F00000000ull, 0xF0F0F0F000000000ull})
            if (popcount(empty & quarter) & 1) odd |= quarter;
        i64 n = 0;
        for (u64 first = found & odd; first; first &= first - 1) out[n++] = ctz(first);
        for (u64 rest = found & ~odd; rest; rest &= rest - 1) out[n++] = ctz(rest);
        return n;
    }
    static void solver_bounds(const State&, i64&, i64&) {}
    static i64 plies_left(const State& s) { return 64 - popcount(s.own | s.opp); }
    static u64 hash_state(const State& s) { return mix_in(mix_in(0x9E3779B97F4A7C15ull, s.own), s.opp); }
    static i64 move_key(const State&, i64) { return 0; }
    static i64 child_key(const State& s) {
        u64 replies = mobility(s.own, s.opp);
        return -popcount(replies) - popcount(replies & CORNERS);
    }
    static u64 mirror_board(u64 x, int k) {
        if (k & 1) {
            x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
            x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
            x = (x >> 4 & 0x0F0F0F0F0F0F0F0Full) | (x & 0x0F0F0F0F0F0F0F0Full) << 4;
        }
        if (k & 2) x = __builtin_bswap64(x);
        if (k & 4) {
            u64 t = 0x0F0F0F0F00000000ull & (x ^ x << 28);
            x ^= t ^ t >> 28;
            t = 0x3333000033330000ull & (x ^ x << 14);
            x ^= t ^ t >> 14;
            t = 0x5500550055005500ull & (x ^ x << 7);
            x ^= t ^ t >> 7;
        }
        return x;
    }
    static void mirror(State& s, int k) { s = {mirror_board(s.own, k), mirror_board(s.opp, k)}; }
    static i64 mirror_move(i64 m, i64 k) { return m == PASS ? m : ctz(mirror_board(1ull << m, k)); }
    static State read(const std::string& line) {
        State s{0, 0};
        for (int i = 0; i < 64; i++)
            if (line[i] != '-') (line[i] == line[65] ? s.own : s.opp) |= 1ull << i;
        return s;
    }
};

int main(int count, char** words) { return solve_lines<Othello>(count, words); }
