package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.WithFixtures;
import java.io.Closeable;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An annotation whose objects cannot be tracked is an error, never a clean test. */
class RejectedCloseablesTests implements WithFixtures {

    abstract static class OneTest {
        @Test
        void runs() {}
    }

    @TrackCloseables(Closeable.class)
    static class OfLambdas extends OneTest {}

    interface Described extends Closeable {

        @Override
        String toString();
    }

    @TrackCloseables(Described.class)
    static class OfLambdasThatDescribeThemselves extends OneTest {}

    @TrackCloseables(Object.class)
    static class NeverClosed extends OneTest {}

    @TrackCloseables(value = Deflater.class, closedBy = "dispose")
    static class UnknownMethod extends OneTest {}

    @TrackCloseables(names = " ")
    static class BlankName extends OneTest {}

    @TrackCloseables(value = Deflater.class, closedBy = "")
    static class BlankMethod extends OneTest {}

    @TrackCloseables
    static class Nothing extends OneTest {}

    @TrackCloseables(int.class)
    static class Primitive extends OneTest {}

    @TrackCloseables(Deflater[].class)
    static class Array extends OneTest {}

    enum Colour {
        RED
    }

    @TrackCloseables(Colour.class)
    static class Enumeration extends OneTest {}

    @TrackCloseables(Override.class)
    static class Annotation extends OneTest {}

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            OfLambdas     | java.io.Closeable        | Objects of lambda expressions cannot be seen: name the classes that implement it.
            OfLambdasThatDescribeThemselves | dev.meshguard.closeables.RejectedCloseablesTests$Described | Objects of lambda expressions cannot be seen: name the classes that implement it.
            NeverClosed   | java.lang.Object         | It has no method close() or end() without parameters. Name the one that closes it: closedBy = "dispose".
            UnknownMethod | closedBy = "dispose"     | None of the classes has such a method without parameters.
            BlankName     | names = ""               | Give a name, or leave it out.
            BlankMethod   | closedBy = ""            | Give a name, or leave it out.
            Nothing       | no class                 | Name the classes whose objects must be closed.
            Primitive     | int                      | Name a class whose objects are closed.
            Array         | java.util.zip.Deflater[] | Name a class whose objects are closed.
            Enumeration   | dev.meshguard.closeables.RejectedCloseablesTests$Colour | Name a class whose objects are closed.
            Annotation    | java.lang.Override       | Name a class whose objects are closed.
            """)
    void rejectsWhatCannotBeTracked(String fixture, String subject, String wayOut) throws ClassNotFoundException {
        Class<?> type = Class.forName(RejectedCloseablesTests.class.getName() + '$' + fixture);

        assertThat(RunAssert.assertThat(JupiterRun.run(type))
                        .hasSingleTest()
                        .whichFailed()
                        .text())
                .isEqualTo("@TrackCloseables on RejectedCloseablesTests$" + fixture + ": " + subject + " is rejected. "
                        + wayOut);
    }

    @TrackCloseables(names = "org.example.Misspelled")
    static class MisspelledTestCase {
        @Test
        @MustFail(
                text = {
                    "INCONCLUSIVE  ",
                    "the source \"objects\" is not installed: no class org.example.Misspelled is loaded."
                            + " Correct the name, or give it to tests only that load the class."
                })
        void aNameThatNoClassHasLeavesTheVerdictOpen() {}
    }
}
