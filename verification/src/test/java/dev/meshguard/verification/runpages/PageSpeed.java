package dev.meshguard.verification.runpages;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures how fast Chromium opens the page of the language model's run, and how fast the lifetime map zooms.
 *
 * <p>Each round starts a new browser. Opening the page is measured in CPU time of the renderer, with all threads; that of an empty page is
 * printed beside it. A step of zoom is measured by the clock, from the event of the wheel to the end of the task that draws the frame.
 */
public final class PageSpeed {

    private static final int DEFAULT_ROUNDS = 7;
    private static final int STEPS = 60;
    private static final int PAUSE_MILLIS = 200;

    /** Stops the page at the first frame after the map is drawn: what the page does afterwards is not counted. */
    private static final String STOP_AT_THE_MAP = """
            const next = window.requestAnimationFrame;
            let waiting = [];
            window.goOn = () => {
                waiting.forEach(callback => next(callback));
                waiting = undefined;
            };
            window.mapIsDrawn = new Promise(resolve => {
                window.requestAnimationFrame = callback => next(time => {
                    if (waiting && typeof MapView !== 'undefined' && MapView.scene) {
                        waiting.push(callback);
                        resolve(performance.now());
                    } else {
                        callback(time);
                    }
                });
            });""";

    /** Resolves when no frame is due and no timer of the page is left. */
    private static final String WHEN_IDLE = """
            new Promise(resolve => setTimeout(() => requestIdleCallback(() => resolve(performance.now())), 1000))""";

    /** Takes the time of a wheel event, and of the first task after the frame that follows it. */
    private static final String WATCH_THE_WHEEL = """
            window.wheelSteps = [];
            const channel = new MessageChannel();
            window.armWheel = () => {
                window.wheelStep = new Promise(resolve => {
                    addEventListener('wheel', () => {
                        const began = performance.now();
                        channel.port1.onmessage = () => resolve(wheelSteps.push(performance.now() - began));
                        requestAnimationFrame(() => channel.port2.postMessage(0));
                    }, { capture: true, passive: true, once: true });
                });
            };""";

    private final PrintStream out;
    private final int rounds;
    private final List<Path> installed;

    private PageSpeed(PrintStream out, int rounds, List<Path> installed) {
        this.out = out;
        this.rounds = rounds;
        this.installed = installed;
    }

    /** Measures as many rounds as the only argument says. */
    public static void main(String... arguments) throws IOException {
        int rounds = arguments.length == 0 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[0]);
        List<Path> installed = Chromium.installed()
                .orElseThrow(() -> new IllegalStateException("Chromium and chromedriver are not on the PATH."));
        Path folder = Files.createTempDirectory("page-speed");
        Path page = SampleRuns.languageModel().file();
        Path empty = Files.writeString(folder.resolve("empty.html"), "<!DOCTYPE html><title>empty</title>");
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println(page + ": " + Files.size(page) + " bytes");
        new PageSpeed(out, rounds, installed).measure(page, empty);
    }

    private void measure(Path page, Path empty) {
        List<Double> start = new ArrayList<>();
        List<Double> drawn = new ArrayList<>();
        List<Double> steps = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            try (Chromium chromium = open(empty)) {
                await(chromium, WHEN_IDLE);
                start.add(cpuMillis(chromium));
            }
            try (Chromium chromium = open(page)) {
                await(chromium, "mapIsDrawn");
                drawn.add(cpuMillis(chromium));
                chromium.run("goOn()");
                await(chromium, WHEN_IDLE);
                zoom(chromium);
                ((List<?>) chromium.value("wheelSteps")).forEach(step -> steps.add(((Number) step).doubleValue()));
            }
        }
        print("an empty page, CPU of the process", start);
        print("opened until the map is drawn, CPU of the process", drawn);
        print("a step of zoom each " + PAUSE_MILLIS + " ms, by the clock", steps);
    }

    private Chromium open(Path page) {
        Chromium chromium = Chromium.start(installed);
        chromium.command("Performance.enable", Map.of("timeDomain", "threadTicks"));
        chromium.beforeEachPage(STOP_AT_THE_MAP);
        // Returns before the scripts of the page have run: driver.get waits until all of them have.
        chromium.command("Page.navigate", Map.of("url", page.toUri().toString()));
        return chromium;
    }

    private static void await(Chromium chromium, String promise) {
        chromium.command("Runtime.evaluate", Map.of("expression", promise, "awaitPromise", true));
    }

    private static double cpuMillis(Chromium chromium) {
        List<?> metrics =
                (List<?>) chromium.command("Performance.getMetrics", Map.of()).get("metrics");
        return metrics.stream()
                .map(metric -> (Map<?, ?>) metric)
                .filter(metric -> "ProcessTime".equals(metric.get("name")))
                .mapToDouble(metric -> 1000 * ((Number) metric.get("value")).doubleValue())
                .sum();
    }

    /** Zooms in and out again by the wheel, one step after the other. */
    private static void zoom(Chromium chromium) {
        chromium.run("document.querySelector('#map-canvas').scrollIntoView({block: 'center'});"
                + "document.querySelector('#map-canvas').focus({preventScroll: true});" + WATCH_THE_WHEEL);
        Chromium.Box box = chromium.box("#map-canvas");
        double x = box.x() + box.width() / 2;
        double y = box.y() + box.height() / 2;
        for (int step = 0; step < STEPS; step++) {
            int by = step % 20 < 10 ? -100 : 100;
            chromium.run("armWheel()");
            chromium.command(
                    "Input.dispatchMouseEvent",
                    Map.of("type", "mouseWheel", "x", x, "y", y, "deltaX", 0, "deltaY", by));
            await(chromium, "wheelStep");
            await(chromium, "new Promise(resolve => setTimeout(resolve, " + PAUSE_MILLIS + "))");
        }
    }

    private void print(String what, List<Double> millis) {
        double[] sorted =
                millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        out.printf(
                Locale.ROOT,
                "%s: min %.1f ms, median %.1f ms, p95 %.1f ms, max %.1f ms (%d)%n",
                what,
                sorted[0],
                sorted[sorted.length / 2],
                sorted[(int) Math.ceil(sorted.length * 0.95) - 1],
                sorted[sorted.length - 1],
                sorted.length);
    }
}
