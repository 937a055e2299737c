import { ssoCookie, type ssoSignIn } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { begin, cookiePath, sealBegun, validSeconds } from './begun.ts';
import { credentialsOf, findActive, redirectUri } from './connection.ts';

export const startSso =
  (tools: Tools): Handler<typeof ssoSignIn.startSso> =>
  async ({ query, tx, inTenant, setCookie }) => {
    const { email, slug, returnTo = '/' } = query;
    if (email === undefined && slug === undefined) throw failField('email', 'Is required without slug');
    const tenantId = await findTenant(tx, { email, slug });
    const connection =
      tenantId && (await inTenant({ tenantId, environment: 'live' }, ({ tx: tenantTx }) => findActive(tenantTx)));
    if (!tenantId || !connection) throw fail('sso_off');
    const begun = begin({ tenantId, returnTo });
    const location = await tools.sso.begin(credentialsOf(connection, tools.seal), begun, {
      redirectUri: redirectUri(tools),
      email,
    });
    setCookie(ssoCookie, sealBegun(begun, tools.seal), {
      path: cookiePath,
      maxAgeSeconds: validSeconds,
      // The browser must send the cookie when the provider, which is another site, redirects back.
      sameSite: 'Lax',
      secure: tools.secureCookies,
    });
    return { body: '', type: 'text/html; charset=utf-8', location };
  };

async function findTenant(
  tx: Tx,
  { email, slug }: { email: string | undefined; slug: string | undefined },
): Promise<number | undefined> {
  if (slug !== undefined) return (await tx.tenantDirectory.findFirst({ where: { slug } }))?.id;
  const domain = (email as string).slice((email as string).lastIndexOf('@') + 1).toLowerCase();
  return (await tx.ssoDomainLookup.findFirst({ where: { domain } }))?.ownerTenantId;
}
