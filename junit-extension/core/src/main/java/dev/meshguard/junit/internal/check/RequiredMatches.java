package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Fixes;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;

/**
 * Fails a method if none of its checks found the buffers that its entries require.
 *
 * <p>A single check judges that by itself. A method may have several invocations or start several programs. It then
 * fails only if no check found a matching buffer. If an invocation failed, was aborted or was excluded from the run,
 * the result is unknown and nothing is reported.
 *
 * <p>A value of the store of the context around all invocations. Safe for use by several threads.
 */
final class RequiredMatches implements StoredResource {

    private final TrackedTest method;
    private final RunSummaryCollector summary;
    private final Map<String, Expectation> broken = new LinkedHashMap<>();
    private final SelectedInvocations selected = new SelectedInvocations();
    private int checks;
    private boolean isUnknown;

    /** Creates the required matches of a method. */
    RequiredMatches(TrackedTest method, ExpectedBuffers entries, RunSummaryCollector summary) {
        this.method = method;
        this.summary = summary;
        for (Expectation entry : entries.entries()) {
            if (entry.isBrokenByNone()) {
                broken.put(entry.toText(), entry);
            }
        }
    }

    /**
     * Returns the context that ends after all invocations of a method: that of a test template or of a factory, or that
     * of a class template around it. Returns nothing for a method that runs once.
     *
     * @param context the context of a test or of a factory
     */
    static Optional<ExtensionContext> around(ExtensionContext context) {
        Optional<ExtensionContext> outermost = AnnotationSupport.isAnnotated(context.getTestMethod(), TestFactory.class)
                ? Optional.of(context)
                : Optional.empty();
        ExtensionContext inner = context;
        Optional<ExtensionContext> outer = context.getParent();
        while (outer.isPresent() && outer.get().getTestClass().isPresent()) {
            if (isTemplate(outer.get(), inner)) {
                outermost = outer;
            }
            inner = outer.get();
            outer = inner.getParent();
        }
        return outermost;
    }

    /** A class template and its invocations have the same class; a class and a nested one do not. */
    private static boolean isTemplate(ExtensionContext outer, ExtensionContext inner) {
        return outer.getTestMethod().isPresent()
                || (inner.getTestMethod().isEmpty() && outer.getTestClass().equals(inner.getTestClass()));
    }

    /** Adds an invocation; if not all are selected to run, the survivors of the others are unknown. */
    synchronized void begin(ExtensionContext invocation) {
        selected.add(invocation);
    }

    /** Counts a check that needed no verdict. */
    synchronized void checked() {
        checks++;
    }

    /** Adds the verdict of a check. */
    synchronized void add(LeakVerdict verdict) {
        checks++;
        for (ExpectationResult result : verdict.expectations()) {
            if (!result.neverMatched()) {
                broken.remove(result.expectation().toText());
            }
        }
    }

    /** Marks the survivors of a part of the method as unknown. */
    synchronized void giveUp() {
        isUnknown = true;
    }

    /** Fails if no check found the buffers that an entry requires. */
    @Override
    public void close() {
        report().ifPresent(failure -> {
            throw failure;
        });
    }

    /** Returns the failure if no check found the buffers that an entry requires, and adds it to the summary. */
    Optional<AssertionFailedError> report() {
        Optional<AssertionFailedError> found = failure();
        found.ifPresent(failure -> summary.add(CheckReporter.ofSeveral(method, failure)));
        return found;
    }

    /** Returns the failure if no check found the buffers that an entry requires. */
    synchronized Optional<AssertionFailedError> failure() {
        if (broken.isEmpty() || isUnknown || !selected.areAll()) {
            return Optional.empty();
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "STALE  %s on %s %s more than survived",
                Quantities.count(broken.size(), "expectation"),
                method.name(),
                broken.size() == 1 ? "promises" : "promise"));
        int number = 0;
        for (Expectation entry : broken.values()) {
            number++;
            lines.add(number + ". " + where() + ": " + entry);
            lines.add("   fix   " + Fixes.OF_UNMATCHED_EXPECTATION);
        }
        AssertionFailedError failure = new AssertionFailedError(String.join("\n", lines));
        failure.setStackTrace(method.stack());
        return Optional.of(failure);
    }

    private String where() {
        return switch (checks) {
            case 0 -> "no memory was used through MeshGuard";
            case 1 -> "no survivor matches";
            default -> "no survivor matches in any of " + checks + " checks";
        };
    }
}
