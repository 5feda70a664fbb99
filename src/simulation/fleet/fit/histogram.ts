/** How often values of a fitted duration were observed, in equal bins. */

export interface Histogram {
  /** Where the first bin begins. */
  readonly fromMs: number
  readonly widthMs: number
  readonly counts: readonly number[]
}

const BINS_MIN = 5
const BINS_MAX = 40

/**
 * Bins from the least to the greatest value. Their width is that of D. Freedman and P. Diaconis (Zeitschrift für Wahrscheinlichkeitstheorie 57
 * (1981) 453-476), with at least five bins and at most forty. Null when all values are the same.
 */
export function histogramOf(values: readonly number[]): Histogram | null {
  const sorted = values.toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)]
  if (!(most > least)) return null
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? least
  const width = (2 * (at(0.75) - at(0.25))) / Math.cbrt(sorted.length)
  const wanted = width > 0 ? Math.ceil((most - least) / width) : BINS_MAX
  const bins = Math.min(BINS_MAX, Math.max(BINS_MIN, wanted))
  const widthMs = (most - least) / bins
  const counts = Array.from({ length: bins }, () => 0)
  for (const value of sorted) {
    const bin = Math.min(bins - 1, Math.floor((value - least) / widthMs))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { fromMs: least, widthMs, counts }
}
