package dev.meshguard.capture;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.Freed;
import dev.meshguard.event.HistoryEvent.PhaseBegan;
import dev.meshguard.event.HistoryEvent.ReportsLost;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the graphs in tables of cases, and describes outputs in the lines that the tables expect. */
final class OutputCases {

    private static final Pattern NODE = Pattern.compile("(\\d+) (\\w+)(.*?)(?: -> ([\\d ]+))?");
    private static final Pattern PARAM = Pattern.compile("(\\w+)=(\"(?:[^\"\\\\]|\\\\.)*\"|\\S+)");
    private static final Pattern JSON = Pattern.compile("[\"\\-\\d\\[{].*|null|true|false");

    private OutputCases() {}

    /**
     * Returns the JSON of a graph. A line has a node: its number and type, its parameters, and after an arrow the numbers of
     * its edges. One with a key and a colon is a section of a report, any other line an element of the graph.
     */
    static String json(List<String> lines) {
        String sections = lines.stream()
                .filter(line -> line.matches("\"\\w+\": .*"))
                .map(section -> ",\n" + section)
                .collect(Collectors.joining());
        String nodes = lines.stream()
                .filter(line -> !line.matches("\"\\w+\": .*"))
                .map(OutputCases::node)
                .collect(Collectors.joining(",\n", "[", "]"));
        return sections.isEmpty() ? nodes : "{\"graph\": " + nodes + sections + "}";
    }

    private static String node(String line) {
        Matcher node = NODE.matcher(line);
        if (!node.matches()) {
            return line;
        }
        String params = PARAM.matcher(node.group(3))
                .results()
                .map(param -> "\"" + param.group(1) + "\":" + value(param.group(2)))
                .collect(Collectors.joining(",", "{", "}"));
        String edges = node.group(4) == null ? "" : node.group(4).replace(" ", ",");
        return "{\"counter\":" + node.group(1) + ",\"node_type\":\"" + node.group(2) + "\",\"connections\":[" + edges
                + "],\"params\":" + params + "}";
    }

    private static String value(String text) {
        return JSON.matcher(text).matches() ? text : '"' + text + '"';
    }

    /** Returns the outcome with an open device and at the end, the events, the remaining buffers and the notes. */
    static List<String> facts(RuntimeOutput output, RuntimeOutput atEnd) {
        LeakVerdict verdict = LeakCheck.create().examine(output.history());
        List<String> facts = new ArrayList<>();
        facts.add(verdict.outcome() + ", at the end "
                + LeakCheck.create().examine(atEnd.history()).outcome() + ": "
                + verdict.sum().allocated() + " allocated, " + verdict.sum().freed() + " freed");
        for (HistoryEvent event : output.history().events()) {
            if (event instanceof ReportsLost lost) {
                facts.add("lost " + (lost.count() < 0 ? "some" : lost.count()) + ": " + lost.reason());
            } else if (event instanceof PhaseBegan began) {
                facts.add("phase " + began.phase().name());
            } else if (event instanceof Allocated allocated) {
                AllocationDetails details = allocated.request().details();
                facts.add("allocated " + allocated.type() + " " + Quantities.address(allocated.address())
                        + details.owner().map(owner -> ", owned by " + owner).orElse("")
                        + details.label().map(label -> ", label " + label).orElse(""));
            } else if (event instanceof Freed freed) {
                facts.add("freed " + freed.type() + " " + Quantities.address(freed.address()));
            }
        }
        output.remaining().forEach(buffer -> facts.add(fact(buffer)));
        output.notes().forEach(note -> facts.add("note: " + note));
        return facts;
    }

    private static String fact(RemainingBuffer buffer) {
        return "remaining " + buffer.type() + " on device " + buffer.device()
                + (buffer.node().isPresent() ? ", node " + buffer.node().getAsInt() : "")
                + (buffer.address().isPresent()
                        ? ", " + Quantities.address(buffer.address().getAsLong())
                        : "")
                + ", " + Quantities.size(buffer.size())
                + buffer.operation().map(name -> ", in " + name).orElse("")
                + buffer.origin().map(origin -> " at " + origin.frames()).orElse("")
                + buffer.tensors().stream()
                        .map(tensor -> ", tensor "
                                + (tensor.id().isPresent() ? tensor.id().getAsLong() : "-")
                                + tensor.shape().map(shape -> " " + shape).orElse("") + tensor.users())
                        .collect(Collectors.joining());
    }
}
