/** The seven steps of each way to production, in words, and where each is done. */

import type { JSX } from "preact"
import { ButtonLink } from "../../../design/button.tsx"
import { Path } from "../../../design/steps.tsx"
import type { Schemas } from "../../api.ts"
import type { PageProps } from "../../session.ts"
import { dayTime } from "../../times.ts"
import { NewDelivery } from "../new-delivery.tsx"
import { EnrolButton } from "./enrolment.tsx"

export type Course = Schemas["AccessRequest"]["course"]

type Step = Schemas["OnboardingStep"]

interface StepText {
  readonly name: string
  readonly done: string
  /** Where it is done. */
  readonly path: string
  readonly button: string
}

const STEPS: Readonly<Record<Step["step"], StepText>> = {
  organization_profile: {
    name: "Describe your organization",
    done: "Name and the address that operations write to",
    path: "/portal/account#organization",
    button: "Describe it",
  },
  sandbox_key: {
    name: "Make a sandbox key",
    done: "For your program",
    path: "/portal/keys",
    button: "Make a key",
  },
  sandbox_site: {
    name: "Add a sandbox site",
    done: "Area and price are set",
    path: "/portal/sites",
    button: "Add a site",
  },
  sandbox_webhook: {
    name: "Register a webhook endpoint",
    done: "It gets events of deliveries",
    path: "/portal/webhooks",
    button: "Register an endpoint",
  },
  sandbox_quote: {
    name: "Ask for a quote",
    done: "Available, with a price",
    path: "/docs",
    button: "Read how",
  },
  sandbox_delivery: {
    name: "Complete a sandbox delivery",
    done: "From scheduled to completed",
    path: "/portal/deliveries",
    button: "Go to deliveries",
  },
  webhook_acknowledged: {
    name: "Answer an event with 2xx",
    done: "Your receiver has answered",
    path: "/portal/webhooks",
    button: "See what it answered",
  },
  fleet_enrolment: {
    name: "Enrol as a fleet partner",
    done: "The sandbox is open to your robots",
    path: "/portal/reservations",
    button: "Enrol",
  },
  reservation_webhook: {
    name: "Register a webhook endpoint",
    done: "It gets events of reservations",
    path: "/portal/webhooks",
    button: "Register an endpoint",
  },
  sandbox_reservation: {
    name: "Reserve an arrival window",
    done: "At a stall of the sandbox",
    path: "/portal/reservations",
    button: "Book in the sandbox",
  },
  completed_reservation: {
    name: "Complete a sandbox reservation",
    done: "From the booking until the robot departs",
    path: "/portal/reservations",
    button: "Go to reservations",
  },
  reservation_acknowledged: {
    name: "Answer an event with 2xx",
    done: "Your receiver has answered",
    path: "/portal/webhooks",
    button: "See what it answered",
  },
}

const COURSES: readonly (readonly [course: Course, name: string])[] = [
  ["deliveries", "Our vehicles deliver"],
  ["reservations", "Your own robots"],
]

interface CoursesProps {
  readonly chosen: Course
  readonly onChoose: (course: Course) => void
}

/** The choice between the two ways. */
export function Courses({ chosen, onChoose }: CoursesProps): JSX.Element {
  return (
    <div class="chips courses" role="group" aria-label="The way to production">
      {COURSES.map(([course, name]) => (
        <button
          key={course}
          type="button"
          class="chip"
          aria-pressed={course === chosen}
          onClick={() => onChoose(course)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

interface StepsProps {
  readonly steps: readonly Step[]
  readonly page: PageProps
}

export function Steps({ steps, page }: StepsProps): JSX.Element {
  const current = steps.find(({ is_done: isDone }) => !isDone)
  return (
    <Path
      steps={steps.map((step) => {
        const { name, done } = STEPS[step.step]
        const isCurrent = step === current
        return {
          name,
          state: step.is_done ? "done" : isCurrent ? "current" : "next",
          ...(step.done_at === null ? {} : { when: `${makerOf(step)}${dayTime(step.done_at)}` }),
          children: (
            <>
              <p class="small quiet">{step.is_done ? done : (step.hint ?? done)}</p>
              {isCurrent ? <DoIt step={step.step} page={page} /> : null}
            </>
          ),
        }
      })}
    />
  )
}

function makerOf({ done_by: by }: Step): string {
  if (by === null) return ""
  return by.type === "key" ? `key …${by.name}, ` : `${by.name.split(" ")[0] ?? ""}, `
}

function DoIt({ step, page }: { readonly step: Step["step"]; readonly page: PageProps }): JSX.Element {
  const { path, button } = STEPS[step]
  if (step === "fleet_enrolment") {
    return (
      <div class="row">
        <EnrolButton me={page.me} />
      </div>
    )
  }
  const isDelivery = step === "sandbox_quote" || step === "sandbox_delivery"
  return (
    <div class="row">
      {isDelivery ? (
        <NewDelivery />
      ) : (
        <ButtonLink href={path} look="primary">
          {button}
        </ButtonLink>
      )}
      {isDelivery || step === "sandbox_reservation" ? (
        <a class="link small" href={`${page.urls.sandbox}/docs`}>
          Do it by API
        </a>
      ) : null}
    </div>
  )
}
