package dev.meshguard.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a class whose objects are constructed and closed.
 *
 * @param role its place in the hierarchy of the watched types
 * @param closingMethods the names of its methods without parameters that close
 * @param firstReceiver the receiver of constructed objects; those of the other {@link Call calls} follow it
 */
record ObjectPlan(Role role, Set<String> closingMethods, int firstReceiver) implements ClassPlan {

    /** The place of a class in the hierarchy of the watched types. */
    enum Role {
        /** Above them: objects inherit closing methods from it. */
        ANCESTOR,
        /** The uppermost class whose objects are watched, which reports each object once. */
        UPPERMOST,
        /** A subclass of the uppermost one, whose constructors can still throw. */
        SUBCLASS
    }

    /** The kinds of reports. */
    enum Call {
        CONSTRUCTED,
        CONSTRUCTION_FAILED,
        CLOSING,
        CLOSED,
        CLOSE_FAILED
    }

    @Override
    public boolean changes(Class<?> loaded) {
        return (role != Role.ANCESTOR && !loaded.isInterface())
                || declares(loaded, method -> isClosing(method, closingMethods, true));
    }

    static boolean declares(Class<?> type, Predicate<Method> condition) {
        try {
            return Stream.of(type.getDeclaredMethods()).anyMatch(condition);
        } catch (LinkageError missingParameterType) {
            return true;
        }
    }

    /** Calls can be added to code only. */
    static boolean isClosing(Method method, Set<String> names, boolean needsCode) {
        int excluded = Modifier.STATIC | (needsCode ? Modifier.ABSTRACT | Modifier.NATIVE : 0);
        return method.getParameterCount() == 0
                && names.contains(method.getName())
                && (method.getModifiers() & excluded) == 0;
    }

    @Override
    public MethodVisitor weave(MethodHeader method, MethodVisitor next, Dispatcher dispatcher) {
        if (method.name().equals("<init>")) {
            return role == Role.ANCESTOR ? next : new ConstructorVisitor(method.type(), next, dispatcher);
        }
        return closingMethods.contains(method.name()) && method.descriptor().startsWith("()")
                ? new ClosingVisitor(method.type(), next, dispatcher)
                : next;
    }

    /** Adds calls with the object, and a handler that reports what is thrown and throws it again. */
    private abstract class ReportingVisitor extends MethodVisitor {

        final String type;
        private final Dispatcher dispatcher;
        private final Label handler = new Label();
        private @Nullable Label start;

        ReportingVisitor(String type, MethodVisitor next, Dispatcher dispatcher) {
            super(OpenedClassReader.ASM_API, next);
            this.type = type;
            this.dispatcher = dispatcher;
        }

        final void report(Call call) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitInsn(Opcodes.ACONST_NULL);
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
        final void addHandler(Call call) {
            endHandled();
            super.visitLabel(handler);
            super.visitFrame(Opcodes.F_FULL, 1, new Object[] {type}, 1, new Object[] {"java/lang/Throwable"});
            super.visitVarInsn(Opcodes.ASTORE, 1);
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitVarInsn(Opcodes.ALOAD, 1);
            dispatcher.addCall(mv, firstReceiver + call.ordinal());
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

        ConstructorVisitor(String type, MethodVisitor next, Dispatcher dispatcher) {
            super(type, next, dispatcher);
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
            isMock |= called != null && owner.equals(MOCKS);
            if (name.equals("<init>")) {
                if (uninitialized > 0) {
                    uninitialized--;
                } else {
                    called = owner;
                    if (!isFirstToReport()) {
                        isHandled = true;
                        startHandled();
                    }
                }
            }
        }

        /** A constructor that calls {@code this(…)} finds the object reported. */
        private boolean isFirstToReport() {
            return role == Role.UPPERMOST && !type.equals(called);
        }

        @Override
        public void visitInsn(int opcode) {
            if (isReturn(opcode) && isFirstToReport() && !isMock) {
                report(Call.CONSTRUCTED);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            if (isHandled) {
                addHandler(Call.CONSTRUCTION_FAILED);
            }
            super.visitMaxs(maxStack, maxLocals);
        }
    }

    private final class ClosingVisitor extends ReportingVisitor {

        ClosingVisitor(String type, MethodVisitor next, Dispatcher dispatcher) {
            super(type, next, dispatcher);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            report(Call.CLOSING);
            startHandled();
        }

        @Override
        public void visitInsn(int opcode) {
            if (isReturn(opcode)) {
                report(Call.CLOSED);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            addHandler(Call.CLOSE_FAILED);
            super.visitMaxs(maxStack, maxLocals);
        }
    }
}
