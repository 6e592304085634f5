package dev.meshguard.junit.internal.config;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.verdict.budget.BudgetSpec;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.junit.platform.commons.support.AnnotationSupport;

/** The budgets declared by the annotations of a test: the nearest one for each memory of each device. */
final class BudgetAnnotations {

    private record Scope(BufferType type, OptionalInt device) {

        static Scope of(BudgetSpec budget) {
            return new Scope(budget.type(), budget.device());
        }
    }

    private BudgetAnnotations() {}

    /**
     * Returns the budgets of method and classes, the nearest first, followed by those set in code that none of them
     * replaces.
     */
    static List<BudgetSpec> budgets(List<TestElement> elements, List<BudgetSpec> inCode) {
        Map<Scope, BudgetSpec> nearest = new LinkedHashMap<>();
        for (TestElement element : elements) {
            on(element).forEach(budget -> nearest.putIfAbsent(Scope.of(budget), budget));
        }
        inCode.forEach(budget -> nearest.putIfAbsent(Scope.of(budget), budget));
        return List.copyOf(nearest.values());
    }

    /** Returns the budgets of the annotations of a method or class. */
    static Collection<BudgetSpec> on(TestElement test) {
        String place = test.with(MemoryBudget.class);
        Map<Scope, BudgetSpec> budgets = new LinkedHashMap<>();
        for (MemoryBudget annotation :
                AnnotationSupport.findRepeatableAnnotations(test.element(), MemoryBudget.class)) {
            OptionalInt device = OptionalNumber.of(annotation.device(), "device", place, "for each device");
            BudgetSpec budget = budget(annotation, device, place);
            if (budgets.putIfAbsent(Scope.of(budget), budget) != null) {
                throw ConfigurationErrors.of(
                        place,
                        "type = " + budget.type() + (device.isPresent() ? ", device = " + device.getAsInt() : "")
                                + " a second time",
                        "Put all limits for one memory into one budget.");
            }
        }
        return budgets.values();
    }

    private static BudgetSpec budget(MemoryBudget annotation, OptionalInt device, String place) {
        BudgetSpec budget = BudgetSpec.of(annotation.type());
        if (device.isPresent()) {
            budget = budget.onDevice(device.getAsInt());
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
        OptionalLong given = OptionalNumber.of(limit, name, place);
        return given.isPresent() ? with.apply(budget, given.getAsLong()) : budget;
    }
}
