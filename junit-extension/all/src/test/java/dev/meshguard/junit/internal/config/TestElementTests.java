package dev.meshguard.junit.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The elements whose annotations apply to a test. */
class TestElementTests {

    private static class Outer {
        private static class Inner {
            @SuppressWarnings("unused") // Found by its name.
            void repeated() {}
        }
    }

    @Test
    void anInvocationHasTheEnclosingClassesOfItsClassAlsoIfJUnitForgetsThem() throws Exception {
        ExtensionContext ofClass = context(Optional.empty(), List.of(Outer.class));
        ExtensionContext invocation = context(Optional.of(Outer.Inner.class.getDeclaredMethod("repeated")), List.of());
        when(invocation.getParent()).thenReturn(Optional.of(ofClass));

        assertThat(TestElement.classes(invocation)).containsExactly(Outer.Inner.class, Outer.class);
    }

    private static ExtensionContext context(Optional<Method> method, List<Class<?>> enclosing) {
        ExtensionContext context = mock(ExtensionContext.class);
        when(context.getTestMethod()).thenReturn(method);
        when(context.getTestClass()).thenReturn(Optional.of(Outer.Inner.class));
        when(context.getEnclosingTestClasses()).thenReturn(enclosing);
        return context;
    }
}
