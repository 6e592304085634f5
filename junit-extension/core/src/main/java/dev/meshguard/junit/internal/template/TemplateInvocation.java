package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.source.SourceSettings;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Configures the session of one invocation of a test template, and receives its result. */
public interface TemplateInvocation {

    /** Returns the annotation and its location, for messages. */
    String location();

    /** Rejects sources on which this invocation cannot run. */
    default void requireUsable(List<SourceSettings> sources) {}

    /** Returns whether all invocations share one mesh, which then belongs to the template. */
    default boolean sharesMesh() {
        return false;
    }

    /** Returns whether only the template judges, so that survivors at the end fail nothing. */
    default boolean judgesAlone() {
        return false;
    }

    /** Returns the notes on this invocation for the reader of a failure. */
    default List<String> notes() {
        return List.of();
    }

    /** Called before the first lifecycle method of the test; more than once if the extension is registered twice. */
    default void begins(SourceRuntime runtime) {}

    /**
     * Called at the end of the invocation; an error that is thrown here fails it.
     *
     * @param context the context of the invocation
     */
    default void ended(ExtensionContext context) {}
}
