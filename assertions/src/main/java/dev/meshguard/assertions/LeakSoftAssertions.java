package dev.meshguard.assertions;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.SoftAssertions;

/**
 * AssertJ's soft assertions with additional ones about device memory.
 *
 * <p>Failures are collected and reported together, by {@link #assertAll()}, by {@link
 * org.assertj.core.api.SoftAssertionsProvider#assertSoftly SoftAssertionsProvider.assertSoftly} or by AssertJ's JUnit
 * extension:
 *
 * <pre>{@code
 * @ExtendWith(SoftAssertionsExtension.class)
 * class KvCacheTest {
 *     @InjectSoftAssertions
 *     LeakSoftAssertions softly;
 *
 *     @Test
 *     void decode() {
 *         softly.assertThat(tracker).hasLiveBuffers(16);
 *         softly.assertThat(tokens).hasSize(4);
 *     }
 * }
 * }</pre>
 *
 * <p>Not safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LeakSoftAssertions extends SoftAssertions implements LeakSoftAssertionsProvider {

    /** Creates soft assertions without collected failures. */
    public LeakSoftAssertions() {}
}
