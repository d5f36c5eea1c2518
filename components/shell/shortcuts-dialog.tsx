"use client";

import { Dialog } from "@/components/ui/dialog";

const GROUPS = [
  {
    title: "Anywhere",
    keys: [
      ["Jump to node", ["/"]],
      ["Go to fleet", ["F"]],
      ["Go to incidents", ["I"]],
      ["Go to visibility", ["V"]],
      ["Switch theme", ["T"]],
      ["This help", ["?"]],
    ],
  },
  {
    title: "Fleet",
    keys: [
      ["Next, previous row", ["J", "K"]],
      ["Open node", ["Enter"]],
      ["Move on the map", ["←", "→", "↑", "↓"]],
      ["First, last node of the map", ["Home", "End"]],
    ],
  },
  {
    title: "Node",
    keys: [
      ["Next, previous node", ["J", "K"]],
      ["Move the cursor", ["←", "→"]],
      ["Range shorter, longer", ["[", "]"]],
      ["Zoom back", ["Esc"]],
      ["Pause, follow again", ["P"]],
    ],
  },
] as const;

export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" open onClose={onClose}>
      <div className="keys">
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map(([what, keys]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
