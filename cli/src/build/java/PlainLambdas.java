import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Writes the classes into the jar that a virtual machine would else make for each lambda and each record when it first meets them.
 *
 * <p>A program that runs for a second spends a third of it on making them. What they do is not changed: a lambda becomes a class that
 * calls the same method, in the nest of its class; the three methods of a record compare, add up and print the same components in the
 * same order. Whatever is asked for in another way than the compiler usually does stays as it is.
 */
final class PlainLambdas {

    private static final String OURS = "dev/meshguard/";
    private static final String METAFACTORY = "java/lang/invoke/LambdaMetafactory";
    private static final String RECORDS = "java/lang/runtime/ObjectMethods";
    private static final String OBJECT = "java/lang/Object";

    private final Map<String, byte[]> classes = new TreeMap<>();
    private final Map<String, byte[]> written = new LinkedHashMap<>();

    /** The classes that a nest gets more of, by its host. */
    private final Map<String, List<String>> members = new LinkedHashMap<>();

    private int made;

    public static void main(String[] arguments) throws IOException {
        new PlainLambdas().rewrite(Path.of(arguments[0]));
    }

    private void rewrite(Path jar) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of())) {
            try (Stream<Path> all = Files.walk(files.getPath("/" + OURS))) {
                all.filter(file -> file.toString().endsWith(".class")).forEach(this::read);
            }
            classes.forEach((name, bytes) -> written.put(name, withoutIndirection(name, bytes)));
            members.forEach((host, more) -> written.put(host, withMembers(written.get(host), more)));
            for (Map.Entry<String, byte[]> one : written.entrySet()) {
                if (one.getValue() != classes.get(one.getKey())) {
                    Files.write(files.getPath("/" + one.getKey() + ".class"), one.getValue());
                }
            }
        }
        System.out.println(made + " classes of lambdas and records written into " + jar.getFileName());
    }

    private void read(Path file) {
        try {
            String name = file.toString();
            classes.put(name.substring(1, name.length() - ".class".length()), Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] withoutIndirection(String name, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        String[] host = {name};
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitNestHost(String nestHost) {
                        host[0] = nestHost;
                    }
                },
                ClassReader.SKIP_CODE);
        ClassWriter writer = new ClassWriter(reader, 0);
        int before = made;
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String descriptor, String signature, String[] thrown) {
                        return new MethodVisitor(
                                Opcodes.ASM9, super.visitMethod(access, method, descriptor, signature, thrown)) {
                            @Override
                            public void visitInvokeDynamicInsn(
                                    String called, String type, Handle bootstrap, Object... arguments) {
                                String plain = plain(name, host[0], called, type, bootstrap, arguments);
                                if (plain == null) {
                                    super.visitInvokeDynamicInsn(called, type, bootstrap, arguments);
                                } else {
                                    super.visitMethodInsn(Opcodes.INVOKESTATIC, plain, called, type, false);
                                }
                            }
                        };
                    }
                },
                0);
        return made == before ? bytes : writer.toByteArray();
    }

    /** Returns the class that does the same with a static method of the same name and type; null if there is none. */
    private String plain(
            String name, String host, String called, String type, Handle bootstrap, Object... arguments) {
        byte[] bytes = null;
        String plain = name + "$$Plain" + (made + 1);
        if (bootstrap.getOwner().equals(METAFACTORY) && bootstrap.getName().equals("metafactory")) {
            bytes = lambda(plain, host, called, type, (Type) arguments[0], (Handle) arguments[1], (Type) arguments[2]);
        } else if (bootstrap.getOwner().equals(RECORDS)) {
            bytes = record(plain, host, called, type, arguments);
        }
        if (bytes == null) {
            return null;
        }
        made++;
        written.put(plain, bytes);
        members.computeIfAbsent(host, unused -> new ArrayList<>()).add(plain);
        return plain;
    }

    private static ClassWriter begin(String plain, String host, String... interfaces) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC, plain, null, OBJECT, interfaces);
        writer.visitNestHost(host);
        return writer;
    }

    // Lambdas

    private static byte[] lambda(
            String plain, String host, String called, String type, Type erased, Handle target, Type real) {
        Type[] captured = Type.getArgumentTypes(type);
        ClassWriter writer = begin(plain, host, Type.getReturnType(type).getInternalName());
        for (int i = 0; i < captured.length; i++) {
            writer.visitField(Opcodes.ACC_FINAL, "f" + i, captured[i].getDescriptor(), null, null)
                    .visitEnd();
        }
        String constructor = Type.getMethodDescriptor(Type.VOID_TYPE, captured);
        MethodVisitor code = writer.visitMethod(0, "<init>", constructor, null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, OBJECT, "<init>", "()V", false);
        int local = 1;
        for (int i = 0; i < captured.length; i++) {
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitVarInsn(captured[i].getOpcode(Opcodes.ILOAD), local);
            code.visitFieldInsn(Opcodes.PUTFIELD, plain, "f" + i, captured[i].getDescriptor());
            local += captured[i].getSize();
        }
        end(code, Opcodes.RETURN);
        make(writer, plain, called, type, captured, constructor);
        call(writer, plain, called, captured, erased, target, real);
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** One that captures nothing is made once. */
    private static void make(
            ClassWriter writer, String plain, String called, String type, Type[] captured, String constructor) {
        if (captured.length == 0) {
            String own = "L" + plain + ";";
            writer.visitField(Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, "ONE", own, null, null)
                    .visitEnd();
            MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
            code.visitCode();
            create(code, plain, captured, constructor);
            code.visitFieldInsn(Opcodes.PUTSTATIC, plain, "ONE", own);
            end(code, Opcodes.RETURN);
            code = writer.visitMethod(Opcodes.ACC_STATIC, called, type, null, null);
            code.visitCode();
            code.visitFieldInsn(Opcodes.GETSTATIC, plain, "ONE", own);
            end(code, Opcodes.ARETURN);
            return;
        }
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, called, type, null, null);
        code.visitCode();
        create(code, plain, captured, constructor);
        end(code, Opcodes.ARETURN);
    }

    private static void create(MethodVisitor code, String plain, Type[] captured, String constructor) {
        code.visitTypeInsn(Opcodes.NEW, plain);
        code.visitInsn(Opcodes.DUP);
        int local = 0;
        for (Type one : captured) {
            code.visitVarInsn(one.getOpcode(Opcodes.ILOAD), local);
            local += one.getSize();
        }
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, plain, "<init>", constructor, false);
    }

    private static void call(
            ClassWriter writer,
            String plain,
            String called,
            Type[] captured,
            Type erased,
            Handle target,
            Type real) {
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, called, erased.getDescriptor(), null, null);
        code.visitCode();
        boolean isNew = target.getTag() == Opcodes.H_NEWINVOKESPECIAL;
        if (isNew) {
            code.visitTypeInsn(Opcodes.NEW, target.getOwner());
            code.visitInsn(Opcodes.DUP);
        }
        List<Type> wanted = new ArrayList<>();
        if (target.getTag() != Opcodes.H_INVOKESTATIC && !isNew) {
            wanted.add(Type.getObjectType(target.getOwner()));
        }
        wanted.addAll(List.of(Type.getArgumentTypes(target.getDesc())));
        int next = 0;
        for (int i = 0; i < captured.length; i++) {
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitFieldInsn(Opcodes.GETFIELD, plain, "f" + i, captured[i].getDescriptor());
            convert(code, captured[i], captured[i], wanted.get(next++));
        }
        Type[] given = erased.getArgumentTypes();
        Type[] meant = real.getArgumentTypes();
        int local = 1;
        for (int i = 0; i < given.length; i++) {
            code.visitVarInsn(given[i].getOpcode(Opcodes.ILOAD), local);
            local += given[i].getSize();
            convert(code, given[i], meant[i], wanted.get(next++));
        }
        code.visitMethodInsn(
                opcode(target), target.getOwner(), target.getName(), target.getDesc(), target.isInterface());
        Type result = isNew ? Type.getObjectType(target.getOwner()) : Type.getReturnType(target.getDesc());
        Type returned = erased.getReturnType();
        if (returned.getSort() == Type.VOID) {
            if (result.getSize() > 0) {
                code.visitInsn(result.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
            }
        } else {
            convert(code, result, result, returned);
        }
        end(code, returned.getOpcode(Opcodes.IRETURN));
    }

    private static int opcode(Handle target) {
        return switch (target.getTag()) {
            case Opcodes.H_INVOKESTATIC -> Opcodes.INVOKESTATIC;
            case Opcodes.H_INVOKEINTERFACE -> Opcodes.INVOKEINTERFACE;
            case Opcodes.H_NEWINVOKESPECIAL -> Opcodes.INVOKESPECIAL;
            // A private method of another class of the nest is called like any other.
            case Opcodes.H_INVOKEVIRTUAL, Opcodes.H_INVOKESPECIAL ->
                target.isInterface() ? Opcodes.INVOKEINTERFACE : Opcodes.INVOKEVIRTUAL;
            default -> throw new IllegalArgumentException("A lambda of another kind: " + target);
        };
    }

    // What is given, what it is known to be, what is wanted

    private static void convert(MethodVisitor code, Type given, Type meant, Type wanted) {
        boolean isGivenPlain = given.getSort() < Type.ARRAY;
        boolean isWantedPlain = wanted.getSort() < Type.ARRAY;
        if (isGivenPlain && isWantedPlain) {
            widen(code, given, wanted);
        } else if (isGivenPlain) {
            String box = box(given);
            code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    box,
                    "valueOf",
                    "(" + given.getDescriptor() + ")L" + box + ";",
                    false);
        } else if (isWantedPlain) {
            Type plain = plainOf(meant.getInternalName(), wanted);
            code.visitTypeInsn(Opcodes.CHECKCAST, box(plain));
            code.visitMethodInsn(
                    Opcodes.INVOKEVIRTUAL,
                    box(plain),
                    plain.getClassName() + "Value",
                    "()" + plain.getDescriptor(),
                    false);
            widen(code, plain, wanted);
        } else {
            if (!given.equals(meant)) {
                code.visitTypeInsn(Opcodes.CHECKCAST, meant.getInternalName());
            }
            if (!wanted.equals(meant) && !wanted.getInternalName().equals(OBJECT)) {
                code.visitTypeInsn(Opcodes.CHECKCAST, wanted.getInternalName());
            }
        }
    }

    private static void widen(MethodVisitor code, Type given, Type wanted) {
        if (given.equals(wanted)) {
            return;
        }
        boolean isInt = given.getSort() <= Type.INT;
        if (isInt && wanted.getSort() <= Type.INT) {
            return;
        }
        int opcode = switch (wanted.getSort()) {
            case Type.LONG -> isInt ? Opcodes.I2L : -1;
            case Type.FLOAT -> isInt ? Opcodes.I2F : given.getSort() == Type.LONG ? Opcodes.L2F : -1;
            case Type.DOUBLE ->
                isInt ? Opcodes.I2D : given.getSort() == Type.LONG ? Opcodes.L2D : Opcodes.F2D;
            default -> -1;
        };
        if (opcode < 0) {
            throw new IllegalArgumentException(given + " is no " + wanted);
        }
        code.visitInsn(opcode);
    }

    private static final Map<String, Type> BOXES = Map.of(
            "java/lang/Boolean", Type.BOOLEAN_TYPE,
            "java/lang/Character", Type.CHAR_TYPE,
            "java/lang/Byte", Type.BYTE_TYPE,
            "java/lang/Short", Type.SHORT_TYPE,
            "java/lang/Integer", Type.INT_TYPE,
            "java/lang/Long", Type.LONG_TYPE,
            "java/lang/Float", Type.FLOAT_TYPE,
            "java/lang/Double", Type.DOUBLE_TYPE);

    private static Type plainOf(String box, Type otherwise) {
        return BOXES.getOrDefault(box, otherwise);
    }

    private static String box(Type plain) {
        return BOXES.entrySet().stream()
                .filter(one -> one.getValue().equals(plain))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    // Records

    private static byte[] record(String plain, String host, String called, String type, Object... arguments) {
        String owner = ((Type) arguments[0]).getInternalName();
        String[] names = ((String) arguments[1]).split(";");
        List<Handle> fields = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            fields.add((Handle) arguments[i]);
        }
        ClassWriter writer = begin(plain, host);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, called, type, null, null);
        code.visitCode();
        switch (called) {
            case "equals" -> equals(code, owner, fields);
            case "hashCode" -> hash(code, fields);
            case "toString" -> text(code, owner, names, fields);
            default -> {
                return null;
            }
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static void equals(MethodVisitor code, String owner, List<Handle> fields) {
        Label differs = new Label();
        Label isOfType = new Label();
        code.visitVarInsn(Opcodes.ALOAD, 1);
        code.visitTypeInsn(Opcodes.INSTANCEOF, owner);
        code.visitJumpInsn(Opcodes.IFNE, isOfType);
        code.visitLabel(differs);
        code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        code.visitInsn(Opcodes.ICONST_0);
        code.visitInsn(Opcodes.IRETURN);
        code.visitLabel(isOfType);
        code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        for (Handle field : fields) {
            Type type = Type.getType(field.getDesc());
            code.visitVarInsn(Opcodes.ALOAD, 0);
            get(code, field);
            code.visitVarInsn(Opcodes.ALOAD, 1);
            code.visitTypeInsn(Opcodes.CHECKCAST, owner);
            get(code, field);
            if (type.getSort() >= Type.ARRAY) {
                code.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        "java/util/Objects",
                        "equals",
                        "(Ljava/lang/Object;Ljava/lang/Object;)Z",
                        false);
                code.visitJumpInsn(Opcodes.IFEQ, differs);
            } else {
                String plain = type.getDescriptor();
                code.visitMethodInsn(Opcodes.INVOKESTATIC, box(type), "compare", "(" + plain + plain + ")I", false);
                code.visitJumpInsn(Opcodes.IFNE, differs);
            }
        }
        code.visitInsn(Opcodes.ICONST_1);
        end(code, Opcodes.IRETURN);
    }

    private static void hash(MethodVisitor code, List<Handle> fields) {
        code.visitInsn(Opcodes.ICONST_0);
        for (Handle field : fields) {
            Type type = Type.getType(field.getDesc());
            code.visitIntInsn(Opcodes.BIPUSH, 31);
            code.visitInsn(Opcodes.IMUL);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            get(code, field);
            if (type.getSort() >= Type.ARRAY) {
                code.visitMethodInsn(
                        Opcodes.INVOKESTATIC, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I", false);
            } else {
                code.visitMethodInsn(
                        Opcodes.INVOKESTATIC, box(type), "hashCode", "(" + type.getDescriptor() + ")I", false);
            }
            code.visitInsn(Opcodes.IADD);
        }
        end(code, Opcodes.IRETURN);
    }

    private static void text(MethodVisitor code, String owner, String[] names, List<Handle> fields) {
        String builder = "java/lang/StringBuilder";
        code.visitTypeInsn(Opcodes.NEW, builder);
        code.visitInsn(Opcodes.DUP);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, builder, "<init>", "()V", false);
        String simple = owner.substring(Math.max(owner.lastIndexOf('/'), owner.lastIndexOf('$')) + 1);
        String before = simple + "[";
        for (int i = 0; i < fields.size(); i++) {
            append(code, before + names[i] + "=");
            before = ", ";
            Type type = Type.getType(fields.get(i).getDesc());
            code.visitVarInsn(Opcodes.ALOAD, 0);
            get(code, fields.get(i));
            String plain = type.getSort() >= Type.ARRAY
                    ? "Ljava/lang/Object;"
                    : type.getSort() == Type.BYTE || type.getSort() == Type.SHORT ? "I" : type.getDescriptor();
            code.visitMethodInsn(
                    Opcodes.INVOKEVIRTUAL, builder, "append", "(" + plain + ")L" + builder + ";", false);
        }
        append(code, fields.isEmpty() ? before + "]" : "]");
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, builder, "toString", "()Ljava/lang/String;", false);
        end(code, Opcodes.ARETURN);
    }

    private static void append(MethodVisitor code, String text) {
        code.visitLdcInsn(text);
        code.visitMethodInsn(
                Opcodes.INVOKEVIRTUAL,
                "java/lang/StringBuilder",
                "append",
                "(Ljava/lang/String;)Ljava/lang/StringBuilder;",
                false);
    }

    private static void get(MethodVisitor code, Handle field) {
        code.visitFieldInsn(Opcodes.GETFIELD, field.getOwner(), field.getName(), field.getDesc());
    }

    private static void end(MethodVisitor code, int opcode) {
        code.visitInsn(opcode);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    // Nests

    private static byte[] withMembers(byte[] host, List<String> more) {
        ClassReader reader = new ClassReader(host);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public void visitEnd() {
                        more.forEach(this::visitNestMember);
                        super.visitEnd();
                    }
                },
                0);
        return writer.toByteArray();
    }
}
