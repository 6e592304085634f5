package dev.meshguard.verification.corpus.truth;

import java.util.EnumSet;
import java.util.Set;

/**
 * The true state of one buffer that remains in the ledger, or that should remain.
 *
 * @param causes the true causes; several if several buffers share one entry of the ledger, each with its own cause
 * @param state the state of the memory
 */
public record Label(Set<TrueCause> causes, State state) {

    /** The state of the memory. */
    public enum State {
        /** It was not given back. */
        MISSING,
        /** It was given back. */
        GIVEN_BACK,
        /** It was not given back and need not be. */
        MAY_STAY,
        /** It was not given back, and of several alike more are left than may stay: which is one too many nobody can say. */
        MAY_STAY_OR_MISSING,
        /** It may still be given back. */
        OPEN
    }

    static Label of(TrueCause cause, State state) {
        return new Label(EnumSet.of(cause), state);
    }

    /** Returns the first of the causes, which gives the row its name. */
    public TrueCause row() {
        return EnumSet.copyOf(causes).iterator().next();
    }

    /** Returns the row for what was told: one of several causes that are all true, or else the first of them. */
    public String row(String told) {
        TrueCause other = causes.contains(TrueCause.UNKNOWABLE) ? TrueCause.UNKNOWABLE : row();
        return causes.stream().map(Enum::name).filter(told::equals).findFirst().orElse(other.name());
    }

    /** Returns this label where it cannot be known either. */
    Label orUnknowable() {
        Set<TrueCause> more = EnumSet.copyOf(causes);
        more.add(TrueCause.UNKNOWABLE);
        return new Label(more, state);
    }

    /** Returns whether it is one of the rows in which there is nothing to be named. */
    public boolean is(TrueCause cause) {
        return row() == cause;
    }
}
