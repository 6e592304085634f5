package dev.meshguard.netty;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The buffers of Netty 4.1 and 4.2: each tracked test is responsible for those that its threads allocate.
 *
 * <p>Needs neither a parameter nor a property. It sees pooled, unpooled and adaptive buffers of all allocators, except for
 * unpooled heap buffers, which Netty leaves to the garbage collector. A slice, duplicate or composite counts as the buffers that
 * it shows.
 *
 * <p>A buffer belongs to a test only if that is certain; a test with the parameter {@link dev.meshguard.junit.TestThreads} binds event loops
 * that others have started.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class NettySource implements AllocationSource {

    static final String ID = "netty";

    /** Called by {@link java.util.ServiceLoader}. */
    public NettySource() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(SourceSettings.withoutOptions(this, NettySource::begin));
    }

    private static SourceSession begin(SourceContext context) {
        NettyVersion.require(NettySource.class.getClassLoader());
        return new NettySession(context);
    }

    private static final class NettySession implements SourceSession {

        private static final String FIX =
                "Set no other leak detector, leave Netty's leak detection enabled, and let the build tool"
                        + " run the tests with the JUnit Platform, whose launcher session sets this detector first.";

        private static final String UNSEEN =
                "who retained it is not seen without a Java agent: add -javaagent with the jar of"
                        + " byte-buddy-agent to the command line of the tests";

        private final SourceContext context;
        private final ReportedBuffers buffers;
        private boolean isBlind;

        NettySession(SourceContext context) {
            this.context = context;
            SourceDescription source = SourceDescription.of(ID)
                    .speaking(SourceVocabulary.of("Netty memory").freedBy("release", "released"));
            boolean seesReferences = DetectorFactory.references()
                    .filter(ReferenceCountWatcher::watch)
                    .isPresent();
            context.tracker().sourceAttached(seesReferences ? source : source.notSeeing(UNSEEN));
            this.buffers = ReportedBuffers.of(context.tracker());
            if (seesBuffers()) {
                context.receiveFromThreads();
            }
        }

        /** Makes the verdict inconclusive if it does not, once. */
        private boolean seesBuffers() {
            if (!isBlind) {
                Optional<String> obstacle = DetectorFactory.obstacle();
                isBlind = obstacle.isPresent();
                obstacle.ifPresent(reason -> context.notInstalled(reason, FIX));
            }
            return !isBlind;
        }

        @Override
        public void poll() {
            seesBuffers();
            buffers.awaitEventLoops().ifPresent(context::note);
            buffers.reportChanges();
        }

        @Override
        public void close() {}
    }
}
