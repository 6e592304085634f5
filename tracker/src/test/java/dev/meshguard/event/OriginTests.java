package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The trimming of a raw stack. */
class OriginTests {

    @Test
    void beginsWithTheUsersOwnLineAndEndsWhereJUnitBegins() {
        Origin origin = Origin.of(
                frame("dev.meshguard.tracker.AllocationTracker", "request"),
                frame("dev.meshguard.mesh.MeshDevice", "allocate"),
                frame("org.example.Model", "load"),
                frame("org.example.ModelTest", "decodes"),
                frame("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke"),
                frame("java.lang.reflect.Method", "invoke"),
                frame("org.junit.platform.commons.util.ReflectionUtils", "invokeMethod"),
                frame("org.apache.maven.surefire.booter.ForkedBooter", "main"));

        assertThat(origin.frames())
                .extracting(StackTraceElement::getClassName)
                .containsExactly("org.example.Model", "org.example.ModelTest");
        assertThat(origin).hasToString("org.example.Model.load(Source.java:12)");
    }

    @Test
    void skipsMocksAndReflectionAboveTheUser() {
        Origin origin = Origin.of(
                frame("dev.meshguard.junit.MeshMocks", "answer"),
                frame("org.mockito.internal.handler.MockHandlerImpl", "handle"),
                frame("net.bytebuddy.Anything", "call"),
                frame("java.lang.invoke.LambdaForm", "invoke"),
                frame("org.example.ModelTest", "decodes"));

        assertThat(origin.site()).map(StackTraceElement::getClassName).contains("org.example.ModelTest");
    }

    @Test
    void skipsTheMethodThatIsMocked() {
        Origin origin = Origin.of(
                frame("dev.meshguard.mockito.Allocating", "answer"),
                frame("org.mockito.internal.stubbing.StubbedInvocationMatcher", "answer"),
                frame("org.mockito.internal.creation.bytebuddy.MockMethodAdvice", "handle"),
                frame("org.example.Device", "allocate"),
                frame("org.example.Model", "load"),
                frame("org.example.ModelTest", "decodes"));

        assertThat(origin.frames())
                .extracting(StackTraceElement::getClassName)
                .containsExactly("org.example.Model", "org.example.ModelTest");
    }

    @Test
    void skipsTheLibraryThatCalledBackMeshGuard() {
        Origin origin = Origin.of(
                frame("dev.meshguard.mesh.MeshMemory", "free"),
                frame("java.util.ArrayList", "forEach"),
                frame("dev.meshguard.mesh.Program", "end"),
                frame("java.util.Optional", "ifPresent"),
                frame("org.example.ModelTest", "decodes"),
                frame("java.util.ArrayList", "forEach"));

        assertThat(origin.frames())
                .extracting(StackTraceElement::getClassName)
                .containsExactly("org.example.ModelTest", "java.util.ArrayList");
    }

    @Test
    void namesTheLibraryWhereThereIsNobodyElse() {
        Origin origin = Origin.of(
                frame("dev.meshguard.mesh.MeshMemory", "free"),
                frame("java.util.concurrent.FutureTask", "run"),
                frame("java.lang.Thread", "run"));

        assertThat(origin).hasToString("java.util.concurrent.FutureTask.run(Source.java:12)");
    }

    @Test
    void keepsWhatLiesBelowReflectionOfTheUsersOwn() {
        Origin origin = Origin.of(
                frame("org.example.Adapter", "invoke"),
                frame("java.lang.reflect.Method", "invoke"),
                frame("org.example.ModelTest", "decodes"),
                frame("java.lang.reflect.Method", "invoke"),
                frame("org.junit.platform.commons.util.ReflectionUtils", "invokeMethod"));

        assertThat(origin.frames())
                .extracting(StackTraceElement::getClassName)
                .containsExactly("org.example.Adapter", "java.lang.reflect.Method", "org.example.ModelTest");
    }

    @Test
    void takesATestOfMeshGuardsOwnForAUser() {
        Origin origin = Origin.of(
                frame("dev.meshguard.tracker.AllocationTracker", "request"),
                frame("dev.meshguard.tracker.OriginTests$Nested", "allocates"));

        assertThat(origin.frames()).hasSize(1);
    }

    @Test
    void keepsMeshGuardsFramesBetweenTheUsers() {
        Origin origin = Origin.of(
                frame("org.example.Model", "callback"),
                frame("dev.meshguard.tracker.AllocationTracker", "label"),
                frame("org.example.ModelTest", "decodes"));

        assertThat(origin.frames()).hasSize(3);
    }

    @Test
    void isAnUnknownPlaceWhenNoUserIsOnTheStack() {
        Origin origin = Origin.of(
                frame("dev.meshguard.tracker.AllocationTracker", "request"),
                frame("org.junit.platform.engine.Anything", "execute"));

        assertThat(origin.frames()).isEmpty();
        assertThat(origin.site()).isEmpty();
        assertThat(origin).hasToString("an unknown place");
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
