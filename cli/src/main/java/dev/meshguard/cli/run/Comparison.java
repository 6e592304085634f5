package dev.meshguard.cli.run;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.event.PrintableText;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a comparison.
 *
 * @param isSame whether it found no difference
 * @param leavesMore whether more is live somewhere at the end of the later one
 * @param text the lines about the differences, a headline first
 * @param losses what could not be compared, as whole sentences
 */
record Comparison(boolean isSame, boolean leavesMore, List<String> text, List<String> losses) {

    ExitStatus status() {
        if (leavesMore) {
            return ExitStatus.LEAKED;
        }
        if (!losses.isEmpty()) {
            return ExitStatus.INCONCLUSIVE;
        }
        return isSame ? ExitStatus.CLEAN : ExitStatus.DIFFERENT;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(text);
        if (status() == ExitStatus.INCONCLUSIVE) {
            String what = isSame ? "no difference" : "no more memory";
            lines.set(0, "INCONCLUSIVE  " + what + " in what can be compared");
        }
        losses.forEach(loss -> lines.add("note    " + PrintableText.line(loss)));
        return lines;
    }
}
