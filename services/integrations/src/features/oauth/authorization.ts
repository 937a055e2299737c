import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Environment } from '@tandem/caller';
import { authorizationMinutes, type OauthProvider } from '@tandem/integrations-contract';
import { failField } from '@tandem/service';
import type { OauthAuthorization } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

const context = 'oauth verifier';

/** The encrypted column of authorizations. */
export const sealedVerifier = { table: 'oauth_authorization', column: 'verifier', context, ref: 'seal_ref' };

interface Scope {
  tenantId: number;
  environment: Environment;
}

/** The callback address that is registered with a provider. */
export function callbackUrl({ publicUrl }: Pick<Tools, 'publicUrl'>, provider: OauthProvider): string {
  return `${publicUrl}/v1/integrations/oauth/${provider}/callback`;
}

/** Makes a state, which names the tenant because the callback has no credentials, and the secret of PKCE (RFC 7636). */
export function beginAuthorization({ states, seal }: Pick<Tools, 'states' | 'seal'>, { tenantId, environment }: Scope) {
  const random = () => randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + authorizationMinutes * 60_000);
  const [sealRef, verifier] = [randomUUID(), random()];
  const state = states.issue({ tenantId, environment, nonce: random() }, expiresAt);
  const columns = {
    stateHash: hashOf(state),
    sealRef,
    verifier: seal.seal(verifier, `${context} ${sealRef}`),
    expiresAt,
  };
  return { state, verifier, columns };
}

/** Takes the authorization of a state out of the table, so that it is used once; undefined if there is none. */
export async function takeAuthorization(
  tx: Tx,
  { seal }: Pick<Tools, 'seal'>,
  state: string,
  provider: OauthProvider,
): Promise<(Omit<OauthAuthorization, 'verifier'> & { verifier: string }) | undefined> {
  const where = { stateHash: hashOf(state), provider, expiresAt: { gt: new Date() } };
  const found = await tx.oauthAuthorization.lockFirst({ where });
  if (!found) return undefined;
  await tx.oauthAuthorization.deleteMany({ where: { stateHash: found.stateHash } });
  return { ...found, verifier: seal.open(found.verifier, `${context} ${found.sealRef}`) };
}

/** Fails for an address that browsers may not be redirected to: a foreign one would get the result of the authorization. */
export function checkRedirectUri({ redirectOrigins }: Pick<Tools, 'redirectOrigins'>, redirectUri: string): void {
  const url = URL.parse(redirectUri);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isHttp || url.username || url.password || !redirectOrigins.includes(url.origin))
    throw failField(
      'redirectUri',
      redirectOrigins.length
        ? `Must be an address of ${redirectOrigins.join(' or ')}`
        : 'Must be omitted: the platform allows no redirects after an authorization',
    );
}

/** SHA-256 in hex. A fast hash is enough because a state cannot be guessed. */
function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
