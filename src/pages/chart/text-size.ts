/**
 * The size of a text. Charts are laid out without a screen to measure on, so they use a monospaced font, and each text
 * sets its length, so that another font does not exceed its box.
 */

/** Width of one character relative to the font size: that of Courier, and of DejaVu Sans Mono within 0.4 %. */
const ADVANCE = 0.6

export const FACE = {
  family: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Courier New', monospace",
  /** px */
  state: 13,
  /** px */
  label: 11,
  /** Line height relative to the font size. */
  leading: 1.4,
} as const

/** Width of one line. Unit: px. */
export function widthOf(text: string, size: number): number {
  return Math.ceil([...text].length * ADVANCE * size)
}

/** Height of this many lines. Unit: px. */
export function heightOf(lines: number, size: number): number {
  return Math.ceil(lines * size * FACE.leading)
}

/** A text in lines of at most `columns` characters, broken at blanks; a longer word gets a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
