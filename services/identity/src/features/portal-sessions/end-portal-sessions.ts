import type { internalPortal } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';

export const endPortalSessions =
  (tools: Tools): Handler<typeof internalPortal.endPortalSessions> =>
  async ({ body, caller, tx, afterCommit }) => {
    if (caller.tenantId === undefined) throw fail('not_found');
    const { sessionId, partnerId, portalUserId, exceptSessionId } = body;
    if (sessionId === undefined && partnerId === undefined)
      throw failField('partnerId', 'Is required without sessionId');
    const rows = await tx.session.updateManyAndReturn({
      where: {
        ...(exceptSessionId !== undefined && { id: { not: exceptSessionId } }),
        ...(sessionId !== undefined && { id: sessionId }),
        partnerId: partnerId ?? { not: null },
        // Sessions are stored without the environment in their scope, unlike the partners that they belong to.
        portalEnvironment: caller.environment,
        ...(portalUserId !== undefined && { portalUserId }),
        endedAt: null,
      },
      data: { endedAt: new Date(), endReason: 'ended' },
      select: { id: true },
    });
    afterCommit(async () => {
      for (const { id } of rows) await tools.invalidateCredentials({ sessionId: id });
    });
    return { ended: rows.length };
  };
