package dev.meshguard.cli;

import dev.meshguard.text.Quantities;
import java.io.File;
import java.util.Arrays;
import java.util.List;

/** Explains that a command needs more heap than this JVM has. */
final class FullHeap {

    /** The heap for a byte of a log, if most of its lines are allocations that remain. */
    private static final long HEAP_BYTES_OF_A_BYTE = 6;

    private static final long MEBIBYTE = 1L << 20;
    private static final long GIBIBYTE = 1L << 30;

    private FullHeap() {}

    /**
     * Returns the sentences, with the way out.
     *
     * <p>How much a file needs depends on its content. So they name more than there is, and what a log of the file's size
     * takes. Of several files none is named: the answers about earlier ones are kept and may take most of the heap.
     *
     * @param arguments the command, its options and its files
     */
    static String explanation(String... arguments) {
        long heap = Runtime.getRuntime().maxMemory();
        List<File> files = Arrays.stream(arguments)
                .skip(1)
                .map(File::new)
                .filter(File::isFile)
                .toList();
        long need = Math.max(
                4 * heap,
                HEAP_BYTES_OF_A_BYTE * files.stream().mapToLong(File::length).sum());
        long unit = need < GIBIBYTE ? 64 * MEBIBYTE : GIBIBYTE;
        long rounded = (need + unit - 1) / unit * unit;
        String option = unit == GIBIBYTE ? "-Xmx" + rounded / GIBIBYTE + "g" : "-Xmx" + rounded / MEBIBYTE + "m";
        return (files.size() == 1 ? files.get(0).getPath() : arguments[0]) + " needs more heap than this JVM has ("
                + Quantities.shortSize(heap) + "). Run it with " + option + " (meshguard: JDK_JAVA_OPTIONS=" + option
                + " meshguard …).";
    }
}
