/** One thing to do on the start page: a press that begins a course of requests, its progress, and what was sent and answered. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Code } from "../design/code.tsx"
import { Banner } from "../design/feedback.tsx"
import type { IconName } from "../design/icon.tsx"
import { Pill } from "../design/pill.tsx"
import type { Tone } from "../design/pill.tsx"
import { curlOf, send } from "./course.ts"
import type { Sent, SentRequest } from "./course.ts"

/** What is shown of a course of requests. */
export interface Course {
  readonly isRunning: boolean
  readonly words: string
  readonly step: number
  readonly steps: number
  readonly isOver: boolean
  /** It ended otherwise than hoped. */
  readonly isCanceled: boolean
  readonly id: string | null
  readonly answer: Sent | null
  readonly problem: string | null
}

function lookOf({ isOver, isCanceled }: Course): { readonly tone: Tone; readonly icon: IconName } {
  if (isCanceled) return { tone: "idle", icon: "ban" }
  return isOver ? { tone: "ok", icon: "circle-check" } : { tone: "move", icon: "truck" }
}

function progressOf({ isOver, isCanceled, step, steps }: Course): string {
  if (isCanceled) return "ended early"
  return isOver ? "done" : `step ${step} of ${steps}`
}

const IDLE: Course = {
  isRunning: false,
  words: "",
  step: 0,
  steps: 1,
  isOver: false,
  isCanceled: false,
  id: null,
  answer: null,
  problem: null,
}

type Show = (change: Partial<Course>) => void

/** A course that a press begins; a failure is shown and ends it. */
export function useCourse(run: (show: Show) => Promise<void>): readonly [Course, () => void] {
  const [course, setCourse] = useState<Course>(IDLE)
  const show: Show = (change) => setCourse((known) => ({ ...known, ...change }))
  const begin = async (): Promise<void> => {
    setCourse({ ...IDLE, isRunning: true })
    try {
      await run(show)
    } catch (cause) {
      show({
        problem: cause instanceof CourseFault ? cause.message : "The host does not answer. Is it running?",
      })
    }
    show({ isRunning: false })
  }
  return [course, () => void begin()]
}

export class CourseFault extends Error {}

/** The answer's data; an error of the service ends the course. */
export async function asked(
  request: SentRequest,
): Promise<{ readonly sent: Sent; readonly data: Readonly<Record<string, unknown>> }> {
  const sent = await send(request)
  const { data, error, code } = sent.answer
  if (data === undefined) {
    const isWithoutNames = error?.includes("DNS_RESOLUTION_FAILED") === true
    const hint = isWithoutNames ? " This machine has no name server: start with --allow-local-targets." : ""
    throw new CourseFault(
      `${request.method} ${request.path} answered ${sent.status} ${code ?? ""}: ${error ?? ""}${hint}`,
    )
  }
  return { sent, data }
}

interface ActionProps {
  readonly title: string
  readonly text: string
  readonly button: string
  readonly icon: IconName
  readonly isPrimary?: boolean
  readonly course: Course
  readonly onPress: () => void
  readonly request: SentRequest
  readonly base: string
  /** Pages about what was made. */
  readonly links?: readonly (readonly [name: string, href: string])[]
  readonly then?: string
  /** In place of the request: all that was sent. */
  readonly code?: ComponentChildren
  /** More of the course, below its progress. */
  readonly children?: ComponentChildren
}

export function Action(props: ActionProps): JSX.Element {
  const { course, request, isPrimary = false, links = [] } = props
  const { method, path, body } = request
  const shown = [
    `${method} ${path}`,
    fieldsOf(body ?? {}),
    ...(props.then === undefined ? [] : [props.then]),
    ...(course.answer === null ? [] : [answerLine(course.answer)]),
  ]
  return (
    <ActionFrame
      title={props.title}
      text={props.text}
      code={
        props.code ?? (
          <Code
            text={shown.join("\n")}
            copies={curlOf(request, props.base)}
            label={`the request of: ${props.title}`}
          />
        )
      }
    >
      <Button
        look={isPrimary ? "primary" : "secondary"}
        icon={props.icon}
        isBusy={course.isRunning}
        onPress={props.onPress}
      >
        {props.button}
      </Button>
      <div class="running" role="status">
        {course.words === "" ? null : (
          <>
            <span class="row">
              <Pill {...lookOf(course)}>{course.words}</Pill>
              <span class="quiet">{progressOf(course)}</span>
            </span>
            <progress
              aria-label="Steps done"
              max={course.steps}
              value={course.isOver ? course.steps : course.step}
            />
          </>
        )}
        {course.id === null ? null : (
          <span>
            <span class="mono">{course.id}</span>
            {links.map(([name, href]) => (
              <span key={name}>
                {" · "}
                <a class="link" href={href}>
                  {name}
                </a>
              </span>
            ))}
          </span>
        )}
        {course.problem === null ? null : <Banner tone="bad">{course.problem}</Banner>}
      </div>
      {props.children}
    </ActionFrame>
  )
}

/** JSON with a field a line; what is inside of a field stays on its line. */
export function fieldsOf(body: object): string {
  const lines = Object.entries(body).map(
    ([name, value]) =>
      `"${name}": ${JSON.stringify(value, null, 1).replaceAll(/\s+/g, (blank) => (blank.includes("\n") ? " " : blank))}`,
  )
  return `{${lines.join(",\n ")}}`
}

function answerLine({ status, ms, answer }: Sent): string {
  const text = JSON.stringify(answer.data ?? answer)
  return `${status}  ${text.length > 220 ? `${text.slice(0, 220)}…` : text}  ${ms} ms`
}

interface ActionFrameProps {
  readonly title: string
  readonly text: string
  readonly code?: ComponentChildren
  readonly children: ComponentChildren
}

export function ActionFrame({ title, text, code, children }: ActionFrameProps): JSX.Element {
  return (
    <section class="action">
      <div>
        <h2>{title}</h2>
        <p class="small quiet">{text}</p>
        {children}
      </div>
      {code}
    </section>
  )
}
