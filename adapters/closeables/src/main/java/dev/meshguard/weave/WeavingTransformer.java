package dev.meshguard.weave;

import dev.meshguard.weave.ClassPlan.MethodHeader;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/** Adds calls to classes when they are loaded or retransformed. */
final class WeavingTransformer implements ClassFileTransformer {

    /** Code that runs here, and may be loaded while it does: a class cannot be needed while it is defined. */
    private static final List<String> OWN = List.of("dev/meshguard/weave/", "net/bytebuddy/");

    private final WovenTypes types;
    private final Dispatcher dispatcher;
    private final BusyThreads busy;

    WeavingTransformer(WovenTypes types, Dispatcher dispatcher, BusyThreads busy) {
        this.types = types;
        this.dispatcher = dispatcher;
        this.busy = busy;
    }

    @Override
    @SuppressWarnings("ReturnValueNullable") // Says that nothing is changed.
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> loaded,
            @Nullable ProtectionDomain domain,
            byte[] file) {
        if (name == null || OWN.stream().anyMatch(name::startsWith)) {
            return null;
        }
        boolean isBegin = busy.enter();
        try {
            return woven(OpenedClassReader.of(file, true), loader);
        } catch (RuntimeException | Error failure) {
            types.notWatched(name, "its class file cannot be changed: " + failure);
            return null;
        } finally {
            if (isBegin) {
                busy.leave();
            }
        }
    }

    private byte @Nullable [] woven(ClassReader type, @Nullable ClassLoader loader) {
        List<ClassPlan> plans = types.plansOf(type, loader);
        if (plans.isEmpty()) {
            return null;
        }
        ClassWriter writer = new ClassWriter(type, ClassWriter.COMPUTE_MAXS);
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
                        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0) {
                            MethodHeader header = new MethodHeader(type.getClassName(), access, name, descriptor);
                            for (ClassPlan plan : plans) {
                                method = plan.weave(header, method, dispatcher);
                            }
                        }
                        return method;
                    }
                },
                0);
        return writer.toByteArray();
    }
}
