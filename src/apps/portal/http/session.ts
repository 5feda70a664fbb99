/** `/portal/api/sign-up`, `/session`, `/sessions`, `/password`: accounts and their sessions. */

import { Effect, Schema } from "effect"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { SESSION_END_KNOWN_MS, SESSION_LIFETIME_MS } from "../../../model/values/limits.ts"
import {
  AskResetRequest,
  ChangePasswordRequest,
  ChooseEnvironmentRequest,
  ChooseOrganizationRequest,
  ROLES,
  ResetPasswordRequest,
  SignInRequest,
  SignUpRequest,
  VerifySignUpRequest,
} from "../../../model/requests/portal.ts"
import { SECOND_MS, isoMs } from "../../../model/values/time.ts"
import { PortalAccounts } from "../people/accounts.ts"
import type { PortalCaller } from "../caller.ts"
import { enrolledIn } from "../partner-requests.ts"
import { PortalSessions } from "../people/sessions.ts"
import type { StartedSession } from "../people/sessions.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { memberEndpoint } from "./endpoint.ts"
import { openEndpoint } from "./endpoint.ts"
import type { PortalAnswer } from "./endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

export const Nothing = Schema.Struct({}).annotations({ jsonSchema: { type: "object", properties: {} } })

const Me = Schema.Struct({
  account: Schema.Struct({
    account_id: Schema.String,
    email: Schema.String,
    name: Schema.String,
    role: Schema.Literal(...ROLES),
  }),
  organization: Schema.Struct({
    organization_id: Schema.String,
    name: Schema.String,
    environments: Schema.Array(Schema.Literal(...ENVIRONMENTS)),
    enrolled_in: Schema.Array(Schema.Literal(...ENVIRONMENTS)).annotations({
      description: "Where it is a fleet partner, which reserves arrival windows.",
    }),
  }),
  session: Schema.Struct({
    session_id: Schema.String,
    environment: Schema.Literal(...ENVIRONMENTS),
    ends_at: DateTime,
  }),
  organizations: Schema.Array(
    Schema.Struct({
      organization_id: Schema.String,
      name: Schema.String,
      role: Schema.Literal(...ROLES),
    }),
  ).annotations({ description: "All of which the person is a member, to switch between." }),
}).annotations({ identifier: "Me" })

const Session = Schema.Struct({
  session_id: Schema.String,
  user_agent: Schema.String,
  is_current: Schema.Boolean,
  created_at: DateTime,
  seen_at: DateTime,
  ends_at: DateTime,
}).annotations({ identifier: "Session" })

const shownSession = recordsOf(Session)

export const Begun = Schema.Struct({ session_id: Schema.String, ends_at: DateTime })

const Pending = Schema.Struct({
  challenge: Schema.String,
  methods: Schema.Array(Schema.Literal("application", "passkey", "recovery-code")).annotations({
    description: "What the account has for the second step.",
  }),
  ends_at: DateTime,
})

export function begun({ token, session, device }: StartedSession, status = 200): PortalAnswer {
  return {
    status,
    data: { session_id: session.sessionId, ends_at: isoMs(session.endsAtMs) },
    // The cookie outlives the session, so that the sign-in page can say why it ended.
    cookie: { token, maxAgeSeconds: (SESSION_LIFETIME_MS + SESSION_END_KNOWN_MS) / SECOND_MS },
    device,
  }
}

const signUp = openEndpoint({
  method: "POST",
  path: "/portal/api/sign-up",
  operationId: "signUp",
  summary: "Ask for an account and an organization; a code goes to the e-mail address",
  body: SignUpRequest,
  answers: { 202: Schema.Struct({ sign_up_token: Schema.String, ends_at: DateTime }) },
  *handle({ visitor }, sent) {
    const request = yield* sent
    const { token, endsAtMs } = yield* (yield* PortalAccounts).signUp(request, visitor)
    return { sign_up_token: token, ends_at: isoMs(endsAtMs) }
  },
})

const verify = openEndpoint({
  method: "POST",
  path: "/portal/api/sign-up/verify",
  operationId: "verifySignUp",
  summary: "Send the code back; makes the account and signs it in",
  body: VerifySignUpRequest,
  answers: { 201: Begun },
  errors: ["INVALID_CODE"],
  *handle({ visitor }, sent) {
    const request = yield* sent
    return begun(yield* (yield* PortalAccounts).verifySignUp(request, visitor), 201)
  },
})

const signIn = openEndpoint({
  method: "POST",
  path: "/portal/api/session",
  operationId: "signIn",
  summary:
    "Sign in; the session is a cookie. With a second factor the answer is 202, and `completeSignIn` begins the session",
  body: SignInRequest,
  answers: { 200: Begun, 202: Pending },
  errors: ["INVALID_CREDENTIALS", "MEMBERSHIP_ENDED", "ORG_INACTIVE"],
  *handle({ visitor }, sent) {
    const request = yield* sent
    const made = yield* (yield* PortalSessions).signIn(request, visitor)
    if ("session" in made) return begun(made)
    return {
      status: 202,
      data: { challenge: made.challenge, methods: made.methods, ends_at: isoMs(made.endsAtMs) },
    }
  },
})

