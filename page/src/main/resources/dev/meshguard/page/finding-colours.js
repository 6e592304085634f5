"use strict";

/** Gives the largest findings a colour each; the views and the legend ask here, so they agree. */
const FindingColours = (() => {
    const COLOURS = 6;

    /** Returns for each group the number of its colour: a consequence has that of its group, and small leaks share one. */
    const create = (data) => {
        const leaked = data.groups.map((group, index) => ({ group, index })).filter(({ group, index }) => group.status === "LEAKED" && Findings.root(data, index) === index);
        const largest = [...leaked].sort((one, other) => Findings.bytes(other.group) - Findings.bytes(one.group));
        const numbers = new Map(largest.map(({ index }, rank) => [index, Math.min(rank, COLOURS)]));
        const ofGroup = data.groups.map((_, index) => numbers.get(Findings.root(data, index)) ?? 0);
        const legend = largest.slice(0, COLOURS).map(({ group }, number) => ({ group, number }));
        return { ofGroup, legend, others: Math.max(0, largest.length - COLOURS) };
    };

    return { create, COLOURS };
})();
