package dev.meshguard.cli.run;

import dev.meshguard.capture.evidence.RuntimeEvidence;

/** A file on the command line: a history, or the memory of one moment. */
sealed interface RecordedInput permits RecordedFile, RecordedInput.Moment {

    /** Returns the name of the file in the output. */
    String name();

    /**
     * The memory of one moment.
     *
     * @param memory a memory report or shared memory
     */
    record Moment(RuntimeEvidence memory) implements RecordedInput {

        @Override
        public String name() {
            return memory.name();
        }
    }
}
