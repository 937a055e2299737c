import { failedSignInsPerHourMax, type signIn, userLoginFailed } from '@tandem/identity-contract';
import type { Context } from '@tandem/service';
import type { Tx } from '../../handler.ts';

type InTenant = Context<typeof signIn.login, Tx>['inTenant'];

/**
 * Records a failed login; only the first ones of each hour are added to the audit log. The caller is not authenticated,
 * so the entry has an IP address but no actor.
 */
export async function recordFailedSignIn(inTenant: InTenant, tenantId: number, userId: number): Promise<void> {
  await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit }) => {
    const [failed] = await tx.sql<{ attempts: number }>`
      INSERT INTO failed_sign_in (user_id, hour, attempts) VALUES (${userId}, date_trunc('hour', now()), 1)
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET hour = excluded.hour,
        attempts = CASE WHEN failed_sign_in.hour = excluded.hour THEN failed_sign_in.attempts + 1 ELSE 1 END
      RETURNING attempts`;
    if ((failed?.attempts ?? 0) > failedSignInsPerHourMax) return;
    emit(userLoginFailed, { data: { userId }, record: { id: userId } });
  });
}
