package dev.meshguard.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gives Netty a leak detector that reports to MeshGuard for its buffers, and Netty's own for other resources.
 *
 * <p>{@link NettySessionListener} installs it for the whole Java machine. Netty calls it once, when its buffers are first used, so
 * it must be installed before. Source: {@code io.netty.util.ResourceLeakDetectorFactory}.
 */
final class DetectorFactory extends ResourceLeakDetectorFactory {

    /** Selects a detector by class; older code and other tools use it. */
    private static final String DETECTOR_PROPERTY = "io.netty.customResourceLeakDetector";

    private static final String LEVEL_PROPERTY = "io.netty.leakDetection.level";

    private static final String OLD_LEVEL_PROPERTY = "io.netty.leakDetectionLevel";

    private final ResourceLeakDetectorFactory others;

    /** Those of the process that have used buffers. */
    private final EventLoops eventLoops = new EventLoops();

    /** For the buffers of all tests. */
    private final ReferenceCountWatcher references = new ReferenceCountWatcher();

    /** That of the detector of buffers, once Netty has asked for it. */
    private volatile Supplier<Optional<String>> detectorObstacle =
            () -> Optional.of("Netty's buffers were used before the detector was set");

    private DetectorFactory(ResourceLeakDetectorFactory others) {
        this.others = others;
    }

    /** Returns whether a detector can override what Netty calls for each buffer: in 4.1 it cannot. */
    private static boolean isOverridable() {
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
        if (chosenByUser().isEmpty() && !(instance() instanceof DetectorFactory)) {
            if (!isOverridable()) {
                enableLeakDetection();
            }
            setResourceLeakDetectorFactory(new DetectorFactory(instance()));
        }
    }

    /**
     * Lets Netty 4.1 call its detector; 4.2 always does. Vert.x 4 disables leak detection if no property chooses a level. Source:
     * {@code io.netty.buffer.AbstractByteBufAllocator}, {@code io.vertx.core.impl.VertxImpl}.
     */
    private static void enableLeakDetection() {
        if (System.getProperty(LEVEL_PROPERTY) == null && System.getProperty(OLD_LEVEL_PROPERTY) == null) {
            System.setProperty(LEVEL_PROPERTY, "simple");
        }
        if (!ResourceLeakDetector.isEnabled()) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        }
    }

    /** Returns the event loops of the process that have used buffers, for all tests and none; empty if nothing reports buffers. */
    static Optional<EventLoops> eventLoops() {
        return instance() instanceof DetectorFactory installed ? Optional.of(installed.eventLoops) : Optional.empty();
    }

    /** Returns the references to the buffers of all tests; empty if nothing reports buffers. */
    static Optional<ReferenceCountWatcher> references() {
        return instance() instanceof DetectorFactory installed ? Optional.of(installed.references) : Optional.empty();
    }

    private static Optional<String> chosenByUser() {
        return Optional.ofNullable(System.getProperty(DETECTOR_PROPERTY));
    }

    /** Returns why buffers are not seen, as a part of a sentence; empty if they are. */
    static Optional<String> obstacle() {
        Optional<String> chosen = chosenByUser();
        if (chosen.isPresent()) {
            return Optional.of(DETECTOR_PROPERTY + " selects another leak detector, " + chosen.get());
        }
        if (!(instance() instanceof DetectorFactory installed)) {
            return Optional.of("another factory of leak detectors is set, "
                    + instance().getClass().getName());
        }
        return installed.obstacleOfBuffers();
    }

    private Optional<String> obstacleOfBuffers() {
        try {
            Class.forName("io.netty.buffer.AbstractByteBuf", true, ByteBuf.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError unusable) {
            return Optional.of("Netty's buffers cannot be used: " + unusable);
        }
        return detectorObstacle.get();
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
        return Optional.of((ResourceLeakDetector<T>) (isOverridable() ? overriding(samplingInterval) : observing()));
    }

    private ResourceLeakDetector<ByteBuf> overriding(int samplingInterval) {
        detectorObstacle = Optional::empty;
        return BufferDetector.create(samplingInterval);
    }

    private ResourceLeakDetector<ByteBuf> observing() {
        LeakSetDetector detector = LeakSetDetector.create();
        detectorObstacle = detector::obstacle;
        return detector;
    }
}
