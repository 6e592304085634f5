package dev.meshguard.report.internal;

import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.MemoryGrowth;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Elements that differ only in their device, so that a text names them once, with all their devices.
 *
 * @param first the first of them
 * @param devices their devices, in the order of the elements
 */
public record Alike<T>(T first, List<Integer> devices) {

    /** Groups the memories that the rounds of an accumulation changed alike. */
    public static List<Alike<MemoryGrowth>> memories(Accumulation accumulation) {
        return of(
                accumulation.memory(),
                growth -> List.of(growth.memory().type(), growth.units(), growth.amounts()),
                growth -> growth.memory().device());
    }

    /**
     * Groups elements.
     *
     * @param likeness returns all properties of an element except its device
     */
    public static <T> List<Alike<T>> of(Collection<T> elements, Function<T, Object> likeness, ToIntFunction<T> device) {
        Map<Object, Alike<T>> groups = new LinkedHashMap<>();
        for (T element : elements) {
            groups.computeIfAbsent(likeness.apply(element), unused -> new Alike<>(element, new ArrayList<>()))
                    .devices()
                    .add(device.applyAsInt(element));
        }
        return List.copyOf(groups.values());
    }
}
