"use strict";

/** Joins ranges of addresses, finds the holes between them, and places them so that long holes are short. */
const Spans = (() => {
    /** Joins ranges, sorted by where they begin, that touch or overlap, and counts those that overlap. */
    const joined = (ranges) => {
        const spans = [];
        let overlaps = 0;
        for (const [from, to] of ranges) {
            const last = spans[spans.length - 1];
            if (last && from <= last[1]) {
                overlaps += from < last[1] ? 1 : 0;
                last[1] = Math.max(last[1], to);
            } else {
                spans.push([from, to]);
            }
        }
        return { spans, overlaps };
    };

    /** The holes between spans, and around them where it is known where the memory begins and ends. */
    const holes = (spans, base, end) => {
        const ends = [base, ...spans.map(([, to]) => to)];
        const begins = [...spans.map(([from]) => from), end];
        return ends.map((from, index) => [from, begins[index]]).filter(([from, to]) => to > from);
    };

    const total = (spans) => spans.reduce((sum, [from, to]) => sum + to - from, 0);

    const largest = (spans) => spans.reduce((most, [from, to]) => Math.max(most, to - from), 0);

    /** Returns where an address lies between 0 and 1 if no hole is longer than the limit. */
    const scale = (spans, between, limit) => {
        const parts = [...spans.map((span) => [...span, Infinity]), ...between.map((hole) => [...hole, limit])].sort((one, other) => one[0] - other[0]);
        const keys = [];
        const values = [];
        let at = 0;
        for (const [from, to, most] of parts) {
            keys.push(from, to);
            values.push(at, at + Math.min(to - from, most));
            at += Math.min(to - from, most);
        }
        return (address) => (at === 0 ? 0 : Axis.between(keys, values, address) / at);
    };

    return { joined, holes, total, largest, scale };
})();
