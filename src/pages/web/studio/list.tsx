/** The scenarios by folder, with verdicts; a search over titles, paths and tags. */

import type { JSX, RefObject } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Empty, Skeleton } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import type { FileResult, ListedFile, Listing } from "./contract.ts"

/** Tags that are shown as chips: those of the most files. */
const CHIPS_MAX = 8

interface ListProps {
  readonly listing: Listing | null
  readonly results: ReadonlyMap<string, FileResult>
  readonly chosen: string | null
  readonly unsaved: ReadonlySet<string>
  /** Why the list could not be read; the page says it. */
  readonly fault: string | null
  readonly search: RefObject<HTMLInputElement | null>
  readonly onOpen: (path: string) => void
  readonly onNew: () => void
}

export function List(props: ListProps): JSX.Element {
  const { listing, results, chosen, unsaved, fault, search, onNew } = props
  const [text, setText] = useState("")
  const [chip, setChip] = useState<string | null>(null)
  const tags = useMemo(() => commonTags(listing?.files ?? []), [listing])
  const failed = [...results.values()].filter(({ verdict }) => isBad(verdict)).length
  const toggle = (name: string): void => setChip(chip === name ? null : name)
  // A key that is typed into the file changes neither, and a folder may have thousands of files.
  const folders = useMemo(
    () => foldersOf((listing?.files ?? []).filter((file) => isShown(file, { text, chip, results }))),
    [listing, text, chip, results],
  )
  const paths = useMemo(() => folders.flatMap(({ files }) => files.map(({ path }) => path)), [folders])
  const { active, onKey } = useListKeys({ ...props, paths, text, setText })
  const box: ListBox = {
    id: LIST_ID,
    "aria-activedescendant": active === null ? undefined : optionId(paths, active),
    onKeyDown: onKey,
  }
  const items = useMemo(
    () =>
      folders.map((folder) => (
        <Folder key={folder.name} {...props} {...folder} active={active} paths={paths} />
      )),
    [folders, results, chosen, [...unsaved].join("\n"), active],
  )
  return (
    <>
      <div class="list-head">
        <SearchField input={search} text={text} box={box} hasFiles={paths.length > 0} onText={setText} />
        <button
          type="button"
          class="button square"
          aria-label="New scenario"
          title="New scenario"
          onClick={onNew}
        >
          <Icon name="plus" />
        </button>
      </div>
      <div class="chips" role="group" aria-label="Show only">
        {failed > 0 && <Chip name={FAILED} text={`failed ${failed}`} chosen={chip} onToggle={toggle} />}
        {tags.map((tag) => (
          <Chip key={tag} name={tag} text={tag} chosen={chip} onToggle={toggle} />
        ))}
      </div>
      {paths.length === 0 && <NoFiles listing={listing} isLost={fault !== null} />}
      <div
        {...box}
        class="files"
        role="listbox"
        tabIndex={0}
        aria-label="Scenarios"
        hidden={paths.length === 0}
      >
        {items}
      </div>
    </>
  )
}

/** What the field and the list have both. */
interface ListBox {
  readonly id: string
  readonly "aria-activedescendant": string | undefined
  readonly onKeyDown: (event: KeyboardEvent) => void
}

interface SearchFieldProps {
  readonly input: ListProps["search"]
  readonly text: string
  readonly box: ListBox
  readonly hasFiles: boolean
  readonly onText: (text: string) => void
}

function SearchField({ input, text, box, hasFiles, onText }: SearchFieldProps): JSX.Element {
  const { id, ...keys } = box
  return (
    <label class="search">
      <span class="visually-hidden">Search scenarios</span>
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        role="combobox"
        value={text}
        placeholder="Title, tag, path"
        autocomplete="off"
        spellcheck={false}
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={hasFiles}
        aria-controls={id}
        {...keys}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}

function NoFiles({
  listing,
  isLost,
}: {
  readonly listing: Listing | null
  readonly isLost: boolean
}): JSX.Element {
  return (
    <div class="files">
      {listing === null && !isLost && <Skeleton lines={8} />}
      {listing !== null && (
        <Empty title={listing.files.length === 0 ? "No scenario yet" : "No scenario fits"}>
          {listing.files.length === 0 ? "Make the first one with +." : "Change the search or the tag."}
        </Empty>
      )}
    </div>
  )
}

const LIST_ID = "scenario-files"

function optionId(paths: readonly string[], path: string): string {
  return `${LIST_ID}-${paths.indexOf(path)}`
}

interface ListKeys extends Pick<ListProps, "chosen" | "onOpen"> {
  /** As they are shown. */
  readonly paths: readonly string[]
  readonly text: string
  readonly setText: (text: string) => void
}

/** The active file of the list: the first one that a search finds, and then where the keys lead. */
function useListKeys({ paths, text, setText, chosen, onOpen }: ListKeys): {
  readonly active: string | null
  readonly onKey: (event: KeyboardEvent) => void
} {
  const [moved, setMoved] = useState<string | null>(null)
  useEffect(() => setMoved(null), [text])
  const first = text.trim() === "" ? null : (paths[0] ?? null)
  const active = moved !== null && paths.includes(moved) ? moved : first
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === "Escape" && text !== "") setText("")
    else if (event.key === "Enter" && active !== null) onOpen(active)
    else {
      const at = paths.indexOf(active ?? chosen ?? "")
      const end = paths.length - 1
      const next = { ArrowDown: Math.min(end, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: end }[
        event.key
      ]
      const path = next === undefined ? undefined : paths[next]
      if (path === undefined) return
      setMoved(path)
    }
    event.preventDefault()
  }
  return { active, onKey }
}

