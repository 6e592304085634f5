package dev.meshguard.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Older versions of Arrow are supported, or rejected with the oldest supported one. */
class ArrowVersionsTests {

    /** The interface as Arrow 2 has it. */
    private interface OlderFactory {
        @SuppressWarnings("unused")
        AllocationManager create(RootAllocator allocator, long size);
    }

    @Test
    void rejectsAnOlderArrowAndNamesTheOldestSupportedVersion() {
        assertThatThrownBy(() -> TrackedMemory.Factory.requireSupported(OlderFactory.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageMatching("MeshGuard needs Arrow 3 or later, and found .+\\. Choose the version in the build,"
                        + " for example with org\\.apache\\.arrow:arrow-bom\\.");
    }

    @Test
    void theArrowOfThisBuildIsSupported() {
        assertThatCode(() -> new TrackedMemory.Factory(AllocationTracker.create()))
                .doesNotThrowAnyException();
    }

    /** {@code MemoryUtil} as Arrow 17 has it. */
    public static final class OlderMemoryUtil {

        public static final RecordingUnsafe UNSAFE = new RecordingUnsafe();
    }

    /** Gives out one address. */
    public static final class RecordingUnsafe {

        private final List<String> calls = new ArrayList<>();

        public long allocateMemory(long size) {
            calls.add("allocate " + size);
            return 4096;
        }

        public void freeMemory(long address) {
            calls.add("free " + address);
        }
    }

    @Test
    void allocatesByTheUnsafeOfAnArrowBefore18() {
        ArrowMemoryCalls memory = new ArrowMemoryCalls(OlderMemoryUtil.class);

        memory.free(memory.allocate(64));

        assertThat(OlderMemoryUtil.UNSAFE.calls).containsExactly("allocate 64", "free 4096");
    }
}
