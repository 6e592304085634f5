"use strict";

/** Shows the live bytes of the whole mesh over the run: the types on top of each other, or each for itself. */
const LiveView = (() => {
    const { resampled, leakedSeries, allEvents } = LiveSeries;
    const STACKED = 320;
    const ROW = 156;
    const DIAMOND = "M5 0 10 5 5 10 0 5Z";
    const TRIANGLE = "M0 1H10L5 9Z";

    let data;
    let place;
    let leaked;
    let panels = [];
    let isStacked = true;
    let axis;
    let waiting;

    const x = (event) => axis.of(event);

    const shownRange = () => [Axis.view.from, Axis.view.to];

    /** Stripes in the direction of a type. */
    const striped = (type) => (chart) => MapPainter.stripes(chart.ctx, MapPainter.typeColour(type), "#0003", 6 * uPlot.pxRatio, new DOMMatrix().rotate(LiveFigures.angleOf(type)));

    const step = (label, values, line) => ({ values, line: { label, paths: uPlot.paths.stepped({ align: 1 }), width: 1, fillTo: 0, ...line } });

    /** The areas, budgets and peaks of a chart. Each area reaches down to zero, so the highest is drawn first. */
    const layers = (list) => {
        const events = allEvents(data, leaked);
        const base = new Array(events.length).fill(0);
        const areas = [];
        const budgets = [];
        const peaks = [];
        let most = 1;
        for (const series of list) {
            const { type, budget, peak } = series;
            const bytes = resampled(series, events);
            const onTop = (values) => values.map((value, index) => base[index] + value);
            if (leaked.has(type)) {
                // Drawn over the type: the lower part of its band is what leaked of it.
                const part = resampled(leaked.get(type), events).map((value, index) => Math.min(value, bytes[index]));
                areas.unshift(step(`${type} leaked`, onTop(part), { stroke: Dom.colour("leaked"), fill: Dom.colour("leaked-area") }));
            }
            areas.unshift(step(type, onTop(bytes), { stroke: MapPainter.typeColour(type), fill: striped(type) }));
            if (budget != null) {
                // On top of what lies below: where the band crosses the line, the type is over its budget.
                budgets.push(step(`${type} budget`, onTop(events.map(() => budget)), { stroke: Dom.colour("leaked"), width: 1.5, dash: [6, 3] }));
            }
            peaks.push({ type, peak, height: base[events.indexOf(peak.event)] + peak.bytes });
            most = [...onTop(bytes), ...(budget == null ? [] : onTop(base.map(() => budget)))].reduce((one, other) => Math.max(one, other), most);
            bytes.forEach((value, index) => {
                base[index] += value;
            });
        }
        return { events, total: base, peaks, most, steps: [...areas, ...budgets] };
    };

    /** Writes a name beside a point: rather towards the middle, or above it, where it covers no other. The table has every name. */
    const name = (context, scene, text, at, height) => {
        const wide = context.measureText(text).width + 6;
        const [left, right] = [at - wide - 8, at + 8].map((from) => ({ text, left: from, right: from + wide, top: height - 7, bottom: height + 7 }));
        const above = { text, left: at - wide / 2, right: at + wide / 2, top: height - 22, bottom: height - 8 };
        const isFree = (one) => one.left >= 0 && one.right <= scene.width && one.top >= 0 && scene.labels.every((other) => one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top);
        const box = [...(at > scene.width / 2 ? [left, right] : [right, left]), above].find(isFree);
        if (box) {
            context.fillStyle = Dom.colour("paper");
            context.fillRect(box.left, box.top, wide, 14);
            context.fillStyle = Dom.colour("ink");
            context.fillText(text, box.left + 3, height + (box === above ? -15 : 0));
            scene.labels.push(box);
        }
    };

    /** The scene in which the painter of the map draws its phases, steps and ticks here too. */
    const sceneOf = (chart) => ({
        data: { ...data, marks: data.marks.filter((mark) => mark.kind !== "ROUND" || data.marks.length < 40) },
        axis,
        x: (value) => chart.valToPos(value, "x"),
        width: chart.over.clientWidth,
        height: chart.height,
        view: { from: chart.scales.x.min, to: chart.scales.x.max },
        font: Chart.font(),
        labels: [],
    });

    const signs = (chart, context, scene, { events, total, peaks, most }) => {
        const y = (bytes) => MapPainter.TOP + chart.valToPos(bytes, "y");
        const isShown = (event) => x(event) >= scene.view.from && x(event) <= scene.view.to;
        const drawn = [];
        for (const { type, peak, height } of peaks.filter((one) => isShown(one.peak.event))) {
            const at = scene.x(x(peak.event));
            drawn.push([`${type} peak ${Format.shortSize(peak.bytes)}`, at, y(height)]);
            Chart.sign(context, DIAMOND, at, y(height), MapPainter.typeColour(type));
        }
        // Where the clean-up freed a visible amount.
        for (const { mark, bytes } of isStacked ? LiveFigures.freedBySteps(data) : []) {
            if (bytes > most * 0.03 && isShown(mark.event)) {
                const height = y(total[Math.max(0, events.findLastIndex((one) => one <= mark.event))]);
                drawn.push([`freed ${Format.shortSize(bytes)}`, scene.x(x(mark.event)), height]);
                Chart.sign(context, TRIANGLE, scene.x(x(mark.event)), height, Dom.colour("clean"));
            }
        }
        // No name covers a sign.
        scene.labels.push(...drawn.map(([, at, height]) => ({ text: "", left: at - 6, right: at + 6, top: height - 6, bottom: height + 6 })));
        drawn.forEach(([text, at, height]) => name(context, scene, text, at, height));
    };

    /** A chart of some types. */
    const panel = (list) => {
        const { steps, ...drawn } = layers(list);
        const gutter = MapPainter.gutter(place.clientWidth);
        const holder = Dom.make("div");
        place.append(holder);
        const shown = { holder, scene: undefined };
        shown.chart = Chart.create(holder, {
            height: isStacked ? STACKED : ROW,
            padding: [MapPainter.TOP, MapPainter.RIGHT, MapPainter.BOTTOM, 0],
            range: shownRange,
            xAxis: { show: false },
            most: drawn.most * 1.02,
            parts: isStacked ? 5 : 3,
            gutter,
            columns: [drawn.events.map(x), ...steps.map(({ values }) => values)],
            lines: steps.map(({ line }) => line),
            below: (chart, context) => {
                shown.scene = sceneOf(chart);
                const colours = MapPainter.palette(context, uPlot.pxRatio);
                MapPainter.phases(context, shown.scene, colours);
                if (!isStacked) {
                    context.fillStyle = colours.ink;
                    context.fillText(list[0].type, 4 - gutter, 9);
                }
            },
            above: (chart, context) => {
                const colours = MapPainter.palette(context, uPlot.pxRatio);
                MapPainter.marks(context, shown.scene, colours);
                MapPainter.ticks(context, shown.scene, colours);
                signs(chart, context, shown.scene, drawn);
                MapPainter.cursor(context, shown.scene, colours, { cursor: Cursor.event.value, brush: Cursor.range.value?.map(x) });
            },
        });
        const eventAt = (pointer) => Math.max(1, Math.min(data.end, Math.round(axis.event(Chart.valueAt(shown.chart, pointer)))));
        Tooltip.follow(shown.chart.over, (pointer) => LiveFigures.tip(data, leaked, eventAt(pointer)));
        shown.chart.over.addEventListener("click", (pointer) => Cursor.event.set(eventAt(pointer)));
        return shown;
    };

    const draw = () => {
        panels.forEach(({ chart, holder }) => {
            chart.destroy();
            holder.remove();
        });
        axis = Axis.current;
        panels = isStacked ? [panel(data.series)] : data.series.map((series) => panel([series]));
    };

    const drawCursor = () => panels.forEach(({ chart }) => chart.redraw(false));

    /** Shows the part of the run that the map shows. */
    const follow = () => {
        const [min, max] = shownRange();
        panels.forEach(({ chart }) => chart.setScale("x", { min, max }));
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("live");
        if (data.series.every((series) => series.peak.bytes === 0) || data.end === 0) {
            section.hidden = true;
            return;
        }
        leaked = leakedSeries(data);
        place = Dom.make("div", { class: "chart", id: "live-chart", role: "img", "aria-label": `Live bytes of ${data.series.map((series) => series.type).join(", ")} over ${data.end} events. The figures are in the table below.` });
        section.append(
            Dom.make(
                "div",
                { class: "controls" },
                data.series.length < 2
                    ? null
                    : Dom.select("live-mode", "Types", [["stacked", "on top of each other"], ["rows", "each for itself"]], (value) => {
                          isStacked = value === "stacked";
                          draw();
                      }),
                Axis.control("live-axis"),
            ),
            LiveFigures.legend(data, leaked.size > 0),
            place,
            LiveFigures.budgets(data),
            LiveFigures.steps(data) || "",
            Dom.make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Live bytes by type" }, LiveFigures.figures(data)),
            Dom.omitted(data.aggregated.series, "steps are drawn; peaks and the end are exact."),
        );
        draw();
        Dom.onNewWidth(place, draw);
        Dom.onTheme(draw);
        Cursor.event.onChange(drawCursor);
        Cursor.range.onChange(drawCursor);
        // The map shall not wait for the chart while a reader turns the wheel, least of all for one that is not on the screen.
        const followWhenSeen = Dom.whenSeen(place, follow);
        Axis.onChange((view) => {
            clearTimeout(waiting);
            if (view.axis === axis) {
                waiting = setTimeout(followWhenSeen, 120);
            } else {
                draw();
            }
        });
    };

    return {
        show,
        get charts() {
            return panels.map(({ chart }) => chart);
        },
        get labels() {
            return panels.flatMap(({ scene }) => scene.labels);
        },
    };
})();
