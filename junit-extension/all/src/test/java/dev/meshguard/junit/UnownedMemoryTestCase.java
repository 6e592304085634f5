package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Memory of a library that is allocated before the tests of a class. No test is responsible for it, so it fails the run. */
class UnownedMemoryTestCase extends LibraryTestCase {

    @BeforeAll
    static void leaks() {
        GlobalLibrary.allocate(64);
    }

    @Test
    void allocatesNothing() {}

    /** The same library, of which all memory is freed. */
    static class FreeingTestCase extends LibraryTestCase {

        @BeforeAll
        static void frees() {
            freeAll();
        }

        @Test
        void allocatesNothing() {}
    }
}
