/** The corpus of `curbline swarm`: a file whose seeds are run first, and that is written again when it is extended. */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { program } from "../../apps/composition/program.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { CorpusSearch, NO_CORPUS, corpusText, lostFrom, readCorpus } from "../../simulation/swarm/corpus.ts"
import type { Corpus } from "../../simulation/swarm/corpus.ts"
import type { SeedResult } from "../../simulation/swarm/explore.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface RunCorpus {
  /** Those of the file. */
  readonly seeds: readonly number[]
  readonly add: (result: SeedResult) => void
  /** After all seeds; writes the file if it is extended. */
  readonly end: () => EndedCorpus
}

interface EndedCorpus {
  readonly lines: readonly string[]
  readonly json: object
  /** False when the file says more than the seeds reached, and is not extended. */
  readonly isReached: boolean
}

interface CorpusFlags {
  readonly corpus?: string
  readonly extend?: boolean
}

/** Null without `--corpus`. */
export function corpusOf(
  { corpus: file, extend: isExtended = false }: CorpusFlags,
  isSql: boolean,
): RunCorpus | null {
  if (file === undefined) {
    if (isExtended) throw new UsageError("--extend goes with --corpus <file>")
    return null
  }
  if (isSql)
    throw new UsageError("--corpus goes with --host memory: over a database a seed reaches other things")
  const known = isExtended && !existsSync(file) ? NO_CORPUS : corpusIn(file)
  const search = new CorpusSearch(program.machines)
  return {
    seeds: known.seeds,
    add: (result) => search.add(result),
    end: () => ended({ file, isExtended, known, now: search.corpus() }),
  }
}

function corpusIn(file: string): Corpus {
  try {
    return readCorpus(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new UsageError(`${file} is no corpus of the swarm: ${(cause as Error).message}`)
  }
}

interface Ending {
  readonly file: string
  readonly isExtended: boolean
  readonly known: Corpus
  readonly now: Corpus
}

function ended({ file, isExtended, known, now }: Ending): EndedCorpus {
  const lost = lostFrom(known, now)
  const news = lostFrom(now, known)
  const added = now.seeds.filter((seed) => !known.seeds.includes(seed)).length
  const dropped = known.seeds.filter((seed) => !now.seeds.includes(seed)).length
  if (isExtended) writeFileSync(file, corpusText(now))
  const last = isExtended
    ? `corpus: ${counted(now.seeds.length, "seed")}, ${added} new, ${dropped} dropped, written to ${file}`
    : `corpus: ${counted(known.seeds.length, "seed")} of ${file}${news.length === 0 ? "" : `, and ${counted(news.length, "name")} beyond it: --extend adds what reached them`}`
  return {
    lines: [...lost.map((name) => `no longer reached: ${name}`), last],
    json: {
      file,
      written: isExtended,
      seeds: now.seeds,
      added,
      dropped,
      no_longer_reached: lost,
      beyond: news,
    },
    isReached: isExtended || lost.length === 0,
  }
}
