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
import java.util.stream.Collectors;

/**
 * Measures how fast Chromium opens the page of the language model's run, and how fast the lifetime map zooms.
 *
 * <p>Each round starts a new browser. Opening the page is measured in CPU time of the renderer, with all threads; that of an empty page is
 * printed beside it. A step of zoom is measured by the clock, from the event of the wheel to the end of the task that draws the frame, and
 * in CPU time of the main thread.
 */
public final class PageSpeed {

    private static final int DEFAULT_ROUNDS = 7;
    private static final int STEPS = 60;

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
        List<Double> clock = new ArrayList<>();
        List<Double> mainThread = new ArrayList<>();
        List<Double> idle = new ArrayList<>();
        Zoom fast = new Zoom(0);
        Zoom slow = new Zoom(200);
        for (int round = 0; round < rounds; round++) {
            try (Chromium chromium = open(empty)) {
                promised(chromium, WHEN_IDLE);
                start.add(1000 * metrics(chromium).get("ProcessTime"));
            }
            try (Chromium chromium = open(page)) {
                clock.add(promised(chromium, "mapIsDrawn"));
                Map<String, Double> atMap = metrics(chromium);
                chromium.run("goOn()");
                promised(chromium, WHEN_IDLE);
                Map<String, Double> atEnd = metrics(chromium);
                drawn.add(1000 * atMap.get("ProcessTime"));
                mainThread.add(1000 * atMap.get("TaskDuration"));
                idle.add(1000 * atEnd.get("ProcessTime"));
                out.println(round + " until the map: " + described(atMap));
                out.println(round + " until idle:    " + described(atEnd));
                fast.measure(chromium);
                slow.measure(chromium);
            }
        }
        print("an empty page, CPU of the process", start);
        print("opened until the map is drawn, CPU of the process", drawn);
        print("the same, CPU of the main thread", mainThread);
        print("the same, by the clock", clock);
        print("opened until nothing is left to do, CPU of the process", idle);
        fast.print("a step of zoom");
        slow.print("a step of zoom each 200 ms");
    }

    private Chromium open(Path page) {
        Chromium chromium = Chromium.start(installed);
        chromium.command("Performance.enable", Map.of("timeDomain", "threadTicks"));
        chromium.beforeEachPage(STOP_AT_THE_MAP);
        // Returns before the scripts of the page have run: driver.get waits until all of them have.
        chromium.command("Page.navigate", Map.of("url", page.toUri().toString()));
        return chromium;
    }

    private static double promised(Chromium chromium, String expression) {
        Map<?, ?> result =
                (Map<?, ?>) chromium.command("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true))
                        .get("result");
        return ((Number) result.get("value")).doubleValue();
    }

    private static Map<String, Double> metrics(Chromium chromium) {
        List<?> metrics =
                (List<?>) chromium.command("Performance.getMetrics", Map.of()).get("metrics");
        return metrics.stream()
                .map(metric -> (Map<?, ?>) metric)
                .collect(Collectors.toMap(
                        metric -> String.valueOf(metric.get("name")),
                        metric -> ((Number) metric.get("value")).doubleValue()));
    }

    private static String described(Map<String, Double> metrics) {
        return List.of("ProcessTime", "TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
                .stream()
                .map(name -> String.format(Locale.ROOT, "%s %.0f ms", name, 1000 * metrics.get(name)))
                .collect(Collectors.joining(", "));
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

    /** Zooms in and out again by the wheel, one step after the other. */
    private final class Zoom {

        private final int pauseMillis;
        private final List<Double> clock = new ArrayList<>();
        private final List<Double> mainThread = new ArrayList<>();

        Zoom(int pauseMillis) {
            this.pauseMillis = pauseMillis;
        }

        void measure(Chromium chromium) {
            chromium.run("document.querySelector('#map-canvas').scrollIntoView({block: 'center'});"
                    + "document.querySelector('#map-canvas').focus({preventScroll: true});");
            chromium.run("if (!window.wheelSteps) {" + WATCH_THE_WHEEL + "}");
            chromium.run("wheelSteps.length = 0");
            for (int step = 0; step < STEPS; step++) {
                chromium.run("armWheel()");
                double before = metrics(chromium).get("TaskDuration");
                wheel(chromium, step % 20 < 10 ? -100 : 100);
                promised(chromium, "wheelStep");
                mainThread.add(1000 * (metrics(chromium).get("TaskDuration") - before));
                promised(chromium, "new Promise(resolve => setTimeout(() => resolve(0), " + pauseMillis + "))");
            }
            ((List<?>) chromium.value("wheelSteps")).forEach(step -> clock.add(((Number) step).doubleValue()));
        }

        private void wheel(Chromium chromium, int by) {
            Chromium.Box box = chromium.box("#map-canvas");
            double x = box.x() + box.width() / 2;
            double y = box.y() + box.height() / 2;
            chromium.command(
                    "Input.dispatchMouseEvent",
                    Map.of("type", "mouseWheel", "x", x, "y", y, "deltaX", 0, "deltaY", by));
        }

        void print(String what) {
            PageSpeed.this.print(what + ", by the clock", clock);
            PageSpeed.this.print(what + ", CPU of the main thread", mainThread);
        }
    }
}
