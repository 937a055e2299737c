import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Connector } from './connector.ts';
import { fieldsOf, objectOf, pathError } from './fields.ts';
import { Events, shownAsSecret } from './settings.ts';

// RFC 9110: the name is a token; the value has visible characters and spaces, so no line break can add a header.
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;
const reserved = /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*)$/i;

const BaseUrl = text(2048)
  .refine((url) => URL.canParse(url), 'Must be an http or https URL')
  .describe('The base address of the system');

const Credentials = z.discriminatedUnion(
  'auth',
  [
    z.object({
      auth: z.literal('api_key'),
      baseUrl: BaseUrl,
      header: z
        .string()
        .regex(headerName, 'Must be a valid header name')
        .refine((name) => !reserved.test(name), 'Must not be a header that the platform sets')
        .default('Authorization')
        .describe('The header that has the key'),
      apiKey: z
        .string()
        .regex(headerValue, 'Must be 1 to 1024 visible ASCII characters without line breaks')
        .meta({ description: 'The value of the header, which is sent as it is, such as `Bearer …`', ...shownAsSecret }),
    }),
    z.object({
      auth: z.literal('basic'),
      baseUrl: BaseUrl,
      // RFC 7617: the colon separates user name and password.
      username: text(255)
        .regex(/^[^:]+$/, 'Must not be empty or contain a colon')
        .describe('The user name'),
      password: text(1000).meta({ description: 'The password', ...shownAsSecret }),
    }),
    z.object({ auth: z.literal('none'), baseUrl: BaseUrl }),
  ],
  { error: 'Must be one of api_key, basic, none' },
);
type Credentials = z.output<typeof Credentials>;

const Settings = z.object({
  events: Events,
  path: text(500)
    .regex(/^[A-Za-z0-9/_.~-]*$/, 'Must consist of letters, digits and / _ . ~ -')
    .refine((path) => !path.split('/').includes('..'), 'Must not contain ..')
    .default('')
    .describe('The path below the base address'),
  method: z
    .enum(['POST', 'PUT'], { error: 'Must be one of POST, PUT' })
    .default('POST')
    .describe('The method of the request, whose body is the event, or its mapped fields'),
});

/** A system of the user with an HTTP API. The address is part of the credentials, so that they are sent to no other one. */
export const rest: Connector = {
  key: 'rest',
  name: 'REST API',
  category: 'custom',
  authType: 'api_key',
  provider: null,
  scopes: [],
  settings: Settings,
  credentials: Credentials,
  headersOf(secret) {
    const credentials = secret as Credentials;
    if (credentials.auth === 'none') return {};
    if (credentials.auth === 'api_key') return { [credentials.header]: credentials.apiKey };
    const { username, password } = credentials;
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  },
  ownAddress: ({ baseUrl }) => ({ field: 'baseUrl', url: String(baseUrl) }),
  async probe(call, { baseUrl }) {
    await call({ url: String(baseUrl) });
    return null;
  },
  nameError: pathError,
  async act(call, { baseUrl }, action) {
    const { path, method } = Settings.parse(action.settings);
    const { event, fieldMappings } = action;
    await call({
      url: addressOf(String(baseUrl), path),
      method,
      headers: { 'idempotency-key': event.id },
      body: fieldMappings.length ? objectOf(fieldsOf(action)) : event,
    });
  },
};

/** The address of a path below the base address, whose query and credentials it keeps. */
function addressOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return url.href;
}
