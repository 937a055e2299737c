/** A reason that a file cannot be used as a SCORM package, as its author reads it. */
export class PackageError extends Error {}
