package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.Origin;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OriginPatternTests {

    private static Origin origin(String... frames) {
        return new Origin(Arrays.stream(frames)
                .map(frame -> new StackTraceElement(
                        frame.substring(0, frame.lastIndexOf('.')),
                        frame.substring(frame.lastIndexOf('.') + 1),
                        "Model.java",
                        12))
                .toList());
    }

    /** A frame, patterns that fit it, and patterns that do not. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            dev.example.Model.load | Model.load example.Model.load dev.example.Model.load \
                | odel.load Model.loa Model.unload model.load load
            dev.example.Model.load | Model example.Model dev.example.* dev.* example.* Model.* \
                | dev.example example dev.Model Model.load.* dev.example.Model.load.more
            dev.example.Model$Layer.load | Model Layer Model$Layer.load Model.Layer.load | Lay
            dev.example.Model$1.load             | Model.load                                                                | 1
            dev.example.Model.lambda$load$3 | Model.load | Model.lambda
            dev.example.Model$$EnhancerBySpringCGLIB$$1a2b.load | Model.load | Model.1a2b
            dev.example.Model.<init> | Model.<init> | Model.load
            Model.load | Model.load | dev.Model.load
            """)
    void fitsAMethodItsClassAndItsPackagesBelowNestingLambdasAndGeneratedClasses(
            String frame, String fitting, String others) {
        assertThat(fitting.split(" ", -1)).allMatch(pattern -> new OriginPattern(pattern).fits(origin(frame)));
        assertThat(others.split(" ", -1)).noneMatch(pattern -> new OriginPattern(pattern).fits(origin(frame)));
    }

    @Test
    void fitsAnyFrameAndNoOriginWithoutFrames() {
        OriginPattern pattern = new OriginPattern("KvCacheTest.decode");

        assertThat(pattern.fits(origin("dev.example.Model.load", "dev.example.KvCacheTest.decode")))
                .isTrue();
        assertThat(pattern.fits(origin())).isFalse();
    }

    @Test
    void rejectsAnInvalidName() {
        String invalid = "KvCacheTest#decode KvCacheTest.decode() KvCacheTest.java:41 dev/example/Model"
                + " * *.load dev.*.Model dev..Model .Model Model. Mod*";

        assertThat(invalid.split(" ", -1))
                .allSatisfy(text -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> new OriginPattern(text))
                        .withMessage(
                                "An expected buffer's origin is a class, a method or a package, for example KvCacheTest,"
                                        + " KvCacheTest.weights or dev.example.model.*: \"" + text + "\" was given."));
    }

    @Test
    void isMadeOfAFrameWithoutTheTraceOfItsLambda() {
        var frame = new StackTraceElement("dev.example.Model", "lambda$load$3", "Model.java", 12);

        assertThat(OriginPattern.of(frame)).hasValue(new OriginPattern("Model.load"));
        assertThat(new OriginPattern("Model.load")).hasToString("Model.load");
    }
}
