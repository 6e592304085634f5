package dev.meshguard.benchmarks.recorder;

/** Records which buffers are allocated; all threads share it. */
public interface Recorder {

    /** Returns the side of a thread that works on a device of its own, for buffers 0 to {@code buffers - 1}. */
    Lane lane(int device, int buffers);

    /** Returns the side of a thread whose every buffer lies on all of the given devices, from 0 on. */
    default Lane mesh(int devices, int buffers) {
        Lane[] lanes = new Lane[devices];
        for (int device = 0; device < devices; device++) {
            lanes[device] = lane(device, buffers);
        }
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                for (Lane lane : lanes) {
                    lane.allocate(buffer);
                }
            }

            @Override
            public void free(int buffer) {
                for (Lane lane : lanes) {
                    lane.free(buffer);
                }
            }
        };
    }
}
