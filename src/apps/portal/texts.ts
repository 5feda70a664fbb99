/** Texts of the portal's mails: only what the reader needs, and of data that strangers have typed only a plain name. */

import type { OutgoingMail } from "../../areas/messages/outbox.ts"
import { SIGN_INS_PER_ACCOUNT_MAX } from "../../model/values/limits.ts"
import type { Role } from "./rows.ts"

type Text = Pick<OutgoingMail, "purpose" | "subject" | "text">

export function signUpText(code: string): Text {
  return {
    purpose: "sign-up",
    subject: "Your code for Curbline",
    text: [
      `Your code is ${code}. It is good for 15 minutes.`,
      "",
      "Curbline's staff never ask for it. If you did not sign up, there is nothing to do.",
    ].join("\n"),
  }
}

/** To the owner of an account when a new sign-up uses its address. */
export function signUpAgainText(): Text {
  return {
    purpose: "sign-up",
    subject: "You already have a Curbline account",
    text: [
      "Somebody tried to sign up with this e-mail address, which has an account already.",
      "If it was you, sign in with it, or ask for a new password.",
      "If it was not, there is nothing to do: no account was made.",
    ].join("\n"),
  }
}

export function resetText(link: string): Text {
  return {
    purpose: "password-reset",
    subject: "A new password for Curbline",
    text: [
      "Choose a new password with this link. It is good for 30 minutes.",
      "",
      link,
      "",
      "If you did not ask for this, there is nothing to do: your password stays.",
    ].join("\n"),
  }
}

/** To an address without an account: users may have forgotten which address they used. */
export function resetUnknownText(): Text {
  return {
    purpose: "password-reset",
    subject: "A new password for Curbline",
    text: [
      "Somebody asked for a new password for this e-mail address, which has no account with Curbline.",
      "If it was you, you may have signed up with another address. If it was not, there is nothing to do.",
    ].join("\n"),
  }
}

export function passwordChangedText(): Text {
  return {
    purpose: "password-changed",
    subject: "Your Curbline password was changed",
    text: [
      "The password of your account was changed, and every other session was signed out.",
      "If it was not you, ask for a new password at once: POST /portal/api/password/forgotten.",
    ].join("\n"),
  }
}

export type SecondFactorChange = "application-added" | "off" | "on" | "passkey-added" | "passkey-removed"

const SECOND_FACTOR_CHANGES: Readonly<
  Record<SecondFactorChange, { readonly subject: string; readonly text: readonly string[] }>
> = {
  on: {
    subject: "The second factor of your Curbline account is on",
    text: [
      "Signing in to your account now needs a code of your authenticator application, a passkey or a recovery code.",
      "Every other session was signed out.",
    ],
  },
  off: {
    subject: "The second factor of your Curbline account is off",
    text: [
      "Signing in to your account needs the password alone again.",
      "Every other session was signed out.",
    ],
  },
  "application-added": {
    subject: "An authenticator application was added to your Curbline account",
    text: ["Its codes can complete a sign-in to your account."],
  },
  "passkey-added": {
    subject: "A passkey was added to your Curbline account",
    text: ["Another passkey can complete a sign-in to your account."],
  },
  "passkey-removed": {
    subject: "A passkey was removed from your Curbline account",
    text: ["It completes no sign-in to your account any more."],
  },
}

/** To a person whose password was right and whose codes were wrong, as when another knows the password. */
export function failedCodesText(remedy: string): Text {
  return {
    purpose: "password-changed",
    subject: "Wrong codes at the sign-in to your Curbline account",
    text: [
      `Your password was right, but ${SIGN_INS_PER_ACCOUNT_MAX} codes or passkeys after it were wrong. No session was begun.`,
      `If it was not you, somebody knows your password: ${remedy}`,
    ].join("\n"),
  }
}

/** It concerns the security of the account, as a changed password does. */
export function secondFactorText(change: SecondFactorChange): Text {
  const { subject, text } = SECOND_FACTOR_CHANGES[change]
  const alarm = "If it was not you, ask for a new password at once: POST /portal/api/password/forgotten."
  return { purpose: "password-changed", subject, text: [...text, alarm].join("\n") }
}

export function invitationText({
  organization,
  role,
  link,
}: {
  readonly organization: string
  readonly role: Role
  readonly link: string
}): Text {
  return {
    purpose: "invitation",
    subject: "You are invited to Curbline",
    text: [
      `The organization "${plainName(organization)}" invites you to its Curbline portal as ${role}.`,
      "Accept with this link. It is good for 7 days.",
      "",
      link,
      "",
      "If you do not know them, there is nothing to do.",
    ].join("\n"),
  }
}

