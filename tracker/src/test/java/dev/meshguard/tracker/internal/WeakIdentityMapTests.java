package dev.meshguard.tracker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Values of objects that are compared by identity and held weakly. */
class WeakIdentityMapTests {

    private final List<String> collected = new CopyOnWriteArrayList<>();
    private final WeakIdentityMap<String> map = new WeakIdentityMap<>(collected::add);

    @Test
    void equalObjectsHaveValuesOfTheirOwn() {
        Object one = List.of(1);
        Object other = List.of(1);
        map.put(one, "one");

        assertThat(map.get(one)).isEqualTo("one");
        assertThat(map.get(other)).isNull();
        assertThat(map.computeIfAbsent(other, () -> "other")).isEqualTo("other");
        assertThat(map.computeIfAbsent(other, () -> "new")).isEqualTo("other");
        assertThat(map.remove(one, "other")).isFalse();
        assertThat(map.remove(one)).isEqualTo("one");
        assertThat(map.objects()).containsExactly(other);
    }

    @Test
    void theValueOfACollectedObjectIsReceived() {
        Object kept = new Object();
        map.put(kept, "kept");
        WeakReference<Object> dropped = new WeakReference<>(putDropped());
        while (!dropped.refersTo(null)) {
            System.gc();
        }

        map.forgetAllCollected();

        assertThat(collected).containsExactly("dropped");
        assertThat(map.values()).containsExactly("kept");
        assertThat(map.get(kept)).isEqualTo("kept");
    }

    private Object putDropped() {
        Object dropped = new Object();
        map.put(dropped, "dropped");
        return dropped;
    }
}
