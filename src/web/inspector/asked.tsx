/** Who asked for the command that began a chain of causes, across groups. */

import type { JSX } from "preact"
import { shortAddress } from "../../inspection/row-text.ts"
import { ELSEWHERE, at } from "../../inspection/run-index.ts"
import { siteTime } from "../../inspection/shown-value.ts"
import type { AskedBy, KeptCall } from "../../model/asked-by.ts"
import type { CallerType, Requester } from "../../model/requester.ts"
import { useRead } from "./entries.ts"
import { Body, CutNote, Kept, NotInRecord, useKept } from "./kept.tsx"
import { requesterAt } from "./record-source.ts"
import type { OpenRun } from "./record-source.ts"

const CALLERS: Readonly<Record<CallerType, string>> = {
  key: "key",
  member: "member of the portal",
  operator: "operator",
  page: "a page without sign-in",
  phone: "runner's phone",
  user: "linked user",
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
    `${group} ${revision}`,
  )
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
  const { causes, is_cut: isCut, requester, request, kept_days: days } = asked
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
