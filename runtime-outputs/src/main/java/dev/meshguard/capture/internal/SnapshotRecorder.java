package dev.meshguard.capture.internal;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.text.Quantities;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns the buffers that are allocated at the end of each operation into a history.
 *
 * <p>A buffer that was not in the last snapshot was allocated in the operation, or between the two. The operation is named
 * only if its graph or its results show that it was in the operation.
 */
final class SnapshotRecorder extends OutputRecorder<SnapshotRecorder.Live> {

    /** The importer begins the numbers of each further report at a multiple of this. */
    private static final long OPERATIONS_OF_A_REPORT = 10_000;

    /** A buffer of the last snapshot. */
    static final class Live extends RecordedBuffer {
        private final long bankSize;
        private final TensorsOfBuffer tensors = new TensorsOfBuffer();
        /** Whether it may be a buffer from before, which snapshots in between do not have. */
        private boolean isDoubtful;

        /** The call of the operation that allocated it. */
        Optional<Origin> origin = Optional.empty();

        private Live(RecordedAddress memory, long bankSize) {
            super(GraphNode.NONE, memory, bankSize);
            this.bankSize = bankSize;
        }

        @Override
        List<RemainingBuffer.Tensor> tensors() {
            return tensors.all();
        }

        @Override
        public Optional<Origin> origin() {
            return origin;
        }
    }

    private final boolean mayHaveSeveralReports;

    private @Nullable ReportedOperation last;
    private List<Live> fresh = List.of();
    private List<Live> gone = List.of();

    private long allRows;
    private boolean hasSnapshot;
    private boolean lastHasNone;
    /** Whether no snapshot was compared since a further report began. */
    private boolean isOtherReport;

    /** The sizes of buffers from before that a snapshot does not have, though nothing shows that they were freed. */
    private final Map<RecordedAddress, Long> vanished = new HashMap<>();

    private String firstUnlisted = "";
    private long unlisted;
    private long withoutSnapshot;
    private long fromBefore;
    private long freedFromBefore;
    private long ofFullestBank;

    /**
     * Creates a recorder without operations.
     *
     * @param mayHaveSeveralReports whether the database was imported from reports
     */
    SnapshotRecorder(ReadingCriteria criteria, boolean mayHaveSeveralReports) {
        super(SourceDescription.of("report database").inferringFrees(), criteria, "recording");
        this.mayHaveSeveralReports = mayHaveSeveralReports;
    }

    /** Records that the table of operations does not have an operation of other tables. */
    void unlisted(long id) {
        firstUnlisted = unlisted++ == 0 ? "operation " + id : firstUnlisted;
    }

    void operationBegan(ReportedOperation operation) {
        isOtherReport |= mayHaveSeveralReports
                && last != null
                && operation.id > last.id + 1
                && operation.id / OPERATIONS_OF_A_REPORT > last.id / OPERATIONS_OF_A_REPORT;
        last = operation;
        operationBegan(operation.name);
    }

    /**
     * Compares the snapshot of an operation with the last one.
     *
     * @return the buffers that the operation allocated
     */
    List<Live> operationEnded(ReportedOperation operation) {
        allRows += operation.rows;
        addTensors(operation.inputs);
        fresh = List.of();
        gone = List.of();
        lastHasNone = operation.rows == 0 && !operation.isEmptyAfter(places());
        if (lastHasNone) {
            withoutSnapshot++;
        } else {
            compare(operation);
            addTensors(operation.results);
        }
        return fresh;
    }

    private void addTensors(Map<RecordedAddress, TensorsOfBuffer> tensors) {
        tensors.forEach((memory, added) -> {
            Live buffer = at(memory);
            if (buffer != null) {
                buffer.tensors.addAll(added);
            }
        });
    }

    private void compare(ReportedOperation operation) {
        operation
                .missingAddresses(!hasSnapshot)
                .forEach(address -> lost(
                        1,
                        operation.numberedName() + " allocates a buffer at 0x" + Long.toHexString(address)
                                + " that the snapshot at its end does not have"));
        Set<RecordedAddress> changed = operation.snapshot.entrySet().stream()
                .filter(row -> !isKnown(row))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        gone = live().filter(buffer -> operation.snapshot.containsKey(buffer.memory())
                        ? changed.contains(buffer.memory()) || operation.mayBeRenewed(buffer.memory(), changed)
                        : operation.isWhole || operation.isFreed(buffer.memory()))
                .sorted(Comparator.comparing(buffer -> operation.graph.freed(buffer.memory())))
                .toList();
        checkGone(operation);
        gone.forEach(buffer -> freed(buffer, phase(operation, operation.graph.freed(buffer.memory()))));

        Map<Boolean, List<Live>> appeared = operation.snapshot.entrySet().stream()
                .filter(row -> at(row.getKey()) == null)
                .map(row -> new Live(row.getKey(), row.getValue()))
                .collect(Collectors.partitioningBy(buffer -> operation.isAllocated(buffer.memory())));
        appeared.getOrDefault(false, List.of()).forEach(buffer -> allocatedBefore(buffer, operation));
        fresh = appeared.getOrDefault(true, List.of());
        fresh.forEach(buffer -> allocated(buffer, operation));
        hasSnapshot |= operation.rows > 0;
    }

