/*
 * clock_tree.c: immutable AVL trees from thread to time, see clock_tree.h.
 *
 * Nodes are never changed and never freed: a run has as many as its points and joins make. When the
 * slab is full a new node is 0, the empty tree: a clock then knows less, which adds candidates and
 * never a report.
 */
#include "core/clock_tree.h"

#include "core/slab.h"

struct node {
    uint32_t thread, tick;
    uint32_t left, right; /* handles; 0: none */
    uint32_t height, pad;
};

SN_SLAB(nodes, struct node, 12, 1u << 23);

static const struct node *at(uint32_t h)
{
    return sn_slab_at(&nodes, h);
}

static uint32_t height(uint32_t h)
{
    return h ? at(h)->height : 0;
}

static uint32_t make(uint32_t thread, uint32_t tick, uint32_t left, uint32_t right)
{
    uint32_t h = sn_slab_alloc(&nodes), l = height(left), r = height(right);
    if (h)
        *(struct node *)sn_slab_at(&nodes, h) =
            (struct node){thread, tick, left, right, 1 + (l > r ? l : r), 0};
    return h;
}

/* make() for children whose heights differ by at most two. */
static uint32_t balance(uint32_t thread, uint32_t tick, uint32_t left, uint32_t right)
{
    if (height(left) > height(right) + 1) {
        const struct node *l = at(left);
        if (height(l->left) >= height(l->right))
            return make(l->thread, l->tick, l->left, make(thread, tick, l->right, right));
        const struct node *m = at(l->right);
        return make(m->thread, m->tick, make(l->thread, l->tick, l->left, m->left),
                    make(thread, tick, m->right, right));
    }
    if (height(right) > height(left) + 1) {
        const struct node *r = at(right);
        if (height(r->right) >= height(r->left))
            return make(r->thread, r->tick, make(thread, tick, left, r->left), r->right);
        const struct node *m = at(r->left);
        return make(m->thread, m->tick, make(thread, tick, left, m->left),
                    make(r->thread, r->tick, m->right, r->right));
    }
    return make(thread, tick, left, right);
}

uint32_t sn_clock_tree_get(uint32_t tree, uint32_t thread)
{
    while (tree) {
        const struct node *n = at(tree);
        if (n->thread == thread)
            return n->tick;
        tree = thread < n->thread ? n->left : n->right;
    }
    return 0;
}

uint32_t sn_clock_tree_put(uint32_t tree, uint32_t thread, uint32_t tick)
{
    if (!tree)
        return make(thread, tick, 0, 0);
    const struct node *n = at(tree);
    if (n->thread == thread)
        return n->tick >= tick ? tree : make(thread, tick, n->left, n->right);
    if (thread < n->thread) {
        uint32_t left = sn_clock_tree_put(n->left, thread, tick);
        return left == n->left ? tree : balance(n->thread, n->tick, left, n->right);
    }
    uint32_t right = sn_clock_tree_put(n->right, thread, tick);
    return right == n->right ? tree : balance(n->thread, n->tick, n->left, right);
}

static uint32_t put_all(uint32_t into, uint32_t from)
{
    if (!from || into == from)
        return into;
    const struct node *n = at(from);
    into = put_all(into, n->left);
    into = sn_clock_tree_put(into, n->thread, n->tick);
    return put_all(into, n->right);
}

/* The smaller tree goes into the larger one. */
uint32_t sn_clock_tree_join(uint32_t a, uint32_t b)
{
    if (a == b || !b)
        return a;
    return height(a) >= height(b) ? put_all(a, b) : put_all(b, a);
}

bool sn_clock_tree_is_valid(uint32_t tree, uint32_t low, uint32_t high)
{
    if (!tree)
        return true;
    const struct node *n = at(tree);
    uint32_t l = height(n->left), r = height(n->right);
    return n->thread >= low && n->thread <= high && n->height == 1 + (l > r ? l : r) &&
           l <= r + 1 && r <= l + 1 &&
           (!n->left || (n->thread > low && sn_clock_tree_is_valid(n->left, low, n->thread - 1))) &&
           (!n->right ||
            (n->thread < high && sn_clock_tree_is_valid(n->right, n->thread + 1, high)));
}
