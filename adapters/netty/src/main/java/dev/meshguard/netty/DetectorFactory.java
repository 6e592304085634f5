package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.reflect.Modifier;
import java.util.Optional;

/**
 * Makes the leak detectors of this Java machine: ours for buffers, those that Netty would have made for everything else.
 *
 * <p>Netty asks once, when its buffers are first used, so it must be installed before. Source:
 * {@code io.netty.util.ResourceLeakDetectorFactory}.
 */
final class DetectorFactory extends ResourceLeakDetectorFactory {

    /** Selects a detector by class; older code and other tools use it. */
    private static final String DETECTOR_PROPERTY = "io.netty.customResourceLeakDetector";

    private final ResourceLeakDetectorFactory others;
    private volatile boolean hasMadeBufferDetector;

    private DetectorFactory(ResourceLeakDetectorFactory others) {
        this.others = others;
    }

    /** Returns whether this Netty lets a detector see every buffer: 4.1 does not. */
    private static boolean isSupported() {
        try {
            int track =
                    ResourceLeakDetector.class.getMethod("track", Object.class).getModifiers();
            return !Modifier.isFinal(track);
        } catch (NoSuchMethodException ofAnotherNetty) {
            return false;
        }
    }

    /** Installs the factory, unless the user has chosen another detector. A second call does nothing. */
    static synchronized void install() {
        if (isSupported() && chosenByUser().isEmpty() && !(instance() instanceof DetectorFactory)) {
            setResourceLeakDetectorFactory(new DetectorFactory(instance()));
        }
    }

    private static Optional<String> chosenByUser() {
        return Optional.ofNullable(System.getProperty(DETECTOR_PROPERTY));
    }

    /** Returns why buffers are not seen, as a part of a sentence; empty if they are. */
    static Optional<String> obstacle() {
        if (!isSupported()) {
            return Optional.of("Netty 4.1 lets no detector see all buffers");
        }
        Optional<String> chosen = chosenByUser();
        if (chosen.isPresent()) {
            return Optional.of(DETECTOR_PROPERTY + " selects another leak detector, " + chosen.get());
        }
        if (!(instance() instanceof DetectorFactory installed)) {
            return Optional.of("another factory of leak detectors is set, "
                    + instance().getClass().getName());
        }
        return installed.seesBuffers()
                ? Optional.empty()
                : Optional.of("Netty's buffers were used before the detector was set");
    }

    private boolean seesBuffers() {
        try {
            Class.forName("io.netty.buffer.AbstractByteBuf", true, ByteBuf.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError unusable) {
            return false;
        }
        return hasMadeBufferDetector;
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
        return ofBuffers(resource, samplingInterval)
                .orElseGet(() -> others.newResourceLeakDetector(resource, samplingInterval));
    }

    @Override
    @Deprecated // Netty's own is, and it is abstract.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
            Class<T> resource, int samplingInterval, long maxActive) {
        return ofBuffers(resource, samplingInterval)
                .orElseGet(() -> others.newResourceLeakDetector(resource, samplingInterval, maxActive));
    }

    @SuppressWarnings("unchecked") // The resource is ByteBuf.
    private <T> Optional<ResourceLeakDetector<T>> ofBuffers(Class<T> resource, int samplingInterval) {
        if (resource != ByteBuf.class) {
            return Optional.empty();
        }
        hasMadeBufferDetector = true;
        return Optional.of((ResourceLeakDetector<T>) new BufferDetector(samplingInterval));
    }
}