/** To an address that already has an account, which can be a member of several organizations. */
export function invitationToAccountText({
  organization,
  role,
  link,
}: Parameters<typeof invitationText>[0]): Text {
  return {
    purpose: "invitation",
    subject: "You are invited to Curbline",
    text: [
      `The organization "${plainName(organization)}" invites you to its Curbline portal as ${role}.`,
      "You have an account already: join with this link. It is good for 7 days.",
      "",
      link,
      "",
      "If you do not know them, there is nothing to do.",
    ].join("\n"),
  }
}

const ALARM = "If you did not expect this, ask an owner of the organization."

interface Change {
  readonly organization: string
  /** Who changed it; null: the reader. */
  readonly by: string | null
}

/** To a person whose membership ended. */
export function removedText({ organization, by, isLast }: Change & { readonly isLast: boolean }): Text {
  const name = plainName(organization)
  return {
    purpose: "password-changed",
    subject: "You are no longer a member of an organization at Curbline",
    text: [
      by === null
        ? `You left the organization "${name}" in its Curbline portal.`
        : `${plainName(by)} removed you from the organization "${name}" in its Curbline portal.`,
      "Your sessions there ended.",
      isLast
        ? "You were in no other organization, so your account ended too. An invitation or a sign-up with this address makes a new one."
        : "Your account stays in your other organizations.",
      by === null ? "If it was not you, ask an owner of the organization to invite you again." : ALARM,
    ].join("\n"),
  }
}

/** To a person whose role was changed. */
export function roleChangedText({ organization, by, role }: Change & { readonly role: Role }): Text {
  return {
    purpose: "password-changed",
    subject: "Your role in an organization at Curbline was changed",
    text: [
      `${by === null ? "You" : plainName(by)} changed your role in the organization "${plainName(organization)}": you are ${role === "owner" ? "an owner" : "a member"} now.`,
      role === "owner"
        ? "Owners manage members, the organization and production keys, and ask for production."
        : "Members cannot manage people, the organization or production keys.",
      "Your sessions there ended: sign in to go on.",
      ALARM,
    ].join("\n"),
  }
}

/** To an address whose account ended with its last membership. */
export function resetEndedText(organization: string): Text {
  return {
    purpose: "password-reset",
    subject: "A new password for Curbline",
    text: [
      `Somebody asked for a new password for this e-mail address. Its account ended when its membership of the organization "${plainName(organization)}" did.`,
      "An owner can invite you again, or you can sign up with an organization of your own.",
    ].join("\n"),
  }
}

/** The decision of operations on a request. */
export interface Decided {
  readonly isApproved: boolean
  readonly reason: string | null
}

/** Subject and sentence of a decision, by what was asked for. */
const DECISIONS = {
  access: {
    approved: [
      "Your production access is ready",
      "Your organization may now use Curbline in production. Make a production key in the portal.",
    ],
    declined: [
      "About your request for production access",
      "Your request for production access was declined. You can ask again once what is missing is there.",
    ],
  },
  fleet_enrolment: {
    approved: [
      "Your organization is enrolled as a fleet partner",
      "Your robots may reserve arrival windows in production, at the places that operations grant you, once your organization has production access.",
    ],
    declined: [
      "About your enrolment as a fleet partner",
      "Your enrolment for production was declined. The sandbox stays open to your robots, and you can ask again in the portal.",
    ],
  },
  production_sites: {
    approved: [
      "Your new sites are made",
      "Operations made the sites that you asked for. A site takes deliveries once operations have set its area and price.",
    ],
    declined: [
      "About your request for sites",
      "Your request for more sites was declined. You can ask again in the portal.",
    ],
  },
} as const

export function decidedText(what: keyof typeof DECISIONS, { isApproved, reason }: Decided): Text {
  const [subject, sentence] = DECISIONS[what][isApproved ? "approved" : "declined"]
  const why = reason ? ["", `Operations say: ${reason}`] : []
  return { purpose: "access-decided", subject, text: [sentence, ...why].join("\n") }
}

/** To the organization's contact. Source: direct delivery contract, delivery rules. */
export function webhookDisabledText(webhookId: string): Text {
  return {
    purpose: "webhook-disabled",
    subject: "A webhook was switched off",
    text: [
      `After 50 failures in a row the webhook ${webhookId} was switched off, and what waited for it was dropped.`,
      `Once its receiver works again, switch it on with PUT /dd/v1/webhooks/${webhookId} and "is_active": true.`,
    ].join("\n"),
  }
}

/** A stranger chose the name, so characters are removed that mail programs would turn into a link. */
function plainName(name: string): string {
  return name.replace(/[:/\\@<>"]/g, " ").replace(/\.(?=\S)/g, " ")
}
