package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunAccount;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * The values that one context keeps.
 *
 * <p>A look-up in a store goes on in the stores of the contexts around it, so that a test would be handed what its class
 * keeps. Keys therefore name the context. This is the one place that calls what JUnit 6 renamed and JUnit 5 has.
 */
final class GuardStore {

    private static final Namespace NAMESPACE = Namespace.create(MeshGuardExtension.class);

    private record GuardKey(String context, GuardSettings settings) {}

    private record AnswerKey(String context) {}

    private record AccountKey(String context) {}

    private record ResolverKey(String context) {}

    private record RunKey() {}

    private record PoliciesKey() {}

    private record SummaryKey() {}

    private record FieldsKey(Class<?> type) {}

    private record Fields(List<Field> fields) {}

    /** Which guard serves a context; closing this one's store closes no guard of another. */
    private record Answer(AllocationGuard guard) {}

    private final ExtensionContext context;
    private final Store store;

    private GuardStore(ExtensionContext context) {
        this.context = context;
        this.store = context.getStore(NAMESPACE);
    }

    static GuardStore of(ExtensionContext context) {
        return new GuardStore(context);
    }

    /** Returns the guard that serves this context, which may be kept by another. */
    AllocationGuard serving(Supplier<AllocationGuard> find) {
        return store.getOrComputeIfAbsent(
                        new AnswerKey(context.getUniqueId()), unused -> new Answer(find.get()), Answer.class)
                .guard();
    }

    /** Returns the guard that serves this context, if anything was asked of it. */
    Optional<AllocationGuard> served() {
        return Optional.ofNullable(store.get(new AnswerKey(context.getUniqueId()), Answer.class))
                .map(Answer::guard);
    }

    /** Returns the guard that this context keeps; it is closed with the context, after what was stored later. */
    AllocationGuard guard(GuardSettings settings, Supplier<AllocationGuard> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new GuardKey(context.getUniqueId(), settings), unused -> ifAbsent.get(), AllocationGuard.class);
    }

    /** Returns the account of this test on a mesh that outlives it, if it has one. */
    Optional<TestAccount> account() {
        return Optional.ofNullable(store.get(new AccountKey(context.getUniqueId()), TestAccount.class));
    }

    /** Opens an account for this test unless it has one; it is closed with the context, after what was stored later. */
    void account(Supplier<TestAccount> ifAbsent) {
        store.getOrComputeIfAbsent(new AccountKey(context.getUniqueId()), unused -> ifAbsent.get(), TestAccount.class);
    }

    /** Returns the account of the whole execution; it is closed after everything else. */
    static RunAccount run(ExtensionContext context, Supplier<RunAccount> ifAbsent) {
        ExtensionContext root = context.getRoot();
        Store ofRoot = root.getStore(NAMESPACE);
        RunAccount run = ofRoot.getOrComputeIfAbsent(new RunKey(), unused -> ifAbsent.get(), RunAccount.class);
        ofRoot.getOrComputeIfAbsent(
                new SummaryKey(), unused -> new SummaryPublisher(root, run), SummaryPublisher.class);
        return run;
    }

    /** Returns what the configuration parameters say of policies, which are read once in an execution. */
    static PolicyRequest policies(ExtensionContext context, Supplier<PolicyRequest> ifAbsent) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new PoliciesKey(), unused -> ifAbsent.get(), PolicyRequest.class);
    }

    /** Returns what is known of a place, for the whole execution. */
    static Declarations declarations(ExtensionContext context, Declarations.Place place) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(place, unused -> new Declarations(), Declarations.class);
    }

    /** Returns the fields of a class that are to be filled for each test, looked for once in the whole execution. */
    static List<Field> fields(ExtensionContext context, Class<?> type, Supplier<List<Field>> look) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new FieldsKey(type), unused -> new Fields(look.get()), Fields.class)
                .fields();
    }

    /** Returns whether the extension is the first that asked: of two in one context only one may do what is done once. */
    boolean isResolver(MeshGuardExtension extension) {
        return extension
                == store.getOrComputeIfAbsent(
                        new ResolverKey(context.getUniqueId()), unused -> extension, MeshGuardExtension.class);
    }
}
