import { z } from 'zod';

const customHeadersMax = 20;

// RFC 9110: a token as name; visible characters, spaces and tabs as value, so no line break can add a header.
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e\t]{0,1022}[\x21-\x7e])?$/;
// Ours, and those that belong to the connection (RFC 9110 7.6.1) or frame the message.
const reserved = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'user-agent',
  'accept-encoding',
]);
const ours = /^(webhook-|x-service-)/;

/** Headers of the customer's own: neither ours nor the connection's, and nothing that could add another header. */
export const CustomHeaders = z
  .record(z.string(), z.string(), { error: 'Must be an object of header names and values' })
  .superRefine((headers, context) => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    const names = Object.keys(headers);
    if (names.length > customHeadersMax) refuse(`Must hold at most ${customHeadersMax} headers`);
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) refuse('Must name each header once');
    for (const [name, value] of Object.entries(headers).slice(0, customHeadersMax)) {
      const lower = name.toLowerCase();
      if (!headerName.test(name)) refuse('Not a header name', [name]);
      else if (reserved.has(lower) || ours.test(lower)) refuse('This header is set by the platform', [name]);
      else if (!headerValue.test(value))
        refuse('Must be 1 to 1024 visible ASCII characters without line breaks', [name]);
    }
  })
  .meta({
    description: 'Headers of your own that each delivery has, at most 20. Replies show their names only.',
    examples: [{ 'X-Region': 'blue' }],
  });
