// Random Go playouts, the algorithm of gametree/games/go.py line by line: chains as circular lists, pseudo-liberties
// and Zobrist keys at their heads, no own eyes filled; superko by the hashes of the line of play and a stamped filter,
// the algorithm of gametree/kernels/past.py.
// Usage: go_playouts COUNT SEED KEYS  (KEYS: file with the Zobrist keys, 8 bytes each)
// Prints: sum of area differences, plies played, xor of the final hashes, CPU seconds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

typedef uint64_t u64;
enum { EMPTY = 0, BLACK = 1, WHITE = 2, EDGE = 3 };
constexpr int SIZE = 9, STRIDE = SIZE + 1, CELLS = (SIZE + 2) * STRIDE + 1, FIRST = STRIDE + 1, END = (SIZE + 1) * STRIDE;
constexpr int LIMIT = 4 * SIZE * SIZE > 128 ? 4 * SIZE * SIZE : 128;
constexpr int words(int n) { int w = 1; while (w <= n) w *= 2; return w; }
constexpr int FILTER = 8 * words(LIMIT), BEFORE = 255;
static u64 KEYS[3 * CELLS];

struct State {
    u64 hash, chain_hash[CELLS];
    int32_t plies;
    uint8_t passes, seat, board[CELLS];
    uint16_t head[CELLS], link[CELLS], stones[CELLS], liberties[CELLS], ko, empty_count, empties[SIZE * SIZE], place[CELLS];
};
struct Past {
    long count, before, stamp;
    u64 keys[words(LIMIT)];
    uint8_t filter[FILTER];
};

