/** `/portal/api/members` and `/invitations`: the members of an organization. */

import { Schema } from "effect"
import {
  AcceptInvitationRequest,
  ChangeMemberRequest,
  InviteRequest,
  PreviewInvitationRequest,
  ROLES,
} from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { PortalMembers } from "../members.ts"
import type { Challenge } from "../rows.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { memberEndpoint } from "./endpoint.ts"
import { openEndpoint } from "./endpoint.ts"
import { Nothing, begun } from "./session.ts"
import { recordsOf } from "../../../http/records/records.ts"

const MemberRecord = Schema.Struct({
  account_id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Schema.Literal(...ROLES),
  created_at: DateTime,
}).annotations({ identifier: "Member" })

const Invitation = Schema.Struct({
  invitation_id: Schema.String,
  email: Schema.String,
  role: Schema.Literal(...ROLES),
  created_at: DateTime,
  ends_at: DateTime,
}).annotations({ identifier: "Invitation" })

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/members",
  operationId: "listMembers",
  summary: "The organization's people, oldest first",
  answers: { 200: Schema.Struct({ members: Schema.Array(MemberRecord) }) },
  *handle({ caller }) {
    const members = yield* (yield* PortalMembers).list(caller)
    return { members: members.map(memberRecord) }
  },
})

const change = memberEndpoint({
  method: "PATCH",
  path: "/portal/api/members/{id}",
  operationId: "changeMember",
  summary: "Change a role (owners); ends that person's sessions",
  body: ChangeMemberRequest,
  answers: { 200: Schema.Struct({ member: MemberRecord }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }, sent) {
    const { role } = yield* sent
    const member = yield* (yield* PortalMembers).changeRole(caller, { accountId: id, role })
    return { member: memberRecord(member) }
  },
})

const remove = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/members/{id}",
  operationId: "removeMember",
  summary: "Remove somebody (owners) or oneself; the last owner stays",
  answers: { 200: Nothing },
  errors: ["OWNER_REQUIRED", "NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }) {
    yield* (yield* PortalMembers).remove(caller, id)
    return { status: 200, data: {}, ...(id === caller.account.accountId ? { cookie: null } : {}) }
  },
})

const invite = memberEndpoint({
  method: "POST",
  path: "/portal/api/invitations",
  operationId: "invite",
  summary: "Invite an e-mail address (owners); a link goes there",
  body: InviteRequest,
  answers: { 201: Schema.Struct({ invitation: Invitation }) },
  errors: ["OWNER_REQUIRED", "INVALID_STATE", "LIMIT_REACHED"],
  *handle({ caller }, sent) {
    const request = yield* sent
    const invitation = yield* (yield* PortalMembers).invite(caller, request)
    return { invitation: invitationRecord(invitation) }
  },
})

const invitations = memberEndpoint({
  method: "GET",
  path: "/portal/api/invitations",
  operationId: "listInvitations",
  summary: "Open invitations, oldest first",
  answers: { 200: Schema.Struct({ invitations: Schema.Array(Invitation) }) },
  *handle({ caller }) {
    const open = yield* (yield* PortalMembers).invitations(caller)
    return { invitations: open.map(invitationRecord) }
  },
})

const withdraw = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/invitations/{id}",
  operationId: "withdrawInvitation",
  summary: "Withdraw an invitation (owners); its link opens nothing any more",
  answers: { 200: Nothing },
  errors: ["OWNER_REQUIRED", "NOT_FOUND"],
  *handle({ caller, id }) {
    yield* (yield* PortalMembers).withdraw(caller, id)
    return {}
  },
})

const preview = openEndpoint({
  method: "POST",
  path: "/portal/api/invitations/preview",
  operationId: "previewInvitation",
  summary: "What the invitation of a link's token says; the link can still be accepted",
  body: PreviewInvitationRequest,
  answers: {
    200: Schema.Struct({
      organization_name: Schema.String,
      email: Schema.String,
      role: Schema.Literal(...ROLES),
      invited_by: Schema.NullOr(Schema.String).annotations({
        description: "Name of the member who sent it; null when that member has left.",
      }),
      ends_at: DateTime,
    }),
  },
  errors: ["INVALID_CODE"],
  *handle({ visitor }, sent) {
    const { token } = yield* sent
    const found = yield* (yield* PortalMembers).preview(token, visitor)
    const { organizationName, email, role, invitedBy, endsAtMs } = found
    const data = { organization_name: organizationName, email, role, invited_by: invitedBy }
    return { ...data, ends_at: isoMs(endsAtMs) }
  },
})

const join = memberEndpoint({
  method: "POST",
  path: "/portal/api/invitations/join",
  operationId: "joinOrganization",
  summary: "Accept an invitation with the link's token as the person who is signed in",
  body: PreviewInvitationRequest,
  answers: { 201: Schema.Struct({ organization_id: Schema.String }) },
  errors: ["INVALID_CODE"],
  *handle({ caller }, sent) {
    const { token } = yield* sent
    const { organizationId } = yield* (yield* PortalMembers).join(caller, token)
    return { organization_id: organizationId }
  },
})

const accept = openEndpoint({
  method: "POST",
  path: "/portal/api/invitations/accept",
  operationId: "acceptInvitation",
  summary: "Accept an invitation with the link's token; makes the account and signs it in",
  body: AcceptInvitationRequest,
  answers: { 201: Schema.Struct({ session_id: Schema.String, ends_at: DateTime }) },
  errors: ["INVALID_CODE"],
  *handle({ visitor }, sent) {
    const request = yield* sent
    return begun(yield* (yield* PortalMembers).accept(request, visitor), 201)
  },
})

const memberRecord = recordsOf(MemberRecord)

function invitationRecord({ challengeId, email, role, createdAtMs, endsAtMs }: Challenge): object {
  return {
    invitation_id: challengeId,
    email,
    role,
    created_at: isoMs(createdAtMs),
    ends_at: isoMs(endsAtMs),
  }
}

export const members = [list, change, remove, invite, invitations, withdraw, preview, join, accept]
