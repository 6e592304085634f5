package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.source.SourceSettings;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.AssertionFailedError;

/**
 * One invocation of a test template: configures its session, receives its result, and decides whether another one follows.
 *
 * <p>Used by one thread at a time.
 */
public abstract class TemplateInvocation implements TestTemplateInvocationContext, TestWatcher {

    private static final Namespace NAMESPACE = Namespace.create(TemplateInvocation.class);

    private record EndKey(ExtensionContext context) {}

    private final TemplateAnnotation<?> use;
    private final int number;
    private boolean isSelected;
    private boolean hasSucceeded;

    /** Creates the invocation with a number; invocations are numbered in their order. */
    protected TemplateInvocation(TemplateAnnotation<?> use, int number) {
        this.use = use;
        this.number = number;
    }

    /**
     * Returns the invocations of a template, each decided after the end of the previous one.
     *
     * <p>The running one is in the store of the template. The store of the invocation would be too late: the extensions of a
     * template run after the instance of the test is created. Jupiter runs each invocation from the stream before it requests
     * the next, unless the invocations are concurrent.
     */
    public static Stream<TestTemplateInvocationContext> stream(ExtensionContext template, TemplateInvocation first) {
        return Stream.<Optional<? extends TemplateInvocation>>iterate(
                        Optional.of(first),
                        Optional::isPresent,
                        before -> before.orElseThrow().next())
                .map(next -> {
                    template.getStore(NAMESPACE).put(template, next.orElseThrow());
                    return next.orElseThrow();
                });
    }

    /** Returns the running invocation, if a context is one of a MeshGuard template. */
    public static Optional<TemplateInvocation> of(ExtensionContext context) {
        return context.getParent()
                .filter(parent -> parent.getTestMethod().isPresent())
                .map(template -> template.getStore(NAMESPACE).get(template, TemplateInvocation.class));
    }

    /**
     * Calls {@link #ended} in a context: after everything that is added to its store from now on.
     *
     * @param failed receives the failure of the invocation that is thrown then
     */
    public final void awaitEnd(ExtensionContext context, Consumer<AssertionFailedError> failed) {
        Store store = context.getStore(NAMESPACE);
        EndKey key = new EndKey(context);
        if (store.get(key) == null) {
            store.put(key, (StoredResource) () -> {
                try {
                    ended(context);
                } catch (AssertionFailedError failure) {
                    failed.accept(failure);
                    throw failure;
                }
            });
        }
    }

    /** Returns the next invocation, if there is one; called after the end of this one. */
    protected abstract Optional<? extends TemplateInvocation> next();

    /** Returns the name for readers. */
    protected abstract String displayName();

    @Override
    public final String getDisplayName(int invocationIndex) {
        isSelected = true;
        return displayName();
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(this);
    }

    @Override
    public final void testSuccessful(ExtensionContext context) {
        hasSucceeded = true;
    }

    /** Returns its number. */
    public final int number() {
        return number;
    }

    /** Returns the annotation and its location, for messages. */
    public final String location() {
        return use.location();
    }

    /** Returns whether it is selected to run; JUnit does not request the names of others. */
    protected final boolean isSelected() {
        return isSelected;
    }

    /** Returns whether it ended normally, including all checks at its end. */
    protected final boolean hasSucceeded() {
        return hasSucceeded;
    }

    /** Rejects sources on which this invocation cannot run. */
    public void requireUsable(List<SourceSettings> sources) {}

    /**
     * Returns whether all invocations share one mesh, which then belongs to the template. Only the template judges it:
     * survivors at the end fail nothing.
     */
    public boolean sharesMesh() {
        return false;
    }

    /** Returns the notes on this invocation for the reader of a failure. */
    public List<String> notes() {
        return List.of();
    }

    /** Called before the first lifecycle method of the test; more than once if the extension is registered twice. */
    public void begins(SourceRuntime runtime) {}

    /**
     * Called at the end of the invocation; an error that is thrown here fails it.
     *
     * @param context the context of the invocation
     */
    public void ended(ExtensionContext context) {}
}