const me = memberEndpoint({
  method: "GET",
  path: "/portal/api/session",
  operationId: "readSession",
  summary: "Who is signed in, and in which environment",
  answers: { 200: Me },
  *handle({ caller }) {
    return yield* sessionRecord(caller)
  },
})

const meRecord = recordsOf(Me)

/** Who is signed in, as the API and the pages show it. */
export function sessionRecord(caller: PortalCaller): Effect.Effect<typeof Me.Type, never, PortalSessions> {
  const { account, organization, session } = caller
  return Effect.map(
    Effect.flatMap(PortalSessions, (sessions) => sessions.organizations(caller)),
    (organizations) =>
      meRecord({
        account,
        organization: { ...organization, enrolledIn: enrolledIn(organization) },
        session,
        organizations,
      }),
  )
}

const signOut = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/session",
  operationId: "signOut",
  summary: "Sign out",
  answers: { 200: Nothing },
  *handle({ caller }) {
    yield* (yield* PortalSessions).signOut(caller)
    return { status: 200, data: {}, cookie: null }
  },
})

const chooseOrganization = memberEndpoint({
  method: "POST",
  path: "/portal/api/session/organization",
  operationId: "chooseOrganization",
  summary: "Switch this session to another organization of one's own, in its sandbox",
  body: ChooseOrganizationRequest,
  answers: { 200: Schema.Struct({ organization_id: Schema.String }) },
  errors: ["NOT_FOUND"],
  *handle({ caller }, sent) {
    const { organization_id: organizationId } = yield* sent
    yield* (yield* PortalSessions).chooseOrganization(caller, organizationId)
    return { organization_id: organizationId }
  },
})

const chooseEnvironment = memberEndpoint({
  method: "PUT",
  path: "/portal/api/session/environment",
  operationId: "chooseEnvironment",
  summary: "The development-mode switch of this session",
  body: ChooseEnvironmentRequest,
  answers: { 200: Schema.Struct({ environment: Schema.Literal(...ENVIRONMENTS) }) },
  *handle({ caller }, sent) {
    const { environment } = yield* sent
    yield* (yield* PortalSessions).chooseEnvironment(caller, environment)
    return { environment }
  },
})

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/sessions",
  operationId: "listSessions",
  summary: "One's own sessions, the one in use last first",
  answers: { 200: Schema.Struct({ sessions: Schema.Array(Session) }) },
  *handle({ caller }) {
    const sessions = yield* (yield* PortalSessions).list(caller)
    const shown = sessions.map((session) =>
      shownSession({ ...session, isCurrent: session.sessionId === caller.session.sessionId }),
    )
    return { sessions: shown }
  },
})

const end = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/sessions/{id}",
  operationId: "endSession",
  summary: "End one of one's own sessions",
  answers: { 200: Nothing },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }) {
    yield* (yield* PortalSessions).end(caller, id)
    return { status: 200, data: {}, ...(id === caller.session.sessionId ? { cookie: null } : {}) }
  },
})

const endOthers = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/sessions",
  operationId: "endOtherSessions",
  summary: "End every other session of one's own",
  answers: { 200: Nothing },
  *handle({ caller }) {
    yield* (yield* PortalSessions).endOthers(caller)
    return {}
  },
})

const askReset = openEndpoint({
  method: "POST",
  path: "/portal/api/password/forgotten",
  operationId: "askForNewPassword",
  summary: "Ask for a code to choose a new password with; the answer is the same for every address",
  body: AskResetRequest,
  answers: { 202: Nothing },
  *handle({ visitor }, sent) {
    const { email } = yield* sent
    yield* (yield* PortalAccounts).askReset(email, visitor)
    return {}
  },
})

const reset = openEndpoint({
  method: "POST",
  path: "/portal/api/password/new",
  operationId: "chooseNewPassword",
  summary: "Choose a new password with the code that was mailed, as `token`; ends every session",
  body: ResetPasswordRequest,
  answers: { 200: Nothing },
  errors: ["INVALID_CODE"],
  *handle({ visitor }, sent) {
    const request = yield* sent
    const device = yield* (yield* PortalAccounts).reset(request, visitor)
    return { status: 200, data: {}, cookie: null, device }
  },
})

const changePassword = memberEndpoint({
  method: "PUT",
  path: "/portal/api/password",
  operationId: "changePassword",
  summary: "Change one's password; ends every session and begins this one anew",
  body: ChangePasswordRequest,
  answers: { 200: Begun },
  errors: ["INVALID_CREDENTIALS"],
  *handle({ caller, visitor }, sent) {
    const request = yield* sent
    return begun(yield* (yield* PortalAccounts).changePassword(caller, request, visitor))
  },
})

export const session = [
  signUp,
  verify,
  signIn,
  me,
  signOut,
  chooseEnvironment,
  chooseOrganization,
  list,
  end,
  endOthers,
  askReset,
  reset,
  changePassword,
]
