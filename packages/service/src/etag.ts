import { fail, failField } from './api-error.ts';

// 72 bits.
const digestCharacters = 12;
const entityTags = /^(?:[\t ,]*(?:W\/)?"[!#-~\x80-\xff]*"[\t ]*(?=,|$))+[\t ,]*$/;

/**
 * The ETag of a record: `"<version>-<digest>"`. If-Match compares the version; If-None-Match compares both, because
 * counters and names of other records change a body without its version.
 * @param data the record in the response, as JSON
 * @param digest keyed: a plain digest would let a client find the internal ids in the data by trying numbers
 */
export function etagOf(version: number, data: string, digest: (text: string) => string): string {
  return `"${version}-${digest(data).slice(0, digestCharacters)}"`;
}

/**
 * Accepts an If-Match header that names the version: `"3-<digest>"`, `"3"`, a list with one of these, or `*`. A weak tag
 * counts as well, because proxies that compress responses make tags weak.
 * @throws ApiError 412 if the record has another version, 422 if the header is not written as an ETag
 */
export function checkIfMatch(header: string, version: number): void {
  const value = header.trim();
  if (value === '*') return;
  if (!entityTags.test(value)) throw failField('If-Match', 'Must be an ETag in quotes, such as "3"');
  const versions = value.split(',').map((tag) => /^(?:W\/)?"([0-9]+)(?:-[A-Za-z0-9+/]{12})?"$/.exec(tag.trim())?.[1]);
  if (!versions.includes(String(version))) throw fail('stale_version');
}
