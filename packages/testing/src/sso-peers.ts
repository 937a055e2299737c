import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

// An identity provider and a name server, for tests of single sign-on. Imported by its own path, because the
// provider takes long to load.

const clientId = 'tandem';

/** A person at the provider. */
export interface ProviderPerson {
  email?: string;
  email_verified?: boolean | string | undefined;
  /** Whether the domain of the address is verified, in the words of Microsoft Entra ID. */
  xms_edov?: boolean;
  name?: string;
}

/**
 * Starts an OpenID Connect provider on loopback, whose users sign in without a password.
 * @param redirectUri where it sends browsers back to
 */
export async function startProvider(redirectUri: string) {
  const people = new Map<string, ProviderPerson>();
  let signingIn = '';
  const secret = randomBytes(16).toString('hex');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [secret] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId as string });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  let signatures: 'valid' | 'forged' = 'valid';
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (signatures === 'forged' && typeof body?.id_token === 'string')
      context.body = { ...body, id_token: forged(body.id_token) };
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: signingIn } });
  });

  /** Follows the redirects of the provider like a browser, up to the one back to us. */
  const follow = async (from: string): Promise<URL> => {
    const cookies = new Map<string, string>();
    for (let at = new URL(from), steps = 0; steps < 10; steps++) {
      if (at.href.startsWith(redirectUri)) return at;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const reply = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const set of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = reply.headers.get('location');
      if (!location) throw new Error(`The provider responded ${reply.status}: ${await reply.text()}`);
      at = new URL(location, at);
    }
    throw new Error('The provider redirects without end');
  };

  return {
    issuer,
    clientId,
    secret,
    people,
    /** Makes the provider answer ID tokens with a valid or a forged signature. */
    sign(as: 'valid' | 'forged') {
      signatures = as;
    },
    /** Signs a person in at the provider; returns the callback that the browser arrives at. */
    signIn: (subject: string, location: string) => {
      signingIn = subject;
      return follow(location);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The token with another signature of the same length. */
function forged(token: string): string {
  const [header, claims, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  return [header, claims, randomBytes(bytes.length).toString('base64url')].join('.');
}

const typeTxt = 16;

/** Starts a name server on loopback with TXT records by name. */
export async function startNameServer() {
  const records = new Map<string, string>();
  const socket = dgram.createSocket('udp4', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] as number; length; length = query[at] as number) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const question = query.subarray(12, at + 5);
    const text = query.readUInt16BE(at + 1) === typeTxt ? records.get(labels.join('.').toLowerCase()) : undefined;
    const head = Buffer.from(query.subarray(0, 12));
    // A response; NXDOMAIN without a record.
    head.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(text === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const answer = Buffer.alloc(12);
    answer.writeUInt16BE(0xc00c, 0);
    answer.writeUInt16BE(typeTxt, 2);
    answer.writeUInt16BE(1, 4);
    answer.writeUInt16BE((text?.length ?? 0) + 1, 10);
    const data = text === undefined ? [] : [answer, Buffer.from([text.length]), Buffer.from(text)];
    socket.send(Buffer.concat([head, question, ...data]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { records, address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}
