/** `curbline config --systemd`: a unit for a service that runs from a checkout or a package, with few privileges. */

import { fileURLToPath } from "node:url"
import { STOP_MS_MAX } from "../../live/configuration/bounds.ts"
import { SECOND_MS } from "../../model/values/time.ts"

/** Added to the longest time of a stop. */
const STOP_MARGIN_S = 15

/** Uses the Node that prints it. Source: systemd.exec(5), systemd.service(5). */
export function systemdUnit(): string {
  const program = fileURLToPath(new URL("../curbline.js", import.meta.url))
  const top = fileURLToPath(new URL("../../../", import.meta.url))
  return [
    "# /etc/systemd/system/curbline.service",
    "# Settings are in /etc/curbline.env, one NAME=value on each line; `curbline config` lists them. Make it readable only by root.",
    "[Unit]",
    "Description=Curbline, autonomous curbside delivery",
    "Wants=network-online.target",
    "After=network-online.target postgresql.service",
    "",
    "[Service]",
    "Type=exec",
    `WorkingDirectory=${top}`,
    `ExecStart=${process.execPath} ${program} serve`,
    "Environment=NODE_ENV=production CURBLINE_DATA=/var/lib/curbline",
    "EnvironmentFile=-/etc/curbline.env",
    "Restart=on-failure",
    "RestartSec=2",
    `TimeoutStopSec=${STOP_MS_MAX / SECOND_MS + STOP_MARGIN_S}`,
    "KillMode=mixed",
    "LimitNOFILE=65536",
    "",
    "DynamicUser=yes",
    "StateDirectory=curbline",
    "StateDirectoryMode=0700",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "LockPersonality=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallErrorNumber=EPERM",
    "# No MemoryDenyWriteExecute: the engine compiles JavaScript at run time.",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
  ].join("\n")
}
