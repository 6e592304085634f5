package dev.meshguard.benchmarks.recorder;

/** The price of an unresolved stack and nothing else: the floor under everything that knows an exact origin. */
final class StackOnlyRecorder implements Recorder {

    @Override
    public Lane lane(int device, int buffers) {
        Throwable[] stacks = new Throwable[buffers];
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                stacks[buffer] = new Throwable();
            }

            @Override
            public void free(int buffer) {
                stacks[buffer] = null;
            }
        };
    }
}
