/** Files beside a model: streets, and instants of a replayed demand. */

/** The text of a file by its name in the model; null when there is none, a fault when it cannot be read as text. */
export type Beside = (name: string) => BesideFault | string | null

export interface BesideFault {
  /** The rest of a sentence that begins with the name of the file. */
  readonly fault: string
}

/** The text, or what is wrong in a sentence. */
export function textBeside(name: string, beside: Beside): { readonly text: string } | BesideFault {
  const found = beside(name)
  if (found === null) return { fault: `there is no file ${JSON.stringify(name)} beside the model` }
  return typeof found === "string" ? { text: found } : { fault: `${name} ${found.fault}` }
}
