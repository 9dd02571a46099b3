// Lists, trees and hash tables of libstdc++ (GCC 12): the functions of the library that its templates call, on the layout of its nodes. Only the
// interpreter runs them: the executor does not enter the containers.

#define CONCRETE(name) __attribute__((used)) __asm__("scuba.concrete " name)

struct ListNode { ListNode *next, *previous; };

static void hook(ListNode *, ListNode *) CONCRETE("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
static void hook(ListNode *node, ListNode *position) {
  node->next = position;
  node->previous = position->previous;
  position->previous->next = node;
  position->previous = node;
}
static void unhook(ListNode *) CONCRETE("_ZNSt8__detail15_List_node_base9_M_unhookEv");
static void unhook(ListNode *node) {
  node->previous->next = node->next;
  node->next->previous = node->previous;
}

static void reverse(ListNode *) CONCRETE("_ZNSt8__detail15_List_node_base10_M_reverseEv");
static void reverse(ListNode *list) {
  ListNode *node = list;
  do {
    ListNode *next = node->next;
    node->next = node->previous;
    node->previous = next;
    node = next;
  } while (node != list);
}
// Moves the nodes from one up to another in front of a position.
static void transfer(ListNode *, ListNode *, ListNode *) CONCRETE("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
static void transfer(ListNode *position, ListNode *from, ListNode *to) {
  if (position == to) return;
  ListNode *last = to->previous, *before = from->previous;
  before->next = to;
  to->previous = before;
  from->previous = position->previous;
  position->previous->next = from;
  last->next = position;
  position->previous = last;
}

struct TreeNode { int black; TreeNode *parent, *left, *right; };

// The tree is not balanced: only the order is observable. Nodes are black; only the header is red, by which it is recognised.
static void insert(bool, TreeNode *, TreeNode *, TreeNode *)
    CONCRETE("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
static void insert(bool left, TreeNode *x, TreeNode *parent, TreeNode *header) {
  *x = {1, parent, nullptr, nullptr};
  if (left) {
    parent->left = x;
    if (parent == header) header->parent = header->right = x;
    else if (parent == header->left) header->left = x;
  } else {
    parent->right = x;
    if (parent == header->right) header->right = x;
  }
}

static const TreeNode *next(const TreeNode *) CONCRETE("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
static const TreeNode *next(const TreeNode *x) {
  if (x->right) {
    for (x = x->right; x->left;) x = x->left;
    return x;
  }
  const TreeNode *y = x->parent;
  for (; x == y->right; y = y->parent) x = y;
  return x->right == y ? x : y;
}
static TreeNode *next_of(TreeNode *) CONCRETE("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
static TreeNode *next_of(TreeNode *x) { return const_cast<TreeNode *>(next(x)); }

static const TreeNode *previous(const TreeNode *) CONCRETE("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");
static const TreeNode *previous(const TreeNode *x) {
  // Before the end, which is the header, comes the rightmost node.
  if (!x->black && x->parent->parent == x) return x->right;
  if (x->left) {
    for (x = x->left; x->right;) x = x->right;
    return x;
  }
  const TreeNode *y = x->parent;
  for (; x == y->left; y = y->parent) x = y;
  return y;
}
static TreeNode *previous_of(TreeNode *) CONCRETE("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
static TreeNode *previous_of(TreeNode *x) { return const_cast<TreeNode *>(previous(x)); }

struct Policy { float load; unsigned long limit; };
struct Growth { bool grows; unsigned long buckets; };

// The least prime from a number on. (The library has a table, which leaves some out.)
static unsigned long prime_from(unsigned long n) {
  for (n = n < 2 ? 2 : n;; n++) {
    unsigned long d = 2;
    while (d * d <= n && n % d) d++;
    if (d * d > n) return n;
  }
}

static unsigned long next_buckets(Policy *, unsigned long) CONCRETE("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
static unsigned long next_buckets(Policy *policy, unsigned long n) { return policy->limit = prime_from(n); }

static Growth grown(Policy *, unsigned long, unsigned long, unsigned long)
    CONCRETE("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
static Growth grown(Policy *policy, unsigned long buckets, unsigned long elements, unsigned long more) {
  unsigned long wanted = elements + more;
  if (wanted <= policy->limit) return {false, 0};
  if (policy->limit == 0 && wanted < 11) wanted = 11;
  if (wanted < buckets) {
    policy->limit = buckets;
    return {false, 0};
  }
  return {true, next_buckets(policy, wanted < 2 * buckets ? 2 * buckets : wanted + 1)};
}
