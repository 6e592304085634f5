package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The origin of a request that an adapter passes on is the caller of the adapter. */
class AdapterOriginTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    /** Reports in its own nested class, as adapters do that wrap their results. */
    private static final class Adapter {

        private final AllocationTracker tracker;

        Adapter(AllocationTracker tracker) {
            this.tracker = tracker;
        }

        MemoryRequest allocate() {
            return new Report(tracker).make();
        }

        private record Report(AllocationTracker tracker) {
            MemoryRequest make() {
                return tracker.request(AllocationDetails.user(), OriginFilter.skipping(Adapter.class));
            }
        }
    }

    /** Its name begins like that of the adapter, but it is not part of it. */
    private static final class AdapterOfAnother {

        static MemoryRequest load(Adapter adapter) {
            return adapter.allocate();
        }
    }

    @Test
    void theOriginIsTheLineThatCalledTheAdapter() {
        assertThat(methodsOf(new Adapter(tracker).allocate()))
                .first()
                .isEqualTo("theOriginIsTheLineThatCalledTheAdapter");
    }

    @Test
    void aClassWhoseNameBeginsLikeThatOfTheAdapterIsNotPartOfIt() {
        assertThat(methodsOf(AdapterOfAnother.load(new Adapter(tracker))))
                .first()
                .isEqualTo("load");
    }

    @Test
    void anAdapterThatWasNotCalledChangesNothing() {
        MemoryRequest request = tracker.request(AllocationDetails.user(), OriginFilter.skipping(Adapter.class));

        assertThat(methodsOf(request)).first().isEqualTo("anAdapterThatWasNotCalledChangesNothing");
    }

    @Test
    void isLeftOutWhereNoOriginsAreCaptured() {
        AllocationTracker without =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

        assertThat(new Adapter(without).allocate().origin()).isEmpty();
    }

    private static List<String> methodsOf(MemoryRequest request) {
        return request.origin().map(Origin::frames).stream()
                .flatMap(List::stream)
                .map(StackTraceElement::getMethodName)
                .toList();
    }
}
