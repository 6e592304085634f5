package dev.meshguard.benchmarks.recorder;

/** Captures an unresolved stack and does nothing else: the lower bound for every recorder with exact origins. */
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
