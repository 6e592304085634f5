package dev.meshguard.weave;

import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import net.bytebuddy.agent.ByteBuddyAgent;

/** The Java agent of this JVM. */
final class AgentAccess {

    /** The agent of Mockito, whose jar may be the only one on the command line. */
    private static final String MOCKITO = "org.mockito.internal.PremainAttach";

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
        return present().orElseGet(() -> {
            try {
                return ByteBuddyAgent.install();
            } catch (IllegalStateException | LinkageError forbidden) {
                throw new WeaverUnavailableException(
                        "Cannot see objects of other code: this JVM has no Java agent and lets none attach. Add -javaagent:"
                                + jar() + " to its options; Surefire has them in argLine, Gradle in jvmArgs.",
                        forbidden);
            }
        });
    }

    private static String jar() {
        try {
            return Path.of(ByteBuddyAgent.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException | RuntimeException unknown) {
            return "/path/to/byte-buddy-agent.jar";
        }
    }
}
