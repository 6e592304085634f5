package dev.meshguard.samples.corpus.faults;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.fault.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A plan as tests write it: a chain of calls. */
final class FaultPlanText {

    private static final String PLAN = "FaultPlan.";
    private static final String NONE = "none()";
    private static final Pattern RANDOM = Pattern.compile("random\\(\\s*(-?\\d+)[lL]?\\s*\\)");
    private static final Pattern SEED_AND_PLAN = Pattern.compile("\\s*(?:FaultPlan\\.)?" + RANDOM + "\\s*=");
    /** One call, its arguments unread; a string may hold anything but a quote that is not escaped. */
    private static final Pattern CALL =
            Pattern.compile("\\s*(\\w+)\\s*\\(((?:[^()\"]|\"(?:[^\"\\\\]|\\\\.)*\")*)\\)\\s*");

    private static final Pattern ARGUMENT =
            Pattern.compile("\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|(-?\\d+)[lL]?|(?:\\w+\\.)*([A-Za-z]\\w*))\\s*(,|$)");

    private static final List<String> CALLS = List.of(
            "failingAllocation(3)",
            "failingAllocation(3, L1)",
            "failingOperation(2, \"matmul\")",
            "deviceStopsAnswering(5, 4)",
            "closingDevicesInOrder(1, 0)",
            "closingTwice()",
            "closingDuringOperation(2, \"add\")",
            "losingReport(3, FREE)",
            "doublingReport(3, ALLOCATION)",
            "delayingReport(3, FREE, 8)",
            "reorderingReports(3, 1, 2)",
            "shufflingReports(4, 42)",
            "onDevice(5)",
            "noticed()");

    private final String text;

    FaultPlanText(String text) {
        this.text = text;
    }

    /**
     * A plan that came from a seed is written with the seed and with its calls. Both describe the same faults, the seed first.
     */
    RunFaults read() {
        Matcher seed = SEED_AND_PLAN.matcher(text);
        if (!seed.lookingAt()) {
            return chain(0, text.length());
        }
        RunFaults ofSeed = RunFaults.random(number(seed.group(1), 0));
        RunFaults told = chain(seed.end(), text.length());
        return told.equals(ofSeed) ? ofSeed : told;
    }

    private RunFaults chain(int from, int end) {
        int position = skipBlanks(from);
        if (text.startsWith(PLAN, position)) {
            position += PLAN.length();
        }
        RunFaults plan = RunFaults.none();
        Matcher seed = RANDOM.matcher(text).region(position, end);
        boolean begins = true;
        if (text.startsWith(NONE, position)) {
            position += NONE.length();
        } else if (seed.lookingAt()) {
            plan = RunFaults.random(number(seed.group(1), position));
            position = seed.end();
        } else {
            begins = false;
        }
        position = skipBlanks(position);
        if (begins && position < end) {
            position = skipDot(position, end);
        }
        Matcher call = CALL.matcher(text).region(0, end);
        while (position < end) {
            if (!call.region(position, end).lookingAt()) {
                throw unreadable(position, "expected a call such as " + CALLS.get(0));
            }
            plan = applied(plan, call.group(1), arguments(call.group(2), call.start(2)), position);
            position = call.end();
            if (position < end) {
                position = skipDot(position, end);
            }
        }
        return plan;
    }

    private int skipBlanks(int from) {
        int position = from;
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
        return position;
    }

    private int skipDot(int position, int end) {
        if (text.charAt(position) != '.' || position + 1 == end) {
            throw unreadable(position, "expected a dot and another call, or the end");
        }
        return position + 1;
    }

    private List<Object> arguments(String said, int at) {
        List<Object> arguments = new ArrayList<>();
        if (said.isBlank()) {
            return arguments;
        }
        Matcher argument = ARGUMENT.matcher(said);
        int position = 0;
        boolean more = true;
        while (more) {
            if (!argument.find(position) || argument.start() != position) {
                throw unreadable(at + position, "expected a number, a name or a string");
            }
            if (argument.group(1) != null) {
                arguments.add(new Quoted(unescaped(argument.group(1))));
            } else if (argument.group(2) != null) {
                arguments.add(number(argument.group(2), at + position));
            } else {
                arguments.add(argument.group(3));
            }
            position = argument.end();
            more = ",".equals(argument.group(4));
        }
        return arguments;
    }

    private RunFaults applied(RunFaults plan, String name, List<Object> arguments, int at) {
        Arguments given = new Arguments(arguments);
        Optional<RunFaults> next;
        try {
            next = applied(plan, name, given);
        } catch (IllegalArgumentException | IllegalStateException problem) {
            throw unreadable(at, String.valueOf(problem.getMessage()));
        }
        return next.orElseThrow(
                () -> unreadable(at, "expected one of " + CALLS.stream().collect(Collectors.joining(", "))));
    }

