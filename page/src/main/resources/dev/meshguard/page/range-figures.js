"use strict";

/** Sums up a range of events: the memory of each device and type, and the origins of what was allocated or live in it. */
const RangeFigures = (() => {
    const LEAKED = 1;

    const isLiveAt = (data, index, event) => data.rectangles.from[index] <= event && (data.rectangles.to[index] < 0 || data.rectangles.to[index] > event);

    /** The bytes of some generations that are live at the end of a range, and the most that are live at once in it, with its event. */
    const usage = (data, members, [first, last]) => {
        const { from, to, size } = data.rectangles;
        const changes = new Float64Array(last - first + 1);
        let live = 0;
        for (const index of members) {
            if (isLiveAt(data, index, first)) {
                live += size[index];
            } else if (from[index] > first && from[index] <= last) {
                changes[from[index] - first] += size[index];
            }
            if (to[index] > first && to[index] <= last) {
                changes[to[index] - first] -= size[index];
            }
        }
        let peak = live;
        let at = first;
        for (let step = 1; step < changes.length; step++) {
            live += changes[step];
            if (live > peak) {
                peak = live;
                at = first + step;
            }
        }
        return { live, peak, at };
    };

    /** The cells of the table of devices and types for a range; each device is compared with the median of its type. */
    const matrix = (data, range) => {
        const members = data.lanes.map(() => []);
        data.rectangles.lane.forEach((lane, index) => members[lane].push(index));
        const cells = data.lanes.map((lane, number) => {
            const { live, peak } = usage(data, members[number], range);
            const budget = data.matrix.find((one) => one.device === lane.device && one.type === lane.type)?.budget;
            return { device: lane.device, type: lane.type, liveBytes: live, peakBytes: peak, budget };
        });
        return cells.map((cell) => {
            const values = cells.filter((one) => one.type === cell.type).map((one) => one.liveBytes).sort((one, other) => one - other);
            return { ...cell, difference: cell.liveBytes - values[(values.length - 1) >> 1] };
        });
    };

    /** The origins of a range as trees, of the form of those of the whole run. */
    const origins = (data, [first, last]) => {
        const { from, size, mark, stack } = data.rectangles;
        const { parent, name } = data.stacks;
        const { at } = usage(data, data.rectangles.lane.keys(), [first, last]);
        const isIn = (index) => from[index] >= first && from[index] <= last;
        const amounts = {
            leaked: (index) => (mark[index] === LEAKED && isIn(index) ? size[index] : 0),
            peak: (index) => (isLiveAt(data, index, at) ? size[index] : 0),
            count: (index) => (isIn(index) ? 1 : 0),
        };
        const tree = (amount) => {
            const values = new Float64Array(name.length);
            let whole = 0;
            for (let index = 0; index < from.length; index++) {
                const value = amount(index);
                whole += value;
                if (stack[index] >= 0) {
                    values[stack[index]] += value;
                }
            }
            // Callers come before their callees.
            for (let frame = name.length - 1; frame >= 0; frame--) {
                if (parent[frame] >= 0) {
                    values[parent[frame]] += values[frame];
                }
            }
            const nodes = name.map((text, frame) => ({ name: data.strings[text], value: values[frame], children: [] }));
            const root = { name: "all", value: whole, children: [] };
            nodes.forEach((node, frame) => {
                if (node.value > 0) {
                    (parent[frame] < 0 ? root : nodes[parent[frame]]).children.push(node);
                }
            });
            [root, ...nodes].forEach((node) => node.children.sort((one, other) => other.value - one.value || (one.name < other.name ? -1 : 1)));
            return root;
        };
        return Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, tree(amount)]));
    };

    /** Whether freed buffers are missing in the page, so that figures of a range are too low. */
    const isPartial = (data) => data.aggregated.rectangles.shown < data.aggregated.rectangles.of;

    return { matrix, origins, isPartial };
})();
