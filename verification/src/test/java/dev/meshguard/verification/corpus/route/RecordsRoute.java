package dev.meshguard.verification.corpus.route;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;

/** Allocations and frees as records of 112 bytes, in a connection for each process that reported. */
public final class RecordsRoute extends SocketRoute {

    @Override
    void send(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated one) {
            write(Request.allocation((int) process(), one.device(), one.type(), one.address(), one.size()));
        } else if (event instanceof HistoryEvent.Freed one) {
            write(Request.free((int) process(), one.device(), one.address()));
        }
    }

    @Override
    void end(boolean isInOrder) {
        // The end of a connection says nothing.
    }

    private void write(Request request) {
        write(request.toRecord(RecordSize.BYTES_112).array());
    }
}
