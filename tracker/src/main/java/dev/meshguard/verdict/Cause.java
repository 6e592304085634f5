package dev.meshguard.verdict;

import dev.meshguard.event.SourceVocabulary;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The reason why a buffer survived, in the order in which a check looks for causes.
 *
 * <p>Causes that prove that no memory is missing come first, then those about its owner, then those about its handles.
 * A check only names a cause with evidence.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Cause {
    /** The process that allocated the buffer exited before it was freed. */
    PROCESS_DIED(
            "Free it before the process ends, on the paths of errors and signals too; a runtime that is killed frees"
                    + " nothing."),
    /**
     * The buffer was freed, but after the close of its allocator had begun, or after the check if there is no close.
     */
    LATE("{free in time}"),
    /** One physical allocation was reported twice at one live address, and its one free matched only one report. */
    REPORTED_TWICE("Report one buffer object per physical allocation, or report the free of every object that was"
            + " reported; the memory itself was freed."),
    /** The memory was freed, but the report of it is missing. */
    FREE_UNREPORTED("Report the free in every path that releases the buffer (views, early returns, closed devices); the"
            + " memory itself was freed."),
    /** The program of a circular buffer ended without a report that the buffer is gone. */
    CIRCULAR_BUFFER_UNREPORTED("Report the end of a program's circular buffers when the program ends; they take no"
            + " allocator memory."),
    /** Its owner, a program or a trace, was still cached for another execution when the mesh closed. */
    CACHED(
            "Call mesh.disableAndClearProgramCache() before ttnn.closeMeshDevice(mesh), and release every trace: closing a"
                    + " mesh does neither."),
    /** The runtime allocated the buffer for itself and did not free it. */
    SYSTEM("{Free} it where its owner shuts down, or expect it with a reason."),
    /** Its siblings on other devices were freed, but this buffer was not. */
    FREED_ON_OTHER_DEVICES(
            "Free the buffer on every device it was allocated on; where the devices free in lock-step, report the"
                    + " free of every device."),
    /** Its owner, a trace, was released, but the buffer stayed allocated. */
    KEPT_AFTER_RELEASE("Drop the references to the trace's buffer before the trace is released: the trace is gone,"
            + " and a second release does nothing."),
    /** A handle to the buffer is still reachable. */
    HELD("{Free} the {unit} before {end}{or drop}."),
    /** No handle to the buffer is reachable any more, and no code freed it in time. */
    LOST("Keep a reference to the {unit} until it is {freed}: without one, no code can {free} it."),
    /** The history proves no other cause. */
    UNEXPLAINED("{Free} the {unit} before {end}.");

    /** Libraries without devices have handles that free nothing when they are collected. */
    private static final String OR_DROP = ", or drop the reference if the handle frees on collection";

    private final String remedy;

    Cause(String remedy) {
        this.remedy = remedy;
    }

    /** Returns how to fix it, as whole sentences in the words of a source. */
    public String remedy(SourceVocabulary vocabulary) {
        return inWordsOf(remedy, vocabulary);
    }

    private static String inWordsOf(String text, SourceVocabulary vocabulary) {
        String free = vocabulary.free();
        String capitalized = free.substring(0, 1).toUpperCase(Locale.ROOT) + free.substring(1);
        return text.replace("{free in time}", freeInTime(vocabulary))
                .replace("{or drop}", vocabulary.hasDevices() ? OR_DROP : "")
                .replace("{end}", vocabulary.end())
                .replace("{unit}", vocabulary.unit())
                .replace("{free}", free)
                .replace("{Free}", capitalized)
                .replace("{freed}", vocabulary.freed());
    }

    /** Returns how to fix {@link #LOST} memory that the library frees some time after its last handle was collected. */
    static String remedyOfDropped(SourceVocabulary vocabulary) {
        return inWordsOf(
                "{Free} the {unit} where its use ends, or expect it with a reason: the collector does not see how much memory"
                        + " it holds.",
                vocabulary);
    }

    private static String freeInTime(SourceVocabulary vocabulary) {
        return vocabulary.equals(SourceVocabulary.MESH)
                ? "Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that"
                        + " it is closed first."
                : vocabulary.equals(SourceVocabulary.PROGRAM)
                        ? "Wait for the thread that frees it before the check, or free it in the test itself."
                        : "Wait for the thread that has to {free} it before the check, or {free} it in the test itself.";
    }
}
