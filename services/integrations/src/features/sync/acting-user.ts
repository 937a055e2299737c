import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { allows, Environment } from '@tandem/contract';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

/** The context of calls in the name of a user. */
export type As = Omit<Caller, 'type'>;

/**
 * The user in whose name a config acts, with what both the current permissions of the user and those of the credential
 * that set the config up allow of the wanted ones.
 * @returns undefined if the user is not active, or if one of the permissions is missing
 * @throws ServiceCallError while identity is unreachable
 */
export async function readActingUser(
  { identity }: Pick<Tools, 'identity'>,
  config: Pick<ConfigRow, 'tenantId' | 'environment' | 'authorizedBy' | 'authorizedPermissions'>,
  { wanted, requestId }: { wanted: readonly string[]; requestId: string },
): Promise<As | undefined> {
  const { tenantId, authorizedBy: userId } = config;
  if (userId === null) return undefined;
  const scope = { tenantId, environment: Environment.parse(config.environment), requestId };
  const user = await orAbsent(identity.findUser({ params: { id: userId }, as: scope }));
  if (user?.status !== 'active') return undefined;
  const { permissions: current } = await identity.findUserPermissions({ params: { id: userId }, as: scope });
  const permissions = wanted.flatMap((permission) =>
    narrowest(permission, [current, config.authorizedPermissions as string[]]),
  );
  if (permissions.length < wanted.length) return undefined;
  return { ...scope, userId, teamIds: user.teamIds, permissions };
}

const reaches = ['own', 'team', 'all'] as const;

/** A permission as far as every list of granted permissions allows it; none if one of them does not. */
function narrowest(permission: string, granted: readonly (readonly string[])[]): string[] {
  const allowed = granted.map((one) => allows(one, permission));
  const reach = reaches.find((one) => allowed.includes(one));
  if (reach === undefined || allowed.includes(undefined)) return [];
  return [reach === 'all' ? permission : `${permission}:${reach}`];
}
