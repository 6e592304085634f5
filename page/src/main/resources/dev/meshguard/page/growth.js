"use strict";

/** Shows the memory that remains after each round: by origin, or by memory. */
const GrowthView = (() => {
    const MOST = 8;
    const COLOURS = ["type-dram", "type-trace", "type-l1", "type-system-memory", "type-l1-small", "type-other"];
    /** Disc, square, triangle and diamond, in a drawing of 10 by 10. */
    const SYMBOLS = ["M5 0A5 5 0 0 1 5 10A5 5 0 0 1 5 0Z", "M0 0H10V10H0Z", "M5 0 10 10H0Z", "M5 0 10 5 5 10 0 5Z"];

    let data;
    let chart;
    let mode;
    let lines;
    let drawn;

    /** Memory of unknown size, as of closeable objects, is counted in units. */
    const text = (line, amount, ofBytes) => (line.units ? Format.units(amount, line.units) : ofBytes(amount));

    const steepestFirst = (all) => all.sort((one, other) => Math.abs(other.perRound) - Math.abs(one.perRound));

    const byOrigin = () => steepestFirst(data.growth.sites.map((line) => ({ ...line, label: line.name, name: line.site || line.name })));

    const byMemory = () => steepestFirst([...data.growth.memories]);

    /** Bytes and units have no common axis: units are drawn where no bytes are. */
    const drawnFirst = (all) => {
        const [counted, sized] = [true, false].map((isCounted) => all.filter((line) => Boolean(line.units) === isCounted));
        drawn = (sized.length > 0 ? sized : counted).slice(0, MOST);
        return [...drawn, ...all.filter((line) => !drawn.includes(line))];
    };

    const draw = () => {
        const place = Dom.section("growth-chart");
        const rounds = data.growth.round;
        const last = atTheEnd(rounds);
        const ahead = Math.max(1, Math.round(last / 6));
        const shown = drawn.map((line, index) => ({ ...line, index, end: atTheEnd(line.amounts), colour: Dom.colour(COLOURS[index % COLOURS.length]) }));
        const none = new Array(rounds.length - 1).fill(null);
        const solid = shown.map(({ amounts, colour, index }) => [[...amounts, null], { label: `${index} memory`, stroke: colour, width: 2 }]);
        const dotted = shown.filter((line) => line.perRound !== 0).map(({ end, perRound, colour, index }) => [[...none, end, end + perRound * ahead], { label: `${index} slope`, stroke: colour, width: 2, dash: [2, 4] }]);
        chart?.destroy();
        chart = Chart.create(place, {
            height: 320,
            padding: [14, 16, 0, 0],
            range: () => [rounds[0], last + ahead],
            xAxis: { size: 24, label: "round", labelSize: 18, labelGap: 0, labelFont: Chart.font(), incrs: [1, 2, 5].flatMap((digit) => [1, 10, 100, 1_000, 10_000].map((power) => digit * power)).sort((one, other) => one - other), values: (_, values) => values },
            most: shown.reduce((most, { amounts, end, perRound }) => Math.max(most, end + perRound * ahead, ...amounts), 1),
            amount: shown[0].units ? String : Format.shortSize,
            parts: 5,
            gutter: 76,
            columns: [[...rounds, last + ahead], ...[...solid, ...dotted].map(([values]) => values)],
            lines: [...solid, ...dotted].map(([, line]) => line),
            above: (ofLines, context) =>
                shown.forEach(({ amounts, colour, index }) =>
                    amounts.forEach((amount, place) => Chart.sign(context, SYMBOLS[index % SYMBOLS.length], ofLines.valToPos(rounds[place], "x"), 14 + ofLines.valToPos(amount, "y"), colour, amounts.length > 60 ? 3 : 7)),
                ),
        });
        Tooltip.follow(chart.over, tip);
        place.ariaLabel = `Memory remaining after each of ${rounds.length} rounds. The figures are in the table below.`;
    };

    /** What each drawn line has after the round at the pointer. */
    const tip = (pointer) => {
        const value = Chart.valueAt(chart, pointer);
        const { round } = data.growth;
        const nearest = round.reduce((best, one, index) => (Math.abs(one - value) < Math.abs(round[best] - value) ? index : best), 0);
        return [
            Dom.make("p", {}, Dom.make("b", {}, `After round ${round[nearest]}`)),
            drawn.map((line, index) => Dom.make("p", {}, swatch(index), `${text(line, line.amounts[nearest], Format.shortSize)} ${Format.shortFrame(line.name)}`)),
        ];
    };

    const swatch = (index) => Dom.swatch(COLOURS[index % COLOURS.length], Dom.draw("path", { d: SYMBOLS[index % SYMBOLS.length] }));

    const atTheEnd = (values) => values[values.length - 1];

    const figures = () =>
        SortableTable.create({
            id: "growth-table",
            caption: "Memory remaining after each round",
            rows: lines.map((line, index) => ({ ...line, position: index })),
            rowProperties: (line) => ({ "data-name": line.name }),
            columns: [
                {
                    key: "name",
                    title: mode === "origin" ? "Origin" : "Memory",
                    value: (line) => line.name,
                    cells: (line) => [
                        line.position < drawn.length ? swatch(line.position) : null,
                        mode === "origin" ? Dom.frame(line.name) : line.name,
                        line.label && line.label !== line.name ? Dom.make("span", { class: "of" }, line.label) : null,
                    ],
                },
                { key: "slope", title: "In each round", number: true, value: (line) => line.perRound, cells: (line) => (line.perRound > 0 ? "+" : "") + text(line, line.perRound, Format.shortSize) },
                { key: "memory", title: "At the end", number: true, value: (line) => atTheEnd(line.amounts), cells: (line) => text(line, atTheEnd(line.amounts), Format.size) },
                ...(mode === "origin" ? [{ key: "devices", title: "Devices", number: true, value: (line) => line.devices, cells: (line) => String(line.devices) }] : []),
                { key: "trend", title: "Trend", value: (line) => line.trend, cells: (line) => line.trend.toLowerCase().replaceAll("_", " ") },
            ],
        }).element;

    const choose = (value) => {
        mode = value;
        lines = drawnFirst(mode === "origin" ? byOrigin() : byMemory());
        Dom.section("growth-figures").replaceChildren(figures());
        draw();
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("growth");
        if (!data.growth || (data.growth.sites.length === 0 && data.growth.memories.length === 0)) {
            section.hidden = true;
            return;
        }
        mode = data.growth.sites.length > 0 ? "origin" : "memory";
        const container = Dom.make("div", { class: "chart", id: "growth-chart", role: "img" });
        section.append(
            Dom.make("pre", { class: "text", id: "growth-text", tabindex: "0" }, data.growth.text.join("\n")),
            data.growth.sites.length === 0 || data.growth.memories.length === 0 ? "" : Dom.make("div", { class: "controls" }, Dom.select("growth-mode", "By", [["origin", "origin"], ["memory", "memory"]], choose)),
            container,
            Dom.make("p", { class: "note" }, "Solid: remaining memory. Dotted: the slope, extrapolated."),
            Dom.make("div", { id: "growth-figures" }),
        );
        choose(mode);
        Dom.onNewWidth(container, draw);
        Dom.onTheme(draw);
    };

    return {
        show,
        get chart() {
            return chart;
        },
    };
})();
