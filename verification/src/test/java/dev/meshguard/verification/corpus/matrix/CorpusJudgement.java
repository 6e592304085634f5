package dev.meshguard.verification.corpus.matrix;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verification.corpus.route.Contradictions;
import dev.meshguard.verification.corpus.stage.Life;
import dev.meshguard.verification.corpus.truth.GroundTruth;
import dev.meshguard.verification.corpus.truth.Label;
import dev.meshguard.verification.corpus.truth.Label.State;
import dev.meshguard.verification.corpus.truth.TrueCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Compares a verdict with the ground truth: the reported cause of each buffer, and the outcome of the case. */
public final class CorpusJudgement {

    /** What is told of a buffer that is in no verdict. */
    public static final String NOTHING = "nothing";

    /** What looks the same when nobody can tell that a buffer was given back: that it was not, and who has it. */
    private static final Set<Cause> MAY_BE_BELIEVED =
            EnumSet.of(Cause.HELD, Cause.LOST, Cause.CACHED, Cause.SYSTEM, Cause.PROCESS_DIED, Cause.FREE_UNREPORTED);

    /** The strictness of the comparison. */
    public enum Rigour {
        /** Every cause has to be named that can be. */
        EVERY_CAUSE,
        /** A cause that is named has to be true; none need be. */
        NO_WRONG_CAUSE
    }

    /**
     * The reported cause of one buffer.
     *
     * @param truth the true cause
     * @param judged the cause, INCONCLUSIVE, or nothing
     * @param isRight whether the reported cause is acceptable
     * @param where the buffer, or the missing buffer
     */
    public record JudgedCase(Label truth, String judged, boolean isRight, String where) {}

    private final LeakVerdict verdict;
    private final GroundTruth truth;
    private final Rigour rigour;
    private final List<JudgedCase> buffers;

    /**
     * Puts a verdict beside the truth.
     *
     * @param original leads from a request of the history that was judged to the one that arrived
     */
    public CorpusJudgement(
            LeakVerdict verdict, GroundTruth truth, UnaryOperator<MemoryRequest> original, Rigour rigour) {
        this.verdict = verdict;
        this.truth = truth;
        this.rigour = rigour;
        this.buffers = compareBuffers(original);
    }

    /** Returns what was told of each buffer that is left, and of each that ought to be. */
    public List<JudgedCase> buffers() {
        return buffers;
    }

