/** The errors of a command line, apart from the commands: the first file of the command line loads it before any of them. */

/** The command line is wrong, or a file that it names: such as a path that does not exist. */
export class UsageError extends Error {}

/** The command could not do its work for a reason that its message says; the command line is right. */
export class CommandFailed extends Error {}
