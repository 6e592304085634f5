package dev.meshguard.report;

import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport.Finding;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a section, each written when it is first accessed.
 *
 * <p>Ten thousand survivors are possible, but only forty lines fit a terminal. Immutable and safe for use by several
 * threads, which may write the same finding twice.
 */
final class FindingList extends AbstractList<Finding> implements RandomAccess {

    private final List<FindingGroups> groups;
    private final Function<FindingGroups, Finding> writer;
    private final AtomicReferenceArray<@Nullable Finding> written;

    FindingList(List<FindingGroups> groups, Function<FindingGroups, Finding> writer) {
        this.groups = List.copyOf(groups);
        this.writer = writer;
        this.written = new AtomicReferenceArray<>(groups.size());
    }

    @Override
    public Finding get(int index) {
        Finding known = written.get(index);
        if (known == null) {
            known = writer.apply(groups.get(index));
            written.set(index, known);
        }
        return known;
    }

    @Override
    public int size() {
        return groups.size();
    }

    /** Returns the finding whose first group is the given one, if it is in the list. Groups are compared by identity. */
    @SuppressWarnings("ReferenceEquality")
    Optional<Finding> startingWith(SurvivorGroup first) {
        return IntStream.range(0, groups.size())
                .filter(index -> groups.get(index).first() == first)
                .mapToObj(this::get)
                .findFirst();
    }

    /** Returns the buffers and bytes of the findings from an index on, in parentheses, without writing any finding. */
    static String amount(List<Finding> findings, int from) {
        long buffers;
        long bytes;
        if (findings instanceof FindingList list) {
            List<FindingGroups> rest = list.groups.subList(from, list.groups.size());
            buffers = rest.stream().mapToLong(FindingGroups::buffers).sum();
            bytes = FindingGroups.sumOfBytes(rest);
        } else {
            List<Finding> rest = findings.subList(from, findings.size());
            buffers = rest.stream().mapToLong(Finding::buffers).sum();
            bytes = rest.stream().mapToLong(Finding::bytes).reduce(0, Quantities::saturatedSum);
        }
        return (buffers == 0 ? "" : " (" + Quantities.count(buffers, "buffer"))
                + (bytes == 0 ? "" : ", " + Quantities.shortSize(bytes))
                + (buffers == 0 ? "" : ")");
    }
}
