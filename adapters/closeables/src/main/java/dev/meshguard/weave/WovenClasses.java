package dev.meshguard.weave;

import dev.meshguard.tracker.internal.StackReserve;
import dev.meshguard.weave.ClassPlan.MethodHeader;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The classes with calls, which are added when a class is loaded, and afterwards to those that are loaded.
 *
 * <p>A class cannot be needed by the transformer while it is transformed. So the transformer skips its own classes, and a class of another library
 * or of the JDK that it uses for each class must be loaded before: hence {@link #warmUp}, and a loop where a stream would do.
 */
final class WovenClasses implements ClassFileTransformer {

    private static final int MAJOR_VERSION = 6;
    private static final int NOT_INHERITED = Opcodes.ACC_ABSTRACT | Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE;

    private final Instrumentation instrumentation;
    private final Dispatcher dispatcher;
    private final List<Watch> watches;
    private final ClassHierarchy hierarchy;
    private final Receivers receivers;
    /** Loaded classes that are about to be transformed again. One that stays here could not be: the stack or the memory was at its end. */
    private final Set<Class<?>> unwoven = ConcurrentHashMap.newKeySet();

    WovenClasses(Instrumentation instrumentation, List<Watch> watches, ClassHierarchy hierarchy, Receivers receivers) {
        this.instrumentation = instrumentation;
        this.dispatcher = receivers.dispatcher();
        this.watches = watches;
        this.hierarchy = hierarchy;
        this.receivers = receivers;
    }

    /** Returns why classes cannot be woven with the Byte Buddy that is there; each class would fail for itself. */
    static Optional<String> oldByteBuddy() {
        try {
            OpenedClassReader.class.getMethod("of", byte[].class, boolean.class);
            return Optional.empty();
        } catch (NoSuchMethodException old) {
            return Optional.of("Cannot see objects of other code: Byte Buddy is too old in "
                    + AgentAccess.jarOf(OpenedClassReader.class)
                    + ". Use 1.17 or newer; Spring Boot has it in the property byte-buddy.version.");
        }
    }

    /** Loads what looking up a class with a new watch needs: a class of the JDK, and one in a jar. */
    @SuppressWarnings("ReturnValueIgnored") // Loads them.
    static void warmUp(Watch added) {
        added.planOf("java/lang/annotation/IncompleteAnnotationException", null);
        added.planOf("net/bytebuddy/ByteBuddy", OpenedClassReader.class.getClassLoader());
        // Which of their nested classes a collection needs depends on its contents.
        for (Class<?> collection : List.of(ArrayList.class, ConcurrentHashMap.class, CopyOnWriteArrayList.class)) {
            collection.getDeclaredClasses();
        }
    }

    List<Class<?>> loaded() {
        return Stream.<Class<?>>of(instrumentation.getAllLoadedClasses())
                .filter(type -> !type.isArray() && !type.isPrimitive())
                .toList();
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> loaded,
            @Nullable ProtectionDomain domain,
            byte[] file) {
        if (name == null || isOfTransformer(name)) {
            return null;
        }
        try {
            StackReserve.forOperation();
            byte[] woven = wovenQuietly(name, loader, file, loaded == null);
            if (loaded != null) {
                unwoven.remove(loaded);
            }
            return woven;
        } catch (StackOverflowError | OutOfMemoryError later) {
            hierarchy.learned();
            hierarchy.hasPlans(name, loader, List.of());
            return null;
        }
    }

    private static boolean isOfTransformer(String name) {
        return name.startsWith("dev/meshguard/weave/") || name.startsWith("net/bytebuddy/");
    }

    private byte @Nullable [] wovenQuietly(String name, @Nullable ClassLoader loader, byte[] file, boolean isLoading) {
        boolean wasBusy = receivers.setBusy(true);
        try {
            return woven(name, OpenedClassReader.of(file, true), loader, isLoading);
        } catch (StackOverflowError | OutOfMemoryError later) {
            throw later;
        } catch (RuntimeException | Error failure) {
            notWoven(name, loader, "Its class file cannot be changed: " + failure);
            return null;
        } finally {
            receivers.setBusy(wasBusy);
        }
    }

    private byte @Nullable [] woven(
            String typeName, ClassReader type, @Nullable ClassLoader loader, boolean isLoading) {
        hierarchy.add(typeName, loader, type);
        List<ClassPlan> added = plansOf(typeName, loader);
        if (added.isEmpty()) {
            return null;
        }
        Map<String, Integer> methods = new HashMap<>();
        ClassWriter writer = new ClassWriter(type, ClassWriter.COMPUTE_MAXS);
        boolean hasFrames = type.readUnsignedShort(MAJOR_VERSION) >= Opcodes.V1_6;
        type.accept(
                new ClassVisitor(OpenedClassReader.ASM_API, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
                        if (descriptor.startsWith("()") && (access & NOT_INHERITED) == 0) {
                            methods.put(name, access);
                        }
                        if (!hasFrames) {
                            method = new WithoutFrames(method);
                        }
                        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_STATIC)) != 0) {
                            return method;
                        }
                        MethodHeader header = new MethodHeader(typeName, access, name, descriptor);
                        MethodVisitor woven = method;
                        for (ClassPlan plan : added) {
                            woven = plan.weave(header, woven, dispatcher);
                        }
                        return woven;
                    }
                },
                0);
        byte[] woven = writer.toByteArray();
        hierarchy.addMethods(typeName, loader, methods);
        if (isLoading) {
            hierarchy.hasPlans(typeName, loader, added);
        }
        return woven;
    }

    /** Class files before Java 6 have no frames. */
    private static final class WithoutFrames extends MethodVisitor {

        WithoutFrames(MethodVisitor next) {
            super(OpenedClassReader.ASM_API, next);
        }

        @Override
        public void visitFrame(int kind, int locals, Object @Nullable [] local, int depth, Object @Nullable [] stack) {}
    }

    private List<ClassPlan> plansOf(String name, @Nullable ClassLoader loader) {
        List<ClassPlan> found = new ArrayList<>(0);
        for (Watch watch : watches) {
            Optional<ClassPlan> plan = watch.planOf(name, loader);
            if (plan.isPresent()) {
                found.add(plan.get());
            }
        }
        return found;
    }

    private void notWoven(String name, @Nullable ClassLoader loader, String reason) {
        watches.stream()
                .filter(watch -> watch.planOf(name, loader).isPresent())
                .forEach(watch -> watch.notWoven(name, loader, reason));
    }

    /** Finds out from which classes others inherit, those that are not loaded included, if a loader has their file. */
    void lookUp(Collection<String> classNames) {
        Set<@Nullable ClassLoader> loaders = Collections.newSetFromMap(new IdentityHashMap<>());
        loaded().forEach(type -> loaders.add(type.getClassLoader()));
        for (String className : classNames) {
            String name = ClassHierarchy.internal(className);
            for (ClassLoader loader : loaders) {
                if (hierarchy.isKnown(name, loader)) {
                    plansOf(name, loader);
                    break;
                }
            }
        }
    }

    /**
     * Adds calls to the loaded classes that lack some, and returns the version of the hierarchy by which none lacks any.
     *
     * @throws IllegalStateException if some still lack calls, because too little stack or memory is left
     */
    long weaveLoaded() {
        long version;
        Map<Class<?>, List<ClassPlan>> lacking;
        do {
            version = hierarchy.version();
            lacking = lacking();
            unwoven.clear();
            unwoven.addAll(lacking.keySet());
            retransform(lacking.keySet());
            lacking.keySet().removeAll(unwoven);
            lacking.forEach(
                    (type, added) -> hierarchy.hasPlans(ClassHierarchy.nameOf(type), type.getClassLoader(), added));
            if (!unwoven.isEmpty()) {
                unwoven.clear();
                throw new IllegalStateException("Too little stack or memory is left to add code to classes");
            }
            // A class that was loaded inside a transformer went past this one.
        } while (!lacking.isEmpty());
        return version;
    }

    private Map<Class<?>, List<ClassPlan>> lacking() {
        Map<Class<?>, List<ClassPlan>> lacking = new HashMap<>();
        List<Class<?>> loaded = loaded();
        loaded.forEach(hierarchy::add);
        for (Class<?> type : loaded) {
            String name = ClassHierarchy.nameOf(type);
            List<ClassPlan> added = plansOf(name, type.getClassLoader());
            if (!added.equals(hierarchy.plansOf(type))) {
                boolean isChanged = added.stream().anyMatch(plan -> plan.changes(type));
                Optional<String> problem = isChanged ? problemOf(type) : Optional.empty();
                problem.ifPresent(reason -> notWoven(name, type.getClassLoader(), reason));
                if (isChanged && problem.isEmpty()) {
                    lacking.put(type, added);
                } else {
                    hierarchy.hasPlans(name, type.getClassLoader(), added);
                }
            }
        }
        return lacking;
    }

    private Optional<String> problemOf(Class<?> type) {
        if (isOfTransformer(ClassHierarchy.nameOf(type))) {
            return Optional.of("Its code cannot be changed, because it changes the code of others");
        }
        return instrumentation.isModifiableClass(type) ? Optional.empty() : Optional.of("Its code cannot be changed");
    }

    private void retransform(Collection<Class<?>> types) {
        try {
            instrumentation.retransformClasses(types.toArray(Class<?>[]::new));
        } catch (StackOverflowError | OutOfMemoryError later) {
            throw later;
        } catch (UnmodifiableClassException | RuntimeException | Error failure) {
            if (types.size() > 1) {
                types.forEach(type -> retransform(Set.of(type)));
            } else {
                Class<?> type = types.iterator().next();
                unwoven.remove(type);
                notWoven(ClassHierarchy.nameOf(type), type.getClassLoader(), "Its code cannot be changed: " + failure);
            }
        }
    }
}
