package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.SteppedTimer;

/** Creates extensions that examine {@link GlobalLibrary}, and whose waits take no time. */
public final class GlobalLibraryGuard {

    private GlobalLibraryGuard() {}

    /** Returns an extension whose time nobody sets. */
    public static MeshGuardExtension guard() {
        return guard(new SteppedTimer());
    }

    static MeshGuardExtension guard(SteppedTimer timer) {
        return MeshGuardExtension.builder()
                .source(GlobalLibrary.settings())
                .timer(timer)
                .build();
    }
}
