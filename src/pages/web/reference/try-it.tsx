/** The form of a real call: parameters, key and body, its code in three languages, and what the host answered. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Code } from "../design/code.tsx"
import { Banner } from "../design/feedback.tsx"
import { AreaField, SelectField, TextField } from "../design/field.tsx"
import { Pill } from "../design/pill.tsx"
import { Tabs } from "../design/tabs.tsx"
import { examplesOf, proofOf } from "./openapi.ts"
import type { Entry, OpenApi, Parameter, Proof } from "./openapi.ts"
import type { ReferenceData } from "./reference-data.ts"
import { bodyText, firstDraft, placeOf, requestOf } from "./request-draft.ts"
import type { Draft } from "./request-draft.ts"
import { plainOf } from "./schema-words.ts"
import { SAMPLES } from "./samples.ts"
import { sent } from "./sending.ts"
import type { Received } from "./sending.ts"

/** Keys that were typed in, by kind; they stay in the memory of the page. */
export type Keys = Readonly<Record<"API key" | "operator token", string>>

export interface TryItProps {
  readonly entry: Entry
  readonly document: OpenApi
  readonly data: ReferenceData
  readonly keys: Keys
  readonly onKeys: (keys: Keys) => void
}

export function TryIt(props: TryItProps): JSX.Element {
  const { entry, document, data } = props
  const { operation, method } = entry
  const [draft, setDraft] = useState<Draft>(() => firstDraft(operation, document, data))
  const [file, setFile] = useState<File | null>(null)
  const call = useCall(props, draft, file)
  const put = (parameter: Parameter, value: string): void =>
    setDraft((known) => ({ ...known, values: { ...known.values, [placeOf(parameter)]: value } }))
  const isReal = data.environment === "production" && method !== "GET"
  return (
    <div class="try">
      <section aria-labelledby="code">
        <h2 id="code">Request</h2>
        <Tabs
          label="Languages"
          tabs={SAMPLES.map(([name, write]) => ({
            name,
            content: () => (
              <Code
                label={`${name}: ${operation.summary}`}
                text={write(requestOf(entry, document, draft, data.base_url))}
              />
            ),
          }))}
        />
      </section>
      <section aria-labelledby="try">
        <h2 id="try">Try it</h2>
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault()
            call.send()
          }}
        >
          <ProofField {...props} />
          {(operation.parameters ?? []).map((parameter) => (
            <ParameterField
              key={placeOf(parameter)}
              parameter={parameter}
              document={document}
              value={draft.values[placeOf(parameter)] ?? ""}
              onChange={(value) => put(parameter, value)}
            />
          ))}
          <BodyField {...props} draft={draft} onDraft={setDraft} onFile={setFile} />
          {isReal ? <Banner tone="wait">This is production: the call does what it says.</Banner> : null}
          <div>
            <Button type="submit" look="primary" icon="send" isBusy={call.isSending}>
              {call.isSending ? "Sending…" : "Send the request"}
            </Button>
          </div>
        </form>
        <div role="status">
          {call.problem === null ? null : <Banner tone="bad">{call.problem}</Banner>}
          {call.received === null ? null : <ReceivedAnswer received={call.received} />}
        </div>
      </section>
    </div>
  )
}

interface Call {
  readonly isSending: boolean
  readonly problem: string | null
  readonly received: Received | null
  readonly send: () => void
}

function useCall({ entry, document, keys }: TryItProps, draft: Draft, file: File | null): Call {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [received, setReceived] = useState<Received | null>(null)
  const send = async (): Promise<void> => {
    setProblem(null)
    setReceived(null)
    const proof = proofOf(document, entry.operation)
    const fault = faultOf(entry, draft, proof === null || proof === "portal session" ? "unused" : keys[proof])
    if (fault !== null) return setProblem(fault)
    setSending(true)
    try {
      const bearer = proof === null || proof === "portal session" ? null : keys[proof].trim()
      setReceived(await sent({ request: requestOf(entry, document, draft, ""), bearer, file }))
    } catch {
      setProblem("The host did not answer. Whether the request reached it is not known.")
    }
    setSending(false)
  }
  return { isSending, problem, received, send: () => void send() }
}

