package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rerun command can be pasted into a shell, for every name of a test. */
class BuildToolTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            KvCacheTest                       | mvn test -Dtest=KvCacheTest                              | ./gradlew test --tests KvCacheTest
            KvCacheTest#decode                | mvn test -Dtest=KvCacheTest#decode                       | ./gradlew test --tests KvCacheTest.decode
            KvCacheTest$Prefill#decode        | mvn test -Dtest='KvCacheTest$Prefill#decode'             | ./gradlew test --tests 'KvCacheTest$Prefill.decode'
            KvCacheTest#decodes a, b (twice)  | mvn test -Dtest='KvCacheTest#decodes?a??b??twice?'       | ./gradlew test --tests 'KvCacheTest.decodes a, b (twice)'
            KvCacheTest#user's cache          | mvn test -Dtest='KvCacheTest#user?s?cache'               | ./gradlew test --tests 'KvCacheTest.user'\\''s cache'
            Größentest#läuft                  | mvn test -Dtest='Größentest#läuft'                       | ./gradlew test --tests 'Größentest.läuft'
            """)
    void selectsTheTestAndNothingElse(String selector, String maven, String gradle) {
        assertThat(BuildTool.MAVEN.command(selector)).isEqualTo(maven);
        assertThat(BuildTool.GRADLE.command(selector)).isEqualTo(gradle);
    }

    @Test
    void recognisesGradleByThePropertyOfItsWorkers() {
        assertThat(BuildTool.of(Map.of("org.gradle.test.worker", "3")::get)).isEqualTo(BuildTool.GRADLE);
        assertThat(BuildTool.of(Map.<String, String>of()::get)).isEqualTo(BuildTool.MAVEN);
    }
}
