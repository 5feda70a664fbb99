/** A line that is wrapped goes on below its own beginning, so that indentation, which YAML reads, stays visible. */

import { RangeSetBuilder } from "@codemirror/state"
import type { Extension } from "@codemirror/state"
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view"
import type { DecorationSet, ViewUpdate } from "@codemirror/view"

/** In letters; deeper lines hang as this one does, so that a narrow pane keeps room for the text. */
const HANG_MAX = 16
/** Beyond the beginning of the text of the line. */
const FURTHER = 2

const decorations = Array.from({ length: HANG_MAX + 1 }, (_, letters) =>
  Decoration.line({ class: `hangs-${letters}` }),
)

/** As classes, because the page's policy allows no style at an element. */
const styles = EditorView.baseTheme(
  Object.fromEntries(
    decorations.map((_, letters) => [
      `.cm-line.hangs-${letters}`,
      { paddingLeft: `calc(6px + ${letters}ch)`, textIndent: `-${letters}ch` },
    ]),
  ),
)

export function hangingIndent(): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = hangingLines(view)
      }

      update({ docChanged, viewportChanged, view }: ViewUpdate): void {
        if (docChanged || viewportChanged) this.decorations = hangingLines(view)
      }
    },
    { decorations: (made) => made.decorations },
  )
  return [plugin, styles]
}

function hangingLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of view.visibleRanges) {
    for (let place = from; place <= to;) {
      const line = view.state.doc.lineAt(place)
      const decoration = decorations[hangOf(line.text)]
      if (decoration !== undefined) builder.add(line.from, line.from, decoration)
      place = line.to + 1
    }
  }
  return builder.finish()
}

/** In letters: the text begins after blanks, and after the dashes of entries of lists. */
function hangOf(text: string): number {
  const beginning = /^ *(?:- +)*/.exec(text)?.[0].length ?? 0
  return Math.min(HANG_MAX, beginning + FURTHER)
}
