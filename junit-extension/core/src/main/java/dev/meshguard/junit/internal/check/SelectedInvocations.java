package dev.meshguard.junit.internal.check;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds out whether all invocations of a method were selected to run: an IDE and a rerun of failed tests select single ones.
 *
 * <p>JUnit has no API that reports it, so its engine is asked by reflection. An engine that is a module on the module path does not
 * answer. Then the numbers of the invocations show it, unless the first ones were selected; a single one proves nothing.
 *
 * <p>Not safe for use by several threads.
 */
final class SelectedInvocations {

    /** The number of an invocation of a class or a method, or of a dynamic test or container, in a unique id. */
    private static final Pattern NUMBER = Pattern.compile("#(\\d+)\\]");

    private static final int NO_INDEX = -1;

    private boolean isPartial;
    /** The numbers of those of which the engine does not answer, by the unique id of what contains them. */
    private final Map<String, SortedSet<Integer>> numbers = new HashMap<>();

    /** Adds an invocation. */
    void add(ExtensionContext invocation) {
        try {
            isPartial |= !isOfWhole(invocation);
        } catch (RuntimeException notReadable) {
            addNumbers(invocation.getUniqueId());
        }
    }

    private void addNumbers(String id) {
        Matcher number = NUMBER.matcher(id);
        while (number.find()) {
            numbers.computeIfAbsent(id.substring(0, id.lastIndexOf('[', number.start())), unused -> new TreeSet<>())
                    .add(Integer.parseInt(number.group(1)));
        }
    }

    /** Returns whether all are added, as far as that is known. */
    boolean areAll() {
        return !isPartial
                && numbers.values().stream().allMatch(added -> added.size() > 1 && added.last() == added.size());
    }

    /** Returns whether the templates and factories around an invocation, and itself, have all of theirs selected. */
    private static boolean isOfWhole(ExtensionContext invocation) {
        for (Optional<ExtensionContext> next = Optional.of(invocation); next.isPresent(); ) {
            ExtensionContext context = next.get();
            Object descriptor = call(methodOf(context, "getTestDescriptor").orElseThrow(), context);
            Optional<Method> filter = methodOf(descriptor, "getDynamicDescendantFilter");
            if (filter.isPresent() && !selectsAll(call(filter.get(), descriptor), descriptor)) {
                return false;
            }
            next = context.getParent();
        }
        return true;
    }

    /** An invocation that does not exist is selected only with all others. */
    @SuppressWarnings("unchecked")
    private static boolean selectsAll(Object filter, Object descriptor) {
        Object id = call(methodOf(descriptor, "getUniqueId").orElseThrow(), descriptor);
        Method append = methodOf(id, "append", String.class, String.class).orElseThrow();
        return ((BiPredicate<Object, Integer>) filter).test(call(append, id, "no", "invocation"), NO_INDEX);
    }

    private static Optional<Method> methodOf(Object owner, String name, Class<?>... parameters) {
        return ReflectionSupport.findMethod(owner.getClass(), name, parameters);
    }

    private static Object call(Method method, Object owner, Object... arguments) {
        return ReflectionSupport.invokeMethod(method, owner, arguments);
    }
}
