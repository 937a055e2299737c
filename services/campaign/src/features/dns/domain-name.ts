import { domainToASCII } from 'node:url';

// `domainToASCII` cuts these off or decodes them, as in a URL.
const ofUrl = /[/\\?#@:%]/;
const domainName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain name in lower case and punycode; undefined for any other text, such as an address or a single label. */
export function asDomainName(text: string): string | undefined {
  if (ofUrl.test(text)) return undefined;
  const name = domainToASCII(text.trim().toLowerCase().replace(/\.$/, ''));
  return domainName.test(name) ? name : undefined;
}