    private List<JudgedCase> compareBuffers(UnaryOperator<MemoryRequest> original) {
        List<JudgedCase> all = new ArrayList<>();
        Set<Life> said = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Survivor survivor : verdict.survivors()) {
            Set<Life> behind = truth.livesBehind(survivor.buffer(), original);
            said.addAll(behind);
            Label label = rigour == Rigour.EVERY_CAUSE ? truth.label(behind) : truth.labelInTheLog(behind);
            boolean right = isRight(label, survivor)
                    || isOfNothing(behind, survivor)
                    || (isOfFreedSiblings(behind, survivor) && label.causes().contains(TrueCause.UNKNOWABLE));
            all.add(new JudgedCase(label, judgementOf(survivor), right, survivor.toString()));
        }
        for (Label label : truth.unsaid(said, rigour == Rigour.EVERY_CAUSE)) {
            all.add(new JudgedCase(label, NOTHING, label.is(TrueCause.UNHEARD), "in no finding"));
        }
        return all;
    }

    /** What is reported of a mesh under a device that it does not lie over is no memory of that device, whatever became of the rest. */
    private static boolean isOfNothing(Set<Life> behind, Survivor survivor) {
        return !behind.isEmpty()
                && behind.stream()
                        .noneMatch(life -> life.device() == survivor.buffer().device())
                && survivor.cause() == Cause.REPORTED_TWICE
                && survivor.status() == SurvivorStatus.MISREPORTED;
    }

    /** That most of its siblings were given back is as true of what was given back unheard as of what is missing. */
    private boolean isOfFreedSiblings(Set<Life> behind, Survivor survivor) {
        return survivor.cause() == Cause.FREED_ON_OTHER_DEVICES && truth.wereSiblingsFreed(behind);
    }

    private static String judgementOf(Survivor survivor) {
        return survivor.status() == SurvivorStatus.UNDECIDED
                ? Outcome.INCONCLUSIVE.name()
                : survivor.cause().name();
    }

    private boolean isRight(Label label, Survivor survivor) {
        boolean open = survivor.status() == SurvivorStatus.UNDECIDED;
        boolean unnamed = open || survivor.cause() == Cause.UNEXPLAINED;
        boolean unknowable = label.causes().contains(TrueCause.UNKNOWABLE);
        if (unnamed && (rigour == Rigour.NO_WRONG_CAUSE || unknowable)) {
            return true;
        }
        if (unknowable && mayBeBelieved(survivor)) {
            return true;
        }
        if (label.is(TrueCause.OUT_OF_ORDER)) {
            return open
                    || isOf(label.state(), survivor.status())
                    || (rigour == Rigour.NO_WRONG_CAUSE && mayBeBelieved(survivor));
        }
        if (label.state() == State.OPEN) {
            return open;
        }
        boolean named = label.causes().stream()
                .map(TrueCause::cause)
                .anyMatch(cause -> cause.equals(Optional.of(survivor.cause())));
        return named && (rigour == Rigour.NO_WRONG_CAUSE || isOf(label.state(), survivor.status()));
    }

    private boolean mayBeBelieved(Survivor survivor) {
        return MAY_BE_BELIEVED.contains(survivor.cause())
                || (survivor.cause() == Cause.LATE && rigour == Rigour.NO_WRONG_CAUSE);
    }

    private static boolean isOf(State state, SurvivorStatus standing) {
        return switch (state) {
            case MISSING -> standing == SurvivorStatus.LEAKED || standing == SurvivorStatus.FREED_LATE;
            case GIVEN_BACK -> standing == SurvivorStatus.MISREPORTED;
            case MAY_STAY -> standing == SurvivorStatus.EXPECTED;
            case MAY_STAY_OR_MISSING -> standing == SurvivorStatus.EXPECTED || isOf(State.MISSING, standing);
            case OPEN -> standing == SurvivorStatus.UNDECIDED;
        };
    }

    /** Returns the outcomes that are true, as one name. */
    public String trueOutcome() {
        Set<Outcome> outcomes = truth.outcomes();
        return outcomes.equals(EnumSet.allOf(Outcome.class))
                ? "cannot be known"
                : outcomes.stream().map(Outcome::name).collect(Collectors.joining(" or "));
    }

    /**
     * Returns whether the outcome is true.
     *
     * <p>Where causes cannot be named, what is only in the books cannot be told from what is missing; but what is missing must not be
     * called given back, and where nothing is left and every report fits, nothing may be blamed.
     */
    public boolean isOutcomeRight() {
        Set<Outcome> outcomes = truth.outcomes();
        if (rigour == Rigour.EVERY_CAUSE || outcomes.contains(outcomeOfMemory())) {
            return outcomes.contains(outcomeOfMemory());
        }
        return truth.isMissingFromTheLog()
                ? verdict.outcome().compareTo(Outcome.FREED_LATE) >= 0
                : !outcomes.equals(EnumSet.of(Outcome.LEAK_FREE));
    }

    /**
     * Returns the outcome as if no data had been overwritten.
     *
     * <p>The truth of a program is about its memory. What two allocators held at a time, and what replays overwrite, have oracles of
     * their own.
     */
    public Outcome outcomeOfMemory() {
        return Contradictions.outcomeOfMemory(verdict);
    }

    /** Returns what is wrong, one line each; empty if nothing is. */
    public List<String> wrongs() {
        return wrongs(false);
    }

    /** Returns what is wrong apart from what was left undecided, one line each; empty if nothing is. */
    public List<String> wrongNames() {
        return wrongs(true);
    }

    private List<String> wrongs(boolean mayBeUndecided) {
        List<String> wrongs = new ArrayList<>();
        for (JudgedCase told : buffers()) {
            if (!told.isRight() && !(mayBeUndecided && told.judged().equals(Outcome.INCONCLUSIVE.name()))) {
                wrongs.add(String.format(
                        Locale.ROOT,
                        "true %s %s, told %s: %s",
                        told.truth().causes(),
                        told.truth().state(),
                        told.judged(),
                        told.where()));
            }
        }
        if (!isOutcomeRight() && !(mayBeUndecided && verdict.outcome() == Outcome.INCONCLUSIVE)) {
            wrongs.add(String.format(
                    Locale.ROOT,
                    "true outcome %s, told %s %s",
                    trueOutcome(),
                    verdict,
                    verdict.inconclusiveReasonTexts()));
        }
        return wrongs;
    }

    /** Returns the verdict. */
    public LeakVerdict verdict() {
        return verdict;
    }
}
