import { secret } from '@tandem/contract';
import { z } from 'zod';

const customHeadersMax = 20;

// RFC 9110: the name is a token; the value has visible characters, spaces and tabs, so no line break can add a header.
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e\t]{0,1022}[\x21-\x7e])?$/;
// Headers that the platform sets, connection headers (RFC 9110 7.6.1), and headers that frame the message.
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

/** Custom headers: not the platform's or the connection's, and without characters that could add another header. */
export const CustomHeaders = secret(
  z
    .record(z.string(), z.string(), { error: 'Must be an object of header names and values' })
    .superRefine((headers, context) => {
      const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
      const names = Object.keys(headers);
      if (names.length > customHeadersMax) refuse(`Must contain at most ${customHeadersMax} headers`);
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
        refuse('Must not contain the same header twice');
      for (const [name, value] of Object.entries(headers).slice(0, customHeadersMax)) {
        const lower = name.toLowerCase();
        if (!headerName.test(name)) refuse('Must be a valid header name', [name]);
        else if (reserved.has(lower) || ours.test(lower))
          refuse('Must not be sent: the platform sets this header', [name]);
        else if (!headerValue.test(value))
          refuse('Must be 1 to 1024 visible ASCII characters without line breaks', [name]);
      }
    })
    .meta({
      description: 'Custom headers of each delivery, at most 20. Responses contain only their names.',
      examples: [{ 'X-Region': 'blue' }],
    }),
);
