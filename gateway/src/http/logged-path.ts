const pathMax = 200;
// Ids have at most 20 characters: what is longer is a link's token, or a key that somebody put there by mistake.
const secret = /[\w-]{32,}/g;

/** A path as the log shows it: without what opens something to whoever reads it. */
export function loggedPath(path: string): string {
  return path.replace(secret, '***').slice(0, pathMax);
}
