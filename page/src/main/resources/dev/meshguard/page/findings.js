"use strict";

/** The findings of a run: groups of one line, label, type and cause are one. The first group stands for its finding. */
const Findings = (() => {
    /** Gives each group the groups of its finding; a consequence is a finding of its own. Call it once, before any other. */
    const link = (data) => {
        data.groups.forEach((group) => {
            group.members = [group];
            if (group.foldedInto != null) {
                data.groups[group.foldedInto].members.push(group);
            }
        });
    };

    /** Returns the first group of each finding, consequences included. */
    const all = (data) => data.groups.filter((group) => group.foldedInto == null);

    /** Returns the index of the first group of a finding, of which the group at an index is a part or a consequence. */
    const root = (data, index) => {
        const above = data.groups[index].foldedInto ?? data.groups[index].consequenceOf;
        return above == null ? index : root(data, above);
    };

    const sum = (finding, key) => finding.members.reduce((total, group) => total + group[key], 0);

    const bytes = (finding) => sum(finding, "bytes");

    const count = (finding) => sum(finding, "count");

    /** Returns the words for the units of some groups: those that all have. */
    const units = (groups) => (new Set(groups.map((group) => group.units[0])).size === 1 ? groups[0].units : ["allocation", "allocations"]);

    /** Returns its number and, if the size is known, its bytes: `24 buffers, 1.69 MiB`. */
    const amount = (finding) => Format.units(count(finding), units(finding.members)) + (bytes(finding) === 0 ? "" : `, ${Format.shortSize(bytes(finding))}`);

    const devices = (finding) => [...new Set(finding.members.flatMap((group) => group.devices))].sort((one, other) => one - other);

    return { link, all, root, bytes, count, units, amount, devices };
})();
