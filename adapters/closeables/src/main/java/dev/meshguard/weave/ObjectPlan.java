package dev.meshguard.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a class whose objects are constructed and closed, or that has closing methods of such objects.
 *
 * @param isUppermost whether it reports that objects are constructed; a subclass of one that does only reports that constructors throw
 * @param isAtStart whether it reports them when the constructor of its superclass has returned, and not when its own returns
 * @param receivers for each method that reports, by its name, the receiver of the first kind of {@link Call}; those of the others follow it
 */
record ObjectPlan(boolean isUppermost, boolean isAtStart, Map<String, Integer> receivers) implements ClassPlan {

    static final String CONSTRUCTOR = "<init>";

    /** The kinds of reports. */
    enum Call {
        /** With the name of the class that has the method. */
        BEGINS,
        /** With the same. */
        RETURNS,
        /** With what is thrown. */
        THROWS
    }

    @Override
    public boolean changes(Class<?> loaded) {
        return (receivers.containsKey(CONSTRUCTOR) && !loaded.isInterface())
                || declares(loaded, method -> isClosing(method, receivers.keySet(), true));
    }

    static boolean declares(Class<?> type, Predicate<Method> condition) {
        try {
            return Stream.of(type.getDeclaredMethods()).anyMatch(condition);
        } catch (LinkageError missingParameterType) {
            return true;
        }
    }

    /** Whether code is native, so that no calls can be added to it, is found out then. */
    static boolean isClosing(Method method, Set<String> names, boolean needsCode) {
        int excluded = Modifier.STATIC | (needsCode ? Modifier.ABSTRACT : 0);
        return method.getParameterCount() == 0
                && names.contains(method.getName())
                && (method.getModifiers() & excluded) == 0;
    }

    @Override
    public MethodVisitor weave(MethodHeader method, MethodVisitor next, Dispatcher dispatcher) {
        Integer receiver = receivers.get(method.name());
        if (receiver == null) {
            return next;
        }
        if (method.name().equals(CONSTRUCTOR)) {
            return new ConstructorVisitor(method.type(), next, dispatcher, receiver);
        }
        return method.descriptor().startsWith("()")
                ? new ClosingVisitor(method.type(), next, dispatcher, receiver)
                : next;
    }

    /** Adds calls with the object, and a handler that reports what is thrown and throws it again. */
    private abstract static class ReportingVisitor extends MethodVisitor {

        final String type;
        private final Dispatcher dispatcher;
        private final int firstReceiver;
        private final Label handler = new Label();
        private @Nullable Label start;

        ReportingVisitor(String type, MethodVisitor next, Dispatcher dispatcher, int firstReceiver) {
            super(OpenedClassReader.ASM_API, next);
            this.type = type;
            this.dispatcher = dispatcher;
            this.firstReceiver = firstReceiver;
        }

        final void report(Call call) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitLdcInsn(type.replace('/', '.'));
            dispatcher.addCall(mv, firstReceiver + call.ordinal());
        }

        final void startHandled() {
            start = new Label();
            super.visitLabel(start);
        }

        final void endHandled() {
            if (start != null) {
                Label end = new Label();
                super.visitTryCatchBlock(start, end, handler, null);
                super.visitLabel(end);
                start = null;
            }
        }

        /** Nothing but the object is known in the handler, wherever the exception came from. */
        final void addHandler() {
            endHandled();
            super.visitLabel(handler);
            super.visitFrame(Opcodes.F_FULL, 1, new Object[] {type}, 1, new Object[] {"java/lang/Throwable"});
            super.visitVarInsn(Opcodes.ASTORE, 1);
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitVarInsn(Opcodes.ALOAD, 1);
            dispatcher.addCall(mv, firstReceiver + Call.THROWS.ordinal());
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitInsn(Opcodes.ATHROW);
        }

        final boolean isReturn(int opcode) {
            return opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
        }
    }

    /** Where Mockito came first, a constructor has a second path, of mocks, before the one of its source. */
    private final class ConstructorVisitor extends ReportingVisitor {

        private static final String MOCKS = "org/mockito/internal/creation/bytebuddy/inject/MockMethodDispatcher";

        /** Objects on the stack whose constructors have not been called. */
        private int uninitialized;
        /** The class whose constructor was called on this path; null until then. */
        private @Nullable String called;

        private boolean isMock;
        private boolean isHandled;

        ConstructorVisitor(String type, MethodVisitor next, Dispatcher dispatcher, int firstReceiver) {
            super(type, next, dispatcher, firstReceiver);
        }

        @Override
        public void visitFrame(int kind, int locals, Object @Nullable [] local, int depth, Object @Nullable [] stack) {
            if (kind == Opcodes.F_FULL && local != null && Opcodes.UNINITIALIZED_THIS.equals(local[0])) {
                endHandled();
                called = null;
                isMock = false;
            }
            super.visitFrame(kind, locals, local, depth, stack);
        }

        @Override
        public void visitTypeInsn(int opcode, String operand) {
            super.visitTypeInsn(opcode, operand);
            if (opcode == Opcodes.NEW) {
                uninitialized++;
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            isMock |= owner.equals(MOCKS);
            if (name.equals(CONSTRUCTOR)) {
                if (uninitialized > 0) {
                    uninitialized--;
                } else {
                    called = owner;
                    if (isAtStart && isFirstToReport() && !isMock) {
                        report(Call.RETURNS);
                    }
                    if (isAtStart || !isFirstToReport()) {
                        isHandled = true;
                        startHandled();
                    }
                }
            }
        }

        /** A constructor that calls {@code this(…)} finds the object reported. */
        private boolean isFirstToReport() {
            return isUppermost && !type.equals(called);
        }

        @Override
        public void visitInsn(int opcode) {
            if (!isAtStart && isReturn(opcode) && isFirstToReport() && !isMock) {
                report(Call.RETURNS);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            if (isHandled) {
                addHandler();
            }
            super.visitMaxs(maxStack, maxLocals);
        }
    }

    private static final class ClosingVisitor extends ReportingVisitor {

        ClosingVisitor(String type, MethodVisitor next, Dispatcher dispatcher, int firstReceiver) {
            super(type, next, dispatcher, firstReceiver);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            report(Call.BEGINS);
            startHandled();
        }

        @Override
        public void visitInsn(int opcode) {
            if (isReturn(opcode)) {
                report(Call.RETURNS);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            addHandler();
            super.visitMaxs(maxStack, maxLocals);
        }
    }
}
