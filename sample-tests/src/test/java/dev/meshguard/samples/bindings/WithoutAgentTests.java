package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.junit.jupiter.api.Test;

/** A JVM that has no Java agent and does not let one attach. */
class WithoutAgentTests {

    private static String agent() {
        return ByteBuddyAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
    }

    @Test
    void theErrorNamesWhatToAdd() throws IOException, InterruptedException {
        assertThat(failureWith("-XX:+DisableAttachMechanism"))
                .isEqualTo("@TrackCloseables on OpenArchiveTestCase: "
                        + "Cannot see objects of other code: this JVM has no Java agent and lets none attach. "
                        + "Add -javaagent:" + agent()
                        + " to its options; Surefire has them in argLine, Gradle in jvmArgs.");
    }

    @Test
    void whatItNamesIsEnough() throws IOException, InterruptedException {
        assertThat(failureWith("-XX:+DisableAttachMechanism", "-javaagent:" + agent()))
                .startsWith("LEAK  1 MendedArchive, LOST");
    }

    private static String failureWith(String... flags) throws IOException, InterruptedException {
        ProcessBuilder java = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1");
        java.command().addAll(List.of(flags));
        java.command().addAll(List.of("-cp", System.getProperty("java.class.path"), WithoutAgentTests.class.getName()));
        Process run = java.redirectErrorStream(true).start();

        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).isZero();
        return printed.strip();
    }

    public static void main(String[] arguments) {
        System.out.println(
                Fixtures.failureOf(OpenArchiveTestCase.class).getMessage().strip());
    }
}
