package dev.meshguard.benchmarks.recorder;

/** Does not record. */
final class NothingRecorder implements Recorder {

    @Override
    public Lane lane(int device, int buffers) {
        return new Lane() {
            @Override
            public void allocate(int buffer) {}

            @Override
            public void free(int buffer) {}
        };
    }
}
