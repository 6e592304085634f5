package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.SteppedTimer;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A fixture whose tests use the library that reports through one hook of the process, and whose waits take no time. */
public abstract class LibraryTestCase {

    @RegisterExtension
    static final MeshGuardExtension guard = guard();

    /** Returns an extension that examines the library, and whose time nobody sets. */
    public static MeshGuardExtension guard() {
        return guard(new SteppedTimer());
    }

    static MeshGuardExtension guard(SteppedTimer timer) {
        return MeshGuardExtension.builder()
                .source(GlobalLibrary.settings())
                .timer(timer)
                .build();
    }

    static void leak() {
        GlobalLibrary.allocate(64);
    }

    static void freeAll() {
        GlobalLibrary.allocate(64).close();
    }
}
