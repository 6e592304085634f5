package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.Origin;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Model.load",
                "example.Model.load",
                "dev.example.Model.load",
                "Model",
                "example.Model",
                "dev.example.*",
                "dev.*",
                "example.*",
                "Model.*"
            })
    void fitsAMethodItsClassAndItsPackages(String pattern) {
        assertThat(new OriginPattern(pattern).fits(origin("dev.example.Model.load")))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "odel.load",
                "Model.loa",
                "Model.unload",
                "model.load",
                "load",
                "dev.example",
                "example",
                "dev.Model",
                "Model.load.*",
                "dev.example.Model.load.more"
            })
    void fitsNoPartsOfNamesNorAMethodOrPackageAlone(String pattern) {
        assertThat(new OriginPattern(pattern).fits(origin("dev.example.Model.load")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "Model, dev.example.Model$Layer.load",
        "Layer, dev.example.Model$Layer.load",
        "Model$Layer.load, dev.example.Model$Layer.load",
        "Model.Layer.load, dev.example.Model$Layer.load",
        "Model.load, dev.example.Model$1.load",
        "Model.load, dev.example.Model.lambda$load$3",
        "Model.load, dev.example.Model$$EnhancerBySpringCGLIB$$1a2b.load",
        "Model.<init>, dev.example.Model.<init>",
        "Model.load, Model.load"
    })
    void seesThroughNestingLambdasAndGeneratedClasses(String pattern, String frame) {
        assertThat(new OriginPattern(pattern).fits(origin(frame))).isTrue();
    }

    @Test
    void fitsAnyFrameAndNoOriginWithoutFrames() {
        OriginPattern pattern = new OriginPattern("KvCacheTest.decode");

        assertThat(pattern.fits(origin("dev.example.Model.load", "dev.example.KvCacheTest.decode")))
                .isTrue();
        assertThat(pattern.fits(origin())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KvCacheTest#decode",
                "KvCacheTest.decode()",
                "KvCacheTest.java:41",
                "dev/example/Model",
                "*",
                "*.load",
                "dev.*.Model",
                "dev..Model",
                ".Model",
                "Model.",
                "Mod*"
            })
    void rejectsAnInvalidName(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OriginPattern(text))
                .withMessage("An expected buffer's origin is a class, a method or a package, for example KvCacheTest,"
                        + " KvCacheTest.weights or dev.example.model.*: \"" + text + "\" was given.");
    }

    @Test
    void isMadeOfAFrameWithoutTheTraceOfItsLambda() {
        var frame = new StackTraceElement("dev.example.Model", "lambda$load$3", "Model.java", 12);

        assertThat(OriginPattern.of(frame)).hasValue(new OriginPattern("Model.load"));
        assertThat(new OriginPattern("Model.load")).hasToString("Model.load");
    }
}
