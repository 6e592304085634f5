package dev.meshguard.closeables;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.handle.GarbageCollection;
import dev.meshguard.handle.JdkReferences;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.weave.WeaverUnavailableException;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * The direct and mapped buffers of tests with {@link TrackDirectMemory}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class DirectMemorySource implements AnnotatedSource<TrackDirectMemory> {

    static final String ID = "direct memory";

    /** The words for mapped buffers; those for others have the name of the source. */
    static final String MAPPED = "mapped memory";

    /** Called by {@link java.util.ServiceLoader}. */
    public DirectMemorySource() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Class<TrackDirectMemory> annotation() {
        return TrackDirectMemory.class;
    }

    @Override
    public boolean isAdditional() {
        return true;
    }

    @Override
    public SourceSettings settings(TrackDirectMemory annotation, String location) {
        return SourceSettings.withoutOptions(this, () -> watch(location), context -> begin(context, watch(location)));
    }

    private static JdkReferences watch(String location) {
        try {
            return DirectBuffers.OF_JVM.watch();
        } catch (WeaverUnavailableException noAgent) {
            throw new ExtensionConfigurationException(location + ": " + noAgent.getMessage(), noAgent);
        }
    }

    private static SourceSession begin(SourceContext context, JdkReferences holders) {
        AllocationTracker tracker = context.tracker();
        tracker.attachment(JdkReferences.class, () -> holders);
        for (String memory : Set.of(ID, MAPPED)) {
            // No call frees a buffer: the code under test can only drop its references.
            tracker.sourceAttached(SourceDescription.of(memory)
                    .inferringFrees()
                    .speaking(SourceVocabulary.of(memory).freedBy("drop", "dropped")));
        }
        context.receiveFromThreads();
        return new Session(context, tracker, BufferPoolGrowth.begin());
    }

    private record Session(SourceContext context, AllocationTracker tracker, BufferPoolGrowth pools)
            implements SourceSession {

        @Override
        public void poll() {
            if (!DirectBuffers.OF_JVM.freeCollected(tracker, GarbageCollection.forced())) {
                context.notInstalled(
                        "garbage collections cannot be forced",
                        "Remove -XX:+DisableExplicitGC from the command line of the tests.");
            }
            DirectBuffers.OF_JVM
                    .unseen()
                    .forEach((unused, reason) -> context.notInstalled("buffers are not seen", reason));
        }

        @Override
        public void close() {
            pools.unseen().ifPresent(context::note);
        }
    }
}
