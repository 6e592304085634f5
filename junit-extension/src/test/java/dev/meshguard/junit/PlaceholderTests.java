package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;

class PlaceholderTests {

    @Test
    void mocksOnTheModulePath() {
        CharSequence text = mock(CharSequence.class);

        when(text.length()).thenReturn(3);

        assertThat(text).hasSize(3);
    }
}
