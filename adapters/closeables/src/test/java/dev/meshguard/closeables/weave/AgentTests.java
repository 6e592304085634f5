package dev.meshguard.closeables.weave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.weave.Weaver;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.utility.OpenedClassReader;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.objenesis.Objenesis;

/** An agent is attached, or comes from the command line of the JVM. */
class AgentTests {

    private static final String REPORTS =
            "[constructed Handle, closed Handle, constructed Deflater, closed Deflater]\n";
    private static final String REPORTS_WITH_SPY =
            "[constructed Handle, closed Handle, constructed Deflater, closed Deflater, constructed Part]\n";
    private static final String NO_ATTACHING = "-XX:-EnableDynamicAgentLoading";

    @Test
    void anAgentIsAttached() {
        assertThat(outputOf(List.of())).isEqualTo("agent: false\n" + REPORTS);
    }

    @ParameterizedTest
    @ValueSource(strings = {NO_ATTACHING, "-XX:+DisableAttachMechanism"})
    void whereNoneMayBeAttachedTheErrorNamesWhatToAdd(String option) {
        String output = outputOf(List.of(option));

        assertThat(output)
                .isEqualTo(
                        "agent: false\nCannot see objects of other code: this JVM has no Java agent and lets none attach."
                                + " Add -javaagent:" + jarOf(ByteBuddyAgent.class)
                                + " to its options; Surefire has them in argLine, Gradle in jvmArgs.\n"
                                + "calls: false\nsame cause: true\n");
        assertThat(outputOf(List.of(option, "-javaagent:" + jarOf(ByteBuddyAgent.class))))
                .isEqualTo("agent: true\n" + REPORTS);
    }

    @Test
    void anOldByteBuddyIsOneError(@TempDir Path folder) throws IOException {
        Path old = Files.createDirectories(folder.resolve("net/bytebuddy/utility"));
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(OpenedClassReader.class.getResourceAsStream("OpenedClassReader.class"))
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API, writer) {
                            @Override
                            public @Nullable MethodVisitor visitMethod(
                                    int access,
                                    String name,
                                    String descriptor,
                                    @Nullable String signature,
                                    String @Nullable [] exceptions) {
                                return name.equals("of") && descriptor.startsWith("([BZ)")
                                        ? null
                                        : super.visitMethod(access, name, descriptor, signature, exceptions);
                            }
                        },
                        0);
        Files.write(old.resolve("OpenedClassReader.class"), writer.toByteArray());

        assertThat(outputOf(folder + File.pathSeparator, List.of("-javaagent:" + jarOf(ByteBuddyAgent.class))))
                .isEqualTo("agent: true\nCannot see objects of other code: Byte Buddy is too old in " + folder
                        + ". Use 1.17 or newer; Spring Boot has it in the property byte-buddy.version.\n"
                        + "calls: false\nsame cause: true\n");
    }

    @Test
    void theAgentOfMockitoServesToo() {
        List<String> options = List.of(NO_ATTACHING, "-javaagent:" + jarOf(Mockito.class));

        assertThat(outputOf(options)).isEqualTo("agent: true\n" + REPORTS);
        assertThat(outputOf(options, "mocks")).isEqualTo("agent: true\n" + REPORTS_WITH_SPY);
    }

    @Test
    void theAgentOfCoverageRunsBeforeOrAfter(@TempDir Path folder) {
        String ours = "-javaagent:" + jarOf(ByteBuddyAgent.class);
        Path before = folder.resolve("before.exec");
        Path after = folder.resolve("after.exec");

        assertThat(outputOf(List.of(coverage(before), ours), "mocks")).isEqualTo("agent: true\n" + REPORTS_WITH_SPY);
        assertThat(outputOf(List.of(ours, coverage(after)), "mocks")).isEqualTo("agent: true\n" + REPORTS_WITH_SPY);

        assertThat(List.of(before, after))
                .allSatisfy(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .contains("WeavingProgram$Handle"));
    }

    private static String coverage(Path file) {
        return "-javaagent:" + jarOf(classOf("org.jacoco.agent.rt.RT")) + "=destfile=" + file;
    }

    private static Class<?> classOf(String name) {
        try {
            return Class.forName(name, false, AgentTests.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Runs the program on the class path. The JVM may warn about agents on standard error. */
    private static String outputOf(List<String> options, String... arguments) {
        return outputOf("", options, arguments);
    }

    private static String outputOf(String firstOnClassPath, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.add("-cp");
        command.add(firstOnClassPath
                + Stream.of(
                                WeavingProgram.class,
                                Weaver.class,
                                AllocationTracker.class,
                                ByteBuddy.class,
                                ByteBuddyAgent.class,
                                Mockito.class,
                                Objenesis.class,
                                API.class,
                                Nullable.class)
                        .map(type -> jarOf(type).toString())
                        .distinct()
                        .collect(Collectors.joining(File.pathSeparator)));
        command.add(WeavingProgram.class.getName());
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
