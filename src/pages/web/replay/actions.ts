/** What buttons and keys of the page do. */

export interface Actions {
  /** To the next instant at which something changes, or the one before. */
  readonly step: (side: -1 | 1) => void
  readonly toBreak: (side: -1 | 1) => void
  /** To the instant with the most late orders at once. */
  readonly toWorst: () => void
  readonly pick: (actor: number | null) => void
  readonly showSite: (site: number) => void
  readonly toggleCurb: () => void
  readonly follow: () => void
  /** Ends following on the map. */
  readonly letGo: () => void
  /** Opens and closes the numbers of the model. */
  readonly whatIf: () => void
  readonly find: () => void
  readonly showKeys: () => void
  readonly copyMoment: () => void
}
