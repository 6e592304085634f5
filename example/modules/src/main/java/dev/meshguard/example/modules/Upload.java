package dev.meshguard.example.modules;

/** The code under test: it gives back what it took. */
public final class Upload {

    private final Device device;

    public Upload(Device device) {
        this.device = device;
    }

    public void upload() {
        long staging = device.allocate(4096);
        device.free(staging);
    }
}
