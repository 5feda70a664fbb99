/**
 * The opened folder: its scenario files, and the only place where the studio writes. A path is relative, has no `..`, and
 * leads through no symbolic link; only `.yaml` and `.yml` files are written, and tables beside models, each as a whole.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import type { Dirent } from "node:fs"
import { basename, join } from "node:path"
import { digest } from "../../engine/kernel/hash.ts"
import { SOURCE_BYTES_MAX, STUDIO_FILES_MAX } from "../../model/values/limits.ts"
import { kindOfText } from "../../simulation/scenario/language/file-kind.ts"
import type { FileKind } from "../../simulation/scenario/language/file-kind.ts"
import { NO_SCENARIOS, isScenarioFile } from "../scenarios/scenario-files.ts"
import { SAVE_AS_UTF8, textAt, utf8Of } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"

/** A path or a change that the folder refuses, with the HTTP status that says so. */
export class FolderRefusal extends Error {
  override readonly name = "FolderRefusal"
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface ReadText {
  readonly text: string
  /** Of the bytes on disk. */
  readonly version: string
}

const PATH_LENGTH_MAX = 1_000

const TABLE_NAME = /^[^/\\]{1,200}\.(csv|tsv|txt|json|ndjson|jsonl|parquet)$/i

export class ScenarioFolder {
  /** As it was typed; `.` and `..` have the name of the folder that they are. */
  readonly name: string
  readonly #root: string

