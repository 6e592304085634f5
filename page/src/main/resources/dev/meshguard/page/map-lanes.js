"use strict";

/** Places the rectangles of the lifetime map in lanes, and the lanes below each other. */
const MapLanes = (() => {
    const OPEN = 56;
    const COMPACT = 18;
    const GAP = 3;
    const MANY = 48;

    /**
     * From an address to a height between 0 and 1. Ranges that nothing ever occupied are drawn short: an allocator that works from both
     * ends of its memory would leave two hairlines.
     */
    const heights = (addresses, sizes, members) => {
        // Most addresses are reused many times: of each only its largest buffer counts.
        const ends = new Map();
        for (const index of members) {
            const end = addresses[index] + Math.max(1, sizes[index]);
            if (!(ends.get(addresses[index]) >= end)) {
                ends.set(addresses[index], end);
            }
        }
        const { spans } = Spans.joined([...ends].sort((one, other) => one[0] - other[0]));
        return Spans.scale(spans, Spans.holes(spans), Spans.total(spans) * 0.04);
    };

    const create = (data) => {
        const rectangles = data.rectangles;
        const total = rectangles.lane.length;
        const members = data.lanes.map(() => []);
        for (let index = 0; index < total; index++) {
            members[rectangles.lane[index]].push(index);
        }
        const low = new Float32Array(total);
        const high = new Float32Array(total);
        /** The survivors of a finding are one band wherever no other survivor lies between them. */
        const bands = (survivors) => {
            const found = [];
            const last = () => found[found.length - 1];
            for (const index of [...survivors].sort((one, other) => low[one] - low[other])) {
                const own = rectangles.group?.[index] ?? -1;
                const group = data.groups[own]?.foldedInto ?? own;
                if (found.length === 0 || last().group !== group || group < 0) {
                    found.push({ group, mark: rectangles.mark[index], isLive: false, from: Infinity, low: low[index], high: high[index], count: 0, bytes: 0 });
                }
                last().high = Math.max(last().high, high[index]);
                last().from = Math.min(last().from, rectangles.from[index]);
                last().isLive ||= rectangles.to[index] < 0;
                last().count++;
                last().bytes += rectangles.size[index];
            }
            // Sizes may be more than extents: a band ends where the next begins.
            found.forEach((band, place) => {
                band.high = place + 1 < found.length ? Math.min(band.high, found[place + 1].low) : band.high;
            });
            return found;
        };

        const lanes = data.lanes.map((lane, number) => {
            const height = heights(rectangles.address, rectangles.size, members[number]);
            for (const index of members[number]) {
                low[index] = height(rectangles.address[index]);
                high[index] = height(rectangles.address[index] + Math.max(1, rectangles.size[index]));
            }
            const survivors = members[number].filter((index) => rectangles.mark[index] !== 0);
            return {
                number,
                device: lane.device,
                type: lane.type,
                name: lane.device < 0 ? lane.type : `${lane.device} ${lane.type}`,
                // The generations of an address follow each other: of those that share their pixels the painter paints one.
                freed: members[number].filter((index) => rectangles.mark[index] === 0).sort((one, other) => rectangles.address[one] - rectangles.address[other]),
                // Leaked ones last, so that nothing covers them.
                survivors: survivors.sort((one, other) => ((rectangles.mark[other] + 3) % 5) - ((rectangles.mark[one] + 3) % 5)),
                bands: bands(survivors),
                isOpen: false,
                top: 0,
                height: 0,
            };
        });
        const first = new Set();
        for (const lane of lanes) {
            const isFirst = !first.has(lane.type);
            first.add(lane.type);
            lane.isOpen = lanes.length <= 6 || isFirst || lane.survivors.some((index) => rectangles.mark[index] !== 3);
        }
        const isMany = lanes.length > MANY && lanes.some((lane) => lane.survivors.length > 0);

        return { lanes, low, high, isMany };
    };

    /** Puts lanes below each other and returns how high they are in all. */
    const layout = (lanes, top) =>
        lanes.reduce((y, lane) => {
            lane.top = y;
            lane.height = lane.isOpen ? OPEN : COMPACT;
            return y + lane.height + GAP;
        }, top);

    /** The names of lanes, which open and fold them. */
    const names = (lanes, draw) =>
        lanes.map((lane) =>
            Dom.make(
                "button",
                {
                    type: "button",
                    class: "lane",
                    "data-lane": lane.number,
                    title: `${lane.device < 0 ? "" : `Device ${lane.device}, `}${lane.type}: open or fold`,
                    onclick: () => {
                        lane.isOpen = !lane.isOpen;
                        draw();
                    },
                },
                Dom.make("span", { class: "lane-device" }, lane.device < 0 ? "" : String(lane.device)),
                Dom.make("span", { class: "lane-type" }, Dom.breakable(lane.type)),
            ),
        );

    const placeNames = (names, lanes, shown, gutter) => {
        for (const [number, name] of names.entries()) {
            const lane = lanes[number];
            name.hidden = !shown.includes(lane);
            name.style.top = `${lane.top}px`;
            name.style.width = `${gutter - 6}px`;
            name.style.height = `${lane.height}px`;
            name.setAttribute("aria-expanded", String(lane.isOpen));
        }
    };

    return { create, layout, names, placeNames };
})();
