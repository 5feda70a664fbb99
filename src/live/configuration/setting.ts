/** One setting of the service: its meaning, its unit, its default, and how its text is parsed. */

import { Config, ConfigError, Either } from "effect"

export interface Setting<A> {
  /** The environment variable. */
  readonly name: string
  /** The flag of `curbline serve` that overrides the variable. */
  readonly flag: string | null
  readonly meaning: string
  /** The expected form of its text, including the unit; completes the sentence "must be …". */
  readonly expects: string
  /** The default, as written in the documentation. */
  readonly usually: string
  /** The reason for the default; null when it is obvious. */
  readonly because: string | null
  readonly config: Config.Config<A>
}

export interface SettingParts<A> {
  readonly name: string
  readonly flag?: string
  readonly meaning: string
  readonly expects: string
  readonly fallback: A
  readonly usually?: string
  readonly because?: string
  /** True when its text must never be shown, even if it is wrong. */
  readonly isSecret?: boolean
  /** Returns undefined when the text has not the expected form. */
  readonly read: (text: string) => A | undefined
}

export function setting<A>(parts: SettingParts<A>): Setting<A> {
  const { name, flag = null, meaning, expects, fallback, because = null, isSecret = false, read } = parts
  const spelt = flag === null ? name : `${name} (${flag})`
  const config = Config.string(name).pipe(
    Config.mapOrFail((text) => {
      const value = read(text.trim())
      if (value !== undefined) return Either.right(value)
      const found = isSecret ? "is something else" : `is ${JSON.stringify(text)}`
      return Either.left(ConfigError.InvalidData([name], `${spelt} must be ${expects}; it ${found}`))
    }),
    Config.withDefault(fallback),
  )
  return { name, flag, meaning, expects, usually: parts.usually ?? String(fallback), because, config }
}

export interface IntegerBounds {
  readonly least: number
  readonly most: number
}

/** Reads a whole number within bounds. */
export function integer({ least, most }: IntegerBounds): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? value : undefined
  }
}

/** Reads one of some words. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word | undefined {
  return (text) => words.find((word) => word === text)
}
