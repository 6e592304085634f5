package dev.meshguard.junit.internal.config;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.verdict.budget.BudgetSpec;
import java.lang.reflect.AnnotatedElement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The budgets declared by the annotations of a test: the nearest one for each memory of each device. */
final class BudgetAnnotations {

    private record Scope(BufferType type, OptionalInt device) {}

    private BudgetAnnotations() {}

    /**
     * Returns the budgets of method and classes, the nearest first, followed by those set in code that none of them
     * replaces.
     */
    static List<BudgetSpec> budgets(ExtensionContext context, List<BudgetSpec> inCode) {
        Map<Scope, BudgetSpec> nearest = new LinkedHashMap<>(ofMethod(context));
        for (Class<?> type : TestClasses.of(context)) {
            on(type, TestNames.of(type)).forEach(nearest::putIfAbsent);
        }
        for (BudgetSpec budget : inCode) {
            nearest.putIfAbsent(new Scope(budget.type(), budget.device()), budget);
        }
        return List.copyOf(nearest.values());
    }

    /** Rejects a budget on a method whose mesh outlives it, because the budget would apply to other methods too. */
    static void rejectOnMethod(ExtensionContext context) {
        if (!ofMethod(context).isEmpty()) {
            throw ConfigurationErrors.of(
                    "@MemoryBudget on " + TestNames.of(context.getRequiredTestClass(), context.getRequiredTestMethod()),
                    "a budget for one method of a mesh with lifetime = CLASS",
                    "Put it on the class, or let the mesh last for one test.");
        }
    }

    /**
     * Rejects a budget on a nested class that shares the mesh of its enclosing class, because it would never be read.
     */
    static void rejectOnNested(ExtensionContext inner, ExtensionContext outer) {
        Class<?> type = inner.getRequiredTestClass();
        if (inner.getTestMethod().isEmpty()
                && type != outer.getRequiredTestClass()
                && !on(type, TestNames.of(type)).isEmpty()) {
            throw ConfigurationErrors.of(
                    "@MemoryBudget on " + TestNames.of(type),
                    "a budget for a nested class that shares a mesh with lifetime = CLASS",
                    String.format(Locale.ROOT, "Put it on %s.", TestNames.of(outer.getRequiredTestClass())));
        }
    }

    private static Map<Scope, BudgetSpec> ofMethod(ExtensionContext context) {
        return context.getTestMethod()
                .map(method -> on(method, TestNames.of(context.getRequiredTestClass(), method)))
                .orElse(Map.of());
    }

    private static Map<Scope, BudgetSpec> on(AnnotatedElement element, String name) {
        String place = "@MemoryBudget on " + name;
        Map<Scope, BudgetSpec> budgets = new LinkedHashMap<>();
        for (MemoryBudget annotation : AnnotationSupport.findRepeatableAnnotations(element, MemoryBudget.class)) {
            Scope scope = new Scope(
                    annotation.type(), GivenNumber.of(annotation.device(), "device", place, "for each device"));
            if (budgets.putIfAbsent(scope, budget(annotation, scope, place)) != null) {
                throw ConfigurationErrors.of(
                        place,
                        "type = " + scope.type()
                                + (scope.device().isPresent()
                                        ? ", device = " + scope.device().getAsInt()
                                        : "")
                                + " a second time",
                        "Put all limits for one memory into one budget.");
            }
        }
        return budgets;
    }

    private static BudgetSpec budget(MemoryBudget annotation, Scope scope, String place) {
        BudgetSpec budget = BudgetSpec.of(scope.type());
        if (scope.device().isPresent()) {
            budget = budget.onDevice(scope.device().getAsInt());
        }
        budget = limited(budget, annotation.peakBytes(), "peakBytes", place, BudgetSpec::peakBytes);
        budget = limited(budget, annotation.liveBytes(), "liveBytes", place, BudgetSpec::liveBytes);
        budget = limited(budget, annotation.buffers(), "buffers", place, BudgetSpec::buffers);
        budget =
                limited(budget, annotation.largestFreeBlock(), "largestFreeBlock", place, BudgetSpec::largestFreeBlock);
        if (budget.isWithoutLimit()) {
            throw ConfigurationErrors.of(
                    place, "a budget without a limit", "Give peakBytes, liveBytes, buffers or largestFreeBlock.");
        }
        return budget;
    }

    private static BudgetSpec limited(
            BudgetSpec budget, long[] limit, String name, String place, BiFunction<BudgetSpec, Long, BudgetSpec> with) {
        OptionalLong given = GivenNumber.of(limit, name, place);
        return given.isPresent() ? with.apply(budget, given.getAsLong()) : budget;
    }
}
