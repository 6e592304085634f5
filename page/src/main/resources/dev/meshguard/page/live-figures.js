"use strict";

/** Shows the figures of live bytes: the legend, the table of types, the steps of the clean-up and broken budgets. */
const LiveFigures = (() => {
    const { bytesAt } = LiveSeries;

    const percent = (part, whole) => {
        const share = (100 * part) / whole;
        return `${share >= 10 || share === 0 ? Math.round(share) : share >= 0.1 ? Math.round(share * 10) / 10 : "less than 0.1"} %`;
    };

    /** What became free in each step of the clean-up, by type, until the next step. */
    const freedBySteps = (data) => {
        const steps = data.marks.filter((mark) => mark.kind === "TEARDOWN" || mark.kind === "CHECK");
        return steps.map((mark, index) => {
            const to = steps[index + 1] ? steps[index + 1].event : data.end;
            const types = data.series.map((series) => ({ type: series.type, bytes: bytesAt(series, mark.event) - bytesAt(series, to) })).filter(({ bytes }) => bytes > 0);
            return { mark, types, bytes: types.reduce((sum, { bytes }) => sum + bytes, 0) };
        });
    };

    const freedText = (data, mark) => {
        const step = freedBySteps(data).find((one) => one.mark === mark);
        return step.bytes === 0 ? null : `: freed ${step.types.map(({ type, bytes }) => `${Format.shortSize(bytes)} of ${type}`).join(", ")}`;
    };

    const figures = (data) =>
        SortableTable.create({
            id: "live-figures",
            caption: "Live bytes by type",
            rows: data.series,
            rowProperties: (series) => ({ "data-type": series.type }),
            columns: [
                { key: "type", title: "Type", value: (series) => series.type, cells: (series) => [swatch(series.type), series.type] },
                { key: "peak", title: "Peak", number: true, value: (series) => series.peak.bytes, cells: (series) => Format.size(series.peak.bytes) },
                { key: "event", title: "At event", number: true, value: (series) => series.peak.event, cells: (series) => `#${series.peak.event}` },
                { key: "end", title: "At the end", number: true, value: (series) => series.bytes[series.bytes.length - 1], cells: (series) => Format.size(series.bytes[series.bytes.length - 1]) },
                { key: "budget", title: "Budget", number: true, value: (series) => series.budget ?? -1, cells: (series) => (series.budget == null ? Dom.absent() : [Format.size(series.budget), series.peak.bytes > series.budget ? Dom.make("strong", { class: "over-budget" }, " exceeded") : ""]) },
                { key: "capacity", title: "Capacity", number: true, value: (series) => series.capacity ?? -1, cells: (series) => (series.capacity ? [Format.shortSize(series.capacity), Dom.make("span", { class: "of" }, `${percent(series.peak.bytes, series.capacity)} at the peak`)] : Dom.absent()) },
            ],
        }).element;

    const line = (properties) => Dom.draw("svg", { class: "mark sample", viewBox: "0 0 22 12", "aria-hidden": "true" }, Dom.draw("path", properties));

    const legend = (data, hasLeaks) =>
        Dom.make(
            "p",
            { class: "keys" },
            data.series.map((series) => Dom.make("span", { class: "key" }, swatch(series.type), series.type)),
            hasLeaks ? Dom.make("span", { class: "key", id: "live-key-leaked" }, Dom.swatch("leaked-area"), "leaked") : null,
            Dom.make("span", { class: "key" }, line({ class: "peak", d: "M11 1 16 6 11 11 6 6Z" }), "peak"),
            data.series.some((series) => series.budget != null) ? Dom.make("span", { class: "key" }, line({ class: "budget", d: "M0 6H22" }), "budget, on top of what lies below") : null,
            freedBySteps(data).some(({ bytes }) => bytes > 0) ? Dom.make("span", { class: "key", id: "live-key-freed" }, line({ class: "cleaned", d: "M6 1H16L11 11Z" }), "freed in the clean-up") : null,
            data.marks.length > 0 ? Dom.make("span", { class: "key" }, line({ class: "step", d: "M11 0V12" }), "step") : null,
        );

    const ANGLES = { DRAM: 45, L1: -45, L1_SMALL: 0, TRACE: 90 };

    /** The direction of the stripes of a type, for readers who see no colours. */
    const angleOf = (type) => ANGLES[type] ?? 20;

    const swatch = (type) => Dom.swatch(Dom.typeName(type), Dom.draw("rect", { width: 10, height: 10 }), Dom.draw("path", { class: "stripes", d: "M-5 .5H15M-5 5H15M-5 9.5H15", transform: `rotate(${angleOf(type)} 5 5)` }));

    const steps = (data) => {
        const shown = data.marks.filter((mark) => mark.kind === "TEARDOWN" || mark.kind === "CHECK").slice(0, 12);
        return shown.length === 0
            ? null
            : Dom.make(
                  "ol",
                  { class: "steps", id: "live-steps", "aria-label": "Steps of the clean-up" },
                  shown.map((mark) => Dom.make("li", {}, Address.event(mark.event), ` ${mark.name}`, freedText(data, mark))),
              );
    };

    const budgets = (data) =>
        data.budgets && !data.budgets.met ? Dom.make("pre", { class: "text wrong", id: "live-budgets", tabindex: "0" }, data.budgets.text.join("\n")) : "";

    /** A request for the whole mesh must fit into it, on each device. */
    const largestFree = (data, type, event) => {
        const bytes = SpaceModel.of(data).largestFree(type, event);
        return bytes === undefined ? "" : `, largest free block ${Format.shortSize(bytes)} in each bank`;
    };

    /** What lives at an event. */
    const tip = (data, leaked, event) => {
        const phase = data.phases.findLast((one) => one.from <= event);
        const live = data.series.map((series) => [series, bytesAt(series, event)]);
        return [
            Dom.make("p", {}, Dom.make("b", {}, `Event #${event}`), phase ? ` in ${phase.name}` : ""),
            live.map(([series, bytes]) => Dom.make("p", {}, swatch(series.type), `${series.type} ${Format.shortSize(bytes)}${leaked.has(series.type) ? `, ${Format.shortSize(bytesAt(leaked.get(series.type), event))} of it leaked` : ""}${largestFree(data, series.type, event)}`)),
            live.length < 2 ? null : Dom.make("p", {}, `in all ${Format.shortSize(live.reduce((sum, [, bytes]) => sum + bytes, 0))}`),
        ];
    };

    return { figures, tip, legend, steps, budgets, angleOf, freedBySteps };
})();
