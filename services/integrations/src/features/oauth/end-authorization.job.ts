import { id } from '@tandem/contract';
import { authorizationFailed } from '@tandem/integrations-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { aboutConnection, asConnection, type ConnectionRow } from '../connections/connection.ts';
import { removeConnection } from '../connections/remove-connection.ts';

/** Job that removes a connection which nobody has authorized in time. */
export const endAuthorizationJob = {
  name: 'end-authorization',
  payload: z.object({ connectionId: id('connection') }),
};

export const endAuthorization = job({
  ...endAuthorizationJob,
  async run({ payload, finish }: JobContext<z.output<typeof endAuthorizationJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const where = { id: payload.connectionId, status: 'pending', deletedAt: null };
      const row = (await tx.connection.lockFirst({ where })) as ConnectionRow | null;
      if (!row) return;
      // Another authorization of the connection was requested meanwhile, and has a job of its own.
      const open = { connectionId: row.id, expiresAt: { gt: new Date() } };
      if (await tx.oauthAuthorization.count({ where: open })) return;
      const removed = await removeConnection(tx, row, { keepCredentials: false });
      const reason = 'authorization_expired' as const;
      emit(authorizationFailed, { data: { ...aboutConnection(removed), reason }, record: asConnection(removed) });
    });
  },
});
