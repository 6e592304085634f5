package dev.meshguard.event;

import dev.meshguard.text.InvariantText;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The words in which the users of a source speak of its memory, for example {@code retained} and {@code released} for Netty.
 *
 * <p>Immutable: each option returns another vocabulary. Memory that has a name of its own belongs to no device, so texts name
 * none, and no address.
 *
 * <pre>{@code
 * SourceVocabulary.of("native memory").countedIn("arena").freedBy("close", "closed");
 * }</pre>
 *
 * @param memory the name of the memory; empty if the memory is named by its type, as that of a mesh
 * @param unit what is allocated and freed at once, in the singular; its plural ends with {@code s}
 * @param free the verb for freeing a unit, or the method that does it if its name is no verb: {@code shutdown()}
 * @param freed the past participle of that verb
 * @param end the moment before which memory must be freed, for a sentence: "before …"
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SourceVocabulary(Optional<String> memory, String unit, String free, String freed, String end) {

    /** The vocabulary of a source that opens and closes meshes, as the mesh without hardware does. */
    public static final SourceVocabulary MESH =
            new SourceVocabulary(Optional.empty(), "buffer", "free", "freed", "close_mesh_device");

    /** The vocabulary of a source that knows devices and no meshes, as the log of an allocation server. */
    public static final SourceVocabulary PROGRAM =
            new SourceVocabulary(Optional.empty(), "buffer", "free", "freed", "the program ends");

    /**
     * Creates a vocabulary.
     *
     * @throws IllegalArgumentException if a word is blank
     */
    public SourceVocabulary {
        requireText("name of the memory", memory.orElse("memory"));
        requireText("unit", unit);
        requireText("verb", free);
        requireText("past participle", freed);
        requireText("end", end);
    }

    /**
     * Returns the vocabulary of memory that belongs to no device. It is counted in buffers, which must be freed before the test
     * ends.
     *
     * @param memory the name of the memory, for example {@code Netty memory}
     */
    public static SourceVocabulary of(String memory) {
        return new SourceVocabulary(Optional.of(memory), "buffer", "free", "freed", "the test ends");
    }

    /**
     * Returns the vocabulary of the objects of a class, which must be closed before the test ends. They are counted by the name of the
     * class, which has no plural: {@code 2 RocksIterator}.
     *
     * @param className the name of the class, as users write it
     */
    public static SourceVocabulary ofObjects(String className) {
        return new SourceVocabulary(Optional.of(className), className, "close", "closed", "the test ends");
    }

    /** Returns this vocabulary for memory that is allocated and freed in other units, for example {@code arena}. */
    public SourceVocabulary countedIn(String newUnit) {
        return new SourceVocabulary(memory, newUnit, free, freed, end);
    }

    /**
     * Returns this vocabulary for memory that is freed by another verb.
     *
     * @param verb the verb, for example {@code release}, or a method such as {@code shutdown()}
     * @param pastParticiple its past participle, for example {@code released}
     */
    public SourceVocabulary freedBy(String verb, String pastParticiple) {
        return new SourceVocabulary(memory, unit, verb, pastParticiple, end);
    }

    /** Returns the beginning of a sentence about freeing a unit: {@code release}, or {@code call shutdown() of}. */
    public String freeing() {
        return isFreedByMethod() ? "call " + free + " of" : free;
    }

    /** Returns whether the verb for freeing a unit is the name of a method. */
    public boolean isFreedByMethod() {
        return free.endsWith("()");
    }

    /** Returns whether texts name the device and the address of memory. */
    public boolean hasDevices() {
        return memory.isEmpty();
    }

    /** Returns whether the units are {@linkplain #ofObjects objects} of the class that names the memory. */
    public boolean isOfObjects() {
        return memory.equals(Optional.of(unit));
    }

    /** Returns the past participle of the verb for allocating a unit. */
    public String allocated() {
        return isOfObjects() ? "constructed" : "allocated";
    }

    /** Returns a number of units, for example {@code 2 arenas}. */
    public String count(long units) {
        return units + " " + (units == 1 ? unit : units());
    }

    /** Returns the units in the plural, for example {@code arenas}. */
    public String units() {
        return isOfObjects() ? unit : unit + "s";
    }

    private static void requireText(String what, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    InvariantText.of("The %s of a vocabulary is blank. Give a word for it.", what));
        }
    }
}
