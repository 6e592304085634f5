package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.evidence.internal.RuntimeText;
import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.capture.evidence.internal.RuntimeTextParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** Explains the reason of an exception if the runtime rejected a request, by the buffers that stood in its way. */
final class RejectionExplanation {

    /**
     * The buffers of a recording in an operation that an exception left.
     *
     * @param recording the word for the recording: capture or recording
     * @param live the buffers that are allocated at its end
     * @param freed the buffers that it freed
     * @param before further buffers from before the recording, which were in use and may have been freed
     */
    record Buffers(String recording, List<MemoryHolder> live, List<MemoryHolder> freed, List<MemoryHolder> before) {

        private List<MemoryHolder> in(AddressRange range) {
            List<MemoryHolder> all = new ArrayList<>(live);
            if (range.from() != 0 && live.stream().noneMatch(buffer -> buffer.address() == range.from())) {
                all.addAll(freed); // The exception may have freed the buffer that the text names.
            }
            all.addAll(before);
            return all.stream()
                    .filter(buffer -> range.contains(buffer.type(), buffer.address()))
                    .toList();
        }

        private Supplier<String> sentenceOn(AddressRange range) {
            List<MemoryHolder> holders = in(range);
            return () -> holders.isEmpty()
                    ? String.format(Locale.ROOT, " The %s knows no buffer there in it.", recording)
                    : String.format(
                            Locale.ROOT,
                            " The %s has these buffers there in it: %s.",
                            recording,
                            MemoryHolder.text(holders));
        }
    }

    private RejectionExplanation() {}

    /**
     * Returns the sentences, to be read at the end, about the text of the runtime in a reason.
     *
     * @param buffers returns the buffers in the operation; empty if they have no addresses
     */
    static Supplier<Optional<String>> of(String reason, Supplier<Optional<Buffers>> buffers) {
        Optional<RuntimeText> found = RuntimeTextParser.firstOf(reason);
        if (found.isEmpty()) {
            return Optional::empty;
        }
        RuntimeText text = found.get();
        Supplier<String> holders = text.held()
                .flatMap(range -> buffers.get().map(all -> all.sentenceOn(range)))
                .orElse(() -> "");
        return () -> Optional.of(text.asReason() + holders.get());
    }

    /** Returns the first of a buffer's tensors, with its number and shape. */
    static Optional<String> label(List<RemainingBuffer.Tensor> tensors) {
        return tensors.stream().findFirst().map(tensor -> {
            String number = tensor.id().isPresent() ? "tensor " + tensor.id().getAsLong() : "tensor";
            return tensor.shape().map(shape -> number + " " + shape).orElse(number);
        });
    }
}
