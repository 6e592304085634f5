package dev.meshguard.verification.corpus.truth;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.stage.Handle;
import dev.meshguard.verification.corpus.stage.Life;
import dev.meshguard.verification.corpus.stage.PhysicalMemory;
import dev.meshguard.verification.corpus.stage.Road.Arrival;
import dev.meshguard.verification.corpus.stage.Stage;
import dev.meshguard.verification.corpus.stage.StagedExpectation;
import dev.meshguard.verification.corpus.truth.Label.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The true state of the buffers of one case.
 *
 * <p>It combines two records. The first run of the program, in which nothing is misreported, records the memory
 * ({@link PhysicalMemory}). The program records whether it kept, dropped or freed its handle, and when the check was. The
 * transport records which reports arrived at the tracker in the second run. A report belongs to the buffer that was allocated
 * or freed in the step that made it, at the address that it names. The labels follow from both, without any rule of the
 * product:
 * <ul>
 *   <li>memory is <b>missing</b> if the first run had not freed it in time: when the close of its allocator began (for the
 *     runtime's own memory: when it was over), or else at the check. The allocators confirm this
 *     ({@link PhysicalMemory#contradictions()}). Where closes are unknown, as in a log, only the check counts
 *     ({@link #withoutCloses()});
 *   <li>a missing buffer is PROCESS_DIED if its process ended while it was allocated, and LATE if its user freed it after that.
 *     It is CACHED if the runtime reported that it keeps the owner and not that the owner ended, and SYSTEM if the runtime
 *     allocated it. It is FREED_ON_OTHER_DEVICES if the program allocated one for each device, or all in one call, and freed
 *     more than half of them. It is HELD or LOST as the program kept or dropped its handle. The buffer of a released trace is
 *     KEPT_AFTER_RELEASE;
 *   <li>a freed buffer has one cause for each way in which fewer of its frees arrived than reports: REPORTED_TWICE if more than
 *     one report arrived and a free, FREE_UNREPORTED if not, and for circular buffers CIRCULAR_BUFFER_UNREPORTED;
 *   <li>memory that a mesh allocated on all its devices at once and freed after the close, reported on some of them, is
 *     FREE_UNREPORTED; FREED_ON_OTHER_DEVICES is as true of it;
 *   <li>OUT_OF_ORDER if a free of it arrived before its allocation, or a report while its mesh was closing.
 * </ul>
 */
public final class GroundTruth {

    private record Place(int device, BufferType type, long address) {

        static Place of(Life life) {
            return new Place(life.device(), life.type(), life.address());
        }

        static Place of(Arrival arrival) {
            return new Place(arrival.device(), arrival.type(), arrival.address());
        }
    }

    /** The allocators over one device use the same addresses; circular buffers are in none. */
    private record Entry(Place place, OptionalInt mesh, Optional<AllocatorId> allocator, boolean circularBuffer) {

        private static Entry of(Place place, AllocationDetails details) {
            return new Entry(place, details.mesh(), details.allocator(), details.kind() == BufferKind.CIRCULAR_BUFFER);
        }
    }

    /** The reports of one buffer that arrived. */
    private static final class Reports {
        private int allocations;
        private int frees;
        private boolean endReported;
        private boolean disordered;
        /** Devices that it was reported on and does not lie on. */
        private final Set<Integer> elsewhere = new HashSet<>();

        boolean areBalanced() {
            return allocations == frees;
        }
    }

    private final Stage truth;
    private final Stage reported;
    /** Whether what is asked for is what was left when closes began, or else what was left at the check. */
    private final boolean closesAreKnown;

    private final Map<Place, List<Life>> byPlace = new HashMap<>();
    private final IdentityHashMap<Life, PhysicalMemory> memoryOf = new IdentityHashMap<>();
    private final IdentityHashMap<Life, Reports> reports = new IdentityHashMap<>();
    private final Map<Entry, Integer> inTheLedger = new HashMap<>();
    private final Map<Place, Integer> inTheLog = new HashMap<>();
    /** Whose reports the books could have of a place, in the order of their arrival. */
    private final Map<Place, List<AllocationDetails>> namesInTheLedger = new HashMap<>();
    /** Where a free arrived that none of the reports there fits. */
    private final Set<Place> contradicted = new HashSet<>();

    private final Map<Integer, List<Life>> siblings = new HashMap<>();
    /** Where a report of a free arrived after the check, whenever it was made. */
    private final Set<Place> placesFreedLate = new HashSet<>();

    private boolean strayFrees;

    /** Which outcomes are true; every comparison of a case asks for them. */
    private final Set<Outcome> outcomes;

    /** The same at the check; made when it is first asked for. */
    private @Nullable GroundTruth withoutCloses;

    /** Puts the two runs of a program side by side. */
    public GroundTruth(Stage truth, Stage told) {
        this(truth, told, true);
    }

    private GroundTruth(Stage truth, Stage told, boolean closesAreKnown) {
        this.closesAreKnown = closesAreKnown;
        this.truth = truth;
        this.reported = told;
        for (PhysicalMemory memory : truth.memories()) {
            for (Life life : memory.lives()) {
                remember(memory, life);
            }
        }
        told.road().arrivals().forEach(this::arrived);
        told.road().ignoredFrees().forEach(free -> freedBy(free).ifPresent(life -> receive(life, free)));
        this.outcomes = findOutcomes();
    }

    /** Returns what is true where nothing is known of closes, as in a log: its dump is the check, and what was freed before is freed. */
    public GroundTruth withoutCloses() {
        if (withoutCloses == null) {
            withoutCloses = new GroundTruth(truth, reported, false);
        }
        return withoutCloses;
    }

    private void remember(PhysicalMemory memory, Life life) {
        Place place = Place.of(life);
        memoryOf.put(life, memory);
        reports.put(life, new Reports());
        byPlace.computeIfAbsent(place, unused -> new ArrayList<>()).add(life);
        siblings.computeIfAbsent(life.allocationStep(), unused -> new ArrayList<>())
                .add(life);
    }

    private void arrived(Arrival arrival) {
        Place place = Place.of(arrival);
        Entry entry = Entry.of(place, arrival.details());
        if (arrival.isFree()) {
            strayFrees |= inTheLedger.getOrDefault(entry, 0) == 0;
            inTheLedger.computeIfPresent(entry, (unused, count) -> Math.max(0, count - 1));
            inTheLog.computeIfPresent(place, (unused, count) -> Math.max(0, count - 1));
            if (!removeAReport(place, arrival.details())) {
                contradicted.add(place);
            }
            freedBy(arrival).ifPresent(life -> {
                of(life).frees++;
                receive(life, arrival);
            });
            if (arrival.isAfterTheCheck()) {
                placesFreedLate.add(place);
            }
        } else {
            inTheLedger.merge(entry, 1, Integer::sum);
            inTheLog.merge(place, 1, Integer::sum);
            namesInTheLedger.computeIfAbsent(place, unused -> new ArrayList<>()).add(arrival.details());
            lives(arrival.step(), place, arrival.isOfCircularBuffer()).stream()
                    .min((one, other) -> of(one).allocations - of(other).allocations)
                    .ifPresent(life -> {
                        Reports known = of(life);
                        if (life.device() != arrival.device()) {
                            known.elsewhere.add(arrival.device());
                        }
                        known.disordered |= known.frees > known.allocations || arrival.isLate();
                        known.allocations++;
                    });
        }
    }

    private boolean removeAReport(Place place, AllocationDetails free) {
        List<AllocationDetails> there = namesInTheLedger.getOrDefault(place, List.of());
        Optional<AllocationDetails> own = there.stream()
                .filter(report -> report.owner().equals(free.owner())
                        && report.mesh().equals(free.mesh())
                        && report.allocator().equals(free.allocator())
                        && report.extent().equals(free.extent()))
                .findFirst();
        own.ifPresent(there::remove);
        return own.isPresent();
    }

    /** The free of a view says nothing of the end of what it looks at. */
    private void receive(Life life, Arrival free) {
        of(life).endReported |= free.step() == life.endStep();
    }

    /** Returns the buffers that a report made in a step speaks of: lent then and there, or else what a view points to. */
    private List<Life> lives(int step, Place place, boolean circularBuffer) {
        List<Life> born = at(place, circularBuffer, life -> life.allocationStep() == step);
        if (!born.isEmpty()) {
            return born;
        }
        List<Life> elsewhere = lastOf(allocatedElsewhere(step, place, circularBuffer));
        return elsewhere.isEmpty()
                ? lastOf(thereSince(step, place, circularBuffer, life -> life.endStep() >= step))
                : elsewhere;
    }

    /** What is reported of a mesh as a whole may name a device that the mesh does not lie over. */
    private List<Life> allocatedElsewhere(int step, Place place, boolean circularBuffer) {
        return siblings.getOrDefault(step, List.of()).stream()
                .filter(life -> life.type() == place.type() && life.address() == place.address())
                .filter(life -> life.isCircularBuffer() == circularBuffer)
                .toList();
    }

    /** Returns the buffer that was given back then and there; or else the one of that owner whose report it takes back. */
    private Optional<Life> freedBy(Arrival arrival) {
        Place place = Place.of(arrival);
        boolean circularBuffer = arrival.isOfCircularBuffer();
        Predicate<Life> ofTheOwner =
                life -> life.details().owner().equals(arrival.details().owner());
        List<Life> ended = at(place, circularBuffer, ofTheOwner.and(life -> life.endStep() == arrival.step()));
        return ended.isEmpty()
                ? endedElsewhere(arrival)
                        .or(() -> lastOf(thereSince(arrival.step(), place, circularBuffer, ofTheOwner)).stream()
                                .findFirst())
                : ended.stream()
                        .filter(life -> of(life).frees < of(life).allocations)
                        .findFirst()
                        .or(() -> Optional.of(ended.get(0)));
    }

    private Optional<Life> endedElsewhere(Arrival arrival) {
        return reports.keySet().stream()
                .filter(life -> life.endStep() == arrival.step())
                .filter(life -> life.type() == arrival.type() && life.address() == arrival.address())
                .filter(life -> of(life).elsewhere.contains(arrival.device()))
                .findFirst();
    }

    private List<Life> thereSince(int step, Place place, boolean circularBuffer, Predicate<Life> fits) {
        return at(place, circularBuffer, fits.and(life -> life.allocationStep() <= step));
    }

    private List<Life> at(Place place, boolean circularBuffer, Predicate<Life> fits) {
        return byPlace.getOrDefault(place, List.of()).stream()
                .filter(life -> life.isCircularBuffer() == circularBuffer)
                .filter(fits)
                .toList();
    }

    private static List<Life> lastOf(List<Life> lives) {
        return lives.isEmpty() ? List.of() : List.of(lives.get(lives.size() - 1));
    }

    private Reports of(Life life) {
        return reports.getOrDefault(life, new Reports());
    }

    // What is known of the case

    /** Returns whether memory was not given back that had to be. */
    public boolean isMemoryMissing() {
        return truth.allowances().stream().anyMatch(this::isOverItsBound)
                || reports.keySet().stream().anyMatch(life -> isMissing(life) && !life.isCircularBuffer());
    }

    /** Returns whether the check was made with a mesh open, whose buffers may still be given back. */
    public boolean isAMeshOpen() {
        return reports.keySet().stream().anyMatch(life -> memory(life).wasItsMeshOpen(life));
    }

    /** Returns which outcomes are true; several only where it cannot be known which one is. */
    public Set<Outcome> outcomes() {
        return outcomes;
    }

    private Set<Outcome> findOutcomes() {
        Set<Label> all = labelsOfAll();
        boolean disordered = reports.values().stream().anyMatch(known -> known.disordered);
        if (wasTooMuchUnheard()) {
            return all.stream().anyMatch(GroundTruth::canBeNamed)
                    ? EnumSet.of(Outcome.INCONCLUSIVE, Outcome.LEAKED)
                    : EnumSet.of(Outcome.INCONCLUSIVE);
        }
        if (all.stream().anyMatch(label -> label.is(TrueCause.UNKNOWABLE))
                && all.stream().noneMatch(GroundTruth::canBeNamed)) {
            return EnumSet.allOf(Outcome.class);
        }
        if (all.stream().anyMatch(GroundTruth::canBeNamed)) {
            return outcomesOfWhatIsMissing(all, disordered);
        }
        if (all.stream().anyMatch(label -> label.is(TrueCause.UNHEARD))) {
            return truth.memories().stream()
                            .anyMatch(memory -> memory.lives().stream().anyMatch(Life::isOfAMesh))
                    // Memory is missing, whether or not it is what is told of.
                    ? EnumSet.of(Outcome.INCONCLUSIVE, Outcome.LEAKED)
                    : EnumSet.allOf(Outcome.class);
        }
        if (all.stream().anyMatch(label -> label.is(TrueCause.OUT_OF_ORDER) && label.state() == State.MISSING)) {
            return EnumSet.of(Outcome.INCONCLUSIVE, Outcome.LEAKED);
        }
        if (reported.road().saidThatReportsWereLost() || isAMeshOpen()) {
            return EnumSet.of(Outcome.INCONCLUSIVE);
        }
        if (reports.keySet().stream().anyMatch(this::wasSeenButNeverReported)) {
            // What is given back after the close without a word cannot be told from what is not given back.
            return reports.keySet().stream().anyMatch(life -> wasSeenButNeverReported(life) && life.endedAfterClose())
                    ? EnumSet.of(Outcome.LEAK_FREE, Outcome.MISREPORTED, Outcome.INCONCLUSIVE)
                    : EnumSet.of(Outcome.LEAK_FREE, Outcome.MISREPORTED);
        }
        boolean balanced = !strayFrees && reports.keySet().stream().allMatch(this::fits);
        if (!balanced) {
            boolean seenFreed = reports.keySet().stream().noneMatch(this::wasHeldByAllocatorsThatAreGone);
            return disordered || !seenFreed
                    ? EnumSet.of(Outcome.MISREPORTED, Outcome.INCONCLUSIVE)
                    : EnumSet.of(Outcome.MISREPORTED);
        }
        if (truth.allowances().stream().anyMatch(this::isUnderItsBound)) {
            return EnumSet.of(Outcome.STALE_EXPECTATION);
        }
        Outcome clean = all.stream().anyMatch(label -> label.state() == State.MAY_STAY)
                ? Outcome.EXPECTED_ONLY
                : Outcome.LEAK_FREE;
        // Reports that came in another order than things happened balance, and prove nothing.
        return disordered ? EnumSet.of(clean, Outcome.INCONCLUSIVE) : EnumSet.of(clean);
    }

    /** What cannot be known goes before what was late, and a leak before both. */
    private Set<Outcome> outcomesOfWhatIsMissing(Set<Label> all, boolean disordered) {
        List<Label> named = all.stream().filter(GroundTruth::canBeNamed).toList();
        if (named.stream()
                .anyMatch(label -> !label.is(TrueCause.LATE) && !label.causes().contains(TrueCause.LATE))) {
            return EnumSet.of(Outcome.LEAKED);
        }
        Set<Outcome> outcomes = EnumSet.of(Outcome.FREED_LATE);
        if (reported.road().saidThatReportsWereLost() || isAMeshOpen()) {
            outcomes = EnumSet.of(Outcome.INCONCLUSIVE);
        } else if (disordered || all.stream().anyMatch(label -> label.is(TrueCause.UNHEARD))) {
            outcomes.add(Outcome.INCONCLUSIVE);
        }
        if (named.stream().anyMatch(label -> label.causes().size() > 1)) {
            outcomes.add(Outcome.LEAKED);
        }
        return outcomes;
    }

    /** The source did not listen for a while, something was there then or came after, and no allocator was read that would know. */
    private boolean wasTooMuchUnheard() {
        return reported.road().lastStop().stream().anyMatch(stop -> {
            boolean askedLater = truth.memories().stream().anyMatch(memory -> memory.lastCloseStep() > stop);
            boolean wasThere = reports.keySet().stream().anyMatch(life -> !(life.hasEnded() && life.endStep() <= stop));
            return !askedLater && (wasThere || reported.road().listensAgain());
        });
    }

    /** What a mesh lent that was closed later is known from its allocators; of all else nobody knows what was not heard. */
    private boolean mayHaveEndedUnheard(Life life) {
        return reported.road().lastStop().stream()
                .anyMatch(stop -> life.allocationStep() <= stop && !(life.isOfAMesh() && life.closeStep() > stop));
    }

    /** What nobody ever spoke of balances; whoever reads the allocators knows that something was not said. */
    private boolean wasSeenButNeverReported(Life life) {
        return of(life).allocations == 0 && of(life).frees == 0 && life.wasThereAtTheClose();
    }

    /** What was never reported and went back to no allocator still stands in the readings made after its free. */
    private boolean wasHeldByAllocatorsThatAreGone(Life life) {
        return of(life).allocations == 0 && life.wasThereAtTheClose() && life.endedAfterItsDevice();
    }

    private boolean fits(Life life) {
        return of(life).areBalanced() || life.isExpected() || isAllowed(life);
    }

    /** Memory that is missing and that the books have. */
    private static boolean canBeNamed(Label label) {
        return (label.state() == State.MISSING || label.state() == State.MAY_STAY_OR_MISSING)
                && !label.is(TrueCause.UNHEARD)
                && !label.is(TrueCause.OUT_OF_ORDER);
    }

    private Set<Label> labelsOfAll() {
        Set<Label> all = new LinkedHashSet<>();
        for (Life life : reports.keySet()) {
            Reports known = of(life);
            if (isMissing(life) || life.isExpected() || isAllowed(life)) {
                all.add(
                        isInTheLedger(life) || life.isCircularBuffer()
                                ? label(List.of(life))
                                : Label.of(TrueCause.UNHEARD, State.MISSING));
            } else if (known.frees < known.allocations) {
                all.add(label(List.of(life)));
            }
        }
        return all;
    }

    private boolean isInTheLedger(Life life) {
        boolean isLeft = inTheLedger.getOrDefault(Entry.of(Place.of(life), life.details()), 0) > 0;
        return of(life).allocations > 0 && (isLeft || memory(life).wasFreedLate(life, closesAreKnown));
    }

    /**
     * Returns whether memory is missing that a log could show: of an address that is allocated by several meshes a log has one count, and the
     * free of what was never reported takes away what another mesh lent there.
     */
    public boolean isMissingFromTheLog() {
        return reports.keySet().stream()
                .anyMatch(life -> isMissing(life) && !life.isCircularBuffer() && isInTheLog(life));
    }

    private boolean isInTheLog(Life life) {
        boolean isLeft = inTheLog.getOrDefault(Place.of(life), 0) > 0;
        return of(life).allocations > 0 && (isLeft || memory(life).wasFreedLate(life, closesAreKnown));
    }

    /**
     * Returns whether the lines of a server's log show what is true: a leak shows if an open report is left of it. Where no memory is
     * missing, a buffer that was reported once, and of whose free nothing arrived, has the lines of a leak.
     */
    public boolean showsInTheLog() {
        return isMemoryMissing()
                ? isMissingFromTheLog()
                : reports.keySet().stream().noneMatch(this::hasTheLinesOfALeak);
    }

    private boolean hasTheLinesOfALeak(Life life) {
        return !life.isCircularBuffer()
                && of(life).allocations == 1
                && of(life).frees == 0
                && inTheLog.getOrDefault(Place.of(life), 0) > 0;
    }

    // What is known of a buffer

    /**
     * Returns the buffers behind the reports of one entry of the books.
     *
     * @param original leads from a request of the history that was judged to the one that arrived
     */
    public Set<Life> livesBehind(BufferGeneration entry, UnaryOperator<MemoryRequest> original) {
        Place place = new Place(entry.device(), entry.type(), entry.address());
        Set<Life> lives = new LinkedHashSet<>();
        for (BufferGeneration.Report report : entry.reports()) {
            MemoryRequest request = original.apply(report.request());
            boolean isCircularBuffer = request.details().kind() == BufferKind.CIRCULAR_BUFFER;
            lives.addAll(lives(reported.road().stepOf(request), place, isCircularBuffer));
        }
        return lives;
    }

    /** Returns the missing buffers that are not among those that something was said of, and that the books should have. */
    public List<Label> unsaid(Set<Life> said, boolean meshesAreKnown) {
        Set<Place> placesSaid = said.stream().map(Place::of).collect(Collectors.toCollection(HashSet::new));
        return reports.keySet().stream()
                .filter(life -> isMissing(life) && !life.isCircularBuffer() && !said.contains(life))
                // Reports in another order than things happened balance when it is freed, and prove nothing then.
                .filter(life -> !(of(life).disordered && life.hasEnded() && of(life).areBalanced()))
                .filter(life -> !placesSaid.contains(Place.of(life)) || of(life).allocations == 0)
                .map(life -> (meshesAreKnown ? isInTheLedger(life) : isInTheLog(life))
                        ? label(List.of(life))
                        : Label.of(TrueCause.UNHEARD, State.MISSING))
                .toList();
    }

    /**
     * Returns what is true of what lies behind one entry of a log: no allocator was read, so of what was given back unheard by a process
     * that is dead, nobody can tell that it was not the death which took it. It does not know meshes either: what is freed after the
     * check is late, whether or not its mesh was closed before; and what is only reported late cannot be told from that.
     */
    public Label labelInTheLog(Collection<Life> lives) {
        Label label = label(lives);
        if (label.state() == State.OPEN) {
            if (lives.stream().anyMatch(life -> memory(life).wasFreedLate(life, closesAreKnown))) {
                return Label.of(TrueCause.LATE, State.MISSING);
            }
            return lives.stream().allMatch(Life::hasEnded) ? Label.of(TrueCause.UNKNOWABLE, State.GIVEN_BACK) : label;
        }
        boolean ofTheDead = lives.stream()
                .filter(life -> of(life).frees < of(life).allocations)
                .anyMatch(Life::hasDeadProcess);
        boolean seemsLate = lives.stream().map(Place::of).anyMatch(placesFreedLate::contains);
        if (label.state() == State.GIVEN_BACK && ofTheDead) {
            return Label.of(TrueCause.UNKNOWABLE, label.state());
        }
        return seemsLate ? label.orUnknowable() : label;
    }

    /** Returns what is true of what lies behind one entry of the books. */
    public Label label(Collection<Life> lives) {
        if (lives.isEmpty()) {
            return Label.of(TrueCause.OUT_OF_ORDER, State.GIVEN_BACK);
        }
        if (lives.stream().anyMatch(life -> of(life).disordered)) {
            boolean missing = lives.stream().anyMatch(this::isMissing);
            Label label = Label.of(TrueCause.OUT_OF_ORDER, missing ? State.MISSING : State.GIVEN_BACK);
            // Reports in another order that could have been the right one contradict nothing.
            boolean canBeSeen = lives.stream().allMatch(Life::hasClosedMesh)
                    && lives.stream().map(Place::of).anyMatch(contradicted::contains);
            return canBeSeen ? label : label.orUnknowable();
        }
        List<Life> missing = lives.stream().filter(this::isMissing).toList();
        if (!missing.isEmpty()) {
            Label label = label(missing, life -> causesOfMissing(life, missing.size() > 1), State.MISSING);
            boolean unheard = missing.stream().anyMatch(this::mayHaveEndedUnheard);
            return unheard
                            || isAnotherAllocatorUnheard(missing, lives)
                            || missing.stream().anyMatch(this::liesWhereReportsAreOutOfOrder)
                    ? label.orUnknowable()
                    : label;
        }
        if (lives.stream().anyMatch(life -> memory(life).wasItsMeshOpen(life))) {
            return Label.of(TrueCause.STILL_OPEN, State.OPEN);
        }
        List<Life> allowed = lives.stream().filter(this::isAllowed).toList();
        if (!allowed.isEmpty()) {
            boolean over = allowed.stream()
                    .anyMatch(life ->
                            allowanceOf(life).filter(this::isOverItsBound).isPresent());
            return label(
                    allowed,
                    life -> causesOfMissing(life, allowed.size() > 1),
                    over ? State.MAY_STAY_OR_MISSING : State.MAY_STAY);
        }
        if (lives.stream().anyMatch(Life::isExpected)
                && lives.stream().allMatch(life -> life.isExpected() || of(life).areBalanced())) {
            return Label.of(TrueCause.SYSTEM, State.MAY_STAY);
        }
        List<Life> surplus = lives.stream()
                .filter(life -> of(life).frees < of(life).allocations)
                .toList();
        return label(surplus.isEmpty() ? List.copyOf(lives) : surplus, this::causesOfSurplus, State.GIVEN_BACK);
    }

    /** A free that came before the report it takes back may as well be that of what the same allocator lent there then. */
    private boolean liesWhereReportsAreOutOfOrder(Life life) {
        return byPlace.getOrDefault(Place.of(life), List.of()).stream()
                .filter(other -> other.details().mesh().equals(life.details().mesh())
                        && other.details().allocator().equals(life.details().allocator()))
                .anyMatch(other -> of(other).disordered);
    }

    private interface Reason {
        Set<TrueCause> of(Life life);
    }

    private static Label label(Collection<Life> lives, Reason reason, State state) {
        Set<TrueCause> causes = EnumSet.noneOf(TrueCause.class);
        lives.forEach(life -> causes.addAll(reason.of(life)));
        return new Label(causes, state);
    }

    /** Circular buffers take no memory of an allocator: they are missing as long as their program is there. */
    private boolean isMissing(Life life) {
        return !life.isExpected() && isLeft(life) && allowanceOf(life).isEmpty();
    }

    /** Returns what lets a buffer stay that is left. */
    private Optional<StagedExpectation> allowanceOf(Life life) {
        return truth.allowances().stream()
                .filter(allowance -> allowance.means(life))
                .findFirst();
    }

    private boolean isAllowed(Life life) {
        return allowanceOf(life).isPresent() && isLeft(life);
    }

    /** What is left of what an entry means. */
    private long leftOf(StagedExpectation allowance) {
        return reports.keySet().stream()
                .filter(life -> allowance.means(life) && isLeft(life))
                .count();
    }

    private boolean isOverItsBound(StagedExpectation allowance) {
        return leftOf(allowance) > allowance.entry().count().atMost();
    }

    private boolean isUnderItsBound(StagedExpectation allowance) {
        return leftOf(allowance) < allowance.entry().count().atLeast();
    }

    private boolean isLeft(Life life) {
        PhysicalMemory memory = memory(life);
        if (memory.wasItsMeshOpen(life)) {
            return false;
        }
        return !(life.isCircularBuffer() ? memory.wasItsProgramOver(life) : memory.wasFreed(life, closesAreKnown));
    }

    private PhysicalMemory memory(Life life) {
        PhysicalMemory memory = memoryOf.get(life);
        if (memory == null) {
            throw new IllegalArgumentException("Not a buffer of this case: " + life);
        }
        return memory;
    }

    /** Which of two things at one address was given back unheard, nobody can tell where two allocators lent them. */
    private boolean isAnotherAllocatorUnheard(List<Life> missing, Collection<Life> lives) {
        return lives.stream()
                .filter(life -> !missing.contains(life) && of(life).frees < of(life).allocations)
                .anyMatch(life -> missing.stream().anyMatch(life::isAllocatedByAnotherAllocatorThan));
    }

    /**
     * What was freed late without a word could only be seen as it was when the check was made; and so could what shares its address
     * with something else that is missing, or was reported on a device that it does not lie on.
     */
    private Set<TrueCause> causesOfMissing(Life life, boolean sharesItsAddress) {
        if (life.outlivedItsProcess()) {
            return EnumSet.of(TrueCause.PROCESS_DIED);
        }
        if (!memory(life).wasFreedLate(life, closesAreKnown)) {
            return EnumSet.of(causeAtTheCheck(life));
        }
        return isReleaseReported(life)
                        && !sharesItsAddress
                        && of(life).elsewhere.isEmpty()
                ? EnumSet.of(TrueCause.LATE)
                : EnumSet.of(TrueCause.LATE, causeAtTheCheck(life));
    }

    private TrueCause causeAtTheCheck(Life life) {
        if (life.isCached()) {
            return TrueCause.CACHED;
        }
        if (life.isOfTheRuntime()) {
            return TrueCause.SYSTEM;
        }
        if (wereSiblingsFreed(life)) {
            return TrueCause.FREED_ON_OTHER_DEVICES;
        }
        if (life.details()
                .owner()
                .filter(owner -> owner.kind() == Owner.Kind.TRACE)
                .isPresent()) {
            return TrueCause.KEPT_AFTER_RELEASE;
        }
        // An operation that failed gave the program no handle.
        boolean wasHeld = truth.handleOf(life.allocationStep())
                .filter(Handle::wasHeldAtTheCheck)
                .isPresent();
        return wasHeld ? TrueCause.HELD : TrueCause.LOST;
    }

    /** Returns whether most of those that were taken together with one of the buffers were given back in time. */
    public boolean wereSiblingsFreed(Collection<Life> lives) {
        return lives.stream().anyMatch(this::wereSiblingsFreed);
    }

    /** More than half of those that the program took one of for each device, or in one call, were given back in time. */
    private boolean wereSiblingsFreed(Life life) {
        List<Integer> steps = truth.rows().stream()
                .filter(row -> row.contains(life.allocationStep()))
                .findFirst()
                .orElse(List.of(life.allocationStep()));
        List<Life> row = steps.stream()
                .flatMap(step -> siblings.getOrDefault(step, List.of()).stream())
                .filter(other -> other.type() == life.type()
                        && other.size() == life.size()
                        && other.isCircularBuffer() == life.isCircularBuffer()
                        && other.details().owner().equals(life.details().owner()))
                .toList();
        ToIntFunction<Predicate<Life>> count =
                fits -> (int) row.stream().filter(fits).count();
        return row.size() > 1 && count.applyAsInt(other -> !isMissing(other) && !isAllowed(other)) * 2 > row.size();
    }

    private Set<TrueCause> causesOfSurplus(Life life) {
        if (life.isCircularBuffer()) {
            return isUnknowable(life)
                    ? EnumSet.of(TrueCause.CIRCULAR_BUFFER_UNREPORTED, TrueCause.UNKNOWABLE)
                    : EnumSet.of(TrueCause.CIRCULAR_BUFFER_UNREPORTED);
        }
        if (isUnknowable(life)) {
            // Its allocator may have reserved the address again, which proves the second report.
            return of(life).allocations > 1 && of(life).endReported
                    ? EnumSet.of(TrueCause.UNKNOWABLE, TrueCause.REPORTED_TWICE)
                    : EnumSet.of(TrueCause.UNKNOWABLE);
        }
        return life.endedAfterClose() && !isReleaseReported(life)
                ? EnumSet.of(TrueCause.FREED_ON_OTHER_DEVICES, TrueCause.FREE_UNREPORTED)
                : causesInTheLedger(life);
    }

    /**
     * Where a view was reported and freed, and the end of what it looked at unheard, both are true; and where one report of two named
     * another device, whose free was heard.
     */
    private Set<TrueCause> causesInTheLedger(Life life) {
        if (of(life).allocations < 2 || of(life).frees == 0) {
            return EnumSet.of(TrueCause.FREE_UNREPORTED);
        }
        return of(life).endReported && of(life).elsewhere.isEmpty()
                ? EnumSet.of(TrueCause.REPORTED_TWICE)
                : EnumSet.of(TrueCause.REPORTED_TWICE, TrueCause.FREE_UNREPORTED);
    }

    /**
     * Of what is given back while its mesh is open its allocator tells, unless another allocator lends that place when it is read; of the
     * end of a program, the runtime does. After the close, or when the close of another mesh has closed the device, there is only the
     * report of the free, or that of a free that did nothing, of this buffer or of one that shares its address with it.
     */
    private boolean isUnknowable(Life life) {
        if (life.isCircularBuffer()) {
            return reported.setting().isSilentAfterClose()
                    && life.isOverSince(memory(life).firstCloseStep());
        }
        if (!life.isOfAMesh() || !life.hasClosedMesh()) {
            return true;
        }
        if (byPlace.getOrDefault(Place.of(life), List.of()).stream()
                .anyMatch(other -> other != life && life.isHiddenBy(other))) {
            return true;
        }
        return (life.endedAfterClose() || life.endedAfterItsDevice())
                && allocatedTogetherWith(life).noneMatch(this::isReleaseReported);
    }

    private boolean isReleaseReported(Life life) {
        return of(life).endReported;
    }

    /** What was lent at one address of every device of a mesh is given back on all at once. */
    private Stream<Life> allocatedTogetherWith(Life life) {
        return siblings.getOrDefault(life.allocationStep(), List.of()).stream()
                .filter(other -> other == life || life.isAllocatedTogetherWith(other));
    }
}
