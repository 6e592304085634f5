package dev.meshguard.junit.internal.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers of invocations show whether all run, where the engine of JUnit is a module that cannot be asked. */
class SelectedInvocationsTests {

    @ParameterizedTest
    @CsvSource({
        "[template:t()]/[invocation:#1] [template:t()]/[invocation:#2], true",
        "[template:t()]/[invocation:#1], false",
        "[template:t()]/[invocation:#2] [template:t()]/[invocation:#3], false",
        "[template:t()]/[invocation:#1] [template:t()]/[invocation:#3], false",
        "[factory:f()] [factory:f()]/[container:#1]/[test:#1] [factory:f()]/[container:#1]/[test:#2] [factory:f()]/[test:#2], true",
        "[factory:f()] [factory:f()]/[container:#1]/[test:#2] [factory:f()]/[test:#2], false",
        "[method:m()], true"
    })
    void missAnInvocationIfTheirNumbersDo(String ids, boolean areAll) {
        SelectedInvocations selected = new SelectedInvocations();

        Stream.of(ids.split(" ", -1)).map(SelectedInvocationsTests::context).forEach(selected::add);

        assertThat(selected.areAll()).isEqualTo(areAll);
    }

    private static ExtensionContext context(String id) {
        ExtensionContext context = mock(ExtensionContext.class);
        when(context.getUniqueId()).thenReturn(id);
        return context;
    }
}
