package dev.meshguard.weave;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * Adds bytecode to named methods of named classes, which passes each call of them on to one {@link CallWatcher}.
 *
 * @param receivers the receiver of each method, by its name
 * @param methods the names of methods by the internal name of their class
 */
record CallWatch(CallWatcher watcher, Map<String, Integer> receivers, Map<String, Set<String>> methods)
        implements Watch {

    CallWatch(CallWatcher watcher) {
        this(watcher, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
    }

    /** Watches other calls, and returns whether that is new. */
    boolean add(WatchedMethods called, Receivers all) {
        for (String method : called.methods()) {
            receivers.computeIfAbsent(
                    method,
                    name -> all.addFirst(this, (thread, object, argument) -> watcher.called(object, name, argument)));
        }
        return ObjectWatch.add(methods, ClassHierarchy.internal(called.className()), called.methods());
    }

    @Override
    public Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader) {
        return Optional.ofNullable(methods.get(name)).map(found -> new Plan(found, receivers));
    }

    private record Plan(Set<String> methods, Map<String, Integer> receivers) implements ClassPlan {

        @Override
        public boolean changes(Class<?> loaded) {
            return true;
        }

        @Override
        public MethodVisitor weave(MethodHeader method, MethodVisitor next, Dispatcher dispatcher) {
            Integer receiver = methods.contains(method.name()) ? receivers.get(method.name()) : null;
            Type[] parameters = Type.getArgumentTypes(method.descriptor());
            if (receiver == null || parameters.length > 1 || (method.access() & Opcodes.ACC_BRIDGE) != 0) {
                return next;
            }
            return new MethodVisitor(OpenedClassReader.ASM_API, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    visitArgument(parameters.length == 0 ? Type.VOID : parameters[0].getSort());
                    dispatcher.addCall(mv, receiver);
                }

                private void visitArgument(int sort) {
                    if (sort == Type.OBJECT || sort == Type.ARRAY) {
                        super.visitVarInsn(Opcodes.ALOAD, 1);
                    } else if (sort == Type.INT) {
                        super.visitVarInsn(Opcodes.ILOAD, 1);
                        super.visitMethodInsn(
                                Opcodes.INVOKESTATIC, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", false);
                    } else {
                        super.visitInsn(Opcodes.ACONST_NULL);
                    }
                }
            };
        }
    }
}
