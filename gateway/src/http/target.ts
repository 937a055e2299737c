import type { IncomingMessage } from 'node:http';

// A host name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 9110 4.2, RFC 3986 3.2.2).
const authority = /^(?:[a-z0-9._~!$&'()*+,;=%-]*|\[[0-9a-f:.]+\])(?::[0-9]*)?$/i;
const absoluteForm = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Rewrites a request target in absolute form, `http://host/path`, to origin form, `/path` (RFC 9112 3.2.2). A target
 * with an invalid authority is left unchanged.
 */
export function toOriginForm(request: IncomingMessage): void {
  const target = request.url as string;
  if (target.startsWith('/')) return;
  const [, host, rest = ''] = absoluteForm.exec(target) ?? [];
  if (host === undefined || !authority.test(host)) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** The reason to refuse the Host header (RFC 9112 3.2); undefined if there is exactly one and it is valid. */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return 'Must be sent once';
    host = rawHeaders[at + 1] as string;
  }
  if (host === undefined) return httpVersion === '1.1' ? 'Is required with HTTP/1.1' : undefined;
  return authority.test(host) ? undefined : 'Must be a host name or address, with an optional port';
}
