/** The error of a command line, apart from the commands: the first file of the command line loads it before any of them. */

/** The command line is wrong, or a file that it names: such as a path that does not exist. */
export class UsageError extends Error {}
