package dev.meshguard.junit;

import dev.meshguard.junit.testkit.GlobalLibrary;
import dev.meshguard.junit.testkit.SteppedTimer;

/** Creates extensions that examine {@link GlobalLibrary}, and whose waits take no time. */
final class GlobalLibraryGuard {

    private GlobalLibraryGuard() {}

    static MeshGuardExtension guard() {
        return guard(new SteppedTimer());
    }

    static MeshGuardExtension guard(SteppedTimer timer) {
        return MeshGuardExtension.builder()
                .source(GlobalLibrary.settings())
                .timer(timer)
                .build();
    }
}
