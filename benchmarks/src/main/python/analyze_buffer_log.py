"""Does what the field's analyze_buffer_log.py is described to do, to be measured beside `meshguard analyze`.

Keeps every event of each device and id; tells what leaked, what was freed too often, and what changed its size.
"""
import re
import sys
from collections import Counter, defaultdict

ID = r"(0x[0-9a-fA-F]+|\d+)"
ALLOC = re.compile(r"\[PID (\d+)\] Allocated (\d+) bytes of (\w+) on device (\d+) \(buffer_id=" + ID + r"(?:, ref_count=(\d+))?\)")
FREE = re.compile(r"\[PID (\d+)\] Freed buffer " + ID + r" on device (\d+) \((\d+) bytes(?:, (FINAL|ref_count=(\d+) remaining))?\)")
UNKNOWN = re.compile(r"\[PID (\d+)\] Deallocation for unknown buffer " + ID + r" on device (\d+)")


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def main(path):
    events = defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as log:
        for at, line in enumerate(log, 1):
            found = ALLOC.search(line)
            if found:
                events[(int(found.group(4)), number(found.group(5)))].append(
                    {"line": at, "kind": "ALLOC", "size": int(found.group(2)), "pid": int(found.group(1)), "type": found.group(3), "text": line.strip()})
                continue
            found = FREE.search(line)
            if found:
                events[(int(found.group(3)), number(found.group(2)))].append(
                    {"line": at, "kind": "FREE", "size": int(found.group(4)), "pid": int(found.group(1)), "type": None, "text": line.strip()})
                continue
            found = UNKNOWN.search(line)
            if found:
                events[(int(found.group(3)), number(found.group(2)))].append(
                    {"line": at, "kind": "UNKNOWN", "size": 0, "pid": int(found.group(1)), "type": None, "text": line.strip()})
    leaked, twice, even, changed = [], [], [], []
    for key, of_key in events.items():
        allocs = sum(1 for event in of_key if event["kind"] == "ALLOC")
        frees = len(of_key) - allocs
        (leaked if allocs > frees else twice if frees > allocs else even).append(key)
        sizes = [event["size"] for event in of_key if event["kind"] == "ALLOC"]
        changes = [(one, other) for one, other in zip(sizes, sizes[1:]) if one != other]
        if changes:
            changed.append((key, changes, sizes))
    print("unique buffers", len(events), "leaked", len(leaked), "double-freed", len(twice), "perfect", len(even), "size changes", len(changed))
    total = 0
    by_device = defaultdict(list)
    for key in leaked:
        last = events[key][-1]
        total += last["size"]
        by_device[key[0]].append((last["size"], key))
    for device in sorted(by_device):
        print("Device", device)
        for size, key in sorted(by_device[device], reverse=True)[:10]:
            print("  ", hex(key[1]), size, events[key][0]["text"], events[key][-1]["text"])
    print("total MB", total / 1048576)
    for key in twice[:20]:
        print(key)
        for event in events[key][-10:]:
            print("   ", event["line"], event["kind"], event["text"])
    for key, changes, sizes in changed[:20]:
        print(key, changes[:5], Counter(sizes).most_common(3))


main(sys.argv[1])
