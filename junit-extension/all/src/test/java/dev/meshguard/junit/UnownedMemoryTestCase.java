package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Memory of a library that is allocated before the tests of a class. No test is responsible for it, so it fails the run. */
class UnownedMemoryTestCase {

    @RegisterExtension
    static final MeshGuardExtension guard = GlobalLibraryGuard.guard();

    @BeforeAll
    static void leaks() {
        GlobalLibrary.allocate(64);
    }

    @Test
    void allocatesNothing() {}

    /** The same library, of which all memory is freed. */
    static class FreeingTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = GlobalLibraryGuard.guard();

        @BeforeAll
        static void frees() {
            GlobalLibrary.allocate(64).close();
        }

        @Test
        void allocatesNothing() {}
    }
}
