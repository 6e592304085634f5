package dev.meshguard.junit.internal.template;

import java.util.Optional;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * The invocations of a template, each decided after the end of the previous one.
 *
 * <p>Jupiter runs each invocation from the stream of a template before it requests the next, unless the invocations are
 * concurrent.
 */
public final class SequentialInvocations<I extends TestTemplateInvocationContext & TemplateInvocation>
        extends AbstractSpliterator<TestTemplateInvocationContext> {

    private final ExtensionContext template;
    private final Supplier<Optional<I>> next;

    private SequentialInvocations(ExtensionContext template, Supplier<Optional<I>> next) {
        super(Long.MAX_VALUE, ORDERED | NONNULL);
        this.template = template;
        this.next = next;
    }

    /** Returns a stream that ends when there is no next invocation. */
    public static <I extends TestTemplateInvocationContext & TemplateInvocation>
            Stream<TestTemplateInvocationContext> stream(ExtensionContext template, Supplier<Optional<I>> next) {
        return StreamSupport.stream(new SequentialInvocations<>(template, next), false);
    }

    @Override
    public boolean tryAdvance(Consumer<? super TestTemplateInvocationContext> action) {
        Optional<I> invocation = next.get();
        invocation.ifPresent(one -> {
            TemplateInvocations.put(template, one);
            action.accept(one);
        });
        return invocation.isPresent();
    }
}
