package dev.meshguard.report;

import dev.meshguard.event.Origin;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.OriginPattern;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the probable typing error in an expectation entry of one check that matched nothing. */
final class TypingErrorHint {

    private static final List<Phase> USUAL_PHASES = List.of(
            Phase.START,
            Phase.OPEN,
            Phase.SETUP,
            Phase.TEST,
            Phase.TEARDOWN,
            Phase.CACHE_CLEAR,
            Phase.CLOSE,
            Phase.AFTER_CLOSE);

    private TypingErrorHint() {}

    /** Returns the hint, if a typing error is found. */
    static Optional<String> of(Expectation entry, LeakVerdict verdict) {
        Optional<String> ofPhase = entry.phase()
                .flatMap(phase -> ofPhase(phase.name(), phasesOf(verdict).toList()));
        return ofPhase.or(() -> ofDevices(entry.devices(), verdict.history()))
                .or(() -> entry.origin().flatMap(pattern -> ofOrigin(pattern, verdict)));
    }

    private static Stream<String> phasesOf(LeakVerdict verdict) {
        return Stream.concat(verdict.history().phases().stream().map(began -> began.phase()), USUAL_PHASES.stream())
                .map(Phase::name)
                .distinct();
    }

    private static Optional<String> ofPhase(String name, List<String> known) {
        if (known.contains(name)) {
            return Optional.empty();
        }
        return Optional.of(known.stream()
                .filter(name::equalsIgnoreCase)
                .findFirst()
                .map(meant -> String.format(Locale.ROOT, "no phase %s; did you mean %s", name, meant))
                .orElseGet(
                        () -> String.format(Locale.ROOT, "no phase %s; there are %s", name, String.join(", ", known))));
    }

    private static Optional<String> ofDevices(DeviceSet devices, AllocationHistory history) {
        Set<Integer> known = history.meshes().stream()
                .flatMap(mesh -> mesh.devices().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        boolean isOfNoMesh = !devices.isAny()
                && !known.isEmpty()
                && Collections.disjoint(devices.ids(), known)
                && Collections.disjoint(devices.ids(), history.devices());
        return isOfNoMesh
                ? Optional.of(
                        String.format(Locale.ROOT, "no mesh has device %s; there are %s", devices, DeviceSet.of(known)))
                : Optional.empty();
    }

    private static Optional<String> ofOrigin(OriginPattern pattern, LeakVerdict verdict) {
        return verdict.survivors().stream()
                .flatMap(survivor -> survivor.buffer().origin().stream())
                .distinct()
                .map(Origin::frames)
                .flatMap(List::stream)
                .flatMap(frame -> ofFrame(pattern.text(), frame).stream())
                .findFirst();
    }

    private static Optional<String> ofFrame(String text, StackTraceElement frame) {
        Optional<String> narrowest = OriginPattern.of(frame).map(OriginPattern::text);
        if (narrowest.filter(name -> name.endsWith("." + text)).isPresent()) {
            return Optional.of(String.format(Locale.ROOT, "a method alone fits nothing; write %s", narrowest.get()));
        }
        if (frame.getClassName().startsWith(text + ".")) {
            return Optional.of(String.format(Locale.ROOT, "a package alone fits nothing; write %s.*", text));
        }
        return narrowest
                .filter(text::equalsIgnoreCase)
                .map(name -> String.format(Locale.ROOT, "names fit letter for letter; did you mean %s", name));
    }
}
