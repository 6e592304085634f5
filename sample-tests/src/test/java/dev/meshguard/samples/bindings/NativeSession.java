package dev.meshguard.samples.bindings;

/** A session of a native library, of which its users know only an interface. */
interface NativeSession extends AutoCloseable {

    static NativeSession open() {
        return new NativeSession() {

            private boolean isRunning;

            @Override
            public void run() {
                isRunning = true;
            }

            @Override
            public void close() {
                if (isRunning) {
                    throw new IllegalStateException("the session is running");
                }
            }
        };
    }

    void run();

    @Override
    void close();
}
