/** A QR code: dark on light in both schemes, because cameras read it so. */

import encode from "qr"
import type { JSX } from "preact"

/** Modules of quiet ground on each side. */
const BORDER = 4

interface QrCodeProps {
  readonly text: string
  /** What it holds, for a screen reader. */
  readonly label: string
}

export function QrCode({ text, label }: QrCodeProps): JSX.Element {
  const rows = encode(text, "raw", { ecc: "medium", border: BORDER })
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr-code" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={dark.join("")} />
    </svg>
  )
}
