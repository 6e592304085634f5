package dev.meshguard.samples.errorpaths;

import dev.meshguard.samples.support.Fixtures;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The output of runs that {@code docs/mesh-fake.md} shows. */
class ErrorPathsPage {

    private final Map<String, Optional<Throwable>> runs = Fixtures.runByDisplayName(CarelessDecoderTestCase.class);

    String runs() {
        return runs.entrySet().stream()
                .map(run -> String.format(
                        Locale.ROOT, "%-52s  %s", run.getKey(), run.getValue().isPresent() ? "failed" : "passed"))
                .collect(Collectors.joining("\n"));
    }

    String secondRun() {
        return runs.get("allocation 2 of 4 fails: CarelessDecoder.decode:19")
                .orElseThrow()
                .getMessage();
    }
}