    /** Empty if there is no such call, or not with these arguments. */
    private static Optional<RunFaults> applied(RunFaults plan, String name, Arguments given) {
        OptionalInt any = OptionalInt.empty();
        RunFaults next = switch (name) {
            case "failingAllocation" ->
                given.fit(1, 2, given.type())
                        ? plan.with(new Fault.AllocationFails(given.number(0), given.type(), any))
                        : null;
            case "failingOperation" ->
                given.fit(1, 2, given.string())
                        ? plan.with(new Fault.OperationFails(given.number(0), given.string(), any))
                        : null;
            case "deviceStopsAnswering" ->
                given.areNumbers(2) ? plan.with(new Fault.DeviceStops(given.whole(0), given.number(1))) : null;
            case "closingDevicesInOrder" ->
                given.areNumbers() ? plan.with(new Fault.DevicesCloseInOrder(given.wholes())) : null;
            case "closingTwice" -> given.areNumbers(0) ? plan.with(new Fault.MeshClosesTwice()) : null;
            case "closingDuringOperation" ->
                given.fit(1, 2, given.string())
                        ? plan.with(new Fault.MeshClosesDuringOperation(given.number(0), given.string()))
                        : null;
            case "losingReport" ->
                given.fit(1, 2, given.kind())
                        ? plan.with(new ReportFault.ReportLost(given.number(0), given.kind(), any, false))
                        : null;
            case "doublingReport" ->
                given.fit(1, 2, given.kind())
                        ? plan.with(new ReportFault.ReportDoubled(given.number(0), given.kind(), any))
                        : null;
            case "delayingReport" ->
                given.fit(2, 3, given.kind())
                        ? plan.with(
                                new ReportFault.ReportDelayed(given.number(0), given.kind(), any, given.lastWhole()))
                        : null;
            case "reorderingReports" ->
                given.areNumbers() ? plan.with(new ReportFault.ReportsReordered(given.wholes(), any)) : null;
            case "shufflingReports" ->
                given.areNumbers(2) ? plan.shufflingReports(given.whole(0), given.number(1)) : null;
            case "onDevice" -> given.areNumbers(1) ? plan.onDevice(given.whole(0)) : null;
            case "noticed" -> given.areNumbers(0) ? plan.noticed() : null;
            default -> null;
        };
        return Optional.ofNullable(next);
    }

    private long number(String digits, int at) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException tooLong) {
            throw unreadable(at, "expected a number of at most 64 bits");
        }
    }

    private IllegalArgumentException unreadable(int position, String problem) {
        return new IllegalArgumentException(String.format(
                Locale.ROOT,
                "Cannot read the fault plan \"%s\" from character %d on: %s",
                text,
                position + 1,
                problem));
    }

    private static String unescaped(String literal) {
        return Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)").matcher(literal).replaceAll(escape -> {
            String meant = escape.group(1);
            String character = switch (meant.charAt(0)) {
                case 'n' -> "\n";
                case 'r' -> "\r";
                case 't' -> "\t";
                case 'u' ->
                    meant.length() == 5 ? String.valueOf((char) Integer.parseInt(meant.substring(1), 16)) : meant;
                default -> meant;
            };
            return Matcher.quoteReplacement(character);
        });
    }

    /** A string, which a name is not. */
    private record Quoted(String text) {}

    /** The arguments between the parentheses of a call. */
    private record Arguments(List<Object> values) {

        boolean areNumbers() {
            return values.stream().allMatch(Long.class::isInstance);
        }

        boolean areNumbers(int count) {
            return values.size() == count && areNumbers();
        }

        /** Returns whether there are only numbers, or numbers and one more argument of the required type. */
        boolean fit(int numbers, int withOneMore, Optional<?> oneMore) {
            long found = values.stream().filter(Long.class::isInstance).count();
            boolean startsWithNumber = !values.isEmpty() && values.get(0) instanceof Long;
            return startsWithNumber
                    && found == numbers
                    && (values.size() == numbers || (values.size() == withOneMore && oneMore.isPresent()));
        }

        long number(int index) {
            return (Long) values.get(index);
        }

        int whole(int index) {
            return whole(number(index));
        }

        int lastWhole() {
            return whole(values.size() - 1);
        }

        List<Integer> wholes() {
            return values.stream().map(value -> whole((Long) value)).toList();
        }

        Optional<String> string() {
            return second(Quoted.class).map(Quoted::text);
        }

        Optional<BufferType> type() {
            return second(String.class).flatMap(name -> named(name, BufferType.values()));
        }

        Optional<ReportKind> kind() {
            return second(String.class).flatMap(name -> named(name, ReportKind.values()));
        }

        private <T> Optional<T> second(Class<T> type) {
            return values.size() < 2
                    ? Optional.empty()
                    : Optional.of(values.get(1)).filter(type::isInstance).map(type::cast);
        }

        private static <E extends Enum<E>> Optional<E> named(String name, E[] values) {
            return Arrays.stream(values)
                    .filter(value -> value.name().equals(name))
                    .findFirst();
        }

        private static int whole(long number) {
            if (number != (int) number) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "%d is too large: it must fit into 32 bits", number));
            }
            return (int) number;
        }
    }
}
