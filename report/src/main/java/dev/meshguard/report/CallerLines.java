package dev.meshguard.report;

import dev.meshguard.event.shortage.DistinguishingCallers;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the callers that a reader needs beside the line of an allocation.
 *
 * <p>If a helper allocates for everybody, its line is the same in all findings and leads nowhere. Then the first caller on the
 * stack that differs tells them apart. If the helper has one caller only, the line of the test class leads to it. The
 * answer depends on the findings of one verdict alone.
 *
 * <p>Immutable and safe for use by several threads.
 */
final class CallerLines {

    /** A caller of the line that allocated, and the buffers that it caused. */
    record Caller(StackTraceElement frame, long buffers) {}

    private final DistinguishingCallers distinguishing;
    private final Optional<String> testClass;

    /**
     * Creates the lines of the findings of a verdict.
     *
     * @param testClass the name of the class whose test ran, if it is known
     */
    CallerLines(List<SurvivorGroup> groups, Optional<String> testClass) {
        this.testClass = testClass.map(CallerLines::topLevel);
        this.distinguishing = DistinguishingCallers.of(groups.stream().flatMap(group -> group.origin().stream()));
    }

    /** Returns the callers that a reader needs, the one of most buffers first; none if the line of the allocation is enough. */
    List<Caller> of(SurvivorFinding finding) {
        List<Caller> distinguishing = distinguishing(finding);
        return distinguishing.isEmpty() ? inTestClass(finding) : distinguishing;
    }

    /** Returns the callers that tell apart what one line allocated, the one of most buffers first; none if it has one only. */
    List<Caller> distinguishing(SurvivorFinding finding) {
        Map<StackTraceElement, Long> buffers = new LinkedHashMap<>();
        finding.groups()
                .forEach(group -> group.origin()
                        .flatMap(distinguishing::callerOf)
                        .ifPresent(frame -> buffers.merge(frame, group.buffers(), Long::sum)));
        return buffers.entrySet().stream()
                .map(caller -> new Caller(caller.getKey(), caller.getValue()))
                .sorted(Comparator.comparingLong(Caller::buffers).reversed())
                .toList();
    }

    private List<Caller> inTestClass(SurvivorFinding finding) {
        if (testClass.isEmpty()
                || finding.site().filter(site -> !isOfTest(site)).isEmpty()) {
            return List.of();
        }
        return finding.first().origin().orElseThrow().frames().stream()
                .filter(this::isOfTest)
                .findFirst()
                .map(frame -> new Caller(frame, finding.buffers()))
                .stream()
                .toList();
    }

    private boolean isOfTest(StackTraceElement frame) {
        return testClass.filter(topLevel(frame.getClassName())::equals).isPresent();
    }

    private static String topLevel(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }
}
