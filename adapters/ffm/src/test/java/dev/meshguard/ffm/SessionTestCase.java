package dev.meshguard.ffm;

import dev.meshguard.junit.TrackAllocations;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

@TrackAllocations
class SessionTestCase {

    private Arena session;

    @Test
    void infers(Arenas arenas) {
        session = arenas.ofShared();
        session.allocate(4096);
    }
}
