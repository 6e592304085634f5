package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferType;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/** Is told of every life that begins or ends, in the order of the events. */
@FunctionalInterface
@API(status = Status.INTERNAL, since = "0.1")
public interface LifeListener {

    /**
     * Takes note of a beginning or an end.
     *
     * @param event the number of the event
     * @param device the device
     * @param type the memory
     * @param size the size that the first report named, in bytes
     * @param begins whether the life begins; else it ends
     */
    void changed(long event, int device, BufferType type, long size, boolean begins);
}