/** What is missing before the request can be sent; null if nothing is. */
function faultOf({ operation }: Entry, { values, body }: Draft, key: string): string | null {
  if (key.trim() === "") return "A key is needed: paste one above. Nothing was sent."
  const missing = (operation.parameters ?? []).find(
    (parameter) => parameter.in === "path" && (values[placeOf(parameter)] ?? "").trim() === "",
  )
  if (missing !== undefined) return `${missing.name} is part of the path and has no value. Nothing was sent.`
  if (body === null || body.trim() === "") return null
  try {
    JSON.parse(body)
    return null
  } catch (cause) {
    return `The body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}. Nothing was sent.`
  }
}

function ProofField({ entry, document, data, keys, onKeys }: TryItProps): JSX.Element | null {
  const proof: Proof = proofOf(document, entry.operation)
  if (proof === null) return <p class="small quiet">No key is needed.</p>
  if (proof === "portal session")
    return <p class="small quiet">Sent with your session of the portal, if you are signed in on this host.</p>
  const ofDemo = proof === "API key" ? data.demo?.api_key : data.demo?.operator_token
  const isDemo = ofDemo !== undefined && ofDemo === keys[proof]
  return (
    <TextField
      label={proof === "API key" ? "API key" : "Operator token"}
      type="password"
      value={keys[proof]}
      onChange={(value) => onKeys({ ...keys, [proof]: value })}
      hint={isDemo ? "The demo's." : "It stays in the memory of this page and is sent to this host alone."}
    />
  )
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly document: OpenApi
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ parameter, document, value, onChange }: ParameterFieldProps): JSX.Element {
  const { name, required = false, schema } = parameter
  const label = `${name}${required ? "" : " (optional)"}`
  const { enum: words = [] } = plainOf(schema, document).schema
  return words.length === 0 ? (
    <TextField label={label} value={value} onChange={onChange} />
  ) : (
    <SelectField
      label={label}
      value={value}
      onChange={onChange}
      options={[["", "–"] as const, ...words.map((word) => [String(word), String(word)] as const)]}
    />
  )
}

interface BodyFieldProps extends TryItProps {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly onFile: (file: File | null) => void
}

function BodyField({ entry, document, data, draft, onDraft, onFile }: BodyFieldProps): JSX.Element | null {
  const content = entry.operation.requestBody?.content
  if (content === undefined) return null
  if (draft.body === null) {
    const types = Object.keys(content)
    return (
      <label class="field">
        <span class="label">File ({types.join(" or ")})</span>
        <input
          type="file"
          accept={types.join(",")}
          onChange={({ currentTarget }) => onFile(currentTarget.files?.[0] ?? null)}
        />
      </label>
    )
  }
  const examples = examplesOf(content["application/json"], document)
  return (
    <>
      {examples.length < 2 ? null : (
        <ExampleField
          names={examples.map(({ name }) => name)}
          onChoose={(name) => {
            const found = examples.find((one) => one.name === name)
            if (found !== undefined) onDraft({ ...draft, body: bodyText(found.value, data) })
          }}
        />
      )}
      <AreaField
        label="Body"
        isCode
        rows={Math.min(18, draft.body.split("\n").length + 1)}
        value={draft.body}
        onChange={(body) => onDraft({ ...draft, body })}
      />
    </>
  )
}

function ExampleField({
  names,
  onChoose,
}: {
  readonly names: readonly string[]
  readonly onChoose: (name: string) => void
}): JSX.Element {
  const [chosen, setChosen] = useState(names[0] ?? "")
  return (
    <SelectField
      label="Example"
      value={chosen}
      onChange={(name) => {
        setChosen(name)
        onChoose(name)
      }}
      options={names.map((name) => [name, wordsOfName(name)] as const)}
    />
  )
}

/** `sent-again` becomes "Sent again". */
export function wordsOfName(name: string): string {
  const text = name.replaceAll("-", " ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function ReceivedAnswer({ received }: { readonly received: Received }): JSX.Element {
  const { status, ms, requestId, contentType, text } = received
  const isDone = status < 400
  return (
    <div class="column received">
      <p class="row">
        <Pill tone={isDone ? "ok" : "bad"} icon={isDone ? "circle-check" : "circle-x"}>
          {status}
        </Pill>
        <span class="small quiet number">
          {ms} ms · {contentType.split(";")[0]}
        </span>
      </p>
      {text === "" ? null : <Code label="The answer" text={text} />}
      {requestId === null ? null : (
        <p class="tiny quiet">
          Request id <span class="mono">{requestId}</span>
        </p>
      )}
    </div>
  )
}
