package dev.meshguard.samples.bindings;

/** It ends what its streams do not end. */
final class MendedArchive extends Archive {

    @Override
    public void close() {
        super.close();
        deflater.end();
    }
}
