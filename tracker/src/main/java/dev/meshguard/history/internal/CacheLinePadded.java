package dev.meshguard.history.internal;

/**
 * Keeps the fields of its subclasses off the cache lines that another device's thread uses.
 *
 * <p>The garbage collector moves the ledgers of all devices side by side, whichever thread created them. The fields of
 * a superclass come first in an object. So two cache lines, which processors fetch at once, always lie between the
 * fields of two of these objects. Such an object needs its own lock, because an intrinsic lock is in the header, before
 * any padding.
 */
abstract class CacheLinePadded {

    /**
     * Fills the space after the header; otherwise the virtual machine would put a subclass's field before the padding.
     */
    @SuppressWarnings("unused")
    private int gap;

    @SuppressWarnings("unused")
    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
}
