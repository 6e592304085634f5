package dev.meshguard.weave;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.jar.asm.ClassReader;
import org.jspecify.annotations.Nullable;

/** The watched types of all watchers, and what was added to which class. Safe for use by threads that load classes. */
final class WovenTypes {

    private final ClassHierarchy hierarchy = new ClassHierarchy();
    private final List<ObjectWatch> watches = new CopyOnWriteArrayList<>();
    /** The calls that classes have, by internal name; each loader's class of a name has the same. */
    private final Map<String, List<ClassPlan>> woven = new ConcurrentHashMap<>();
    /** Set when loaded classes may need other calls than they have. */
    private final AtomicBoolean isStale = new AtomicBoolean();

    ClassHierarchy hierarchy() {
        return hierarchy;
    }

    List<ObjectWatch> watches() {
        return watches;
    }

    AtomicBoolean isStale() {
        return isStale;
    }

    Optional<ObjectWatch> of(ObjectWatcher watcher) {
        return watches.stream().filter(watch -> watch.isOf(watcher)).findFirst();
    }

    /** Returns what is added to a class that is loaded or retransformed. */
    List<ClassPlan> plansOf(ClassReader type, @Nullable ClassLoader loader) {
        boolean wasUnknown = hierarchy.add(type);
        List<ClassPlan> plans = plansOf(type.getClassName(), loader);
        if (!plans.isEmpty()) {
            woven.put(type.getClassName(), plans);
            if (wasUnknown || watches.stream().anyMatch(watch -> watch.isToExamine(type.getClassName()))) {
                isStale.set(true);
            }
        }
        return plans;
    }

    private List<ClassPlan> plansOf(String name, @Nullable ClassLoader loader) {
        return watches.stream()
                .flatMap(watch -> watch.planOf(name, loader).stream())
                .toList();
    }

    /** Returns the calls that classes have now, by their internal name. */
    Map<String, List<ClassPlan>> woven() {
        return woven;
    }

    /** Returns the loaded classes that lack calls, as far as the given ones say, and counts them as woven. */
    List<Class<?>> unwoven(List<Class<?>> loaded, Map<String, List<ClassPlan>> present) {
        Map<Class<?>, List<ClassPlan>> found = new LinkedHashMap<>();
        for (Class<?> type : loaded) {
            String name = ClassHierarchy.nameOf(type);
            List<ClassPlan> plans = plansOf(name, type.getClassLoader());
            if (!plans.equals(present.getOrDefault(name, List.of()))
                    && plans.stream().anyMatch(plan -> plan.changes(type))) {
                found.put(type, plans);
            }
        }
        found.forEach((type, plans) -> woven.put(ClassHierarchy.nameOf(type), plans));
        return List.copyOf(found.keySet());
    }

    /** Tells the watchers of a class that some of its objects are not seen. */
    void notWatched(String name, String reason) {
        String className = name.replace('/', '.');
        watches.stream()
                .filter(watch -> watch.planOf(name, null).isPresent())
                .forEach(watch -> watch.watcher().notWatched(className, reason));
    }
}
