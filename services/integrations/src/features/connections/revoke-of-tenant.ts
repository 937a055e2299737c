import type { TenantRemoval } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { PrismaClient } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import { type ConnectionRow, openTokens, type StoredTokens } from './connection.ts';
import { isAccountInUse, revoke } from './revoke-connection.job.ts';

const atOnce = 5;

/**
 * Revokes the access of all connections of a tenant whose data is removed. Each provider is called once, because the removal
 * does not wait for providers.
 */
export const revokeOfTenant = (tools: Tools): TenantRemoval<PrismaClient> => ({
  async before(_tenantId, inEachEnvironment) {
    await inEachEnvironment(async (tx) => {
      const rows = await tx.connection.findMany({ where: { credentials: { not: '' } } });
      const granted = rows.flatMap((row) => {
        const tokens = connectorOf(row.connectorKey).provider && openTokens(tools.seal, row);
        return tokens ? [{ row, tokens }] : [];
      });
      for (let done = 0; done < granted.length; done += atOnce)
        await Promise.all(granted.slice(done, done + atOnce).map((one) => revokeUnlessInUse(tx, tools, one)));
    });
  },
});

/** Revokes the access of a connection, unless that would end connections of other tenants. */
async function revokeUnlessInUse(
  tx: Parameters<typeof isAccountInUse>[0],
  tools: Tools,
  { row, tokens }: { row: ConnectionRow; tokens: StoredTokens },
): Promise<void> {
  if (!(await isAccountInUse(tx, row, { isOnlyElsewhere: true }))) await revoke(tools, row, tokens);
}
