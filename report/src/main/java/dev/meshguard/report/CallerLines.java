package dev.meshguard.report;

import dev.meshguard.event.Origin;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Finds the callers that a reader needs beside the line of an allocation.
 *
 * <p>If a helper allocates for everybody, its line is the same in all findings and leads nowhere. Then the first caller on the
 * stack that differs tells them apart. If the helper has one caller only, the line of the test class leads to it. The
 * answer depends on the findings of one verdict alone.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class CallerLines {

    /** A caller of the line that allocated, and the buffers that it caused. */
    record Caller(StackTraceElement frame, long buffers) {}

    /** The depth at which the stacks of a line differ, for lines with several stacks. */
    private final Map<StackTraceElement, Integer> differences = new HashMap<>();

    private final Optional<String> testClass;

    /**
     * Creates the lines of the findings of a verdict.
     *
     * @param testClass the name of the class whose test ran, if it is known
     */
    CallerLines(List<SurvivorGroup> groups, Optional<String> testClass) {
        this.testClass = testClass.map(CallerLines::topLevel);
        Map<StackTraceElement, Set<List<StackTraceElement>>> distinct = new LinkedHashMap<>();
        for (SurvivorGroup group : groups) {
            group.origin()
                    .map(Origin::frames)
                    .ifPresent(frames -> distinct.computeIfAbsent(frames.get(0), unused -> new HashSet<>())
                            .add(frames));
        }
        distinct.forEach((line, stacks) -> {
            int depth = firstDifference(List.copyOf(stacks));
            if (depth > 0) {
                differences.put(line, depth);
            }
        });
    }

    /**
     * Returns the lines of the findings of a verdict.
     *
     * @param testClass the class whose test ran, if it is known
     */
    public static CallerLines of(LeakVerdict verdict, Optional<Class<?>> testClass) {
        return new CallerLines(verdict.groups(), testClass.map(Class::getName));
    }

    /**
     * Returns the line at which a reader begins: the caller of most of the buffers if the line of the allocation leads
     * nowhere, otherwise that line.
     */
    public Optional<StackTraceElement> firstLineOf(SurvivorGroup group) {
        FindingGroups finding = new FindingGroups(List.of(group));
        return of(finding).stream().map(Caller::frame).findFirst().or(finding::site);
    }

    /** Returns the callers that a reader needs, the one of most buffers first; none if the line of the allocation is enough. */
    List<Caller> of(FindingGroups finding) {
        List<Caller> distinguishing = distinguishing(finding);
        return distinguishing.isEmpty() ? inTestClass(finding) : distinguishing;
    }

    /** Returns the callers that tell apart what one line allocated, the one of most buffers first; none if it has one only. */
    List<Caller> distinguishing(FindingGroups finding) {
        return finding.site()
                .flatMap(site -> Optional.ofNullable(differences.get(site)))
                .map(depth -> atDepth(finding, depth))
                .orElse(List.of());
    }

    /** Returns the number of the first frame that is not the same in all stacks, or -1. */
    private static int firstDifference(List<List<StackTraceElement>> stacks) {
        if (stacks.size() < 2) {
            return -1;
        }
        int deepest = stacks.stream().mapToInt(List::size).max().orElse(0);
        for (int depth = 1; depth < deepest; depth++) {
            @Nullable StackTraceElement first = frame(stacks.get(0), depth);
            for (List<StackTraceElement> stack : stacks) {
                if (!Objects.equals(first, frame(stack, depth))) {
                    return depth;
                }
            }
        }
        return -1;
    }

    private static @Nullable StackTraceElement frame(List<StackTraceElement> stack, int depth) {
        return depth < stack.size() ? stack.get(depth) : null;
    }

    private static List<Caller> atDepth(FindingGroups finding, int depth) {
        Map<StackTraceElement, Long> buffers = new LinkedHashMap<>();
        for (SurvivorGroup group : finding.groups()) {
            group.origin().orElseThrow().frames().stream()
                    .skip(depth)
                    .filter(frame -> !isOfJdk(frame))
                    .findFirst()
                    .ifPresent(frame -> buffers.merge(frame, group.buffers(), Long::sum));
        }
        List<Caller> callers = new ArrayList<>();
        buffers.forEach((frame, count) -> callers.add(new Caller(frame, count)));
        callers.sort(Comparator.comparingLong(Caller::buffers).reversed());
        return callers;
    }

    private List<Caller> inTestClass(FindingGroups finding) {
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

    /** The difference may lie in a collection that calls back; the user knows the line that called it. */
    private static boolean isOfJdk(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.") || frame.getClassName().startsWith("jdk.");
    }

    private boolean isOfTest(StackTraceElement frame) {
        return testClass.filter(topLevel(frame.getClassName())::equals).isPresent();
    }

    private static String topLevel(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }
}
