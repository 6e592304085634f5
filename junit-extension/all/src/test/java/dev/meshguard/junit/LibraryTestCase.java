package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A fixture whose tests use the library that reports through one hook of the process. */
abstract class LibraryTestCase {

    @RegisterExtension
    static final MeshGuardExtension guard = GlobalLibraryGuard.guard();

    static void leak() {
        GlobalLibrary.allocate(64);
    }

    static void freeAll() {
        GlobalLibrary.allocate(64).close();
    }
}
