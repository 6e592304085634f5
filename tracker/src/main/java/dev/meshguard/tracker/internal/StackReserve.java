package dev.meshguard.tracker.internal;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Throws the {@link StackOverflowError} of the code under test before a report begins, because one in the middle would leave it half done.
 *
 * <p>The error strikes only where a method is entered. So each method here calls one with a frame as large as all that follows. It returns
 * at once, and the stack that it had is free. The JVM checks even compiled code for the frames of its interpreted form, so the compiled call
 * takes a few nanoseconds.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class StackReserve {

    private static final int SLOT_BYTES = 8;
    /** A method with more code than this is compiled by itself: only then has its caller begun when it throws. */
    private static final int MAX_INLINED_CODE = 325;

    // Each is larger than the next one, which is asked for when a part of it is in use.
    private static final IntConsumer OPERATION = frame(32 * 1024, MAX_INLINED_CODE);
    private static final IntConsumer REPORT = frame(16 * 1024, MAX_INLINED_CODE);
    private static final IntConsumer LOCK = frame(4 * 1024, 0);

    /** Is 1; a compiler that knew this would remove the frame. */
    private static final AtomicInteger ONE = new AtomicInteger(1);

    private StackReserve() {}

    /** Makes sure that a runtime can allocate or free memory and report it, or that a watcher can find out whose an object is. */
    public static void forOperation() {
        OPERATION.accept(ONE.getPlain());
    }

    /** Makes sure that a source can report memory that it allocates or frees at about the same depth. */
    public static void forReport() {
        REPORT.accept(ONE.getPlain());
    }

    /** Makes sure that a report is recorded whole while a lock is held. */
    public static void forLock() {
        LOCK.accept(ONE.getPlain());
    }

    /**
     * Defines a class that Java cannot express in a few lines: its method has so many variables that its frame has a size.
     *
     * @param padding the instructions of its method that do nothing
     */
    private static IntConsumer frame(int bytes, int padding) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (DataOutputStream file = new DataOutputStream(written)) {
            file.writeInt(0xCAFE_BABE);
            file.writeInt(61); // Java 17
            String[] texts = {
                StackReserve.class.getPackageName().replace('.', '/') + "/Frame",
                "java/lang/Object",
                "java/util/function/IntConsumer",
                "Code",
                "<init>",
                "()V",
                "accept",
                "(I)V"
            };
            file.writeShort(texts.length + 6);
            for (String text : texts) {
                file.writeByte(1);
                file.writeUTF(text);
            }
            for (int type = 1; type <= 3; type++) {
                writeConstant(file, 7, type); // 9 to 11
            }
            writeConstant(file, 12, 5, 6);
            writeConstant(file, 10, 10, 12); // 13: Object.<init>()V
            writeShorts(file, 0x31, 9, 10, 1, 11, 0, 2);
            // aload_0, invokespecial, return
            writeMethod(file, 5, 1, 0x2A, 0xB7, 0, 13, 0xB1);
            // A division is where compiled code may have to go on interpreted: iload_1, iload_1, idiv, pop, return
            int[] code = new int[padding + 5];
            System.arraycopy(new int[] {0x1B, 0x1B, 0x6C, 0x57, 0xB1}, 0, code, padding, 5);
            writeMethod(file, 7, bytes / SLOT_BYTES, code);
            writeShorts(file, 0);
            return (IntConsumer) MethodHandles.lookup()
                    .defineHiddenClass(written.toByteArray(), true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void writeConstant(DataOutputStream file, int tag, int... indices) throws IOException {
        file.writeByte(tag);
        writeShorts(file, indices);
    }

    private static void writeShorts(DataOutputStream file, int... values) throws IOException {
        for (int value : values) {
            file.writeShort(value);
        }
    }

    private static void writeMethod(DataOutputStream file, int name, int variables, int... code) throws IOException {
        writeShorts(file, 1, name, name + 1, 1, 4);
        file.writeInt(12 + code.length);
        writeShorts(file, 2, variables);
        file.writeInt(code.length);
        for (int instruction : code) {
            file.writeByte(instruction);
        }
        writeShorts(file, 0, 0);
    }
}
