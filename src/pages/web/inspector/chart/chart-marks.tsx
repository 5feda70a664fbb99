/** Lines, heads and texts of the chart that fits its panel. */

import type { JSX } from "preact"
import type { Point } from "../../../chart/box.ts"
import type { CompactLabel } from "../../../chart/compact-layout.ts"
import { TEXT, widthOfText } from "../../../chart/compact-rows.ts"

export function pathOf(points: readonly Point[]): string {
  return points.map(({ x, y }, place) => `${place === 0 ? "M" : "L"}${x} ${y}`).join("")
}

/** The head at the end of the last line. */
export function tipOf(points: readonly Point[]): string {
  const end = points.at(-1) ?? { x: 0, y: 0 }
  const before = points.at(-2) ?? end
  const [dx, dy] = [Math.sign(end.x - before.x) * 7, Math.sign(end.y - before.y) * 7]
  const half = 0.55
  const corner = (side: 1 | -1): string => `${end.x - dx + side * dy * half} ${end.y - dy + side * dx * half}`
  return `M${end.x} ${end.y}L${corner(1)}L${corner(-1)}Z`
}

interface LabelProps {
  readonly label: CompactLabel
  readonly isInFrame: boolean
  readonly title?: string
}

/** Its ground covers the lines behind it. */
export function Label({ label: { box, text }, isInFrame, title = "" }: LabelProps): JSX.Element {
  return (
    <g class="label">
      {title !== "" && <title>{title}</title>}
      <rect
        class={isInFrame ? "ground in-frame" : "ground"}
        x={box.x - 2}
        y={box.y}
        width={box.width + 4}
        height={box.height}
      />
      <Words x={box.x} y={box.y + TEXT - 1} text={text} most={box.width} />
    </g>
  )
}

interface WordsProps {
  readonly x: number
  /** Of the base line. */
  readonly y: number
  readonly text: string
  readonly name?: string
  /** The width that another font must not exceed; default: that of the text. Unit: px. */
  readonly most?: number
}

export function Words({ x, y, text, name, most = Infinity }: WordsProps): JSX.Element {
  return (
    <text
      class={name}
      x={x}
      y={y}
      textLength={Math.min(most, widthOfText(text))}
      lengthAdjust="spacingAndGlyphs"
    >
      {text}
    </text>
  )
}
