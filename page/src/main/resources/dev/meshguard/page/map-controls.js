"use strict";

/** Makes the controls of the lifetime map and its legend. */
const MapControls = (() => {
    const controls = (data, model, shows, draw, foldAll) => {
        const devices = [...new Set(data.lanes.map((lane) => lane.device))];
        const types = [...new Set(data.lanes.map((lane) => lane.type))];
        const hasSurvivors = model.lanes.some((lane) => lane.survivors.length > 0);
        const zoom = (factor) => () => Axis.zoom(factor, (Axis.view.from + Axis.view.to) / 2);
        const buttons = [
            ["map-in", "+", "Zoom in", zoom(1 / 1.6)],
            ["map-out", "−", "Zoom out", zoom(1.6)],
            ["map-all", "All", "Show the whole run", Axis.all],
        ];
        const set = (name) => (value) => {
            shows[name] = value;
            draw();
        };
        return Dom.make(
            "div",
            { class: "controls" },
            Dom.select("map-device", "Devices", [["", "all"], ...(hasSurvivors ? [["survivors", "with survivors"]] : []), ...devices.map((device) => [String(device), device < 0 ? "no device" : `device ${device}`])], set("device"), shows.device),
            Dom.select("map-type", "Types", [["", "all"], ...types.map((type) => [type, type])], set("type")),
            Dom.make("button", { type: "button", id: "map-lanes", onclick: foldAll }, "Open or fold all lanes"),
            Dom.toggle("map-survivors-only", "Only survivors", false, set("survivorsOnly")),
            Axis.control("map-axis"),
            Dom.make("span", { class: "zoom" }, buttons.map(([id, label, title, onclick]) => Dom.make("button", { type: "button", id, title, "aria-label": title, onclick }, label))),
        );
    };

    /** The legend names what is drawn, in the colours in which it is drawn. */
    const legend = (data, colours) => {
        const used = [...new Set(data.rectangles.mark)].sort();
        const types = [...new Set(data.lanes.map((lane) => lane.type))];
        return Dom.make(
            "p",
            { class: "keys", id: "map-key" },
            colours.legend.map(({ group, number }) =>
                Dom.make("span", { class: "key", "data-finding": group.number }, Dom.swatch(`finding-${number}`), Address.link("finding", group.number, `${group.number} ${group.cause}`), ` ${Findings.amount(group)}`),
            ),
            colours.others === 0 ? null : Dom.make("span", { class: "key" }, Dom.swatch(`finding-${FindingColours.COLOURS}`), Format.count(colours.others, "other finding")),
            used.filter((number) => number > 1).map((number) => Dom.make("span", { class: "key" }, Dom.mark(Format.MARKS[number]), MapDetails.MEANINGS[Format.MARKS[number]])),
            used.includes(0) ? types.map((type) => Dom.make("span", { class: "key freed", "data-type": type }, Dom.swatch(Dom.typeName(type)), `${type}, freed`)) : null,
        );
    };

    return { controls, legend };
})();
