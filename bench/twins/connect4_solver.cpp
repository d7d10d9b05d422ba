// Connect Four for the solver's twin: the same rules and knowledge as src/gametree/games/connect4.py, on 7 × 6.
#include "solver.hpp"

struct Connect4 {
    struct State { u64 own, mask, mine, yours; };
    static constexpr i64 MOST_MOVES = 7, LOWEST = -18, HIGHEST = 18, CELLS = 42, STEP = 7;
    static constexpr i64 LEAN = 0, MERGE = 24, PROBE = 255, THINK = 255, UNIT = 1, SYMMETRIES = 2;
    static constexpr u64 WON = ~0ull, BOTTOM = 0x40810204081ull, COLUMN = 0x3F, BOARD = BOTTOM * COLUMN;
    static constexpr i64 ORDER[7] = {3, 2, 4, 1, 5, 0, 6}, CENTRE[7] = {0, 1, 2, 3, 2, 1, 0};

    static u64 on_line(u64 x, int step) {
        u64 pair = x << step & x << 2 * step;
        u64 found = pair & (x << 3 * step | x >> step);
        pair = x >> step & x >> 2 * step;
        return found | (pair & (x >> 3 * step | x << step));
    }
    static u64 winning_squares(u64 x, u64 mask) {
        u64 found = x << 1 & x << 2 & x << 3;
        found |= on_line(x, STEP) | on_line(x, STEP - 1) | on_line(x, STEP + 1);
        return found & (BOARD ^ mask);
    }
    static i64 legal_moves(const State& s, i64* out) {
        if (s.yours == WON) return 0;
        i64 n = 0;
        for (i64 c = 0; c < 7; c++)
            if (!(s.mask & BOTTOM << 5 & COLUMN << c * STEP)) out[n++] = c;
        return n;
    }
    static void play(State& s, i64 m) {
        u64 own = s.own, mask = s.mask, mine = s.mine;
        u64 square = (mask + (1ull << m * STEP)) & COLUMN << m * STEP;
        s.own = own ^ mask;
        s.mask = mask | square;
        s.mine = s.yours & ~square;
        s.yours = mine & square ? WON : winning_squares(own | square, mask | square);
    }
    static i64 solver_moves(const State& s, i64* out) {
        i64 left = CELLS - popcount(s.mask);
        if (s.yours == WON) { out[0] = -((left + 2) / 2); return 0; }
        u64 reach = (s.mask + BOTTOM) & BOARD;
        if (reach & s.mine) { out[0] = (left + 1) / 2; return 0; }
        u64 useful = reach, forced = reach & s.yours;
        if (forced) useful = forced & (forced - 1) ? 0 : forced;
        useful &= ~(s.yours >> 1);
        if (!useful || left <= 2) {
            out[0] = left <= 2 && (useful || left == 0) ? 0 : -(left / 2);
            return 0;
        }
        i64 n = 0;
        for (i64 c : ORDER)
            if (useful & COLUMN << c * STEP) out[n++] = c;
        return n;
    }
    static void solver_bounds(const State& s, i64& low, i64& high) {
        i64 left = CELLS - popcount(s.mask);
        low = -((left - 2) / 2);
        high = (left - 1) / 2;
    }
    static i64 plies_left(const State& s) { return CELLS - popcount(s.mask); }
    static u64 hash_state(const State& s) { return mix(s.own + s.mask + BOTTOM); }
    static i64 move_key(const State&, i64 m) { return CENTRE[m]; }
    static i64 evaluate(const State&) { return 0; }  // never asked
    static i64 child_key(const State& s) { return 16 * popcount(s.yours); }
    static u64 mirror_board(u64 x) {
        u64 found = 0;
        for (i64 c = 0; c < 7; c++) found |= (x >> c * STEP & COLUMN) << (6 - c) * STEP;
        return found;
    }
    static void mirror(State& s, int) {
        s.own = mirror_board(s.own);
        s.mask = mirror_board(s.mask);
        s.mine = mirror_board(s.mine);
        if (s.yours != WON) s.yours = mirror_board(s.yours);
    }
    static i64 mirror_move(i64 m, i64) { return 6 - m; }
    static State read(const std::string& line) {
        State s{0, 0, 0, 0};
        for (char c : line) play(s, c - '1');
        return s;
    }
};

int main(int count, char** words) { return solve_lines<Connect4>(count, words); }
