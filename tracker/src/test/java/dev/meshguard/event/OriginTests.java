package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The trimming of a raw stack. */
class OriginTests {

    /** A stack, and the frames of it that are kept. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            skips MeshGuard above the user and the engine below \
                | dev.meshguard.tracker.AllocationTracker.request dev.meshguard.junit.MeshRecorder.record \
                    org.example.Model.load org.example.ModelTest.decodes \
                    jdk.internal.reflect.DirectMethodHandleAccessor.invoke java.lang.reflect.Method.invoke \
                    org.junit.platform.commons.util.ReflectionUtils.invokeMethod \
                    org.apache.maven.surefire.booter.ForkedBooter.main | org.example.Model.load org.example.ModelTest.decodes
            skips mocks and reflection \
                | dev.meshguard.junit.MeshMocks.answer org.mockito.internal.handler.MockHandlerImpl.handle \
                    net.bytebuddy.Anything.call java.lang.invoke.LambdaForm.invoke org.example.ModelTest.decodes \
                | org.example.ModelTest.decodes
            skips the method that is mocked \
                | dev.meshguard.mockito.Allocating.answer org.mockito.internal.stubbing.StubbedInvocationMatcher.answer \
                    org.mockito.internal.creation.bytebuddy.MockMethodAdvice.handle org.example.Device.allocate \
                    org.example.Model.load org.example.ModelTest.decodes \
                | org.example.Model.load org.example.ModelTest.decodes
            skips the library that called back MeshGuard \
                | dev.meshguard.mesh.MeshMemory.free java.util.ArrayList.forEach dev.meshguard.mesh.Program.end \
                    java.util.Optional.ifPresent org.example.ModelTest.decodes java.util.ArrayList.forEach \
                | org.example.ModelTest.decodes java.util.ArrayList.forEach
            names the library where there is nobody else \
                | dev.meshguard.mesh.MeshMemory.free java.util.concurrent.FutureTask.run java.lang.Thread.run \
                | java.util.concurrent.FutureTask.run java.lang.Thread.run
            keeps what lies below reflection of the user's own \
                | org.example.Adapter.invoke java.lang.reflect.Method.invoke org.example.ModelTest.decodes \
                    java.lang.reflect.Method.invoke org.junit.platform.commons.util.ReflectionUtils.invokeMethod \
                | org.example.Adapter.invoke java.lang.reflect.Method.invoke org.example.ModelTest.decodes
            takes a test of MeshGuard's own for a user \
                | dev.meshguard.tracker.AllocationTracker.request dev.meshguard.tracker.OriginTests$Nested.allocates \
                | dev.meshguard.tracker.OriginTests$Nested.allocates
            keeps MeshGuard's frames between the user's \
                | org.example.Model.callback dev.meshguard.tracker.AllocationTracker.label org.example.ModelTest.decodes \
                | org.example.Model.callback dev.meshguard.tracker.AllocationTracker.label org.example.ModelTest.decodes
            is nothing where no user is on the stack \
                | dev.meshguard.tracker.AllocationTracker.request org.junit.platform.engine.Anything.execute | ''
            """)
    void keepsTheFramesOfTheUser(String behaviour, String stack, String kept) {
        Origin origin = Origin.of(Stream.of(stack.split(" +", -1))
                .map(name -> frame(name.substring(0, name.lastIndexOf('.')), name.substring(name.lastIndexOf('.') + 1)))
                .toArray(StackTraceElement[]::new));

        assertThat(origin.frames().stream()
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .collect(Collectors.joining(" ")))
                .isEqualTo(kept);
        assertThat(origin.site()).isEqualTo(origin.frames().stream().findFirst());
        assertThat(origin)
                .hasToString(kept.isEmpty() ? "an unknown place" : kept.split(" +", -1)[0] + "(Source.java:12)");
    }

    @Test
    void isTheSameOnTheClassPathAndOnTheModulePath() {
        StackTraceElement onClassPath = frame("org.example.Model", "load");
        StackTraceElement onModulePath =
                new StackTraceElement("app", "org.example", "1", "org.example.Model", "load", "Source.java", 12);

        assertThat(Origin.of(onModulePath)).isEqualTo(Origin.of(onClassPath));
    }

    private static StackTraceElement frame(String className, String method) {
        return new StackTraceElement(className, method, "Source.java", 12);
    }
}