static inline u64 mix(u64 x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}
static inline void take_liberty(State& s, int c) {
    s.liberties[s.head[c - STRIDE]]--; s.liberties[s.head[c - 1]]--;
    s.liberties[s.head[c + 1]]--; s.liberties[s.head[c + STRIDE]]--;
}
static inline void give_liberty(State& s, int c) {
    s.liberties[s.head[c - STRIDE]]++; s.liberties[s.head[c - 1]]++;
    s.liberties[s.head[c + 1]]++; s.liberties[s.head[c + STRIDE]]++;
}
static inline int empty_beside(const State& s, int c) {
    return (s.board[c - STRIDE] == EMPTY) + (s.board[c - 1] == EMPTY) + (s.board[c + 1] == EMPTY) + (s.board[c + STRIDE] == EMPTY);
}
static void remove_chain(State& s, int head) {
    s.hash ^= s.chain_hash[head];
    int stone = head;
    do {
        s.board[stone] = EMPTY; s.head[stone] = 0;
        s.empties[s.empty_count] = stone; s.place[stone] = s.empty_count++;
        give_liberty(s, stone);
        stone = s.link[stone];
    } while (stone != head);
}
static inline void join(State& s, int cell, int beside, int color) {
    if (s.board[beside] != color) return;
    int small = s.head[beside], large = s.head[cell];
    if (small == large) return;
    if (s.stones[small] > s.stones[large]) { int t = small; small = large; large = t; }
    s.stones[large] += s.stones[small];
    s.liberties[large] += s.liberties[small];
    s.chain_hash[large] ^= s.chain_hash[small];
    int stone = small;
    do { s.head[stone] = large; stone = s.link[stone]; } while (stone != small);
    uint16_t after = s.link[small]; s.link[small] = s.link[large]; s.link[large] = after;
}
static inline void capture(State& s, int beside, int color) {
    if (s.board[beside] == color && s.liberties[s.head[beside]] == 0) remove_chain(s, s.head[beside]);
}
static void place_stone(State& s, int cell) {
    int color = s.seat + 1, other = EDGE - color, hole = s.place[cell];
    s.ko = 0;
    int last = s.empties[--s.empty_count];
    s.empties[hole] = last; s.place[last] = hole;
    u64 key = KEYS[color * CELLS + cell];
    s.hash ^= key;
    s.board[cell] = color; s.head[cell] = cell; s.link[cell] = cell; s.stones[cell] = 1;
    s.liberties[cell] = empty_beside(s, cell); s.chain_hash[cell] = key;
    take_liberty(s, cell);
    join(s, cell, cell - STRIDE, color); join(s, cell, cell - 1, color);
    join(s, cell, cell + 1, color); join(s, cell, cell + STRIDE, color);
    int free = s.empty_count;
    capture(s, cell - STRIDE, other); capture(s, cell - 1, other);
    capture(s, cell + 1, other); capture(s, cell + STRIDE, other);
    if (s.empty_count == free + 1 && s.stones[s.head[cell]] == 1 && s.liberties[s.head[cell]] == 1) s.ko = s.empties[free];
}
static void begin_line(Past& past) {
    past.count = past.before;
    if (++past.stamp >= BEFORE) {
        memset(past.filter, 0, FILTER);
        for (long i = 0; i < past.before; i++) past.filter[past.keys[i] & (FILTER - 1)] = BEFORE;
        past.stamp = 1;
    }
}
static inline void push_key(Past& past, u64 key) {
    if (past.count < words(LIMIT)) {
        past.keys[past.count++] = key;
        uint8_t& mark = past.filter[key & (FILTER - 1)];
        if (mark != BEFORE) mark = uint8_t(past.stamp);
    }
}
static inline bool has_stood(const Past& past, u64 key, long reach) {
    long mark = past.filter[key & (FILTER - 1)];
    if ((mark != past.stamp && mark != BEFORE) || key == 0) return false;
    for (long at = past.count - 1, last = past.count > reach ? past.count - reach : 0; at >= last; at--)
        if (past.keys[at] == key) return true;
    return false;
}
static inline u64 key_after(const State& s, int cell) {
    if (cell == 0) return 0;
    int color = s.seat + 1, other = EDGE - color;
    int above = cell - STRIDE, left = cell - 1, right = cell + 1, below = cell + STRIDE;
    int a = s.head[above], b = s.head[left], c = s.head[right], d = s.head[below];
    int ab = a == b, ac = a == c, ad = a == d, bc = b == c, bd = b == d, cd = c == d;
    u64 after = s.hash ^ KEYS[color * CELLS + cell];
    if (s.liberties[a] == 1 + ab + ac + ad && s.board[above] == other) after ^= s.chain_hash[a];
    if (s.liberties[b] == 1 + ab + bc + bd && s.board[left] == other && !ab) after ^= s.chain_hash[b];
    if (s.liberties[c] == 1 + ac + bc + cd && s.board[right] == other && !(ac + bc)) after ^= s.chain_hash[c];
    if (s.liberties[d] == 1 + ad + bd + cd && s.board[below] == other && !(ad + bd + cd)) after ^= s.chain_hash[d];
    return after;
}
static bool is_allowed(const State& s, int cell) {
    if (cell == s.ko) return false;
    int above = cell - STRIDE, left = cell - 1, right = cell + 1, below = cell + STRIDE;
    int first = s.board[above], second = s.board[left], third = s.board[right], fourth = s.board[below];
    if (first == EMPTY || second == EMPTY || third == EMPTY || fourth == EMPTY) return true;
    int a = s.head[above], b = s.head[left], c = s.head[right], d = s.head[below];
    int ab = a == b, ac = a == c, ad = a == d, bc = b == c, bd = b == d, cd = c == d;
    bool last_a = s.liberties[a] == 1 + ab + ac + ad, last_b = s.liberties[b] == 1 + ab + bc + bd;
    bool last_c = s.liberties[c] == 1 + ac + bc + cd, last_d = s.liberties[d] == 1 + ad + bd + cd;
    int color = s.seat + 1;
    return (first != EDGE && (first == color) != last_a) || (second != EDGE && (second == color) != last_b) ||
           (third != EDGE && (third == color) != last_c) || (fourth != EDGE && (fourth == color) != last_d);
}
static inline int touched(const State& s, int c) {
    return (1 << s.board[c - STRIDE] | 1 << s.board[c - 1] | 1 << s.board[c + 1] | 1 << s.board[c + STRIDE]) >> 1;
}
static inline bool is_eye(const State& s, int cell, int color) {
    int foe = EDGE - color;
    if ((touched(s, cell) & foe) || empty_beside(s, cell) > 0) return false;
    int hostile = 0, at_edge = 0;
    for (int corner : {cell - STRIDE - 1, cell - STRIDE + 1, cell + STRIDE - 1, cell + STRIDE + 1}) {
        int there = s.board[corner];
        if (there == foe) hostile++; else if (there == EDGE) at_edge = 1;
    }
    return hostile + at_edge < 2;
}
static int playout_move(const State& s, u64 bits) {
    int color = s.seat + 1, count = s.empty_count;
    int start = int((bits >> 32) * u64(count) >> 32);
    for (int i = 0; i < count; i++) {
        int at = start + i;
        if (at >= count) at -= count;
        int cell = s.empties[at];
        if (!is_eye(s, cell, color) && is_allowed(s, cell)) return cell;
    }
    return 0;
}
static void play(State& s, int m) {
    s.plies++;
    if (m == 0) { s.passes++; s.ko = 0; }
    else { s.passes = 0; place_stone(s, m); }
    s.seat = 1 - s.seat;
}
static int draw_allowed(const Past& past, const State& s, u64 bits) {
    int move = playout_move(s, bits);
    if (!has_stood(past, key_after(s, move), s.plies + 1)) return move;
    int moves[SIZE * SIZE + 1], count = 0;
    for (int c = FIRST; c < END; c++)
        if (s.board[c] == EMPTY && is_allowed(s, c) && !has_stood(past, key_after(s, c), s.plies + 1)) moves[count++] = c;
    moves[count++] = 0;
    return moves[(mix(bits + 0x9E3779B97F4A7C15ull) >> 32) * u64(count) >> 32];
}
static inline int owner(int colors) { colors &= 3; return colors == 1 ? 1 : colors == 2 ? -1 : 0; }
static int area(const State& s) {
    int balance = 0;
    bool regions = false;
    for (int c = FIRST; c < END; c++) {
        int color = s.board[c];
        if (color == BLACK) balance++;
        else if (color == WHITE) balance--;
        else if (color == EMPTY) { if (empty_beside(s, c) > 0) regions = true; else balance += owner(touched(s, c)); }
    }
    if (!regions) return balance;
    uint8_t done[CELLS] = {0};
    int stack[CELLS];
    for (int start = FIRST; start < END; start++) {
        if (s.board[start] != EMPTY || done[start] || empty_beside(s, start) == 0) continue;
        int height = 0, size = 0, colors = 0;
        done[start] = 1; stack[height++] = start;
        while (height) {
            int c = stack[--height];
            size++; colors |= touched(s, c);
            for (int beside : {c - STRIDE, c - 1, c + 1, c + STRIDE})
                if (s.board[beside] == EMPTY && !done[beside]) { done[beside] = 1; stack[height++] = beside; }
        }
        balance += size * owner(colors);
    }
    return balance;
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    long count = atol(argv[1]);
    u64 random = strtoull(argv[2], nullptr, 10);
    FILE* file = fopen(argv[3], "rb");
    if (!file || fread(KEYS, 8, 3 * CELLS, file) != 3 * CELLS) return 2;
    static State start, s;
    static Past past;
    start.hash = 0x6A09E667F3BCC908ull;
    start.liberties[0] = 20000;
    memset(start.board, EDGE, CELLS);
    for (int c = FIRST; c < END; c++)
        if (c % STRIDE) { start.board[c] = EMPTY; start.place[c] = start.empty_count; start.empties[start.empty_count++] = c; }
    past.keys[0] = start.hash; past.before = 1; past.stamp = BEFORE;
    long sum = 0, plies = 0;
    u64 hashes = 0;
    clock_t began = clock();
    for (long i = 0; i < count; i++) {
        s = start;
        begin_line(past);
        while (s.passes < 2 && s.plies < LIMIT) {
            random += 0x9E3779B97F4A7C15ull;
            play(s, draw_allowed(past, s, mix(random)));
            push_key(past, s.passes ? 0 : s.hash);
        }
        sum += area(s); plies += s.plies; hashes ^= s.hash;
    }
    printf("%ld %ld %llu %.6f\n", sum, plies, (unsigned long long)hashes, double(clock() - began) / CLOCKS_PER_SEC);
}
