const pathMax = 200;
// Ids have at most 20 characters: a longer segment is the token of a link, or an API key sent in the path by mistake.
const secretMin = 32;
const longSegment = /[^/]{32,}/g;
const encodedCharacters = /%([0-9a-f]{2})/gi;
const encodedCharacter = /%[0-9a-f]{2}/i;

/** A path for the access log, with tokens and keys redacted. */
export function loggedPath(path: string): string {
  return path.replace(longSegment, (segment) => (isSecret(segment) ? '***' : segment)).slice(0, pathMax);
}

/** Whether a segment has the characters of a secret, also if some are percent-encoded or dots separate them. */
function isSecret(segment: string): boolean {
  const decoded = segment.replace(encodedCharacters, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  // No id or token is encoded twice, so such a segment is not decoded any further.
  return encodedCharacter.test(decoded) || decoded.replace(/[^\w-]/g, '').length >= secretMin;
}
