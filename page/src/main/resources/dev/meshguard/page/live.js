"use strict";

/** Shows the live bytes of the whole mesh over the run: the types on top of each other, or each for itself. */
const LiveView = (() => {
    const { resampled, leakedSeries, allEvents } = LiveSeries;
    const ROW = 150;

    let data;
    let chart;
    let leaked;
    let isStacked = true;
    let range;
    let waiting;
    let isInView = false;
    let isBehind = false;

    const x = (event) => Axis.current.of(event);

    const shownRange = () => (range ? range.map(x) : [Axis.current.first, Axis.current.last]);

    const colourOf = (type) => Dom.colour(`type-${type.toLowerCase().replaceAll("_", "-")}`) || Dom.colour("type-other");

    const textStyle = (name = "soft") => ({ color: Dom.colour(name), fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 11 });

    const leakedArea = (type, points, axis) => ({
        ...area({ type }, points, axis),
        id: `leaked-${type}`,
        name: `${type} leaked`,
        lineStyle: { width: 1, color: Dom.colour("leaked") },
        itemStyle: { color: Dom.colour("leaked-area"), decal: { symbol: "none" } },
        areaStyle: { color: Dom.colour("leaked-area"), opacity: 1, decal: { symbol: "none" } },
    });

    const phaseBands = () => ({
        silent: true,
        itemStyle: { color: Dom.colour("band"), decal: { symbol: "none" } },
        label: { ...textStyle(), position: "insideTopLeft", distance: 3 },
        data: data.phases.map((phase, index) => {
            const next = data.phases[index + 1];
            const to = next ? next.from : data.end;
            const [first, last] = shownRange();
            const room = ((Math.min(x(to), last) - Math.max(x(phase.from), first)) / (last - first)) * (chart.getWidth() - MapPainter.gutter(chart.getWidth()) - MapPainter.RIGHT);
            return [
                { name: phase.name, xAxis: x(phase.from), itemStyle: index % 2 === 0 ? {} : { color: "transparent" }, label: { show: room > 30, formatter: room > phase.name.length * 7 + 8 ? phase.name : `${phase.name.slice(0, Math.max(1, Math.floor(room / 7) - 2))}…` } },
                { xAxis: x(to) },
            ];
        }),
    });

    const stepMarks = () => {
        const shown = data.marks.filter((mark) => mark.kind !== "ROUND" || data.marks.length < 40);
        return shown.map((mark) => ({
            xAxis: x(mark.event),
            name: mark.name,
            lineStyle: { color: Dom.colour("soft"), type: "dashed", width: 1 },
            label: { show: false },
        }));
    };

    const peakName = (series) => `${series.type} peak ${Format.shortSize(series.peak.bytes)}`;

    /** Where the name of a peak fits: beside it, rather towards the middle, or above it; undefined in a narrow chart, where the table has it. */
    const placeOfName = (series) => {
        const [first, last] = shownRange();
        const share = (x(series.peak.event) - first) / (last - first);
        const width = chart.getWidth() - MapPainter.gutter(chart.getWidth()) - MapPainter.RIGHT;
        const needed = 7 * peakName(series).length + 10;
        const fits = { left: share * width > needed, right: (1 - share) * width > needed, top: Math.min(share, 1 - share) * width > needed / 2 };
        return [share > 0.5 ? "left" : "right", share > 0.5 ? "right" : "left", "top"].find((place) => fits[place]);
    };

    const peakMark = (series, height, isNamed) => ({
        symbol: "pin",
        symbolSize: 1,
        data: [
            {
                name: "peak",
                coord: [x(series.peak.event), height],
                symbol: "diamond",
                symbolSize: 9,
                itemStyle: { color: colourOf(series.type), borderColor: Dom.colour("paper"), borderWidth: 1.5, decal: { symbol: "none" } },
                label: {
                    ...textStyle("ink"),
                    show: isNamed && placeOfName(series) !== undefined,
                    formatter: peakName(series),
                    position: placeOfName(series),
                    backgroundColor: Dom.colour("paper"),
                    padding: [1, 3],
                    borderRadius: 3,
                },
            },
        ],
    });

    /** Where the clean-up freed a visible amount, and how much. */
    const freedMarks = (events, total) => {
        const most = total.reduce((one, other) => Math.max(one, other), 1);
        const shown = LiveFigures.freedBySteps(data).filter(({ bytes }) => bytes > most * 0.03);
        const heightAt = (event) => total[Math.max(0, events.findLastIndex((one) => one <= event))];
        return {
            id: "freed",
            type: "line",
            data: [],
            silent: true,
            z: 8,
            markPoint: {
                symbol: "triangle",
                symbolSize: 8,
                symbolRotate: 180,
                itemStyle: { color: Dom.colour("clean"), decal: { symbol: "none" } },
                data: shown.map(({ mark, bytes }) => ({
                    name: `freed in ${mark.name}`,
                    coord: [x(mark.event), heightAt(mark.event)],
                    label: { ...textStyle("ink"), show: true, formatter: `freed ${Format.shortSize(bytes)}`, position: x(mark.event) > shownRange()[0] + 0.85 * (shownRange()[1] - shownRange()[0]) ? "left" : "right", backgroundColor: Dom.colour("paper"), padding: [1, 3], borderRadius: 3 },
                })),
            },
        };
    };

    const budgetLine = (name, points, axis) => ({
        id: `budget-${name}`,
        name: `${name} budget`,
        type: "line",
        step: "end",
        xAxisIndex: axis,
        yAxisIndex: axis,
        symbol: "none",
        silent: true,
        lineStyle: { color: Dom.colour("leaked"), type: [6, 3], width: 1.5 },
        itemStyle: { color: Dom.colour("leaked") },
        data: points,
        z: 6,
    });

    const bytesAxis = (most, parts, extra = {}) => ({
        type: "value",
        interval: Format.step(most * 1.12, parts),
        // Room above the highest step for the names of phases.
        max: Format.ceiling(most * 1.12, parts),
        axisLabel: { ...textStyle(), formatter: (bytes) => Format.shortSize(bytes) },
        splitLine: { lineStyle: { color: Dom.colour("line") } },
        ...extra,
    });

    const eventAxis = (extra = {}) => ({
        type: "value",
        min: shownRange()[0],
        max: shownRange()[1],
        axisTick: { show: Axis.current.name !== "phase" },
        axisLabel: { ...textStyle(), show: Axis.current.name !== "phase", formatter: (value) => Axis.current.label(value), showMaxLabel: false, hideOverlap: true },
        axisLine: { lineStyle: { color: Dom.colour("line") } },
        splitLine: { show: false },
        ...extra,
    });

    const rangeMark = () => (Cursor.range === undefined ? [] : [Cursor.range.map((event) => ({ xAxis: x(event) }))]);

    const cursorMark = () => (Cursor.event === undefined ? [] : [{ xAxis: x(Cursor.event), name: "cursor", lineStyle: { color: Dom.colour("cursor"), width: 1.5, type: "solid" }, label: { show: false } }]);

    /** The names of the beginnings of phases, where even steps would be odd numbers of events. */
    const tickMarks = () => {
        const [from, to] = shownRange();
        const room = (to - from) * (70 / chart.getWidth());
        let free = from - room;
        const ticks = Axis.current.ticks ? Axis.current.ticks(from, to) : [];
        return ticks
            .filter((tick) => {
                const isFree = tick >= free + room;
                free = isFree ? tick : free;
                return isFree;
            })
            .map((tick) => ({ xAxis: tick, lineStyle: { color: "transparent" }, label: { ...textStyle(), show: true, position: "start", distance: 6, formatter: Axis.current.label(tick) } }));
    };

    const ticksSeries = (axis) => ({ id: `ticks-${axis}`, type: "line", xAxisIndex: axis, yAxisIndex: axis, data: [], silent: true, markLine: { silent: true, symbol: "none", animation: false, data: tickMarks() } });

    const cursorSeries = (axis) => ({
        id: `cursor-${axis}`,
        type: "line",
        xAxisIndex: axis,
        yAxisIndex: axis,
        data: [],
        silent: true,
        markLine: { silent: true, symbol: "none", animation: false, data: cursorMark() },
        markArea: { silent: true, animation: false, itemStyle: { color: Dom.colour("cursor"), opacity: 0.2, decal: { symbol: "none" } }, data: rangeMark() },
        z: 9,
    });

    const area = (series, points, axis) => ({
        id: `live-${series.type}`,
        name: series.type,
        type: "line",
        step: "end",
        xAxisIndex: axis,
        yAxisIndex: axis,
        symbol: "none",
        silent: true,
        lineStyle: { width: 1, color: colourOf(series.type) },
        itemStyle: { color: colourOf(series.type) },
        areaStyle: { color: colourOf(series.type), opacity: 1 },
        data: points,
        z: 3,
    });

    const common = () => ({
        animation: false,
        aria: { enabled: true, decal: { show: true }, label: { description: `Live bytes of ${data.series.map((series) => series.type).join(", ")} over ${data.end} events. The figures are in the table below.` } },
        textStyle: textStyle(),
    });

    const stacked = () => {
        const events = allEvents(data, leaked);
        const base = new Array(events.length).fill(0);
        const areas = [];
        const drawn = [];
        const named = [];
        const total = new Array(events.length).fill(0);
        data.series.forEach((series) => resampled(series, events).forEach((bytes, index) => {
            total[index] += bytes;
        }));
        let most = total.reduce((one, other) => Math.max(one, other), 1);
        data.series.forEach((series) => {
            const bytes = resampled(series, events);
            const peakAt = events.indexOf(series.peak.event);
            const one = area(series, events.map((event, index) => [x(event), base[index] + bytes[index]]), 0);
            const height = base[peakAt] + series.peak.bytes;
            // Names that would lie on each other say nothing; the table has every peak.
            const isNamed = named.every(([event, other]) => Math.abs(x(event) - x(series.peak.event)) > Axis.current.last * 0.3 || Math.abs(other - height) > most * 0.08);
            if (isNamed) {
                named.push([series.peak.event, height]);
            }
            one.markPoint = peakMark(series, height, isNamed);
            if (leaked.has(series.type)) {
                // Drawn over the type: the lower part of its band is what leaked of it.
                const part = resampled(leaked.get(series.type), events);
                areas.push(leakedArea(series.type, events.map((event, index) => [x(event), base[index] + Math.min(part[index], bytes[index])]), 0));
            }
            areas.push(one);
            if (series.budget != null) {
                // On top of what lies below: where the band crosses the line, the type is over its budget.
                drawn.push(budgetLine(series.type, events.map((event, index) => [x(event), base[index] + series.budget]), 0));
                most = base.reduce((one, below) => Math.max(one, below + series.budget), most);
            }
            bytes.forEach((value, index) => {
                base[index] += value;
            });
        });
        // Each reaches down to zero, so the highest is drawn first and the lower ones over it.
        areas.reverse();
        drawn.push(freedMarks(events, total));
        areas[0].markArea = phaseBands();
        areas[0].markLine = { silent: true, symbol: "none", data: stepMarks() };
        return {
            ...common(),
            grid: { left: MapPainter.gutter(chart.getWidth()), right: MapPainter.RIGHT, top: 12, bottom: 24 },
            xAxis: eventAxis(),
            yAxis: bytesAxis(most, 5),
            series: [...areas, ...drawn, ticksSeries(0), cursorSeries(0)],
        };
    };

    const rows = () => {
        const drawn = [];
        data.series.forEach((series, index) => {
            const events = [...new Set([0, ...series.event, series.peak.event, data.end])].sort((one, other) => one - other);
            const bytes = resampled(series, events);
            const one = area(series, events.map((event, place) => [x(event), bytes[place]]), index);
            one.markPoint = peakMark(series, series.peak.bytes, true);
            one.markArea = { ...phaseBands(), label: { ...phaseBands().label, show: index === 0 } };
            one.markLine = { silent: true, symbol: "none", data: stepMarks() };
            drawn.push(one, ticksSeries(index), cursorSeries(index));
            if (leaked.has(series.type)) {
                const part = leaked.get(series.type);
                drawn.push(leakedArea(series.type, [[x(0), 0], ...part.event.map((event, place) => [x(event), part.bytes[place]]), [x(data.end), part.bytes[part.bytes.length - 1]]], index));
            }
            if (series.budget != null) {
                drawn.push(budgetLine(series.type, [[Axis.current.first, series.budget], [Axis.current.last, series.budget]], index));
            }
        });
        return {
            ...common(),
            title: data.series.map((series, index) => ({ text: series.type, left: 4, top: index * ROW, textStyle: { ...textStyle("ink"), fontSize: 12 } })),
            grid: data.series.map((series, index) => ({ left: MapPainter.gutter(chart.getWidth()), right: MapPainter.RIGHT, top: index * ROW + 20, height: ROW - 50 })),
            xAxis: data.series.map((series, index) => eventAxis({ gridIndex: index })),
            yAxis: data.series.map((series, index) => bytesAxis(Math.max(series.peak.bytes, series.budget || 0), 3, { gridIndex: index })),
            series: drawn,
        };
    };

    const draw = () => {
        const place = Dom.section("live-chart");
        place.style.height = isStacked ? "320px" : `${data.series.length * ROW + 6}px`;
        chart.resize();
        chart.setOption(isStacked ? stacked() : rows(), { notMerge: true });
        // Now and not with the next frame: a page that is printed has none.
        chart.getZr().flush();
        place.dataset.mode = isStacked ? "stacked" : "rows";
        place.dataset.axis = Axis.current.name;
    };

    const drawCursor = () => {
        const place = Dom.section("live-chart");
        const axes = isStacked ? [0] : data.series.map((_, index) => index);
        chart.setOption({ series: axes.map((axis) => ({ id: `cursor-${axis}`, markLine: { data: cursorMark() }, markArea: { data: rangeMark() } })) });
        place.dataset.cursor = Cursor.event;
        place.dataset.range = Cursor.range || "";
    };

    /** Shows the part of the run that the map shows. While nobody sees the chart, it would only delay the next step of the wheel. */
    const follow = () => {
        isBehind = !isInView;
        Dom.section("live-chart").dataset.behind = isBehind;
        if (isBehind) {
            return;
        }
        const [min, max] = shownRange();
        const axes = isStacked ? [0] : data.series.map((_, index) => index);
        chart.setOption({ xAxis: axes.map(() => ({ min, max })), series: axes.map((axis) => ({ id: `ticks-${axis}`, markLine: { data: tickMarks() } })) });
        Dom.section("live-chart").dataset.from = min;
        Dom.section("live-chart").dataset.to = max;
    };

    /** The part of the chart that a point is in, and the event there. */
    const at = (offsetX, offsetY) => {
        const axis = isStacked ? 0 : data.series.findIndex((_, index) => chart.containPixel({ gridIndex: index }, [offsetX, offsetY]));
        if (axis < 0 || !chart.containPixel({ gridIndex: axis }, [offsetX, offsetY])) {
            return undefined;
        }
        const [value] = chart.convertFromPixel({ gridIndex: axis }, [offsetX, offsetY]);
        return Math.max(1, Math.min(data.end, Math.round(Axis.current.event(value))));
    };

    const point = (event) => {
        const number = at(event.offsetX, event.offsetY);
        if (number === undefined) {
            Tooltip.hide();
        } else {
            Tooltip.show(event.event.clientX, event.event.clientY, LiveFigures.tip(data, leaked, number));
        }
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("live");
        if (data.series.length === 0 || data.end === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer was allocated."));
            return;
        }
        leaked = leakedSeries(data);
        const place = Dom.make("div", { class: "chart", id: "live-chart", role: "img" });
        section.append(
            Dom.make(
                "div",
                { class: "controls" },
                data.series.length < 2
                    ? null
                    : Dom.choice(
                          "live-mode",
                          "Types",
                          [
                              ["stacked", "on top of each other"],
                              ["rows", "each for itself"],
                          ],
                          "stacked",
                          (value) => {
                              isStacked = value === "stacked";
                              draw();
                          },
                      ),
                Axis.control("live-axis"),
            ),
            LiveFigures.legend(data, leaked.size > 0),
            place,
            LiveFigures.budgets(data),
            LiveFigures.steps(data) || "",
            Dom.make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Live bytes by type" }, LiveFigures.figures(data)),
            data.aggregated.series.shown < data.aggregated.series.of ? Dom.make("p", { class: "aggregated" }, `${Format.thousands(data.aggregated.series.shown)} of ${Format.thousands(data.aggregated.series.of)} steps are drawn; peaks and the end are exact.`) : "",
        );
        chart = echarts.init(place, null, { renderer: "canvas" });
        chart.getZr().on("click", (event) => {
            const number = at(event.offsetX, event.offsetY);
            if (number !== undefined) {
                Cursor.moveTo(number, "live");
            }
        });
        chart.getZr().on("mousemove", point);
        Tooltip.hideOutside(place);
        draw();
        Dom.onNewWidth(place, () => chart.resize());
        new IntersectionObserver((entries) => {
            isInView = entries[entries.length - 1].isIntersecting;
            if (isBehind) {
                follow();
            }
        }).observe(place);
        Dom.onTheme(draw);
        Cursor.onMove(drawCursor);
        Cursor.onRange(drawCursor);
        Axis.onChange(() => {
            range = undefined;
            draw();
        });
        Cursor.onZoom((from, to) => {
            range = from === undefined ? undefined : [from, to];
            // The map shall not wait for the chart while a reader turns the wheel.
            clearTimeout(waiting);
            waiting = setTimeout(follow, 120);
        });
    };

    return { show };
})();
