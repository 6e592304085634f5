package dev.meshguard.samples.support;

/** Stands for the user's hardware: it hands out one address after the other. */
public final class InMemoryAccelerator implements Accelerator {

    private long next = 0x1000;

    @Override
    public long allocate(int device, long bytes) {
        long address = next;
        next += bytes;
        return address;
    }

    @Override
    public void free(int device, long address) {
        // Memory of this device is never used again.
    }
}
