/** Who asked for the command that began a chain of causes, across groups. */

import { createContext } from "preact"
import type { JSX } from "preact"
import { useContext, useEffect } from "preact/hooks"
import { shortAddress } from "../../inspection/row-text.ts"
import { ELSEWHERE, NONE, at } from "../../inspection/run-index.ts"
import { siteTime } from "../../inspection/shown-value.ts"
import type { AskedBy, KeptCall } from "../../../model/asked-by.ts"
import type { CallerType, Requester } from "../../../model/requester.ts"
import { useRead } from "./entries.ts"
import { Body, CutNote, Kept, NotInRecord, useKept } from "./kept.tsx"
import { requesterAt } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"

const CALLERS: Readonly<Record<CallerType, string>> = {
  key: "key",
  member: "member of the portal",
  operator: "operator",
  page: "a page without sign-in",
  phone: "runner's phone",
  user: "linked user",
}

/** Who asked, by group and revision of an entry: what the reader has opened. The page's head shows it too. */
export interface AskedAnswers {
  readonly answers: ReadonlyMap<string, AskedBy>
  readonly note: (entry: string, answer: AskedBy) => void
}

export const Answers = createContext<AskedAnswers>({ answers: new Map(), note: () => undefined })

/** The name of an entry in `AskedAnswers`. */
function entryName({ index }: OpenRun, row: number): string {
  return `${index.groups[at(index.group, row)] ?? ""} ${at(index.revision, row)}`
}

/** The caller's id; the last four digits of its key once "Show who asked" was opened for the entry. */
export function Who({ run, row }: { readonly run: OpenRun; readonly row: number }): JSX.Element {
  const { answers } = useContext(Answers)
  const recorded = useRead(async () => ({ row, who: await requesterAt(run, row) }), [run, row])
  const opened = answers.get(entryName(run, row))
  const who = opened?.requester ?? (recorded?.row === row ? recorded.who : null)
  if (who === null) return <strong>{withoutRequest(run, row)}</strong>
  const { organization = null, key = null } = opened?.request ?? {}
  const name = opened?.operator_name ?? null
  return (
    <>
      <strong title={who.id ?? ""}>
        {CALLERS[who.type]}{" "}
        {name ?? (
          <span class="mono">{key === null ? shortAddress(who.id ?? "") : `····${key.last_four}`}</span>
        )}
        {organization === null ? "" : ` of ${organization}`}
      </strong>
      <small>
        request{" "}
        <span class="mono" title={who.request}>
          {shortAddress(who.request)}
        </span>
      </small>
    </>
  )
}

function withoutRequest({ index }: OpenRun, row: number): string {
  if (at(index.cause, row) === ELSEWHERE) return "another group"
  if (at(index.by, row) === NONE) return "a step of the scenario"
  return at(index.by, row) === 0 ? "a command from outside" : "no caller"
}

/** `row` is the first cause that the record has: a command, or an entry that another group caused. */
export function Asked({ run, row }: { readonly run: OpenRun; readonly row: number }): JSX.Element | null {
  const isElsewhere = at(run.index.cause, row) === ELSEWHERE
  const who = useRead(() => requesterAt(run, row), [run, row])
  const { kept } = run
  if (kept === null) {
    if (who === null) return null
    return (
      <div id="why-asked">
        <Ids who={who} />
        <NotInRecord run={run} what="The key's last four digits, the caller's own id and the masked bodies" />
      </div>
    )
  }
  if (who === null && !isElsewhere) return null
  return (
    <div id="why-asked">
      {who !== null && <Ids who={who} />}
      <Opened run={run} row={row} />
    </div>
  )
}

function Ids({ who }: { readonly who: Requester }): JSX.Element {
  return (
    <p class="written">
      <span class="quiet">asked by</span>
      <span>
        {CALLERS[who.type]} {who.id !== null && <span class="mono">{who.id}</span>}
      </span>
      <span class="quiet">request</span>
      <span class="mono">{who.request}</span>
    </p>
  )
}

function Opened({ run, row }: { readonly run: OpenRun; readonly row: number }): JSX.Element {
  const { index } = run
  const group = index.groups[at(index.group, row)] ?? ""
  const revision = at(index.revision, row)
  const { opened, open } = useKept<AskedBy>(
    () => run.kept?.asked(revision) ?? Promise.reject(new Error("the service is not there")),
    entryName(run, row),
  )
  const { note } = useContext(Answers)
  useEffect(() => {
    if (typeof opened === "object" && "answer" in opened) note(entryName(run, row), opened.answer)
  }, [opened])
  return (
    <Kept opened={opened} open={open} says="Show who asked">
      {(answer) => <Answer run={run} asked={answer} from={group} />}
    </Kept>
  )
}

interface AnswerProps {
  readonly run: OpenRun
  readonly asked: AskedBy
  /** The group of this page. */
  readonly from: string
}

function Answer({ run, asked, from }: AnswerProps): JSX.Element {
  const { causes, is_cut: isCut, requester, operator_name: name, request, kept_days: days } = asked
  const command = causes.at(-1)
  return (
    <>
      {command !== undefined && command.group !== from && (
        <p class="written">
          <span class="quiet">{isCut ? "followed up to" : "the command"}</span> <b>{command.event}</b>
          <a class="mono" href={run.pathTo(command.group, command.revision) ?? ""} title={command.group}>
            {shortAddress(command.group)}, revision {command.revision}
          </a>
        </p>
      )}
      {requester !== null && command?.group !== from && <Ids who={requester} />}
      {name !== undefined && (
        <p class="written">
          <b>operator {name}</b>
        </p>
      )}
      {request === null ? (
        <p class="quiet">{nothingKept(requester, days)}</p>
      ) : (
        <Request zone={run.packed.head.zone} request={request} />
      )}
    </>
  )
}

function nothingKept(requester: Requester | null, days: number): string {
  if (requester === null)
    return "The entry names no request: none gave the command, or an older version of the service wrote it."
  if (requester.type === "page") return "Bodies are not kept of pages without sign-in."
  return `Nothing is kept of this request any more: rows of requests are deleted after ${days} days.`
}

function Request({ zone, request }: { readonly zone: string; readonly request: KeptCall }): JSX.Element {
  const { organization, key, at: sentAt, method, route, status, code, sent_id: theirId } = request
  return (
    <>
      <p class="written">
        {key !== null && (
          <b>
            key <span class="mono">····{key.last_four}</span> of {organization}
          </b>
        )}
        <time dateTime={sentAt}>{siteTime(Date.parse(sentAt), zone)}</time>
      </p>
      <p class="written">
        <span class="mono">
          {method} {route}
        </span>
        <span>
          {status} {code}
        </span>
        <span class="quiet">{theirId === null ? "the caller sent no id of its own" : "the caller's id"}</span>
        {theirId !== null && <span class="mono">{theirId}</span>}
      </p>
      <div class="bodies">
        <Body says="Sent" body={request.sent} />
        <Body says="Answered" body={request.answered} />
      </div>
      <CutNote isCut={request.is_cut} />
    </>
  )
}
