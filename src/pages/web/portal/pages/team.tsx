/** Members of the organization and invitations to it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Table } from "../../design/table.tsx"
import { DOOR, api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { endSession } from "../../session-watch.ts"
import type { PageProps } from "../session.ts"
import { dayTime, fromRealNow } from "../times.ts"
import { Danger, RowCommand } from "./danger.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"
import { WaitingMail } from "./waiting-mail.tsx"

type Member = Schemas["Member"]
type Role = Member["role"]

export function Team({ me }: PageProps): JSX.Element {
  const [isInviting, setInviting] = useState(false)
  const [invited, setInvited] = useState<string | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  const members = useResource(() => dataOf(api.GET("/portal/api/members")))
  const invitations = useResource(() => dataOf(api.GET("/portal/api/invitations")))
  const isOwner = me.account.role === "owner"
  return (
    <div class="content">
      <Head
        title="Team"
        lead={
          isOwner
            ? "Owners manage members, the organization and production keys, and ask for production. Members do the rest."
            : "Only an owner may invite and remove people."
        }
      >
        {isOwner ? (
          <Button look="primary" icon="plus" onPress={() => setInviting(true)}>
            Invite somebody
          </Button>
        ) : null}
      </Head>
      {members.fault !== null && members.data === null ? (
        <ReadProblem what="Members" fault={members.fault} onAgain={members.reload} />
      ) : (
        <Members
          rows={members.data?.members ?? null}
          me={me}
          onRemove={setRemoving}
          onLeave={() => setLeaving(true)}
          onChanged={members.reload}
        />
      )}
      {invited === null ? null : <WaitingMail to={invited} />}
      <Invitations
        rows={invitations.data?.invitations ?? []}
        isOwner={isOwner}
        onChanged={invitations.reload}
      />
      {isInviting ? (
        <Invite
          onClose={() => setInviting(false)}
          onSent={(email) => {
            setInviting(false)
            setInvited(email)
            toast({ text: "The invitation is on its way", icon: "send" })
            void invitations.reload()
          }}
        />
      ) : null}
      {isLeaving ? <Leave me={me} onClose={() => setLeaving(false)} /> : null}
      {removing === null ? null : (
        <Remove
          member={removing}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null)
            toast("Removed")
            void members.reload()
          }}
        />
      )}
    </div>
  )
}

interface MembersProps {
  readonly rows: readonly Member[] | null
  readonly me: PageProps["me"]
  readonly onRemove: (member: Member) => void
  readonly onLeave: () => void
  readonly onChanged: () => Promise<void>
}

function Members({ rows, me, onRemove, onLeave, onChanged }: MembersProps): JSX.Element {
  const isOwner = me.account.role === "owner"
  const isLastOwner = ({ role }: Member): boolean =>
    role === "owner" && rows?.filter((one) => one.role === "owner").length === 1
  return (
    <Table
      label="Members"
      hasTwoLines
      rows={rows}
      keyOf={({ account_id: id }) => id}
      columns={[
        {
          name: "Name",
          cell: ({ name, email }) => (
            <>
              <span class="main">{name}</span>
              <span class="under">{email}</span>
            </>
          ),
        },
        {
          name: "Role",
          cell: (member) =>
            isLastOwner(member) ? (
              <>
                Owner <span class="small quiet">the only one</span>
              </>
            ) : (
              <RoleOf member={member} me={me} onChanged={onChanged} />
            ),
        },
        { name: "Since", isEnd: true, cell: ({ created_at: at }) => dayTime(at) },
        {
          name: "",
          isEnd: true,
          cell: (member) =>
            member.account_id === me.account.account_id ? (
              isLastOwner(member) ? null : (
                <Button isSmall look="danger quiet" onPress={onLeave}>
                  Leave
                </Button>
              )
            ) : isOwner ? (
              <Button isSmall look="danger quiet" onPress={() => onRemove(member)}>
                Remove
              </Button>
            ) : null,
        },
      ]}
    />
  )
}

interface InvitationsProps {
  readonly rows: readonly Schemas["Invitation"][]
  readonly isOwner: boolean
  readonly onChanged: () => Promise<void>
}

function Invitations({ rows, isOwner, onChanged }: InvitationsProps): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <>
      <hr class="line" />
      <div class="section-head">
        <h2>Invitations</h2>
      </div>
      <Table
        label="Invitations"
        rows={rows}
        keyOf={({ invitation_id: id }) => id}
        columns={[
          { name: "E-mail", cell: ({ email }) => email },
          { name: "Role", cell: ({ role }) => roleName(role) },
          { name: "Ends", isEnd: true, cell: ({ ends_at: at }) => fromRealNow(at) },
          {
            name: "",
            isEnd: true,
            cell: ({ invitation_id: id }) =>
              isOwner ? (
                <RowCommand
                  name="Take back"
                  run={() => dataOf(api.DELETE("/portal/api/invitations/{id}", { params: { path: { id } } }))}
                  onDone={onChanged}
                />
              ) : null,
          },
        ]}
      />
    </>
  )
}

function roleName(role: Role): string {
  return role === "owner" ? "Owner" : "Member"
}

const ROLES: readonly (readonly [Role, string])[] = [
  ["member", "Member"],
  ["owner", "Owner"],
]

interface RoleOfProps {
  readonly member: Member
  readonly me: PageProps["me"]
  readonly onChanged: () => Promise<void>
}

function RoleOf({ member, me, onChanged }: RoleOfProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  if (me.account.role !== "owner") return <>{roleName(member.role)}</>
  const wanted = member.role === "owner" ? "a member" : "an owner"
  return (
    <>
      {roleName(member.role)}{" "}
      <button type="button" class="link-button small" onClick={() => setAsking(true)}>
        Make {wanted}
        <span class="visually-hidden"> of {member.name}</span>
      </button>
      {isAsking ? (
        <ChangeRole member={member} me={me} onChanged={onChanged} onClose={() => setAsking(false)} />
      ) : null}
    </>
  )
}

/**
 * A name is typed for what the reader cannot take back alone: an owner may remove the others, and who gives up the role
 * needs another owner to get it again.
 */
