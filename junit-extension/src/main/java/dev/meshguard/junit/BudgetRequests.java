package dev.meshguard.junit;

import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.tracker.BufferType;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The budgets that the annotations around a test give: for each memory of each device the nearest. */
final class BudgetRequests {

    private record Scope(BufferType type, int device) {}

    private static final String OF_SUITE = "Let each test keep to it with accounting = EACH_TEST.";

    private BudgetRequests() {}

    /** Returns the budgets of method and classes, the nearest first, and those given in code that none of them replaces. */
    static List<dev.meshguard.verdict.budget.MemoryBudget> budgets(
            ExtensionContext context, List<dev.meshguard.verdict.budget.MemoryBudget> inCode) {
        Map<Scope, dev.meshguard.verdict.budget.MemoryBudget> nearest = new LinkedHashMap<>(ofMethod(context));
        context.getTestClass().ifPresent(type -> {
            on(type, TestNames.of(type)).forEach(nearest::putIfAbsent);
            List<Class<?>> inner = new ArrayList<>(context.getEnclosingTestClasses());
            Collections.reverse(inner);
            inner.forEach(outer -> on(outer, TestNames.of(outer)).forEach(nearest::putIfAbsent));
        });
        for (dev.meshguard.verdict.budget.MemoryBudget budget : inCode) {
            nearest.putIfAbsent(new Scope(budget.type(), budget.device().orElse(-1)), budget);
        }
        return List.copyOf(nearest.values());
    }

    /** Refuses a budget on a method whose mesh outlives it, because it would have to hold for other methods too. */
    static void refuseOnMethod(ExtensionContext context, MeshLifetime lifetime) {
        if (!ofMethod(context).isEmpty()) {
            throw GuardSettings.refused(
                    "@MemoryBudget on " + TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod()),
                    "a budget for one method of a mesh with lifetime = " + lifetime,
                    lifetime == MeshLifetime.CLASS
                            ? "Put it on the class, or let the mesh last for one test."
                            : OF_SUITE);
        }
    }

    /** Refuses a budget on a nested class that shares the mesh of the class around it, where nobody would read it. */
    static void refuseOnNested(ExtensionContext inner, ExtensionContext outer) {
        Class<?> type = inner.getRequiredTestClass();
        if (inner.getTestMethod().isEmpty()
                && type != outer.getRequiredTestClass()
                && !on(type, TestNames.of(type)).isEmpty()) {
            throw GuardSettings.refused(
                    "@MemoryBudget on " + TestNames.of(type),
                    "a budget for a nested class that shares a mesh with lifetime = CLASS",
                    String.format(Locale.ROOT, "Put it on %s.", TestNames.of(outer.getRequiredTestClass())));
        }
    }

    /** Refuses a budget on a class whose mesh outlives it, because it would have to hold for other classes too. */
    static void refuseOnClass(ExtensionContext context) {
        context.getTestClass()
                .filter(type -> !on(type, TestNames.of(type)).isEmpty())
                .ifPresent(type -> {
                    throw GuardSettings.refused(
                            "@MemoryBudget on " + TestNames.of(type),
                            "a budget for one class of a mesh with lifetime = SUITE",
                            OF_SUITE);
                });
    }

    private static Map<Scope, dev.meshguard.verdict.budget.MemoryBudget> ofMethod(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> on(method, TestNames.of(context.getRequiredTestClass(), method)))
                .orElse(Map.of());
    }

    private static Map<Scope, dev.meshguard.verdict.budget.MemoryBudget> on(AnnotatedElement element, String name) {
        String place = "@MemoryBudget on " + name;
        Map<Scope, dev.meshguard.verdict.budget.MemoryBudget> budgets = new LinkedHashMap<>();
        for (MemoryBudget annotation : AnnotationSupport.findRepeatableAnnotations(element, MemoryBudget.class)) {
            Scope scope = new Scope(annotation.type(), annotation.device());
            if (budgets.putIfAbsent(scope, budget(annotation, place)) != null) {
                throw GuardSettings.refused(
                        place,
                        "type = " + scope.type() + ", device = " + scope.device() + " a second time",
                        "Put all limits for one memory into one budget.");
            }
        }
        return budgets;
    }

    private static dev.meshguard.verdict.budget.MemoryBudget budget(MemoryBudget annotation, String place) {
        dev.meshguard.verdict.budget.MemoryBudget budget =
                dev.meshguard.verdict.budget.MemoryBudget.of(annotation.type());
        if (isGiven(
                annotation.device(),
                "device",
                place,
                "Give a device id, 0 or more, or leave it out for each device.")) {
            budget = budget.onDevice(annotation.device());
        }
        if (isGiven(annotation.peakBytes(), "peakBytes", place)) {
            budget = budget.peakBytes(annotation.peakBytes());
        }
        if (isGiven(annotation.liveBytes(), "liveBytes", place)) {
            budget = budget.liveBytes(annotation.liveBytes());
        }
        if (isGiven(annotation.buffers(), "buffers", place)) {
            budget = budget.buffers(annotation.buffers());
        }
        if (isGiven(annotation.largestFreeBlock(), "largestFreeBlock", place)) {
            budget = budget.largestFreeBlock(annotation.largestFreeBlock());
        }
        double fragmentation = annotation.fragmentation();
        if (fragmentation != -1) {
            if (!(fragmentation >= 0 && fragmentation <= 1)) {
                throw GuardSettings.refused(
                        place,
                        "fragmentation = " + fragmentation,
                        "Give a part of the free memory, 0 to 1, or leave it out to allow any.");
            }
            budget = budget.fragmentation(fragmentation);
        }
        if (budget.isWithoutLimit()) {
            throw GuardSettings.refused(
                    place,
                    "a budget without a limit",
                    "Give peakBytes, liveBytes, buffers, largestFreeBlock or fragmentation.");
        }
        return budget;
    }

    private static boolean isGiven(long value, String name, String place) {
        return isGiven(value, name, place, "Give 0 or more, or leave it out to allow any.");
    }

    private static boolean isGiven(long value, String name, String place, String allowed) {
        if (value < -1) {
            throw GuardSettings.refused(place, name + " = " + value, allowed);
        }
        return value >= 0;
    }
}
