package dev.meshguard.cli.analyze;

import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Table;
import dev.meshguard.cli.input.Input;
import dev.meshguard.report.VerdictReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The answer about the memory of one moment: a headline, the verdict, a table, and notes. */
abstract class MomentAnswer implements FileAnswer {

    /** The text for an unknown value. */
    static final String NOTHING = "-";

    private final Input.Moment file;
    private final RuntimeEvidence memory;
    private final boolean judgesMoment;

    /**
     * Creates the answer.
     *
     * @param judgesMoment whether nothing should be allocated at the moment; otherwise it may be freed later
     */
    MomentAnswer(Input.Moment file, boolean judgesMoment) {
        this.file = file;
        this.memory = file.memory();
        this.judgesMoment = judgesMoment;
    }

    @Override
    public final Input.Moment file() {
        return file;
    }

    @Override
    public final ExitStatus status() {
        if (memory.hasAllocatedMemory()) {
            return judgesMoment ? ExitStatus.LEAKED : ExitStatus.INCONCLUSIVE;
        }
        return memory.notes().isEmpty() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE;
    }

    @Override
    public final List<String> text() {
        List<String> lines = new ArrayList<>(List.of(file.name() + ": " + description(), ""));
        lines.add(
                switch (status()) {
                    case LEAKED -> "LEAK  " + allocated();
                    case CLEAN -> "CLEAN  nothing was allocated";
                    default -> "INCONCLUSIVE  " + allocated();
                });
        lines.add("");
        lines.addAll(table().lines());
        lines.add("");
        notes().forEach(note -> lines.addAll(VerdictReport.noteLines(note)));
        return lines;
    }

    /** Returns what is in the file, for the first line. */
    abstract String description();

    /** Returns how much is allocated. */
    abstract String allocated();

    abstract Table table();

    /** Returns whole sentences about the file, and what follows from the status. */
    abstract List<String> notes();

    @Override
    public final Map<String, Object> fields() {
        return JsonDocument.object("memory", memory);
    }
}
