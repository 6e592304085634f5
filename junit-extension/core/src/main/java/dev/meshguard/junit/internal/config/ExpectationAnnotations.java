package dev.meshguard.junit.internal.config;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.ExpectedBuffersFile;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.verdict.expectation.Bound;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.support.AnnotationSupport;

/** Reads the expectations of a test, its classes and its enclosing classes, which add up, the nearest first. */
final class ExpectationAnnotations {

    private ExpectationAnnotations() {}

    /** Returns the buffers that annotations of the method and the classes expect. */
    static ExpectedBuffers expected(List<TestElement> elements) {
        List<Expectation> all = new ArrayList<>();
        for (TestElement element : elements) {
            List<Expectation> entries = on(element);
            // An entry on a class need not match in every test of the class.
            all.addAll(
                    element.isMethod()
                            ? entries
                            : entries.stream()
                                    .map(Expectation::forSeveralChecks)
                                    .toList());
        }
        return new ExpectedBuffers(all);
    }

    /**
     * Returns the expectations of an extension, which may be in several fields and serve several classes.
     *
     * @param builder the class that built the extension, usually the one with the field
     */
    static ExpectedBuffers inField(ExpectedBuffers entries, Class<?> builder) {
        String location = "MeshGuardExtension.expecting in " + builder.getName();
        return new ExpectedBuffers(entries.entries().stream()
                .map(entry -> entry.source().isPresent() ? entry : entry.locatedAt(location))
                .map(Expectation::forSeveralChecks)
                .toList());
    }

    /** Returns the entries of the annotations of a method or class. */
    static List<Expectation> on(TestElement test) {
        List<Expectation> all = new ArrayList<>();
        AnnotationSupport.findRepeatableAnnotations(test.element(), ExpectBuffers.class)
                .forEach(annotation -> all.add(expectation(annotation, test.with(ExpectBuffers.class))
                        .locatedAt("@ExpectBuffers on " + test.declaring(annotation))));
        AnnotationSupport.findAnnotation(test.element(), ExpectedBuffersFile.class)
                .ifPresent(annotation -> all.addAll(
                        load(annotation, test.with(ExpectedBuffersFile.class)).entries()));
        return all;
    }

    private static Expectation expectation(ExpectBuffers annotation, String place) {
        if (annotation.because().isBlank() || annotation.because().equals("…")) {
            throw ConfigurationErrors.of(
                    place, "because = \"" + annotation.because() + '"', "Say why the buffers are expected.");
        }
        try {
            Expectation entry = conditions(annotation, place).count(count(annotation, place));
            return unlessEmpty(annotation.until(), entry, Expectation::until);
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(place + ": " + refusal.getMessage(), refusal);
        }
    }

    private static Expectation conditions(ExpectBuffers annotation, String place) {
        Expectation entry = Expectation.because(annotation.because());
        BufferType[] types = annotation.type();
        if (types.length > 1) {
            throw ConfigurationErrors.of(
                    place, "type = " + List.of(types), "Give at most one; write an entry for each type.");
        }
        for (BufferType type : types) {
            entry = entry.type(type);
        }
        entry = unlessEmpty(annotation.owner(), entry, Expectation::owner);
        entry = unlessEmpty(annotation.label(), entry, Expectation::label);
        entry = unlessEmpty(annotation.origin(), entry, Expectation::origin);
        if (annotation.overwritten()) {
            entry = entry.overwritten();
        }
        OptionalLong size = OptionalNumber.of(annotation.size(), "size", place);
        if (size.isPresent()) {
            entry = entry.size(size.getAsLong());
        }
        return entry.devices(devices(annotation, place));
    }

    private static Expectation unlessEmpty(
            String text, Expectation entry, BiFunction<Expectation, String, Expectation> with) {
        return text.isEmpty() ? entry : with.apply(entry, text);
    }

    private static DeviceSet devices(ExpectBuffers annotation, String place) {
        OptionalInt one = OptionalNumber.of(annotation.device(), "device", place);
        rejectBoth(one.isPresent(), "device", annotation.devices().length > 0, "devices", place);
        for (int device : annotation.devices()) {
            OptionalNumber.of(new int[] {device}, "devices", place);
        }
        return one.isPresent() ? DeviceSet.of(one.getAsInt()) : DeviceSet.of(annotation.devices());
    }

    private static Bound count(ExpectBuffers annotation, String place) {
        OptionalLong one = OptionalNumber.of(annotation.exactly(), "exactly", place);
        OptionalLong least = OptionalNumber.of(annotation.atLeast(), "atLeast", place);
        OptionalLong most = OptionalNumber.of(annotation.atMost(), "atMost", place);
        rejectBoth(one.isPresent(), "exactly", least.isPresent(), "atLeast", place);
        rejectBoth(one.isPresent(), "exactly", most.isPresent(), "atMost", place);
        if (least.orElse(0) > most.orElse(Long.MAX_VALUE)) {
            throw ConfigurationErrors.of(
                    place,
                    "atLeast = " + least.getAsLong() + ", atMost = " + most.getAsLong(),
                    "Let atLeast be at most atMost.");
        }
        return one.isPresent()
                ? Bound.exactly(one.getAsLong())
                : new Bound(least.orElse(0), most.orElse(Long.MAX_VALUE));
    }

    private static void rejectBoth(boolean one, String name, boolean other, String otherName, String place) {
        if (one && other) {
            throw ConfigurationErrors.of(
                    place, name + " and " + otherName, String.format(Locale.ROOT, "Give %s or %s.", name, otherName));
        }
    }

    private static ExpectedBuffers load(ExpectedBuffersFile annotation, String place) {
        try {
            return SharedRunState.load(Path.of(annotation.value()), place);
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(refusal.getMessage(), refusal);
        }
    }
}
