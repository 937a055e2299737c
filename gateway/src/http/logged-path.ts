const pathMax = 200;
// Ids have at most 20 characters: anything longer is the token of a link, or an API key sent in the path by mistake.
const secret = /[\w-]{32,}/g;

/** A path for the access log, with tokens and keys redacted. */
export function loggedPath(path: string): string {
  return path.replace(secret, '***').slice(0, pathMax);
}
