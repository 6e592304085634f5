package dev.meshguard.tracker.internal;

/**
 * Keeps the fields of its subclasses off the cache lines that another device's thread uses.
 *
 * <p>The collector moves the books of all devices side by side, whoever made them. The fields of a superclass come
 * first in an object, so between the fields of two of these always lie two cache lines, which is what processors fetch
 * at once. A lock of its own belongs to such an object, because that of the language sits in the header, before any
 * padding.
 */
abstract class CacheLinePadded {

    /** Fills what the header leaves free, or the virtual machine would put a subclass's field before the padding. */
    @SuppressWarnings("unused")
    private int gap;

    @SuppressWarnings("unused")
    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
}
