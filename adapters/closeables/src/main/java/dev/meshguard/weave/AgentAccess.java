package dev.meshguard.weave;

import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jspecify.annotations.Nullable;

/** The Java agent of this JVM. */
final class AgentAccess {

    /** The agent of Mockito, whose jar may be the only one on the command line. */
    private static final String MOCKITO = "org.mockito.internal.PremainAttach";

    /** Attaching starts a process, and what forbids it lasts. */
    private static final AtomicReference<@Nullable Throwable> FIRST_FAILURE = new AtomicReference<>();

    private AgentAccess() {}

    /** Returns the agent that is in this JVM, from its command line or attached earlier. */
    static Optional<Instrumentation> present() {
        try {
            return Optional.of(ByteBuddyAgent.getInstrumentation());
        } catch (IllegalStateException none) {
            return ofMockito();
        }
    }

    private static Optional<Instrumentation> ofMockito() {
        try {
            Object agent = Class.forName(MOCKITO, true, ClassLoader.getSystemClassLoader())
                    .getMethod("getInstrumentation")
                    .invoke(null);
            return Optional.ofNullable((Instrumentation) agent).filter(Instrumentation::isRetransformClassesSupported);
        } catch (ReflectiveOperationException | LinkageError none) {
            return Optional.empty();
        }
    }

    /** Returns the agent that is in this JVM, or attaches it. */
    static Instrumentation attached() {
        return present().orElseGet(AgentAccess::attach);
    }

    private static synchronized Instrumentation attach() {
        if (FIRST_FAILURE.get() == null) {
            try {
                return ByteBuddyAgent.install();
            } catch (IllegalStateException | LinkageError forbidden) {
                FIRST_FAILURE.set(forbidden);
            }
        }
        throw new WeaverUnavailableException(
                "Cannot see objects of other code: this JVM has no Java agent and lets none attach. Add -javaagent:"
                        + jarOf(ByteBuddyAgent.class)
                        + " to its options; Surefire has them in argLine, Gradle in jvmArgs.",
                FIRST_FAILURE.get());
    }

    /** Returns the jar of a class of Byte Buddy. */
    static String jarOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException | RuntimeException unknown) {
            return "/path/to/byte-buddy-agent.jar";
        }
    }
}
