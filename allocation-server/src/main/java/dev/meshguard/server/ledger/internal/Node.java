package dev.meshguard.server.ledger.internal;

/**
 * An element of at most one doubly linked list, from which it is removed in one step; a list is a ring around a node of
 * its own.
 */
class Node {

    private Node before = this;
    private Node after = this;

    /** Appends an element, after removing it from its current list. */
    final void append(Node element) {
        element.unlink();
        element.before = before;
        element.after = this;
        before.after = element;
        before = element;
    }

    final void unlink() {
        before.after = after;
        after.before = before;
        before = this;
        after = this;
    }

    final boolean isEmpty() {
        return after == this;
    }

    /** Returns the first element, or this if there is none. */
    final Node first() {
        return after;
    }
}
