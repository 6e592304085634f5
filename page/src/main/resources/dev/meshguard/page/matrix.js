"use strict";

/** Shows a table of devices and types: live bytes at the end, peak, budget, and the difference from most devices. */
const MatrixView = (() => {
    /** The table of the given cells, and a sentence on their differences. */
    const table = (matrix, range) => {
        const types = [...new Set(matrix.map((cell) => cell.type))];
        const devices = [...new Set(matrix.map((cell) => cell.device))];
        const cells = new Map(matrix.map((cell) => [`${cell.device} ${cell.type}`, cell]));
        const most = new Map(types.map((type) => [type, Math.max(1, ...matrix.filter((cell) => cell.type === type).map((cell) => cell.peakBytes))]));
        const cell = (device, type) => {
            const found = cells.get(`${device} ${type}`);
            if (!found) {
                return Dom.make("td", { class: "none" }, "–");
            }
            const isOut = found.difference !== 0;
            return Dom.make(
                "td",
                { class: isOut ? "out" : undefined, "data-device": device, "data-type": type, "data-live": found.liveBytes, "data-peak": found.peakBytes, "data-difference": found.difference, title: `live ${Format.size(found.liveBytes)}, peak ${Format.size(found.peakBytes)}` },
                Dom.make("span", { class: found.liveBytes > 0 ? "live-bytes" : "live-bytes nothing" }, found.liveBytes > 0 ? Format.shortSize(found.liveBytes) : "0"),
                Dom.make("span", { class: "peak-bytes" }, `peak ${Format.shortSize(found.peakBytes)}`),
                Dom.draw("svg", { class: "peak-bar", viewBox: "0 0 100 3", preserveAspectRatio: "none", "aria-hidden": "true" }, Dom.draw("rect", { class: "rest", width: 100, height: 3 }), Dom.filled(Dom.draw("rect", { width: (100 * found.peakBytes) / most.get(type), height: 3 }), Dom.typeName(type))),
                found.budget == null ? null : Dom.make("span", { class: found.peakBytes > found.budget ? "budget over-budget" : "budget", "data-budget": found.budget }, `budget ${Format.shortSize(found.budget)}${found.peakBytes > found.budget ? ", exceeded" : ""}`),
                isOut ? Dom.make("span", { class: "difference" }, Dom.make("span", { "aria-hidden": "true" }, found.difference > 0 ? "▲ " : "▼ "), `${Format.signedSize(found.difference)}`) : null,
            );
        };
        const lead = () => {
            if (devices.length < 3) {
                return "With fewer than three devices there is no majority to differ from.";
            }
            const differ = matrix.filter((one) => one.difference !== 0).length;
            if (differ > 0) {
                return `${Format.count(differ, "cell")} of ${matrix.length} differ from what most devices ended with.`;
            }
            const isComplete = matrix.length === devices.length * types.length;
            return isComplete ? `All ${devices.length} devices ended alike.` : "Each memory ended alike on all devices that report it.";
        };
        return [
            Dom.make("p", { class: "lead", id: "matrix-lead" }, lead()),
            Dom.make(
                "div",
                { class: "scroll", tabindex: "0", role: "region", "aria-label": "Devices by types" },
                Dom.make(
                    "table",
                    { id: "matrix-table", class: "matrix" },
                    Dom.make("caption", { class: "visually-hidden" }, `Live bytes at the end${range ? " of the range" : ""} and peak of each device and type`),
                    Dom.make("thead", {}, Dom.make("tr", {}, Dom.make("th", { scope: "col" }, "Device"), types.map((type) => Dom.make("th", { scope: "col" }, type)))),
                    Dom.make("tbody", {}, devices.map((device) => Dom.make("tr", {}, Dom.make("th", { scope: "row" }, device < 0 ? "none" : String(device)), types.map((type) => cell(device, type))))),
                ),
            ),
        ];
    };

    const show = (data) => {
        const section = Dom.section("matrix");
        if (data.matrix.every((cell) => cell.device < 0)) {
            section.hidden = true;
            return;
        }
        const place = Dom.make("div", {}, table(data.matrix));
        section.append(place);
        Cursor.range.onChange((range) => {
            place.replaceChildren(...table(range ? RangeFigures.matrix(data, range) : data.matrix, range));
            place.append(range && RangeFigures.isPartial(data) ? Dom.make("p", { class: "aggregated" }, "The page omits some freed buffers, so the figures of a range are too low.") : "");
        });
    };

    return { show };
})();
