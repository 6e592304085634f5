package dev.meshguard.closeables.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

/** Each object that the code under test got is reported once, and each outermost closing method. */
class WatchedObjectsTests {

    static class Handle implements AutoCloseable {

        Handle() {}

        Handle(int size) {
            this();
            if (size < 0) {
                throw new IllegalArgumentException();
            }
        }

        @Override
        public void close() {}
    }

    static class Part extends Handle {

        Part(boolean fails) {
            super();
            if (fails) {
                throw new IllegalStateException();
            }
        }

        @Override
        public void close() {
            super.close();
        }
    }

    @Test
    void chainedConstructorsCountOnce() {
        assertThat(Recorder.reportsOf(() -> new Handle(1).close(), Handle.class))
                .containsExactly("constructed Handle", "closed Handle");
    }

    @Test
    void aThrowAfterThisIsTakenBack() {
        assertThat(Recorder.reportsOf(() -> new Handle(-1), Handle.class))
                .containsExactly("constructed Handle", "failed construction Handle", "caught IllegalArgumentException");
    }

    @Test
    void aSubclassCountsOnceAndItsSuperCloseToo() {
        assertThat(Recorder.reportsOf(() -> new Part(false).close(), Handle.class))
                .containsExactly("constructed Part", "closed Part");
    }

    @Test
    void aThrowOfASubclassAfterSuperIsTakenBack() {
        assertThat(Recorder.reportsOf(() -> new Part(true), Handle.class))
                .containsExactly("constructed Part", "failed construction Part", "caught IllegalStateException");
    }

    @Test
    void classesOfTheJdkReport() {
        assertThat(Recorder.reportsOf(() -> new Deflater().end(), Set.of("end"), Deflater.class.getName()))
                .containsExactly("constructed Deflater", "closed Deflater");
    }
}
