import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { type sso, ssoConfigured } from '@tandem/identity-contract';
import { diff, fail, failField } from '@tandem/service';
import type { SsoConnection as ConnectionRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkMayAssign } from '../../permissions.ts';
import { isOwner } from '../users/user.ts';
import { asConnection, credentialsOf, sealClientSecret } from './connection.ts';
import { issuerError } from './issuer.ts';

interface Wanted {
  issuer: string;
  clientId: string;
  clientSecret?: string;
}

export const configureSso = (tools: Tools): Handler<typeof sso.configureSso> => ({
  async check({ body, caller, tx }) {
    await checkDefaultRole(tx, caller, body);
    const clientSecret = secretOf(await tx.ssoConnection.findFirst({}), body, tools);
    const error = issuerError(body.issuer) ?? (await tools.ssoTarget.resolvedUrlError(body.issuer, 'live'));
    if (error) throw failField('issuer', error);
    await tools.sso.discover({ ...body, clientSecret, tenantId: caller.tenantId as number }).catch(() => {
      throw failField('issuer', 'Must be the issuer of an OpenID Connect provider that can be reached');
    });
  },
  async run({ body, caller, tx, emit, ifMatch }) {
    const { tenantId, userId } = caller;
    if (tenantId === undefined || userId === undefined) throw fail('not_found');
    await checkDefaultRole(tx, caller, body);
    await tx.sql`SELECT tenant_id FROM tenant FOR NO KEY UPDATE`;
    const before = await tx.ssoConnection.findFirst({});
    if (before) ifMatch(before);
    const sealed = sealClientSecret(tools.seal, secretOf(before, body, tools));
    const { issuer, clientId, defaultRoleId = null, allowSignUp, enforce } = body;
    const values = { issuer, clientId, defaultRoleId, allowSignUp, enforce };
    const { audit } = diff({ ...(before ?? emptyConnection) }, values);
    const written = { ...values, ...sealed, configuredBy: userId };
    const [row] = before
      ? await tx.ssoConnection.updateManyAndReturn({
          where: { tenantId },
          data: { ...written, version: { increment: 1 } },
        })
      : [await tx.ssoConnection.create({ data: written })];
    if (!row) throw fail('not_found');
    emit(ssoConfigured, {
      data: { tenantId },
      record: { id: tenantId, issuer, allowSignUp, enforce },
      changes: audit,
    });
    return asConnection(tx, row, tools);
  },
});

const emptyConnection = { issuer: null, clientId: null, defaultRoleId: null, allowSignUp: null, enforce: null };

/** The role of new users must not have more rights than the caller may assign, and is never the owner. */
async function checkDefaultRole(
  tx: Tx,
  caller: Caller,
  { defaultRoleId, allowSignUp }: { defaultRoleId?: number | null; allowSignUp: boolean },
): Promise<void> {
  if (defaultRoleId === undefined || defaultRoleId === null) {
    if (allowSignUp) throw failField('defaultRoleId', 'Is required with allowSignUp');
    return;
  }
  const role = await tx.role.findFirst({ where: { id: defaultRoleId } });
  if (!role) throw failField('defaultRoleId', unknownId('role'));
  if (isOwner(role)) throw failField('defaultRoleId', 'Must not be the owner');
  checkMayAssign(caller, role.permissions, 'defaultRoleId');
}

/** The given secret, or the stored one as long as it goes to the same client of the same provider. */
function secretOf(before: ConnectionRow | null, { issuer, clientId, clientSecret }: Wanted, tools: Tools): string {
  if (clientSecret !== undefined) return clientSecret;
  if (!before) throw failField('clientSecret', 'Is required');
  if (before.issuer !== issuer || before.clientId !== clientId)
    throw failField('clientSecret', 'Is required when issuer or clientId change');
  return credentialsOf(before, tools.seal).clientSecret;
}