function ChangeRole({
  member: { account_id: id, name, role: before },
  me,
  onChanged,
  onClose,
}: RoleOfProps & { readonly onClose: () => void }): JSX.Element {
  const role: Role = before === "owner" ? "member" : "owner"
  const isOwn = id === me.account.account_id
  const wanted = role === "owner" ? "an owner" : "a member"
  return (
    <Danger
      title={isOwn ? `Give up your role as an owner?` : `Make ${name} ${wanted}?`}
      happens={`${
        role === "owner"
          ? "Owners manage members, the organization and production keys, and ask for production. An owner can remove you."
          : "Members cannot manage people, the organization or production keys."
      } ${isOwn ? "Your" : "Their"} sessions here end, and a mail says so.`}
      typed={
        role === "owner" || isOwn ? { text: name, to: isOwn ? "give it up" : `make them ${wanted}` } : null
      }
      action={`Make ${wanted}`}
      busy="Changing…"
      keep="Not now"
      onConfirm={async () => {
        await dataOf(api.PATCH("/portal/api/members/{id}", { params: { path: { id } }, body: { role } }))
        onClose()
        toast(`${name} is ${wanted} now`)
        await onChanged()
      }}
      onClose={onClose}
    />
  )
}

interface InviteProps {
  readonly onClose: () => void
  readonly onSent: (email: string) => void
}

function Invite({ onClose, onSent }: InviteProps): JSX.Element {
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("member")
  const [repeated, setRepeated] = useState("")
  const [isWrong, setWrong] = useState(false)
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/invitations", { body: { email, role } }))
    onSent(email)
  })
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <Fields
        onSend={() => {
          // A mistyped address must not make a stranger an owner.
          const differs = role === "owner" && repeated.trim() !== email.trim()
          setWrong(differs)
          if (!differs) send()
        }}
        actions={
          <FormButtons isBusy={isBusy} action="Send the invitation" busy="Sending…" onClose={onClose} />
        }
      >
        {fault !== null && fault.fields["email"] === undefined ? <CommandProblem fault={fault} /> : null}
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={setEmail}
          isFirst
          error={fault?.fields["email"] ?? null}
        />
        <SelectField label="Role" value={role} options={ROLES} onChange={setRole} />
        {role === "owner" ? (
          <TextField
            label="Type the address again to invite an owner"
            type="email"
            hint="An owner can remove you and everybody else."
            value={repeated}
            onChange={setRepeated}
            error={isWrong ? "This is not the address above." : null}
          />
        ) : null}
      </Fields>
    </Dialog>
  )
}

interface RemoveProps {
  readonly member: Member
  readonly onClose: () => void
  readonly onDone: () => void
}

function Remove({ member: { account_id: id, name }, onClose, onDone }: RemoveProps): JSX.Element {
  return (
    <Danger
      title={`Remove ${name}?`}
      happens="Their sessions end at once. Keys that they made keep working."
      typed={{ text: name, to: "remove them" }}
      action="Remove"
      busy="Removing…"
      keep="Keep them"
      onConfirm={async () => {
        await removed(id)
        onDone()
      }}
      onClose={onClose}
    />
  )
}

/** Of one's own will; an account in no other organization ends with it. */
function Leave({
  me: { account, organization, organizations },
  onClose,
}: Pick<PageProps, "me"> & { readonly onClose: () => void }): JSX.Element {
  const { name } = organization
  return (
    <Danger
      title={`Leave ${name}?`}
      happens={`Your sessions here end at once. Keys that you made keep working, and only an owner can invite you again. ${
        organizations.length === 1
          ? "You are in no other organization, so your account is deleted, with its second factor."
          : "Your account stays in your other organizations."
      }`}
      typed={{ text: name, to: "leave it" }}
      action="Leave"
      busy="Leaving…"
      keep="Stay"
      onConfirm={async () => {
        await endSession(DOOR, () => removed(account.account_id))
        window.location.assign("/portal")
      }}
      onClose={onClose}
    />
  )
}

function removed(id: string): Promise<unknown> {
  return dataOf(api.DELETE("/portal/api/members/{id}", { params: { path: { id } } }))
}
