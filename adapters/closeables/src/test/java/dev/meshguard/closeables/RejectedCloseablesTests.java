package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An annotation whose objects cannot be tracked is an error, never a clean test. */
class RejectedCloseablesTests {

    private static String failure(Class<?> tests) {
        return TrackedRun.of(tests).failure();
    }

    @TrackCloseables(Closeable.class)
    static class InterfaceTestCase {
        @Test
        void runs() {}
    }

    @Test
    void rejectsAnInterfaceOfLambdas() {
        assertThat(failure(InterfaceTestCase.class))
                .isEqualTo(
                        "@TrackCloseables on RejectedCloseablesTests$InterfaceTestCase: java.io.Closeable is rejected."
                                + " Objects of lambda expressions cannot be seen: name the classes that implement it.");
    }

    @TrackCloseables(Object.class)
    static class NeverClosedTestCase {
        @Test
        void runs() {}
    }

    @Test
    void rejectsAClassThatNeverCloses() {
        assertThat(failure(NeverClosedTestCase.class))
                .isEqualTo(
                        "@TrackCloseables on RejectedCloseablesTests$NeverClosedTestCase: java.lang.Object is rejected."
                                + " It has no method close() or end() without parameters. Name the one that closes it:"
                                + " closedBy = \"dispose\".");
    }

    @TrackCloseables(value = Deflater.class, closedBy = "dispose")
    static class UnknownMethodTestCase {
        @Test
        void runs() {}
    }

    @Test
    void rejectsAMethodThatNoClassHas() {
        assertThat(failure(UnknownMethodTestCase.class))
                .isEqualTo(
                        "@TrackCloseables on RejectedCloseablesTests$UnknownMethodTestCase: closedBy = \"dispose\" is"
                                + " rejected. None of the classes has such a method without parameters.");
    }

    @TrackCloseables(names = " ")
    static class BlankNameTestCase {
        @Test
        void runs() {}
    }

    @TrackCloseables(value = Deflater.class, closedBy = "")
    static class BlankMethodTestCase {
        @Test
        void runs() {}
    }

    @TrackCloseables
    static class NothingTestCase {
        @Test
        void runs() {}
    }

    @Test
    void rejectsBlankNamesAndNone() {
        assertThat(failure(BlankNameTestCase.class))
                .isEqualTo("@TrackCloseables on RejectedCloseablesTests$BlankNameTestCase: names = \"\" is rejected."
                        + " Give a name, or leave it out.");
        assertThat(failure(BlankMethodTestCase.class))
                .isEqualTo(
                        "@TrackCloseables on RejectedCloseablesTests$BlankMethodTestCase: closedBy = \"\" is rejected."
                                + " Give a name, or leave it out.");
        assertThat(failure(NothingTestCase.class))
                .isEqualTo("@TrackCloseables on RejectedCloseablesTests$NothingTestCase: no class is rejected."
                        + " Name the classes whose objects must be closed.");
    }

    enum Colour {
        RED
    }

    @TrackCloseables(int.class)
    static class PrimitiveTestCase {
        @Test
        void runs() {}
    }

    @TrackCloseables(Deflater[].class)
    static class ArrayTestCase {
        @Test
        void runs() {}
    }

    @TrackCloseables(Colour.class)
    static class EnumTestCase {
        @Test
        void runs() {}
    }

    @TrackCloseables(Override.class)
    static class AnnotationTestCase {
        @Test
        void runs() {}
    }

    @ParameterizedTest
    @CsvSource({
        "PrimitiveTestCase, int",
        "ArrayTestCase, java.util.zip.Deflater[]",
        "EnumTestCase, dev.meshguard.closeables.RejectedCloseablesTests$Colour",
        "AnnotationTestCase, java.lang.Override"
    })
    void rejectsTypesWithoutObjectsToClose(String test, String type) throws ClassNotFoundException {
        assertThat(failure(Class.forName(RejectedCloseablesTests.class.getName() + '$' + test)))
                .isEqualTo("@TrackCloseables on RejectedCloseablesTests$" + test + ": " + type
                        + " is rejected. Name a class whose objects are closed.");
    }

    @TrackCloseables(names = "org.example.Misspelled")
    static class MisspelledTestCase {
        @Test
        void runs() {}
    }

    @Test
    void aNameThatNoClassHasLeavesTheVerdictOpen() {
        assertThat(failure(MisspelledTestCase.class))
                .startsWith("INCONCLUSIVE  ")
                .contains("""
                        the source "objects" is not installed: no class
                                 org.example.Misspelled is loaded. Correct the name, or give it to tests only that load the class.\
                        """);
    }
}
