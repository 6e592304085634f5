package dev.meshguard.server.ledger.internal;

import java.util.TreeMap;

/** The references of one process to a record that another owns; an element of the process's list. */
final class Share extends Node {

    /** All shares of one record, by the ids of their processes. */
    static final class All {
        final TreeMap<Long, Share> byProcess = new TreeMap<>();
        long references;
    }

    final BufferRecord record;
    final LedgerProcess process;
    long references;

    Share(BufferRecord record, LedgerProcess process) {
        this.record = record;
        this.process = process;
    }
}
