package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldHaveReasonOrHolder.shouldBe;
import static dev.meshguard.assertions.error.ShouldHaveReasonOrHolder.shouldBeHeldBy;

import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Reason;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about a memory that had no room for a request.
 *
 * <pre>{@code
 * InsufficientMemoryException error = catchThrowableOfType(InsufficientMemoryException.class, () -> decode(mesh));
 * assertThat(error.shortage().orElseThrow()).isFragmented().isHeldBy("kv-cache");
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MemoryShortageAssert extends MemoryAssert<MemoryShortageAssert, MemoryShortage> {

    MemoryShortageAssert(MemoryShortage actual, FailureSink sink) {
        super(actual, MemoryShortageAssert.class, sink);
    }

    /**
     * Verifies that enough bytes were free, but in too small pieces.
     *
     * @throws AssertionError if there was another reason
     */
    public MemoryShortageAssert isFragmented() {
        return hasReason(Reason.FRAGMENTED);
    }

    /**
     * Verifies that fewer bytes were free than the request needed.
     *
     * @throws AssertionError if there was another reason
     */
    public MemoryShortageAssert isFull() {
        return hasReason(Reason.FULL);
    }

    /**
     * Verifies why there was no room.
     *
     * @throws AssertionError if there was another reason
     */
    public MemoryShortageAssert hasReason(Reason reason) {
        isNotNull();
        return actual.reason() == reason ? myself : failed(shouldBe(actual, reason));
    }

    /**
     * Verifies that buffers with a label held memory when the request was rejected.
     *
     * @param label the whole label
     * @throws AssertionError if none did
     */
    public MemoryShortageAssert isHeldBy(String label) {
        isNotNull();
        boolean held = actual.holders().stream()
                .anyMatch(holder -> holder.label().filter(label::equals).isPresent());
        return held ? myself : failed(shouldBeHeldBy(actual, label));
    }
}
