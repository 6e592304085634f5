package dev.meshguard.event.shortage;

import dev.meshguard.event.Owner;
import dev.meshguard.text.Quantities;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The names of several owners, of which those that differ only by a number are counted.
 *
 * <p>Safe for use by several threads.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class OwnerNames {

    /** What precedes the first number of a name, the number, and the rest: {@code program 7 (add)}, {@code global semaphore 3}. */
    private static final Pattern NUMBERED = Pattern.compile("([^\\d\"]*[^\\d\"\\s])\\s(\\d+)(\\D.*)?");

    private OwnerNames() {}

    /** Returns {@code program 7 (add)} for one owner, {@code 16 programs (add)} or {@code 24 global semaphores} for several. */
    public static List<String> of(Collection<Owner> owners) {
        Map<String, Set<Owner>> alike = new LinkedHashMap<>();
        owners.forEach(owner -> alike.computeIfAbsent(withoutNumber(owner), unused -> new LinkedHashSet<>())
                .add(owner));
        return alike.values().stream().map(OwnerNames::nameOf).toList();
    }

    /** Returns what the names of owners share that differ only by their number. */
    static String withoutNumber(Owner owner) {
        Matcher numbered = numbered(owner);
        return numbered.matches() ? numbered.group(1) + numbered.group(3) : owner.toString();
    }

    private static String nameOf(Set<Owner> alike) {
        Owner first = alike.iterator().next();
        Matcher numbered = numbered(first);
        return alike.size() == 1 || !numbered.matches()
                ? first.toString()
                : Quantities.count(alike.size(), numbered.group(1)) + Objects.requireNonNullElse(numbered.group(3), "");
    }

    private static Matcher numbered(Owner owner) {
        return NUMBERED.matcher(owner.toString());
    }
}