  constructor(name: string) {
    try {
      this.#root = realpathSync(name)
    } catch {
      throw new UsageError(`there is no folder ${name}; "npx curbline init ${name}" makes one`)
    }
    if (!lstatSync(this.#root).isDirectory()) throw new UsageError(`${name} is a file; name its folder`)
    this.name = /[^./]/.test(name) ? name : basename(this.#root)
  }

  /** The paths of all scenario files, sorted; without fleet models, what-if files and links. */
  paths(): readonly string[] {
    return this.#filesThat((path) => this.#kindOf(path) === "scenario")
  }

  /** The paths of all fleet models, sorted. */
  fleets(): readonly string[] {
    return this.#filesThat((path) => this.#kindOf(path) === "fleet model")
  }

  /** Another one when a file was written, added or removed; a file's text is not read for it. */
  signature(): string {
    return this.#filesThat(() => true)
      .map((path) => {
        const stats = lstatSync(join(this.#root, path), { throwIfNoEntry: false })
        return `${path} ${stats?.size ?? 0} ${stats?.mtimeMs ?? 0} ${stats?.ino ?? 0}`
      })
      .join("\n")
  }

  #filesThat(isOne: (path: string) => boolean): readonly string[] {
    const found: string[] = []
    const walk = (under: string): void => {
      for (const entry of this.#entriesOf(under).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.name.startsWith(".")) continue
        const path = under === "" ? entry.name : `${under}/${entry.name}`
        if (entry.isDirectory() && !NO_SCENARIOS.has(entry.name)) walk(path)
        else if (entry.isFile() && isScenarioFile(entry.name) && isOne(path)) found.push(path)
      }
    }
    walk("")
    if (found.length > STUDIO_FILES_MAX)
      throw new UsageError(
        `${this.name} has ${found.length} scenario files; the studio opens at most ${STUDIO_FILES_MAX}: name a folder inside`,
      )
    return found
  }

  /** A folder inside that is another user's, or was deleted meanwhile, has no scenarios. */
  #entriesOf(under: string): readonly Dirent[] {
    try {
      return readdirSync(join(this.#root, under), { withFileTypes: true })
    } catch (cause) {
      if (under === "") throw cause
      return []
    }
  }

  /** A file that cannot be read, or is of no known kind, is listed as a scenario: the refusal comes when it is opened. */
  #kindOf(path: string): FileKind {
    if (path.endsWith(".ts")) return "scenario"
    return kindOfText(textAt(join(this.#root, path)) ?? "") ?? "scenario"
  }

  /** Where the file of a path is; refuses every path that may lead out of the folder. */
  place(path: unknown): string {
    return this.#placeOf(path, isScenarioFile)
  }

  /** Where a file beside a model is, by its name in the model; null for a name that may lead out of the folder. */
  placeBeside(path: string, name: string): string | null {
    const under = path.slice(0, path.lastIndexOf("/") + 1)
    if (/^[a-z]:/i.test(name)) return null
    try {
      return this.#placeOf(under + name.replace(/^(\.\/)+/, ""), () => true)
    } catch (cause) {
      if (cause instanceof FolderRefusal) return null
      throw cause
    }
  }

  #placeOf(path: unknown, isOne: (path: string) => boolean): string {
    const refused = (why: string): never => {
      throw new FolderRefusal(400, `the path ${JSON.stringify(path)} ${why}`)
    }
    if (typeof path !== "string" || path === "" || path.length > PATH_LENGTH_MAX)
      return refused("is not the path of a file in the opened folder")
    if (path.startsWith("/") || /^[a-z]:/i.test(path))
      return refused("is absolute; name it from the folder on")
    if (/[\\\p{Cc}]/u.test(path)) return refused("has a backslash or a control character")
    const parts = path.split("/")
    if (parts.some((part) => part === "" || part.startsWith(".")))
      return refused('has a part that is empty or begins with ".", such as ".."')
    if (!isOne(path)) return refused("does not end in .yaml, .yml or .scenario.ts")
    for (let length = 1; length <= parts.length; length += 1) {
      const stats = lstatSync(join(this.#root, ...parts.slice(0, length)), { throwIfNoEntry: false })
      if (stats?.isSymbolicLink() === true) return refused("leads through a symbolic link")
      if (length < parts.length && stats?.isDirectory() !== true)
        return refused("is in no folder that exists")
      if (length === parts.length && stats !== undefined && !stats.isFile()) return refused("is no file")
    }
    return join(this.#root, ...parts)
  }

  read(path: unknown): ReadText {
    const place = this.place(path)
    let file: number
    try {
      file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw code === "ENOENT" || code === "ENOTDIR"
        ? new FolderRefusal(404, `there is no file ${String(path)} in ${this.name}`)
        : new FolderRefusal(403, `${String(path)} cannot be read (${code ?? "no reason"})`)
    }
    try {
      const { size } = fstatSync(file)
      if (size > SOURCE_BYTES_MAX)
        throw new FolderRefusal(
          413,
          `${String(path)} is ${size} bytes long, a scenario has at most ${SOURCE_BYTES_MAX}`,
        )
      const text = utf8Of(readFileSync(file))
      if (text === null) throw new FolderRefusal(415, `${String(path)} is not UTF-8 text; ${SAVE_AS_UTF8}`)
      return { text, version: digest(text) }
    } finally {
      closeSync(file)
    }
  }

  /** Writes a whole file; refused when it is not the version that was read, or exists and should be new. */
  write(path: unknown, text: string, version: string | null): string {
    const place = this.#writable(path)
    const bytes = Buffer.byteLength(text)
    if (bytes > SOURCE_BYTES_MAX)
      throw new FolderRefusal(
        413,
        `the text is ${bytes} bytes long, a scenario has at most ${SOURCE_BYTES_MAX}`,
      )
    // Without an await in between, no other call of this process comes between the comparison and the write.
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (version === null) {
      if (stats !== undefined)
        throw new FolderRefusal(
          409,
          `${String(path)} exists already, and nothing was written; choose another name`,
        )
      written(place, text, { isNew: true })
      return digest(text)
    }
    if (stats === undefined)
      throw new FolderRefusal(
        409,
        `${String(path)} was deleted on disk, and nothing was written; save it as new`,
      )
    if (this.read(path).version !== version)
      throw new FolderRefusal(
        409,
        `${String(path)} changed on disk since it was read, and nothing was written; load it again, or save over it`,
      )
    written(place, text, { isNew: false, mode: stats.mode })
    return digest(text)
  }

  /** Whether a table of this name stands beside a model, with other content than these bytes; refuses what is no name of a table. */
  hasOtherBeside(path: string, name: string, bytes: Uint8Array): boolean {
    const place = this.#placeOfTable(path, name)
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined && !readFileSync(place).equals(bytes)
  }

  /**
   * Writes a table beside a model, and returns what takes that back. A file of its name with other content is replaced only if that is
   * asked for.
   */
  writeBeside(
    path: string,
    name: string,
    bytes: Uint8Array,
    { replaces }: { readonly replaces: boolean },
  ): () => void {
    const place = this.#placeOfTable(path, name)
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined || !replaces) {
      if (stats !== undefined && readFileSync(place).equals(bytes)) return () => undefined
      written(place, bytes, { isNew: true })
      return () => rmSync(place, { force: true })
    }
    const before = readFileSync(place)
    written(place, bytes, { isNew: false, mode: stats.mode })
    return () => written(place, before, { isNew: false, mode: stats.mode })
  }

  #placeOfTable(path: string, name: string): string {
    if (!TABLE_NAME.test(name))
      throw new FolderRefusal(
        400,
        `${JSON.stringify(name)} is no name of a table beside a model: write a name without folders that ends in .csv, .tsv, .txt, .json, .ndjson, .jsonl or .parquet`,
      )
    return this.#placeOf(path.slice(0, path.lastIndexOf("/") + 1) + name, () => true)
  }

  /** Gives a file another name or folder; refused when it is not the version that was read, or the name is taken. */
  move(path: unknown, to: unknown, version: string): void {
    const [place, next] = [this.#unchanged(path, version, "renamed"), this.#writable(to)]
    try {
      // A rename would replace a file of that name.
      linkSync(place, next)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code === "EEXIST")
        throw new FolderRefusal(
          409,
          `${String(to)} exists already, and nothing was renamed; choose another name`,
        )
      throw new FolderRefusal(500, `${String(to)} cannot be written (${code ?? "no reason"})`)
    }
    try {
      rmSync(place)
    } catch (cause) {
      rmSync(next)
      throw notRemoved(cause, `${String(path)} cannot be renamed`)
    }
  }

  /** Takes a file away; refused when it is not the version that was read. */
  remove(path: unknown, version: string): void {
    const place = this.#unchanged(path, version, "deleted")
    try {
      rmSync(place)
    } catch (cause) {
      throw notRemoved(cause, `${String(path)} cannot be deleted`)
    }
  }

  #writable(path: unknown): string {
    const place = this.place(path)
    if (!/\.ya?ml$/.test(place))
      throw new FolderRefusal(
        403,
        `the studio writes only files that end in .yaml or .yml, not ${String(path)}`,
      )
    return place
  }

  #unchanged(path: unknown, version: string, what: string): string {
    const place = this.#writable(path)
    if (this.read(path).version !== version)
      throw new FolderRefusal(
        409,
        `${String(path)} changed on disk since it was read, and was not ${what}; load it again first`,
      )
    return place
  }
}

/** As where its folder may not be written; the file is what it was. */
function notRemoved(cause: unknown, what: string): FolderRefusal {
  const { code } = cause as NodeJS.ErrnoException
  return new FolderRefusal(500, `${what} (${code ?? "no reason"})`)
}

/** A draft beside the file takes its place at once: a reader sees the text before or after, never a part. */
function written(
  place: string,
  text: Uint8Array | string,
  { isNew, mode }: { readonly isNew: boolean; readonly mode?: number },
): void {
  const draft = `${place}.${process.pid}.draft`
  try {
    writeFileSync(draft, text, { flag: "wx" })
    if (mode !== undefined) chmodSync(draft, mode)
    // A link fails when the name is taken meanwhile; a rename would replace it.
    if (isNew) linkSync(draft, place)
    else renameSync(draft, place)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === "EEXIST" ? "exists already" : `cannot be written (${code ?? "no reason"})`
    throw new FolderRefusal(code === "EEXIST" ? 409 : 500, `${place} ${why}, and nothing was written`)
  } finally {
    rmSync(draft, { force: true })
  }
}
