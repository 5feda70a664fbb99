/** One operation, or one event that the service sends: all that its document says about it. */

import type { JSX } from "preact"
import { Copy } from "../design/button.tsx"
import { Code, prettyJson } from "../design/code.tsx"
import { errorsOf, examplesOf, proofOf, successesOf } from "./openapi.ts"
import type { Answer, ErrorRow, Media, NamedValue, OpenApi, Parameter } from "./openapi.ts"
import { Line, Prose } from "./prose.tsx"
import { limitsOf, plainOf } from "./schema-words.ts"
import { Field, Fields, Limits } from "./schema.tsx"
import { TryIt, wordsOfName } from "./try-it.tsx"
import type { TryItProps } from "./try-it.tsx"

interface OperationViewProps extends TryItProps {
  /** The address of this view. */
  readonly link: string
}

export function OperationView(props: OperationViewProps): JSX.Element {
  const { entry, document, link } = props
  const { operation, method, path } = entry
  const isEvent = method === "EVENT"
  return (
    <article class={isEvent ? "operation event" : "operation"}>
      <header>
        <h1 tabIndex={-1}>
          <Line text={operation.summary} />
        </h1>
        <p class="address">
          <Method method={method} /> <span class="mono">{path}</span>
          <Copy
            text={isEvent ? path : `${method} ${path}`}
            label={isEvent ? "Copy the event's type" : "Copy method and path"}
          />
          <a class="small" href={link}>
            Link to this {isEvent ? "event" : "operation"}
          </a>
        </p>
      </header>
      <div class="about">
        {isEvent ? null : <Proof entry={entry} document={document} />}
        {operation.description === undefined ? null : <Prose text={operation.description} />}
        <Parameters
          title={isEvent ? "Headers" : "Parameters"}
          parameters={operation.parameters ?? []}
          document={document}
        />
        <Body entry={entry} document={document} />
        {isEvent ? (
          <EventAnswers answers={Object.entries(operation.responses)} />
        ) : (
          <>
            <Answers answers={successesOf(operation)} document={document} />
            <Errors rows={errorsOf(operation, document)} />
          </>
        )}
      </div>
      <div class="beside">
        {isEvent ? <EventExample entry={entry} document={document} /> : <TryIt key={entry.id} {...props} />}
      </div>
    </article>
  )
}

/** A method's word in its colour; `EVENT` for what the service sends. */
export function Method({ method }: { readonly method: string }): JSX.Element {
  return <span class={`verb ${method.toLowerCase()}`}>{method}</span>
}

function Proof({ entry, document }: Pick<TryItProps, "document" | "entry">): JSX.Element {
  const proof = proofOf(document, entry.operation)
  return (
    <p class="small">
      <span class="strong">Who may call: </span>
      {proof === null
        ? "everybody; no key is needed."
        : proof === "portal session"
          ? "a signed-in member, by the session's cookie."
          : `a caller with an ${proof}, as Authorization: Bearer.`}
    </p>
  )
}

const PLACES: Readonly<Record<Parameter["in"], string>> = {
  path: "in the path",
  query: "in the query",
  header: "header",
  cookie: "cookie",
}

function Parameters({
  title,
  parameters,
  document,
}: {
  readonly title: string
  readonly parameters: readonly Parameter[]
  readonly document: OpenApi
}): JSX.Element | null {
  if (parameters.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class="schema">
        {parameters.map(({ in: place, name, description, required = false, schema }) => (
          <li key={`${place} ${name}`}>
            <Field
              name={name}
              isRequired={required}
              schema={description === undefined ? schema : { ...schema, description }}
              document={document}
              place={PLACES[place]}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Body({ entry, document }: Pick<TryItProps, "document" | "entry">): JSX.Element | null {
  const { requestBody } = entry.operation
  if (requestBody === undefined) return null
  return (
    <section>
      <h2>Body{requestBody.required === true ? "" : " (optional)"}</h2>
      {Object.entries(requestBody.content).map(([type, { schema }]) => (
        <div key={type}>
          <p class="small quiet mono">{type}</p>
          {schema === undefined ? null : (
            <>
              {schema.description === undefined ? null : <Prose text={schema.description} />}
              <Limits limits={limitsOf(plainOf(schema, document).schema)} />
              <Fields schema={schema} document={document} open={1} />
            </>
          )}
        </div>
      ))}
    </section>
  )
}

function Answers({
  answers,
  document,
}: {
  readonly answers: readonly (readonly [status: string, answer: Answer])[]
  readonly document: OpenApi
}): JSX.Element {
  return (
    <section>
      <h2>Answers</h2>
      {answers.map(([status, { description, content = {} }], at) => (
        <details key={status} class="answer" open={at === 0}>
          <summary>
            <span class="status ok">{status}</span> <Line text={description} />
          </summary>
          {Object.entries(content).map(([type, media]) => (
            <AnswerMedia key={type} status={status} type={type} media={media} document={document} />
          ))}
        </details>
      ))}
    </section>
  )
}

interface AnswerMediaProps {
  readonly status: string
  readonly type: string
  readonly media: Media
  readonly document: OpenApi
}

function AnswerMedia({ status, type, media, document }: AnswerMediaProps): JSX.Element {
  return (
    <>
      <p class="small quiet mono">{type}</p>
      {media.schema === undefined ? null : <Fields schema={media.schema} document={document} open={1} />}
      <Examples of={`answer ${status}`} examples={examplesOf(media, document)} />
    </>
  )
}

function Examples({
  of,
  examples,
}: {
  readonly of: string
  readonly examples: readonly NamedValue[]
}): JSX.Element {
  return (
    <>
      {examples.map(({ name, value }) => (
        <details key={name}>
          <summary>Example: {wordsOfName(name)}</summary>
          <Code label={`Example of ${of}: ${wordsOfName(name)}`} text={prettyJson(value)} />
        </details>
      ))}
    </>
  )
}

function Errors({ rows }: { readonly rows: readonly ErrorRow[] }): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <section>
      <h2>Errors</h2>
      <ul class="errors">
        {rows.map(({ status, code, meaning, example }) => (
          <li key={`${status} ${code}`}>
            <p>
              <span class="status bad">{status}</span> <code>{code}</code>
            </p>
            <p class="small quiet">
              <Line text={meaning} />
            </p>
            {example === undefined ? null : (
              <details>
                <summary>
                  Example<span class="visually-hidden"> of {code}</span>
                </summary>
                <Code label={`Example of ${code}`} text={prettyJson(example)} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What a receiver may answer. */
function EventAnswers({
  answers,
}: {
  readonly answers: readonly (readonly [status: string, answer: Answer])[]
}): JSX.Element {
  return (
    <section>
      <h2>What your endpoint answers</h2>
      <ul class="errors">
        {answers.map(([status, { description }]) => (
          <li key={status}>
            <p>
              <span class="status">{status === "default" ? "anything else" : status}</span>
            </p>
            <p class="small quiet">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function EventExample({ entry, document }: Pick<TryItProps, "document" | "entry">): JSX.Element {
  const examples = examplesOf(entry.operation.requestBody?.content["application/json"], document)
  return (
    <section>
      <h2>Payload</h2>
      {examples.map(({ name, value }) => (
        <Code key={name} label={`A body of ${entry.path}`} text={prettyJson(value)} />
      ))}
    </section>
  )
}
