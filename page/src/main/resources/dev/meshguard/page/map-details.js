"use strict";

/** Describes a rectangle of the lifetime map: in a sentence, beside the pointer, and in a card that stays. */
const MapDetails = (() => {
    const FRAMES = 8;

    /** Frames of the JDK say nothing of who allocates. */
    const LIBRARY = /^(java|jdk)\./;

    const MEANINGS = {
        freed: "freed",
        leaked: "leaked",
        late: "freed late: after close began",
        misreported: "misreported: the memory is free",
        expected: "expected",
        undecided: "undecided",
    };

    const create = (data) => {
        const rectangles = data.rectangles;
        const text = (position) => (position < 0 ? undefined : data.strings[position]);
        const lane = (index) => data.lanes[rectangles.lane[index]];
        const mark = (index) => Format.MARKS[rectangles.mark[index]];
        const group = (index) => data.groups[rectangles.group[index]];
        /** The finding of a group: its first group, or the group itself if it is a consequence. */
        const finding = (index) => group(index) && (data.groups[group(index).foldedInto] || group(index));

        /** Nothing where it is unknown, as that of objects. */
        const size = (index) => rectangles.size[index] !== 0 && Format.size(rectangles.size[index]);

        const name = (index) => {
            const label = text(rectangles.label[index]);
            return `${group(index)?.type ?? lane(index).type}${size(index) ? ` ${size(index)}` : ""}${lane(index).device < 0 ? "" : ` on device ${lane(index).device}`}${label ? `, “${label}”` : ""}`;
        };

        const summary = (index) => {
            const ends = rectangles.to[index] < 0 ? "still there" : `freed by event #${rectangles.to[index]}`;
            return `${name(index)}: event #${rectangles.from[index]}, ${ends}; ${MEANINGS[mark(index)]}`;
        };

        /** The stack is known of findings only; of a freed buffer it is one line. */
        const stack = (index) => {
            const frames = (group(index)?.frames || []).filter((frame) => !LIBRARY.test(frame));
            const shown = frames.length > 0 ? frames : [text(rectangles.site[index])].filter(Boolean);
            return shown.length === 0
                ? null
                : Dom.make("ol", { class: "stack" }, shown.slice(0, FRAMES).map((frame) => Dom.make("li", { title: frame }, Format.shortFrame(frame))), shown.length > FRAMES ? Dom.make("li", {}, `… ${shown.length - FRAMES} more`) : null);
        };

        const fate = (index) => [Dom.mark(mark(index)), ` ${MEANINGS[mark(index)]}`, group(index) ? `, ${group(index).cause}, ${Findings.count(finding(index)) === 1 ? "the only buffer" : `one of ${Findings.count(finding(index))} buffers`} of finding ${finding(index).number}` : ""];

        /** What is shown beside the pointer. */
        const tip = (index) => [
            Dom.make("p", {}, Dom.make("b", {}, name(index))),
            Dom.make("p", {}, fate(index)),
            Dom.make("p", {}, `from event #${rectangles.from[index]} ${rectangles.to[index] < 0 ? "to the end" : `to #${rectangles.to[index]}`}${lane(index).device < 0 ? "" : `, at ${Format.hex(rectangles.address[index])}`}`),
            stack(index),
        ];

        /** What stays after a click. */
        const card = (index) => {
            const rows = [
                ["What became of it", fate(index)],
                ["Where", lane(index).device < 0 ? group(index)?.type ?? lane(index).type : `${lane(index).type} at ${Format.address(rectangles.address[index])} on device ${lane(index).device}`],
                ["Size", size(index) || undefined],
                ["Label", text(rectangles.label[index])],
                ["Kind", text(rectangles.kind[index])],
                ["From", Address.event(rectangles.from[index])],
                ["To", rectangles.to[index] < 0 ? "still there at the end" : Address.event(rectangles.to[index])],
                ["Open reports", rectangles.reports[index] > 1 ? `${rectangles.reports[index]} at one address` : undefined],
                ["Devices", rectangles.unlikeMost[index] === 1 ? "most devices have none like it" : undefined],
                ["Finding", finding(index) && Address.link("finding", finding(index).number, `${finding(index).number}: ${finding(index).cause} · ${Findings.amount(finding(index))}`)],
                ["Allocated by", stack(index)],
            ];
            return [
                Dom.make("h3", {}, "The buffer"),
                Dom.make(
                    "dl",
                    {},
                    rows.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([title, value]) => Dom.make("div", {}, Dom.make("dt", {}, title), Dom.make("dd", {}, value))),
                ),
            ];
        };

        return { summary, tip, card };
    };

    /** Places a card below a rectangle, or above it where the window ends. */
    const placeCard = (panel, frame, at, gutter) => {
        const left = at ? gutter + at.left + at.width / 2 - panel.offsetWidth / 2 : gutter;
        panel.style.left = `${Math.max(0, Math.min(frame.clientWidth - panel.offsetWidth, left))}px`;
        const below = at ? at.top + at.height + 8 : MapPainter.TOP;
        const above = at ? at.top - 8 - panel.offsetHeight : -1;
        const isCut = frame.getBoundingClientRect().top + below + panel.offsetHeight > innerHeight;
        panel.style.top = `${isCut && above >= 0 ? above : below}px`;
    };

    return { create, placeCard, MEANINGS };
})();
