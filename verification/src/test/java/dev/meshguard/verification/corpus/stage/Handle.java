package dev.meshguard.verification.corpus.stage;

import dev.meshguard.mesh.MeshWorkload;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program's handle to an allocation: kept until it is freed, or dropped, as the program decides.
 *
 * <p>A dropped handle no longer refers to the object, so a search for the object does not find it.
 */
public final class Handle {

    /** The result of a rejected step. Each later step that uses it does nothing. */
    public static final Handle NOTHING = new Handle(-1, "nothing", false);

    private final int step;
    private final String name;
    private final boolean ofAProgram;
    private final List<Handle> others = new ArrayList<>();
    private boolean heldAtTheCheck;
    private boolean useless;
    private @Nullable Object object;
    private @Nullable Consumer<Object> free;

    private Handle(int step, String name, boolean ofAProgram) {
        this.step = step;
        this.name = name;
        this.ofAProgram = ofAProgram;
    }

    static <T> Handle of(int step, String name, T object, Class<T> type, Consumer<? super T> free) {
        Handle handle = new Handle(step, name, type == MeshWorkload.class);
        handle.object = object;
        handle.free = kept -> free.accept(type.cast(kept));
        return handle;
    }

    /** Another handle to the same thing. */
    <T> Handle alias(T other, Class<T> type, Consumer<? super T> free) {
        Handle alias = of(step, name, other, type, free);
        others.add(alias);
        return alias;
    }

    int step() {
        return step;
    }

    /** Returns whether it is a program, which owns what was taken with it. */
    public boolean isOfAProgram() {
        return ofAProgram;
    }

    /** Returns by which fields a program would have it. */
    public List<String> path() {
        return List.of("Program.kept", name);
    }

    /** Returns whether the program still has one of the handles. */
    public boolean isHeld() {
        return (object != null && !useless) || others.stream().anyMatch(Handle::isHeld);
    }

    /** Returns whether the program had one of the handles when the check was made. */
    public boolean wasHeldAtTheCheck() {
        return heldAtTheCheck;
    }

    void check() {
        heldAtTheCheck = isHeld();
    }

    /** Returns the object, unless it was dropped. */
    <T> Optional<T> get(Class<T> type) {
        return Optional.ofNullable(object).filter(type::isInstance).map(type::cast);
    }

    /** Frees and forgets. */
    public void free() {
        Object kept = object;
        Consumer<Object> how = free;
        drop();
        if (kept != null && how != null) {
            how.accept(kept);
        }
    }

    /** Frees, and keeps the object all the same, which is of no use any more: what it gave back it does not hold. */
    public void freeAndKeep() {
        if (object != null && free != null) {
            free.accept(object);
            useless = true;
        }
    }

    /** Forgets without freeing. */
    public void drop() {
        object = null;
        free = null;
    }

    /** Returns a reference that tells when the object was collected. */
    WeakReference<Object> watch() {
        return new WeakReference<>(object);
    }
}