    private static Phase phase(ReportedOperation operation, boolean isKnown) {
        return new Phase(operation.numberedName() + (isKnown ? "" : " or before"));
    }

    private boolean isKnown(Map.Entry<RecordedAddress, Long> row) {
        Live buffer = at(row.getKey());
        return buffer != null && buffer.bankSize == row.getValue();
    }

    /** The snapshots of a further report may lack the buffers that were allocated before it. */
    private void checkGone(ReportedOperation operation) {
        gone.stream()
                .filter(buffer -> operation.graph.freedOnlyOthersAt(buffer.memory()))
                .forEach(buffer -> lost(
                        1,
                        "the snapshot after " + operation.numberedName() + " does not have the "
                                + buffer.memory().type() + " buffer at 0x"
                                + Long.toHexString(buffer.memory().address())
                                + ", and the operation freed another one at that address"));
        List<Live> unknown = gone.stream()
                .filter(buffer -> !operation.isFreed(buffer.memory()))
                .toList();
        long allocatedInReport =
                unknown.stream().filter(buffer -> !buffer.isFromBefore).count();
        lost(
                isOtherReport ? allocatedInReport : 0,
                "the database has several reports, and the first snapshot of the one with " + operation.numberedName()
                        + " does not have " + Quantities.count(allocatedInReport, "buffer") + " of those before");
        isOtherReport = false;
        unknown.stream()
                .filter(buffer -> buffer.isFromBefore)
                .forEach(buffer -> vanished.put(buffer.memory(), buffer.bankSize));
    }

    private void freed(Live buffer, Phase phase) {
        if (buffer.isFromBefore) {
            freedFromBefore++;
        } else {
            enter(phase);
        }
        recordFree(buffer);
    }

    /** Records a buffer of which only the latest time of its allocation is known. */
    private void allocatedBefore(Live buffer, ReportedOperation operation) {
        if (hasSnapshot) {
            buffer.isDoubtful = Long.valueOf(buffer.bankSize).equals(vanished.get(buffer.memory()));
            ofFullestBank++;
            enter(phase(operation, false));
        } else {
            buffer.isFromBefore = true;
            fromBefore++;
        }
        recordAllocation(buffer, Optional.empty(), Optional.empty());
    }

    private void allocated(Live buffer, ReportedOperation operation) {
        OptionalLong size = operation.graph.allocated(buffer.memory());
        ofFullestBank += size.isPresent() ? 0 : 1;
        buffer.size = size.orElse(buffer.bankSize);
        buffer.operation = Optional.of(operation.numberedName());
        buffer.isOfRuntime =
                operation.graph.isOfRuntime(buffer.memory()) && !operation.results.containsKey(buffer.memory());
        enter(phase(operation, true));
        recordAllocation(
                buffer,
                buffer.isOfRuntime ? Optional.of(operation.name) : operation.knownName(),
                operation.resultShape(buffer.memory()));
    }

    /** Records that an exception left the last operation. */
    void exception(ReportedOperation operation, String reason) {
        recordUnreturned(
                operation.numberedName(),
                fresh.stream().filter(buffer -> buffer.isOfRuntime).count());
        recordException(operation.numberedName(), reason, gone.stream());
    }

    /**
     * Returns the output.
     *
     * @param operations how many operations the database lists
     */
    RuntimeOutput finish(String file, OptionalInt rank, long operations) {
        if (allRows == 0) {
            lost(-1, "the database has no snapshot: its table buffers is empty");
        } else if (lastHasNone && last != null) {
            lost(-1, "no snapshot follows " + last.numberedName() + ", so it is not known what was allocated after it");
        }
        lost(
                unlisted > 0 ? -1 : 0,
                "the table operations does not list " + Quantities.count(unlisted, "operation")
                        + " of other tables, the first is " + firstUnlisted);
        long doubtful = live().filter(buffer -> buffer.isDoubtful).count();
        lost(
                doubtful,
                Quantities.count(doubtful, "buffer")
                        + " of the first snapshot and the last, but not of each between, may have been allocated again");
        stop();
        addNotes();
        return end(file, OutputFormat.REPORT_DATABASE, rank, operations, allRows);
    }

    private void addNotes() {
        notes.add("A database has snapshots after each operation: what was freed before the next one is not in it.");
        notes.add(
                fromBefore,
                "Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: %d, of which %d freed.",
                freedFromBefore);
        notes.add(
                ofFullestBank,
                "%d [buffer has|buffers have] the size of the fullest bank, because no captured_graph has the whole size.");
        notes.add(withoutSnapshot, "%d [operation has|operations have] no snapshot.");
    }
}
