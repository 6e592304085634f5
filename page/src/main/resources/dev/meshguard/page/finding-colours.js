"use strict";

/** Gives the largest findings a colour each; the views and the legend ask here, so they agree. */
const FindingColours = (() => {
    const COLOURS = 6;

    /** Returns for each group the number of its colour: a consequence has that of its group, and small leaks share one. */
    const create = (data) => {
        const leaked = data.groups.map((group, index) => ({ group, index })).filter(({ group }) => group.status === "LEAKED" && group.consequenceOf == null);
        const largest = [...leaked].sort((one, other) => other.group.bytes - one.group.bytes);
        const numbers = new Map(largest.map(({ index }, rank) => [index, Math.min(rank, COLOURS)]));
        const root = (index) => (data.groups[index].consequenceOf == null ? index : root(data.groups[index].consequenceOf));
        const ofGroup = data.groups.map((_, index) => numbers.get(root(index)) ?? 0);
        const legend = largest.slice(0, COLOURS).map(({ group }, number) => ({ group, number }));
        return { ofGroup, legend, others: Math.max(0, largest.length - COLOURS) };
    };

    return { create, COLOURS };
})();