interface ShownFolder {
  readonly name: string
  readonly files: readonly ListedFile[]
}

function foldersOf(files: readonly ListedFile[]): readonly ShownFolder[] {
  const folders = Map.groupBy(files, ({ path }) => path.split("/").slice(0, -1).join("/"))
  return [...folders].map(([name, own]) => ({ name, files: own }))
}

interface FolderProps extends ListProps, ShownFolder {
  readonly active: string | null
  readonly paths: readonly string[]
}

function Folder({ name, files, active, paths, ...props }: FolderProps): JSX.Element {
  const { results, chosen, unsaved } = props
  const own = files.some(({ path }) => path === active) ? active : null
  // Where the keys lead changes the folder that they leave and the one that they enter.
  const items = useMemo(() => {
    const begin = paths.indexOf(files[0]?.path ?? "")
    return files.map((file, at) => (
      <Item
        key={file.path}
        {...props}
        file={file}
        id={`${LIST_ID}-${begin + at}`}
        isActive={file.path === own}
      />
    ))
  }, [files, paths, own, results, chosen, unsaved])
  const shown = name === "" ? "this folder" : name
  return (
    <div role="group" aria-label={shown}>
      <p class="folder-name" role="presentation">
        {shown} <span>{files.length}</span>
      </p>
      {items}
    </div>
  )
}

/** A chip of its own beside the tags; no tag has a blank at its end. */
const FAILED = "failed "

function Chip({
  name,
  text,
  chosen,
  onToggle,
}: {
  readonly name: string
  readonly text: string
  readonly chosen: string | null
  readonly onToggle: (name: string) => void
}): JSX.Element {
  return (
    <button type="button" class="chip" aria-pressed={chosen === name} onClick={() => onToggle(name)}>
      {text}
    </button>
  )
}

function commonTags(files: readonly ListedFile[]): readonly string[] {
  const counts = Map.groupBy(
    files.flatMap(({ tags }) => tags),
    (tag) => tag,
  )
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, CHIPS_MAX)
    .map(([tag]) => tag)
}

interface Choice {
  readonly text: string
  readonly chip: string | null
  readonly results: ReadonlyMap<string, FileResult>
}

function isShown({ title, path, tags }: ListedFile, { text, chip, results }: Choice): boolean {
  if (chip === FAILED && !isBad(results.get(path)?.verdict ?? "passed")) return false
  if (chip !== null && chip !== FAILED && !tags.includes(chip)) return false
  const searched = `${title} ${path} ${tags.join(" ")}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

function isBad(verdict: FileResult["verdict"]): boolean {
  return verdict !== "passed" && verdict !== "not run"
}

const SIGNS: Readonly<Record<FileResult["verdict"], readonly [icon: IconName, words: string, tone: string]>> =
  {
    passed: ["check", "passed", "good"],
    failed: ["cross", "failed", "bad"],
    fault: ["cross", "fault", "bad"],
    "not run": ["circle-dashed", "not run against the service", "quiet"],
    unreadable: ["circle-alert", "has a mistake", "bad"],
  }

/** `20 ms`, `0.4 s`. */
function tookWords(ms: number): string {
  return ms < 95 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`
}

interface ItemProps extends ListProps {
  readonly file: ListedFile
  readonly id: string
  readonly isActive: boolean
}

function Item({ file, id, isActive, results, chosen, unsaved, onOpen }: ItemProps): JSX.Element {
  const { path, title, isTypeScript, problems } = file
  const result = results.get(path)
  const verdict = result?.verdict ?? (problems > 0 ? "unreadable" : null)
  const [icon, words, tone] =
    verdict === null ? (["circle-dashed", "not run yet", "quiet"] as const) : SIGNS[verdict]
  const isChosen = chosen === path
  const option = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isChosen || isActive) option.current?.scrollIntoView({ block: "nearest" })
  }, [isChosen, isActive])
  return (
    <div
      ref={option}
      id={id}
      role="option"
      class={verdict !== null && isBad(verdict) ? "file is-bad" : "file"}
      aria-selected={isActive}
      aria-current={isChosen ? "true" : undefined}
      title={result?.message ?? path}
      onClick={() => onOpen(path)}
    >
      <span class={tone}>
        <Icon name={icon} />
        <span class="visually-hidden">{words}: </span>
      </span>
      <span class="file-title">
        {title}
        {unsaved.has(path) && <span class="unsaved"> · not saved</span>}
        {isTypeScript && <span class="quiet"> · program</span>}
      </span>
      {result !== undefined && result.wallMs > 0 && (
        <span class="quiet number">{tookWords(result.wallMs)}</span>
      )}
    </div>
  )
}
