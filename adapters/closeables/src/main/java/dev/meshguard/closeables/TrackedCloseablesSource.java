package dev.meshguard.closeables;

import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.WeaverUnavailableException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * Reports the objects of the classes that a test names with {@link TrackCloseables} to its tracker.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TrackedCloseablesSource implements AnnotatedSource<TrackCloseables> {

    static final String ID = "objects";

    /** Called by {@link java.util.ServiceLoader}. */
    public TrackedCloseablesSource() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Class<TrackCloseables> annotation() {
        return TrackCloseables.class;
    }

    @Override
    public boolean isAdditional() {
        return true;
    }

    @Override
    public SourceSettings settings(TrackCloseables annotation, String location) {
        return new Settings(TrackedTypes.of(annotation, location), location);
    }

    private record Settings(List<WatchedType> types, String location) implements SourceSettings {

        @Override
        public TrackedCloseablesSource source() {
            return new TrackedCloseablesSource();
        }

        @Override
        public boolean isShareable() {
            return true;
        }

        @Override
        public void prepare() {
            try {
                OpenObjects.OF_JVM.track(types);
            } catch (WeaverUnavailableException untracked) {
                throw new ExtensionConfigurationException(location + ": " + untracked.getMessage(), untracked);
            }
        }

        @Override
        public SourceSession begin(SourceContext context) {
            prepare();
            ObjectKinds kinds = ObjectKinds.of(context.tracker(), types);
            context.receiveFromThreads();
            return new Session(context, types, kinds, new AtomicLong(OpenObjects.OF_JVM.losses()));
        }

        /** Tests with the same classes can share a session, wherever their annotation is. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Settings settings && settings.types.equals(types);
        }

        @Override
        public int hashCode() {
            return types.hashCode();
        }
    }

    /**
     * The objects of one test.
     *
     * @param losses how many reports of the JVM had failed when the session began, or when failures were last recorded
     */
    private record Session(SourceContext context, List<WatchedType> types, ObjectKinds kinds, AtomicLong losses)
            implements SourceSession {

        @Override
        public void poll() {
            OpenObjects.OF_JVM.poll();
            long all = OpenObjects.OF_JVM.losses();
            // Another thread may have told more meanwhile.
            long untold = Math.max(0, all - losses.getAndAccumulate(all, Math::max));
            context.tracker().reportsLost(untold, OpenObjects.OF_JVM.lastLoss());
            OpenObjects.OF_JVM
                    .unseen(types)
                    .forEach((className, reason) ->
                            context.notInstalled("objects of " + className + " are not seen", reason));
        }

        @Override
        public void close() {
            types.stream()
                    .map(WatchedType::className)
                    .filter(name -> !OpenObjects.OF_JVM.isLoaded(name))
                    .forEach(name -> context.notInstalled(
                            "no class " + name + " is loaded",
                            "Correct the name, or give it to tests only that load the class."));
            if (kinds.leaveDeflaters()) {
                context.note("a stream does not call end() of a Deflater or Inflater that was passed to it");
            }
        }
    }
}
