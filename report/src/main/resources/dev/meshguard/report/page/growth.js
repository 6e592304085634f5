"use strict";

/** What is left after each round, by fingerprint: the memory and the books apart. */
const GrowthView = (() => {
    const MOST = 8;
    const COLOURS = ["type-dram", "type-l1", "type-trace", "type-l1-small", "type-system-memory", "type-other"];

    let data;
    let chart;

    const sites = () => [...data.growth.sites].sort((one, other) => Math.abs(other.slopeBytesPerRound) - Math.abs(one.slopeBytesPerRound));

    const draw = () => {
        const text = { color: Dom.colour("soft"), fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 11 };
        const shown = sites().slice(0, MOST);
        const series = shown.flatMap((site, index) => {
            const colour = Dom.colour(COLOURS[index % COLOURS.length]);
            const line = (name, bytes, style) => ({
                name,
                type: "line",
                data: bytes.map((value, round) => [round + 1, value]),
                symbol: ["circle", "rect", "triangle", "diamond"][index % 4],
                symbolSize: bytes.length > 60 ? 3 : 6,
                itemStyle: { color: colour, decal: { symbol: "none" } },
                lineStyle: { color: colour, width: 2, ...style },
            });
            const last = site.memory.length;
            const end = site.memory[last - 1];
            const slope = { name: `${index + 1} slope`, type: "line", symbol: "none", silent: true, lineStyle: { color: colour, type: "dotted", width: 1.5 }, itemStyle: { color: colour }, data: [[1, end - site.slopeBytesPerRound * (last - 1)], [last + Math.max(1, Math.round(last / 6)), end + site.slopeBytesPerRound * Math.max(1, Math.round(last / 6))]] };
            return [line(`${index + 1} memory`, site.memory, {}), ...(site.books.some((value, round) => value !== site.memory[round]) ? [line(`${index + 1} books`, site.books, { type: "dashed", width: 1.5 })] : []), ...(site.slopeBytesPerRound === 0 ? [] : [slope])];
        });
        const most = Math.max(1, ...shown.flatMap((site) => [...site.memory, ...site.books, site.memory[site.memory.length - 1] + site.slopeBytesPerRound * Math.max(1, Math.round(data.growth.rounds / 6))]));
        chart.setOption(
            {
                animation: false,
                aria: { enabled: true, label: { description: `Bytes that are left after each of ${data.growth.rounds} rounds. The figures are in the table below.` } },
                grid: { left: 4, right: 16, top: 14, bottom: 22, containLabel: true },
                xAxis: { type: "value", min: 1, max: data.growth.rounds + Math.max(1, Math.round(data.growth.rounds / 6)), minInterval: 1, name: "round", nameLocation: "middle", nameGap: 24, nameTextStyle: text, axisLabel: text, splitLine: { show: false }, axisLine: { lineStyle: { color: Dom.colour("line") } } },
                yAxis: { type: "value", interval: Words.step(most, 5), max: Words.ceiling(most, 5), axisLabel: { ...text, formatter: (bytes) => Words.shortSize(bytes) }, splitLine: { lineStyle: { color: Dom.colour("line") } } },
                series,
            },
            { notMerge: true },
        );
    };

    const figures = () => {
        const all = sites();
        return SortableTable.create({
            id: "growth-table",
            caption: "Growth by origin",
            rows: all.map((site, index) => ({ ...site, number: index + 1 })),
            columns: [
                {
                    key: "name",
                    title: "Origin",
                    value: (site) => site.name,
                    cells: (site) => [site.number <= MOST ? Dom.draw("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, Dom.draw("rect", { class: COLOURS[(site.number - 1) % COLOURS.length], width: 10, height: 10, rx: 2 })) : null, Dom.make("code", { class: "site" }, site.name)],
                },
                { key: "type", title: "Type", value: (site) => site.type, cells: (site) => site.type },
                { key: "slope", title: "In each round", number: true, value: (site) => site.slopeBytesPerRound, cells: (site) => (site.slopeBytesPerRound === 0 ? "0 B" : Words.signedSize(Math.round(site.slopeBytesPerRound))) },
                { key: "memory", title: "Memory at the end", number: true, value: (site) => site.memory[site.memory.length - 1], cells: (site) => Words.size(site.memory[site.memory.length - 1]) },
                { key: "books", title: "Books at the end", number: true, value: (site) => site.books[site.books.length - 1], cells: (site) => Words.size(site.books[site.books.length - 1]) },
                { key: "standing", title: "Standing", value: (site) => site.standing, cells: (site) => site.standing.toLowerCase() },
                { key: "forecast", title: "Forecast", value: (site) => site.forecast || "", cells: (site) => site.forecast || Dom.make("span", { class: "absent" }, "–") },
            ],
        });
    };

    const show = (given) => {
        data = given;
        const section = Dom.section("growth");
        if (!data.growth) {
            section.hidden = true;
            return;
        }
        const place = Dom.make("div", { class: "chart", id: "growth-chart" });
        section.append(
            data.growth.words.length === 0 ? "" : Dom.make("ul", { class: "words", id: "growth-words" }, data.growth.words.map((words) => Dom.make("li", {}, words))),
            place,
            Dom.make("p", { class: "note" }, "Solid: the memory. Dashed: what the books say, where they say something else. Dotted: the slope, carried on."),
            figures().element,
        );
        chart = echarts.init(place, null, { renderer: "canvas" });
        draw();
        new ResizeObserver(() => chart.resize()).observe(place);
        Dom.onTheme(draw);
    };

    return { show };
})();
